package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file resolves the names in requests to graphs, vectors and vertices,
// for statements and typed methods.

// Graph returns a graph by name. A call sees one version of it.
func (c *Call) Graph(graph string, at fault.Part) (*Graph, error) {
	if view := c.Graphs[graph]; view != nil {
		return view, nil
	}
	for {
		info, err := c.GraphInfo(graph, at)
		if err != nil {
			return nil, err
		}
		view, err := c.loadGraph(info, func(ctx context.Context) (any, error) {
			s, err := c.store.Snapshot(ctx, graph)
			if err == nil && s.Info.Version != info.Version {
				err = storage.ErrConflict // the cache must have exactly the version of its key
			}
			return s, err
		})
		if !errors.Is(err, storage.ErrConflict) {
			return view, err
		}
	}
}

// loadGraph pins a version of a graph, from the cache or from load, as the version
// that the call sees.
func (c *Call) loadGraph(info storage.GraphInfo, load func(context.Context) (any, error)) (*Graph, error) {
	key := GraphKey(info)
	stop := c.Watch.Start("graph " + info.Name)
	value, hit, err := c.Pin(key, GraphBytes(info), "graph "+fault.Name(info.Name), load)
	if err != nil {
		return nil, err
	}
	view := &Graph{Snapshot: value.(*storage.Snapshot), hit: hit}
	stop(int64(view.Info.Vertices), LoadedFrom(hit))
	c.Graphs[info.Name] = view
	return view, nil
}

// GraphKey is the key of a version of a graph in the cache.
func GraphKey(info storage.GraphInfo) CacheKey {
	return CacheKey{Kind: "graph", ID: info.ID, Version: info.Version, Made: info.Modified.UnixNano()}
}

// Pin returns a value of the cache, or else of load, and keeps it in the cache until the
// call ends.
func (c *Call) Pin(key CacheKey, bytes int64, what string, load func(context.Context) (any, error)) (value any, hit bool, err error) {
	value, release, hit, err := c.cache.Get(c.Ctx, key, bytes, what, load)
	if err == nil {
		c.Releases = append(c.Releases, release)
	}
	return value, hit, err
}

// GraphInfo returns the catalogue entry of a graph, or an Error that names the
// nearest known graph.
func (c *Call) GraphInfo(graph string, at fault.Part) (storage.GraphInfo, error) {
	return Lookup(c.Ctx, "graph", graph, at, c.store.Graph, c.store.Graphs, func(g storage.GraphInfo) string { return g.Name })
}

// Lookup returns the catalogue entry of the given kind with a name, or an Error that names the
// nearest of the entries that list returns.
func Lookup[T any](ctx context.Context, kind, name string, at fault.Part, find func(context.Context, string) (T, error), list func(context.Context) ([]T, error), nameOf func(T) string) (entry T, err error) {
	if name == "" {
		return entry, fault.New(at, "no %s is named", kind)
	}
	entry, err = find(ctx, name)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return entry, err
	}
	unknown := fault.New(at, "unknown %s %s", kind, fault.Quote(name)).WithErr(err)
	var missing *storage.NotFoundError
	if errors.As(err, &missing) && missing.Of != "" {
		return entry, unknown.WithRemedy(missing.Has())
	}
	known, err := list(ctx)
	if err != nil {
		return entry, err
	}
	names := make([]string, len(known))
	for i, e := range known {
		names[i] = nameOf(e)
	}
	return entry, unknown.WithNearest(name, names, fault.Quote)
}

// GraphBytes estimates the memory of a snapshot, from the figures in the
// documentation of storage.Snapshot: 8 bytes per edge, 8 more with weights and
// 16 more with times; 16 bytes per vertex, at most 43 for its entry in the
// table of keys, and some 13 for the text of its key.
func GraphBytes(info storage.GraphInfo) int64 {
	return EdgeBytes(info) + (8+43+13)*int64(info.Vertices)
}

// EdgeBytes is the memory of a graph without the keys of its vertices.
func EdgeBytes(info storage.GraphInfo) int64 {
	perEdge := int64(8)
	if info.Weighted {
		perEdge += 8
	}
	if info.Timed {
		perEdge += 16
	}
	return perEdge*info.Edges + 8*int64(info.Vertices)
}

