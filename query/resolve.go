package query

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/query/parser"
	"heavytail/storage"
)

// This file turns the names in requests into the graphs, vectors and vertices
// that they stand for, for bind and for the typed methods alike.

// Pieces of requests that errors are about.
const (
	partStatement part = "statement"
	partGraph     part = "graph"
	partEmbedding part = "embedding"
	partVertex    part = "vertex"
	partVector    part = "vector"
	partCount     part = "count"
	partThreshold part = "threshold"
	partLimit     part = "limit"
	partBefore    part = "before"
	partWhere     part = "where"
	partMetric    part = "metric"
	partMethod    part = "method"
	partFile      part = "file"
	partInto      part = "into"
)

// partOption is an option by its name, partScorer a scorer by its position.
func partOption(name string) part { return part("option " + name) }
func partScorer(i int) part       { return part("scorer " + strconv.Itoa(i)) }

// mistake makes an Error about a piece of a request.
func mistake(at part, format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Err: ErrInvalid, part: at}
}

// withHint adds the nearest known name, if there is one near enough, or else
// the known names where they are few.
func (e *Error) withHint(found string, known []string, quote func(string) string) *Error {
	const few = 12
	if nearest, ok := parser.Suggest(found, known); ok {
		e.Hint = "did you mean " + quote(nearest) + "?"
	} else if len(known) > 0 && len(known) <= few {
		for _, k := range known {
			e.Expected = append(e.Expected, quote(k))
		}
	}
	return e
}

// quote makes text that came from data safe to print: in double quotes, cut
// where it is long, and everything that a terminal might obey escaped.
func quote(text string) string { return strconv.Quote(shorten(text)) }

// quoteKey is quote for a vertex key, in the quotes of the language.
func quoteKey(key string) string {
	inner := quote(key)
	inner = strings.ReplaceAll(inner[1:len(inner)-1], `\"`, `"`)
	return "'" + strings.ReplaceAll(inner, "'", "''") + "'"
}

// name writes the name of a graph or an embedding inside a sentence: bare where
// that is safe.
func name(text string) string {
	bare, generation, _ := strings.Cut(text, "@")
	if _, err := strconv.ParseUint(generation, 10, 64); err != nil {
		bare = text
	}
	if bare == "" || strings.IndexFunc(bare, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) >= 0 {
		return quote(text)
	}
	return shorten(text)
}

// shorten cuts text after 60 characters.
func shorten(text string) string {
	const most = 60
	characters := 0
	for i := range text {
		if characters++; characters > most {
			return text[:i] + "…"
		}
	}
	return text
}

// graphView is a graph as one call sees it.
type graphView struct {
	*storage.Snapshot
	hit bool // it was in memory already
}

// graph returns a graph by name. A call sees one version of it.
func (c *call) graph(graph string, at part) (*graphView, error) {
	if view := c.graphs[graph]; view != nil {
		return view, nil
	}
	for {
		info, err := c.graphInfo(graph, at)
		if err != nil {
			return nil, err
		}
		view, err := c.pin(info, func(ctx context.Context) (any, error) {
			s, err := c.db.store.Snapshot(ctx, graph)
			if err == nil && s.Info.Version != info.Version {
				err = storage.ErrConflict // what the cache has under a version must be that version
			}
			return s, err
		})
		if !errors.Is(err, storage.ErrConflict) {
			return view, err
		}
	}
}

// pin takes a version of a graph from the cache, or else from load, as the one
// that the call sees.
func (c *call) pin(info storage.GraphInfo, load func(context.Context) (any, error)) (*graphView, error) {
	key := cacheKey{kind: "graph", id: info.ID, version: info.Version}
	stop := c.watch.start("graph " + info.Name)
	value, hit, err := c.hold(key, graphBytes(info), "graph "+name(info.Name), load)
	if err != nil {
		return nil, err
	}
	view := &graphView{Snapshot: value.(*storage.Snapshot), hit: hit}
	stop(int64(view.Info.Vertices), loadedFrom(hit))
	c.graphs[info.Name] = view
	return view, nil
}

// hold takes something from the cache, or else from load, until the call ends.
func (c *call) hold(key cacheKey, bytes int64, what string, load func(context.Context) (any, error)) (value any, hit bool, err error) {
	value, release, hit, err := c.db.cache.get(c.ctx, key, bytes, what, load)
	if err == nil {
		c.releases = append(c.releases, release)
	}
	return value, hit, err
}

