package methods

import (
	"reflect"
	"slices"

	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// This file has the embedding methods by the names that requests use.

// Configured is a method with options that were checked.
type Configured struct {
	Method  run.Method
	Options []option.Given // those that were given, in the order of the method
}

// Bind evaluates and checks a method with its options, and returns the options in
// the form of requests. It checks them here, because later options of the statement
// may have the same names, and would replace the positions of these in errors.
func Bind(b *engine.Binder, call parser.Call) map[string]any {
	b.Mark(fault.Method, call.Name)
	given := b.Given(call.Options)
	method, err := Find(call.Name.Name)
	b.Fail(err)
	settings := map[string]any{}
	for _, g := range given {
		settings[g.Name] = g.Value
	}
	_, err = Options(method.Name, given)
	b.Fail(err)
	return settings
}

// Text writes the method in the language.
func (m Configured) Text() parser.Call { return Text(m.Method.Name, m.Options) }

// Text writes a method with checked options.
func Text(method string, options []option.Given) parser.Call {
	call := parser.Call{Name: parser.Ident{Name: method}}
	for _, o := range options {
		call.Options = append(call.Options, engine.Option(o.Name, o.Value))
	}
	return call
}

// Stored is the method of a stored embedding.
func Stored(info storage.EmbeddingInfo) Configured {
	return Configured{run.Method{Name: info.Method}, run.StoredOptions(info)}
}

// Follows reports whether the method follows the direction of edges.
func (m Configured) Follows() bool { return run.Follows(m.Method.Name, m.Options) }

// CheckDirection returns an Error for a method that follows the direction of edges, and a graph whose edges have none.
func (m Configured) CheckDirection(graph storage.GraphInfo) error {
	if graph.Directed || !m.Follows() {
		return nil
	}
	return session.NoDirection(graph.Name, fault.Option(run.DirectionOption))
}

// Load loads a graph and, for a method that follows the direction of its edges, the directed graph. As Call.Directed
// it must be called before anything else loads the graph.
func (m Configured) Load(c *engine.Call, graph string, at fault.Part) (*session.Graph, *csr.Directed, error) {
	if m.Follows() {
		return c.Directed(graph, at)
	}
	g, err := c.Graph(graph, at)
	return g, nil, err
}

// NoteView is Call.NoteView, unless the method follows the direction of edges.
func (m Configured) NoteView(c *engine.Call, graph storage.GraphInfo) {
	if !m.Follows() {
		c.NoteView(graph)
	}
}

// Bytes estimates the memory of the computation, with its result, and then of storing the result.
func (m Configured) Bytes(g *session.Graph) int64 {
	bytes, _ := run.Bytes(g.Graph, m.Method.Name, m.Options) // method and options have been checked
	return max(bytes, StoringBytes(m.Method.Name, m.vectorBytes(g.Graph.Vertices()), 1))
}

// StoredBytes is the size of the embedding of n vertices in the file, with its state or without.
func (m Configured) StoredBytes(n int, stateless bool) int64 {
	if stateless || m.Follows() { // which stores no state
		return m.vectorBytes(n)
	}
	return keptBytes(m.Method.Name, m.vectorBytes(n))
}

func (m Configured) vectorBytes(n int) int64 { return session.VectorBytes(n, int(m.Dim(n))) }

// StoringBytes is the memory of storing vectors of so many bytes, of which there are copies.
func StoringBytes(method string, vectors, copies int64) int64 {
	return copies*keptBytes(method, vectors) + session.StoringBytes(vectors)
}

// keptBytes is what a method keeps with vectors of so many bytes. Methods that learn from walks store the
// inner nodes of their tree beside them, which are as large again.
func keptBytes(method string, vectors int64) int64 {
	if run.HasWalks(method) {
		return 2 * vectors
	}
	return vectors
}

// Dim returns the number of coordinates of an embedding of n vertices.
func (m Configured) Dim(n int) int64 {
	return min(int64(n), max(run.Dim(m.Method.Name, m.Options), 0))
}

// Options returns the given options in the order of the method, or the Error for the first one that
// is unknown or whose value is invalid.
func Options(method string, given []option.Given) ([]option.Given, error) {
	options, err := run.Check(method, given)
	return options, bind.Mistake(err)
}

// Find returns a method by its name.
func Find(method string) (run.Method, error) {
	return engine.FindNamed("method", run.Methods(), func(m run.Method) string { return m.Name }, method)
}

// Note gives the notice that a method attaches to its result.
func Note(c *engine.Call, info storage.EmbeddingInfo) {
	for _, s := range info.Stats {
		if s.Name == "note" {
			c.Notice("%s", s.Value)
		}
	}
}

// Typed is a vectors.MethodOptions.
type Typed interface {
	Method() (name string, options []option.Given)
}

// Configure is ConfigureEmbed for methods that run on a different graph than the embedded one,
// or several times: they cannot begin with a stored embedding.
func Configure(method string, settings map[string]any, using Typed) (Configured, error) {
	m, err := ConfigureEmbed(method, settings, using)
	if name := m.StartEmbedding(); err == nil && name != "" {
		return m, fault.OfOption(storage.SettingStart, "is %s, and only EMBED can begin with a stored embedding: its vectors know the edges that an evaluation hides", fault.Quote(name)).
			WithRemedy("use start := 'deepwalk', which is computed again each time")
	}
	return m, err
}

// ConfigureEmbed checks a method and its options, which a request has either by name or as
// a struct.
func ConfigureEmbed(method string, settings map[string]any, using Typed) (m Configured, err error) {
	given := bind.SortedSettings(settings)
	if using != nil {
		if method != "" || settings != nil {
			return m, fault.New(fault.Method, "the method is given twice, by Using and by Method or Settings")
		}
		if v := reflect.ValueOf(using); v.Kind() == reflect.Pointer && v.IsNil() {
			return m, fault.New(fault.Method, "Using is a nil pointer")
		}
		method, given = using.Method()
	}
	if m.Method, err = Find(method); err != nil {
		return m, err
	}
	m.Options, err = Options(m.Method.Name, given)
	return m, err
}

// StartEmbedding returns the name of the embedding to begin with; empty for none.
func (m Configured) StartEmbedding() string {
	i := slices.IndexFunc(m.Options, func(o option.Given) bool { return o.Name == storage.SettingStart })
	if i < 0 {
		return ""
	}
	return m.Options[i].Value.(string)
}
