package vectors

import (
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/methods"
	"heavytail/query/parser"
)

// Methods lists the embedding methods.
func Methods() []help.Method { return methods.All() }

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
