package query

import (
	"errors"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"slices"
	"strconv"
)

// This file has the embedding methods by the names that requests use.

// Method describes an embedding method.
type Method struct {
	Name    string        `json:"name"`
	Summary string        `json:"summary"` // one line
	Walks   bool          `json:"walks"`   // learns from walks, which ExportWalks writes
	Options []help.Option `json:"options"`
}

// Methods lists the embedding methods.
func (s *vectorsService) Methods() []Method { return Methods() }

// Methods lists the embedding methods, which all databases have.
func Methods() []Method {
	return lists.Map(run.Methods(), func(m run.Method) Method {
		return Method{m.Name, m.Summary, m.Walks, lists.Map(m.Options, func(o run.OptionInfo) help.Option {
			o.Choices = slices.Clone(o.Choices) // callers may change what they get
			return help.Option(o)
		})}
	})
}

// configured is a method with options that were checked.
type configured struct {
	method   Method
	settings bind.Settings
	options  []run.Option // the settings that were given, in the order of the method
}

// method evaluates and checks a method with its options, and returns the options in
// the form of requests. It checks them here, because later options of the statement
// may have the same names, and would replace the positions of these in errors.
func bindMethod(b *engine.Binder, call parser.Call) map[string]any {
	b.Mark(fault.Method, call.Name)
	given := b.Given(call.Options)
	method, err := findMethod(call.Name.Name)
	b.Fail(err)
	settings := map[string]any{}
	for _, g := range given {
		settings[g.Name] = g.Value
	}
	_, _, err = methodOptions(method, given)
	b.Fail(err)
	return settings
}

// ParseMethod parses a method with its options in the form of the language,
// such as "dp_walker(dim := 128, beta := 2)", for Method and Settings of a
// request.
func ParseMethod(text string) (method string, settings map[string]any, err error) {
	m, err := parser.ParseCall(text)
	if err != nil {
		return "", nil, err
	}
	b := new(engine.Call).Binder(nil)
	settings = bindMethod(b, m)
	return m.Name.Name, settings, b.Err
}

// text writes the method in the language.
func (m configured) text() parser.Call { return methodText(m.method.Name, m.options) }

// methodText writes a method with checked options.
func methodText(method string, options []run.Option) parser.Call {
	call := parser.Call{Name: parser.Ident{Name: method}}
	for _, o := range options {
		call.Options = append(call.Options, engine.Option(o.Name, o.Value))
	}
	return call
}

// bytes estimates the memory of the computation, with its result, and then of storing the result.
func (m configured) bytes(g *session.Graph) int64 {
	bytes, _ := run.Bytes(g.Graph, m.method.Name, m.options) // method and options have been checked
	n := g.Graph.Vertices()
	return max(bytes, storingBytes(m.method.Name, session.VectorBytes(n, int(m.dim(n))), 1))
}

// storingBytes is the memory of storing vectors of so many bytes, of which there are copies. Methods that learn
// from walks store the inner nodes of their tree beside them, which are as large again.
func storingBytes(method string, vectors, copies int64) int64 {
	kept := copies * vectors
	if run.HasWalks(method) {
		kept *= 2
	}
	return kept + session.StoringBytes(vectors)
}

// dim returns the number of coordinates of an embedding of n vertices.
func (m configured) dim(n int) int64 {
	dim := m.settings.Integer("dim")
	for _, o := range m.method.Options {
		if o.Name == "dim" && dim == 0 {
			dim, _ = strconv.ParseInt(o.Default, 10, 64)
		}
	}
	return min(int64(n), max(dim, 0))
}

// methodOptions checks settings, and returns them by name and in the order of the
// method.
func methodOptions(method Method, given []bind.Given) (bind.Settings, []run.Option, error) {
	settings, err := bind.Check("method "+method.Name, method.Options, given)
	if err != nil {
		return nil, nil, err
	}
	var options []run.Option
	for _, o := range method.Options {
		if value, ok := settings[o.Name]; ok {
			options = append(options, run.Option{Name: o.Name, Value: value})
		}
	}
	return settings, options, optionMistake(run.Check(method.Name, options))
}

// optionMistake returns the Error for an option of the method whose value is out of
// range.
func optionMistake(err error) error {
	var option *run.OptionError
	if !errors.As(err, &option) {
		return err
	}
	return fault.OfOption(option.Option, "is %v, and must be %s", option.Value, option.Allowed).WithErr(errors.Join(fault.ErrInvalid, err))
}

func findMethod(method string) (Method, error) {
	return engine.FindNamed("method", Methods(), func(m Method) string { return m.Name }, method)
}

// noteMethod gives the notice that a method attaches to its result.
func noteMethod(c *engine.Call, info storage.EmbeddingInfo) {
	for _, s := range info.Stats {
		if s.Name == "note" {
			c.Notice("%s", s.Value)
		}
	}
}
