package methods

import (
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/storage"
)

// namedOptions are the options of a method as a struct, whose tags are their names.
type Named interface{ MethodName() string }

// Configure is configureEmbed for methods that run on a different graph than the embedded one,
// or several times: they cannot begin with a stored embedding.
func Configure(method string, settings map[string]any, using Named) (Configured, error) {
	m, err := ConfigureEmbed(method, settings, using)
	if name := m.StartEmbedding(); err == nil && name != "" {
		return m, fault.OfOption(storage.SettingStart, "is %s, and only EMBED can begin with a stored embedding: its vectors know the edges that an evaluation hides", fault.Quote(name)).
			WithRemedy("use start := 'deepwalk', which is computed again each time")
	}
	return m, err
}

// ConfigureEmbed checks a method and its options, which a request has either by name or as
// a struct.
func ConfigureEmbed(method string, settings map[string]any, using Named) (m Configured, err error) {
	given := bind.SortedSettings(settings)
	if using != nil {
		if method != "" || settings != nil {
			return m, fault.New(fault.Method, "the method is given twice, by Using and by Method or Settings")
		}
		if engine.IsNil(using) {
			return m, fault.New(fault.Method, "Using is a nil pointer")
		}
		method = using.MethodName()
	}
	if m.Method, err = Find(method); err != nil {
		return m, err
	}
	if using != nil {
		given = engine.GivenBy(using, m.Method.Options)
	}
	m.settings, m.Options, err = Options(m.Method, given)
	return m, err
}
