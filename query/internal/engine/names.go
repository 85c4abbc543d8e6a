package engine

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// PartKey is the i-th vertex of a statement.
func PartKey(i int) fault.Part { return fault.Part("key " + strconv.Itoa(i)) }

// FindNamed finds the entry of a list by name. The error for an unknown name has the kind
// of object and the nearest known name.
func FindNamed[T any](kind string, all []T, nameOf func(T) string, name string) (found T, err error) {
	names := make([]string, len(all))
	for i, entry := range all {
		if names[i] = nameOf(entry); names[i] == name {
			return entry, nil
		}
	}
	return found, fault.New(fault.Method, "unknown %s %s", kind, fault.Quote(name)).WithNearest(name, names, nil)
}

// GraphOrOnly returns the entry of a graph, or of the only graph of the file if
// the name is empty.
func (c *Call) GraphOrOnly(graph string) (info storage.GraphInfo, err error) {
	if graph == "" {
		if graph, err = c.OnlyGraph(fault.Graph); err != nil {
			return info, err
		}
	}
	return c.GraphInfo(graph, fault.Graph)
}

// CheckGraph returns an Error for an unknown graph.
func (c *Call) CheckGraph(graph string) error {
	_, err := c.GraphInfo(graph, fault.Graph)
	return err
}

// CheckVertex returns an Error for a key that the graph does not have. It reads
// one block.
func CheckVertex(c *Call, graph, key string) error {
	if _, err := c.DB.Store.VertexID(c.Ctx, graph, key); err != nil {
		return c.VertexMistake(graph, key, err)
	}
	return nil
}

// VertexMistake turns the store's error for a vertex or graph that does not exist
// into an Error.
func (c *Call) VertexMistake(graph, key string, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	if missing.Kind == "graph" {
		_, err := c.GraphInfo(graph, fault.Graph)
		return err
	}
	return c.UnknownVertex(graph, key, fault.Vertex)
}

// UnknownVertex is the error for a key that a graph does not have.
func (c *Call) UnknownVertex(graph, key string, at fault.Part) error {
	const most = 1000 // number of keys to compare, which takes a few milliseconds
	unknown := session.UnknownVertex(graph, key, at)
	if _, err := strconv.ParseInt(key, 10, 64); err == nil || key == "" {
		return unknown // a similar number is hardly the vertex that was meant
	}
	_, size := utf8.DecodeRuneInString(key)
	known, err := c.DB.Store.Keys(c.Ctx, graph, key[:size], most)
	if err != nil {
		return err
	}
	if nearest, ok := parser.Suggest(key, known); ok {
		unknown.Nearest = fault.QuoteKey(nearest)
	}
	return unknown
}

// CheckLimit returns an Error for a negative limit of rows.
func CheckLimit(n int) error {
	if n < 0 {
		return fault.New(fault.Limit, "the limit is %d, and must not be negative", n)
	}
	return nil
}

// NamesIn splits a list of names with commas between.
func NamesIn(text string) []string {
	names := strings.Split(text, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}

// ValueOf is the value of a setting of a list; "" if the list does not have it.
func ValueOf(list []storage.Setting, name string) string {
	for _, s := range list {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// PartAttribute is the piece of a request that names an attribute.
const PartAttribute fault.Part = "attribute"

// CheckNewGraph returns an Error if the graph exists and has vertices, for
// statements that write a whole graph.
func CheckNewGraph(c *Call, graph string, at fault.Part) error {
	if err := c.Writable(); err != nil {
		return err
	}
	info, err := c.DB.Store.Graph(c.Ctx, graph)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err != nil:
		return NameMistake(err, at)
	case info.Vertices > 0:
		return fault.New(at, "graph %s exists and has %s", fault.Quote(graph), fault.Count(int64(info.Vertices), "vertex")).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	}
	return nil
}

// NotDamage is an error, unless it says that records of the file are damaged.
func NotDamage(err error) error {
	if errors.Is(err, storage.ErrCorrupt) {
		return nil
	}
	return err
}

// NameMistake adds a position to the store's error for an invalid name.
func NameMistake(err error, at fault.Part) error {
	if !errors.Is(err, storage.ErrName) {
		return err
	}
	return &fault.Error{Message: err.Error(), Err: err, At: at}
}