// graphInfo returns the catalogue entry of a graph, or an Error that names the
// nearest known graph.
func (c *call) graphInfo(graph string, at part) (storage.GraphInfo, error) {
	if graph == "" {
		return storage.GraphInfo{}, mistake(at, "no graph is named")
	}
	info, err := c.db.store.Graph(c.ctx, graph)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return info, err
	}
	unknown := mistake(at, "unknown graph %s", quote(graph))
	unknown.Err = err
	known, listErr := c.db.store.Graphs(c.ctx)
	if listErr != nil {
		return info, listErr
	}
	names := make([]string, len(known))
	for i, g := range known {
		names[i] = g.Name
	}
	return info, unknown.withHint(graph, names, quote)
}

// graphBytes estimates what a snapshot takes in memory, from the figures that
// storage.Snapshot states: 8 bytes an edge, as much again for its weights and
// twice that for its times, and 16 a vertex with its table of keys, 43 at most,
// and some 13 for the text of its key.
func graphBytes(info storage.GraphInfo) int64 {
	perEdge := int64(8)
	if info.Weighted {
		perEdge += 8
	}
	if info.Timed {
		perEdge += 16
	}
	return perEdge*info.Edges + (16+43+13)*int64(info.Vertices)
}

// embeddingInfo returns the catalogue entry of an embedding, or an Error that
// names the nearest known embedding.
func (c *call) embeddingInfo(embedding string, at part) (storage.EmbeddingInfo, error) {
	if embedding == "" {
		return storage.EmbeddingInfo{}, mistake(at, "no embedding is named")
	}
	info, err := c.db.store.EmbeddingInfo(c.ctx, embedding)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return info, err
	}
	unknown := mistake(at, "unknown embedding %s", quote(embedding))
	unknown.Err = err
	known, listErr := c.db.store.Embeddings(c.ctx)
	if listErr != nil {
		return info, listErr
	}
	names := make([]string, len(known))
	for i, e := range known {
		names[i] = e.Name
	}
	return info, unknown.withHint(embedding, names, quote)
}

// loadedFrom says in PROFILE where a graph or an embedding came from.
func loadedFrom(hit bool) string {
	if hit {
		return "cache hit"
	}
	return "read from the file"
}

// count writes a number with its noun: 1 version, 2 versions.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "x"):
		return fmt.Sprintf("%d %sices", n, strings.TrimSuffix(noun, "ex"))
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// onlyGraph returns the name of the graph that a statement means when it names
// none: the only one of the file.
func (c *call) onlyGraph(at part) (string, error) {
	known, err := c.db.store.Graphs(c.ctx)
	if err != nil {
		return "", err
	}
	switch len(known) {
	case 1:
		return known[0].Name, nil
	case 0:
		return "", mistake(at, "the file has no graph yet")
	}
	names := make([]string, len(known))
	for i, g := range known {
		names[i] = name(g.Name)
	}
	ambiguous := mistake(at, "the file has several graphs")
	if len(names) > 12 {
		ambiguous.Hint = fmt.Sprintf("name one of the %d with IN", len(names))
		return "", ambiguous
	}
	ambiguous.Hint = "name one with IN: " + orList(names)
	return "", ambiguous
}

// vertex returns the number of the vertex with a key, or an Error that names
// the nearest key.
func (c *call) vertex(g *graphView, key string, at part) (uint32, error) {
	if err := c.indexKeys(g); err != nil {
		return 0, err
	}
	if v, ok := g.Vertex(key); ok {
		return v, nil
	}
	unknown := mistake(at, "vertex %s is not in graph %s", quoteKey(key), name(g.Info.Name))
	unknown.Err = &storage.NotFoundError{Kind: "vertex", Name: key}
	if nearest, ok := nearestKey(g, key); ok {
		unknown.Hint = "did you mean " + quoteKey(nearest) + "?"
	}
	return 0, unknown
}

// indexKeys builds the index of the keys of a large graph, which the first look
// for a key would otherwise do without heeding the context.
func (c *call) indexKeys(g *graphView) error {
	const large = 1 << 18 // keys that are indexed in some 20 ms
	if g.Graph.Vertices() < large {
		return nil
	}
	return c.await(func() { g.Vertex("") })
}

// nearestKey returns the key most like the given one. It looks at the first
// 200,000 vertices, which takes some 20 ms: a hint is not worth more. Numbers
// get no hint, since a number near by is not what was meant.
func nearestKey(g *graphView, key string) (string, bool) {
	const most = 200_000
	if _, err := strconv.ParseInt(key, 10, 64); err == nil || len(key) > 100 {
		return "", false
	}
	// Keys whose length differs by more than Suggest accepts need no look.
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
