package engine

import (
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/parser"
	"heavytail/storage"
)

// Binder returns a binder of the call, with the values of the parameters.
func (c *Call) Binder(params map[string]any) *Binder {
	c.At = map[fault.Part]parser.Range{}
	return &Binder{Call: c, Values: bind.New(c.At, params)}
}

// Name returns the name of an object, and remembers its position.
func (b *Binder) Name(at fault.Part, name parser.Ident) string {
	b.Mark(at, name)
	return name.Name
}

// NameOrNone is name, or "" where the statement names none.
func (b *Binder) NameOrNone(at fault.Part, name *parser.Ident) string {
	if name == nil {
		return ""
	}
	return b.Name(at, *name)
}

// MarkGraph returns the name of the graph of an optional IN, empty if a statement names none;
// errors about the graph then point at the whole statement.
func (b *Binder) MarkGraph(graph *parser.Ident, statement parser.Node) string {
	if graph == nil {
		b.Mark(fault.Graph, statement)
	}
	return b.NameOrNone(fault.Graph, graph)
}

// TextOrNone is Text, or "" where the statement has none.
func (b *Binder) TextOrNone(at fault.Part, v parser.Value) string {
	if v == nil {
		return ""
	}
	return b.Text(at, v)
}

// RowLimit returns the number of an optional LIMIT; 0 for none.
func (b *Binder) RowLimit(v parser.Value) int {
	if v == nil {
		return 0
	}
	n := b.Size(fault.Limit, v)
	if n < 1 {
		b.Fail(fault.New(fault.Limit, "the limit is %d, and must be at least 1", n))
	}
	return n
}

// Graph is Call.GraphOrOnly, for conditions that need the types of the attributes.
func (b *Binder) Graph(graph string) storage.GraphInfo {
	info, err := b.GraphOrOnly(graph)
	b.Fail(err)
	return info
}

// VertexKey returns the key of a vertex that a statement names, and remembers
// its position.
func (b *Binder) VertexKey(at fault.Part, v parser.Value) string {
	key := b.Key(at, v)
	if key == "" {
		b.Fail(fault.New(at, "the key of a vertex is empty"))
	}
	b.Remember(key, at)
	return key
}

// VertexKeys returns the keys of several vertices, each with its position.
func (b *Binder) VertexKeys(list []parser.Value) []string {
	keys := make([]string, len(list))
	for i, v := range list {
		keys[i] = b.VertexKey(PartKey(i), v)
	}
	return keys
}

// Remember records which piece of the request names a vertex, so that an error
// about the vertex can have a position.
func (b *Binder) Remember(what string, at fault.Part) {
	if b.Named == nil {
		b.Named = map[string]fault.Part{}
	}
	if _, known := b.Named[what]; !known {
		b.Named[what] = at
	}
}