// EmbeddingInfo returns the catalogue entry of an embedding, or an Error that
// names the nearest known embedding.
func (c *Call) EmbeddingInfo(embedding string, at fault.Part) (storage.EmbeddingInfo, error) {
	return Lookup(c.Ctx, "embedding", embedding, at, c.store.EmbeddingInfo, c.store.Embeddings, func(e storage.EmbeddingInfo) string { return e.Name })
}

// LoadedFrom describes for PROFILE whether a graph or an embedding came from memory
// or from the file.
func LoadedFrom(hit bool) string {
	if hit {
		return "cache hit"
	}
	return "read from the file"
}

// OnlyGraph returns the name of the only graph of the file, for statements
// that name none.
func (c *Call) OnlyGraph(at fault.Part) (string, error) {
	known, err := c.store.Graphs(c.Ctx)
	if err != nil {
		return "", err
	}
	switch len(known) {
	case 1:
		return known[0].Name, nil
	case 0:
		return "", fault.New(at, "the file has no graph yet")
	}
	names := make([]string, len(known))
	for i, g := range known {
		names[i] = fault.Name(g.Name)
	}
	remedy := "name one with IN: " + fault.OrList(names)
	if len(names) > 12 {
		remedy = fmt.Sprintf("name one of the %d with IN", len(names))
	}
	return "", fault.New(at, "the file has several graphs").WithRemedy(remedy)
}

// Vertex returns the number of the vertex with a key, or an Error that names
// the nearest key.
func (c *Call) Vertex(g *Graph, key string, at fault.Part) (uint32, error) {
	if err := c.IndexKeys(g); err != nil {
		return 0, err
	}
	if v, ok := g.Vertex(key); ok {
		return v, nil
	}
	unknown := UnknownVertex(g.Info.Name, key, at)
	if nearest, ok := nearestKey(g, key); ok {
		unknown.Nearest = fault.QuoteKey(nearest)
	}
	return 0, unknown
}

// UnknownVertex is the Error for a key that no vertex of a graph has.
func UnknownVertex(graph, key string, at fault.Part) *fault.Error {
	return fault.New(at, "vertex %s is not in graph %s", fault.QuoteKey(key), fault.Name(graph)).
		WithErr(&storage.NotFoundError{Kind: "vertex", Name: key})
}

// CheckVertex returns the same Error as Vertex for an unknown key. It loads the
// graph only to find the most similar key for that Error.
func (c *Call) CheckVertex(graph storage.GraphInfo, key string, at fault.Part) error {
	if s, ok := c.cache.Peek(GraphKey(graph)); ok {
		_, err := c.Vertex(&Graph{Snapshot: s.(*storage.Snapshot)}, key, at)
		return err
	}
	_, err := c.store.VertexID(c.Ctx, graph.Name, key)
	if !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	g, err := c.Graph(graph.Name, at)
	if err == nil {
		_, err = c.Vertex(g, key, at)
	}
	return err
}

// IndexKeys builds the index of the keys of a large graph. Otherwise the first
// search for a key would build it without checking the context.
func (c *Call) IndexKeys(g *Graph) error {
	const large = 1 << 18 // number of keys that are indexed in some 20 ms
	if g.Graph.Vertices() < large {
		return nil
	}
	return c.Await(func() { g.Vertex("") })
}

// nearestKey returns the key most similar to the given one. It compares only
// the first 200,000 vertices, which takes some 20 ms, because a hint does not
// justify more. Numbers get no hint, because a similar number is hardly the
// vertex that was meant.
func nearestKey(g *Graph, key string) (string, bool) {
	const most = 200_000
	if _, err := strconv.ParseInt(key, 10, 64); err == nil || len(key) > 100 {
		return "", false
	}
	// Keys whose length differs by more than Suggest accepts are skipped.
	slack := utf8.UTFMax * max(1, len(key)/3)
	var near []string
	var buffer []byte
	for v := range min(g.Graph.Vertices(), most) {
		buffer = g.AppendKey(buffer[:0], uint32(v))
		if d := len(buffer) - len(key); -slack <= d && d <= slack {
			near = append(near, string(buffer))
		}
	}
	return parser.Suggest(key, near)
}
