package run

import (
	"slices"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/netmf"
	"heavytail/embedding/option"
	"heavytail/embedding/propagate"
)

// TestSchema_Zero expects that each number that may be 0 and has a different default remains a 0 in the
// struct: otherwise a 0 that a program computed would silently become the default.
func TestSchema_Zero(t *testing.T) {
	t.Parallel()
	zeros(t, "unit_ball", BallSchema(), BallOptions.validate)
	zeros(t, "fastrp", FastRPSchema(), propagate.FastRPOptions.Validate)
	zeros(t, "prone", ProNESchema(), propagate.ProNEOptions.Validate)
	zeros(t, "netmf", NetMFSchema(), netmf.Options.Validate)
	for _, name := range []string{embedding.MethodDPSpectral, embedding.MethodLaplacianEigenmaps} {
		zeros(t, name, SpectralSchema(name), embedding.SpectralOptions.Validate)
	}
	for _, name := range []string{embedding.MethodDPWalker, embedding.MethodDeepWalk, embedding.MethodNode2Vec} {
		zeros(t, name, WalkSchema(name), embedding.WalkOptions.Validate)
	}
}

func zeros[O any](t *testing.T, method string, schema option.Schema[O], validate func(O) error) {
	t.Helper()
	i := slices.IndexFunc(Methods(), func(m Method) bool { return m.Name == method })
	for _, info := range Methods()[i].Options {
		zero := map[string]any{"int": int64(0), "float": 0.0}[info.Type]
		if zero == nil {
			continue
		}
		o, _, err := schema.BindValid(method, []option.Given{{Name: info.Name, Value: zero}}, validate)
		back := schema.Given(o)
		if other := info.Default != "0" || info.Name == "anchor"; err == nil && other && len(back) != 1 { // the default of anchor is not 0 with every start
			t.Errorf("%s: 0 of option %s is lost; its default is %s", method, info.Name, info.Default)
		}
	}
}

// TestSchema_All expects that the schemas without a method have the options of each, in the same order.
func TestSchema_All(t *testing.T) {
	t.Parallel()
	all := map[bool][]option.Info{false: SpectralSchema("").Infos(), true: WalkSchema("").Infos()}
	for _, m := range Methods()[1:] {
		if !m.Walks && !solves(m.Name) {
			continue
		}
		at := -1
		for _, o := range m.Options {
			i := slices.IndexFunc(all[m.Walks], func(other option.Info) bool { return o.Name == other.Name })
			if i <= at {
				t.Errorf("%s of %s is option %d, after %d", o.Name, m.Name, i, at)
			}
			at = i
		}
	}
}
