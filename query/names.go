package query

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// partKey is the i-th vertex of a statement.
func partKey(i int) fault.Part { return fault.Part("key " + strconv.Itoa(i)) }

// findNamed finds the entry of a list by name. The error for an unknown name has the kind
// of object and the nearest known name.
func findNamed[T any](kind string, all []T, nameOf func(T) string, name string) (found T, err error) {
	names := make([]string, len(all))
	for i, entry := range all {
		if names[i] = nameOf(entry); names[i] == name {
			return entry, nil
		}
	}
	return found, fault.New(fault.Method, "unknown %s %s", kind, fault.Quote(name)).WithNearest(name, names, nil)
}

// graphOrOnly returns the entry of a graph, or of the only graph of the file if
// the name is empty.
func (c *call) graphOrOnly(graph string) (info storage.GraphInfo, err error) {
	if graph == "" {
		if graph, err = c.OnlyGraph(fault.Graph); err != nil {
			return info, err
		}
	}
	return c.GraphInfo(graph, fault.Graph)
}

func (c *call) checkGraph(graph string) error {
	_, err := c.GraphInfo(graph, fault.Graph)
	return err
}

// checkVertex returns an Error for a key that the graph does not have. It reads
// one block.
func (c *call) checkVertex(graph, key string) error {
	if _, err := c.db.store.VertexID(c.Ctx, graph, key); err != nil {
		return c.vertexMistake(graph, key, err)
	}
	return nil
}

// vertexMistake turns the store's error for a vertex or graph that does not exist
// into an Error.
func (c *call) vertexMistake(graph, key string, err error) error {
	var missing *storage.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	if missing.Kind == "graph" {
		_, err := c.GraphInfo(graph, fault.Graph)
		return err
	}
	return c.unknownVertex(graph, key, fault.Vertex)
}

// unknownVertex is the error for a key that a graph does not have.
func (c *call) unknownVertex(graph, key string, at fault.Part) error {
	const most = 1000 // number of keys to compare, which takes a few milliseconds
	unknown := session.UnknownVertex(graph, key, at)
	if _, err := strconv.ParseInt(key, 10, 64); err == nil || key == "" {
		return unknown // a similar number is hardly the vertex that was meant
	}
	_, size := utf8.DecodeRuneInString(key)
	known, err := c.db.store.Keys(c.Ctx, graph, key[:size], most)
	if err != nil {
		return err
	}
	if nearest, ok := parser.Suggest(key, known); ok {
		unknown.Nearest = fault.QuoteKey(nearest)
	}
	return unknown
}

func checkLimit(n int) error {
	if n < 0 {
		return fault.New(fault.Limit, "the limit is %d, and must not be negative", n)
	}
	return nil
}

func namesIn(text string) []string {
	names := strings.Split(text, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}

// valueOf is the value of a setting of a list; "" if the list does not have it.
func valueOf(list []storage.Setting, name string) string {
	for _, s := range list {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

const partAttribute fault.Part = "attribute"

// checkNewGraph returns an Error if the graph exists and has vertices, for
// statements that write a whole graph.
func (c *call) checkNewGraph(graph string, at fault.Part) error {
	if err := c.writable(); err != nil {
		return err
	}
	info, err := c.db.store.Graph(c.Ctx, graph)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil
	case err != nil:
		return nameMistake(err, at)
	case info.Vertices > 0:
		return fault.New(at, "graph %s exists and has %s", fault.Quote(graph), fault.Count(int64(info.Vertices), "vertex")).
			WithRemedy("drop it first, or choose another name").WithErr(storage.ErrExists)
	}
	return nil
}

// notDamage is an error, unless it says that records of the file are damaged.
func notDamage(err error) error {
	if errors.Is(err, storage.ErrCorrupt) {
		return nil
	}
	return err
}

// nameMistake adds a position to the store's error for an invalid name.
func nameMistake(err error, at fault.Part) error {
	if !errors.Is(err, storage.ErrName) {
		return err
	}
	return &Error{Message: err.Error(), Err: err, At: at}
}

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is 0; a negative limit is an error. It reads only
// the part of the file that has these keys, so that a shell can complete them quickly.
func (db *DB) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	return inCall(ctx, db, "KEYS", func(c *call) ([]string, error) { return db.store.Keys(c.Ctx, graph, prefix, limit) })
}
