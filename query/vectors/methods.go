package vectors

import (
	"heavytail/embedding/run"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/methods"
	"heavytail/query/parser"
)

// Methods lists the embedding methods.
func Methods() []run.Method { return run.Methods() }

// ParseMethod parses a method with its options in the form of the language,
// such as "dp_walker(dim := 128, beta := 2)", for Method and Settings of a
// request.
func ParseMethod(text string) (method string, settings map[string]any, err error) {
	m, err := parser.ParseCall(text)
	if err != nil {
		return "", nil, err
	}
	b := new(engine.Call).Binder(nil)
	settings = methods.Bind(b, m)
	return m.Name.Name, settings, b.Err
}
