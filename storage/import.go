package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// ImportOptions say how to import an edge list. The zero value reads every
// common form.
type ImportOptions struct {
	// Format says how the text is read. Its Progress is called for the stage
	// "reading" (bytes of the input); where it is nil, Progress is.
	Format format.EdgeListOptions

	// Source is what GraphInfo.Source will say; "" means Format.Name.
	Source string

	// Progress, where not nil, is called for the stages "reading" (bytes of the
	// input), "sorting" (no count) and "writing" (keys and arcs), from one
	// goroutine, at most about 20 times a second.
	Progress func(stage string, done, total int64)
}

// ImportStats is what an import read and what it made of the graph. Every edge
// read is one of Added, Duplicates and SelfLoops.
type ImportStats struct {
	format.ReadStats
	Vertices   int    // of the graph after the import
	Edges      int64  // of the graph after the import
	Version    uint64 // of the graph after the import
	Added      int64  // edges that the graph did not have
	Duplicates int64  // edges that came again, in either direction, or that the graph had
	SelfLoops  int64  // edges from a vertex to itself; they are dropped, the vertex is kept
	Resumed    bool   // the import took up one that was killed
	Seconds    float64
}

// Import reads an edge list into a graph, which is made if there is none by
// this name. Directed edges become undirected; known keys keep their vertices
// and new ones follow in the order of their first appearance. The keys of
// vertices are UTF-8 without NUL, up to 1,024 bytes.
//
// The edges are sorted in memory (24 bytes per edge at most, and the keys) and
// written in batches into a part of the file that nothing refers to; the last
// batch makes the new version of the graph visible. An error or a cancelled
// context before that changes nothing. After a kill, the same import takes up
// the batches already written; another import of the graph discards them. An
// import that adds nothing makes no new version.
func (db *DB) Import(ctx context.Context, graph string, r io.Reader, opts ImportOptions) (ImportStats, error) {
	started := time.Now()
	if err := checkName("graph", graph); err != nil {
		return ImportStats{}, err
	}
	if err := db.writable(); err != nil {
		return ImportStats{}, err
	}
	if opts.Format.Progress == nil {
		opts.Format.Progress = opts.Progress
	}
	if opts.Source == "" {
		opts.Source = opts.Format.Name
	}
	list := newEdgeList()
	read, err := format.ReadEdgeList(ctx, r, opts.Format, func(e format.Edge) error { return list.add(e.Source, e.Target) })
	if err != nil {
		return ImportStats{ReadStats: read}, fmt.Errorf("storage: import into graph %q: %w", graph, err)
	}
	if read.CountsHeader {
		if err := list.dropHeader(ctx, read.DeclaredVertices); err != nil {
			return ImportStats{ReadStats: read}, fmt.Errorf("storage: import into graph %q: %w", graph, err)
		}
	}
	stats, err := db.importEdges(ctx, graph, list, opts.Source, read.SHA256, newReporter(opts.Progress))
	stats.ReadStats = read
	stats.Seconds = time.Since(started).Seconds()
	return stats, err
}

// importEdges merges a list of edges into a graph and publishes the result.
func (db *DB) importEdges(ctx context.Context, name string, list *edgeList, source string, input [32]byte, progress *reporter) (ImportStats, error) {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return ImportStats{}, err
	}
	defer unlock()
	p := &publication{db: db, name: name, source: source, input: input, progress: progress}
	var old contents
	err = db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(name)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		p.base = *r
		old, err = t.readContents(name, r, false)
		return err
	})
	if err != nil {
		return ImportStats{}, err
	}
	progress.report("sorting", 0, 0)
	stats := ImportStats{}
	read := int64(len(list.edges))
	if p.contents.keys, err = list.onto(ctx, old.keys); err != nil {
		return ImportStats{}, fmt.Errorf("storage: import into graph %q: %w", name, err)
	}
	p.contents.slots, p.contents.attributes, p.contents.columns = old.slots, old.attributes, old.columns
	p.contents.graph, stats.SelfLoops, err = buildGraph(ctx, p.contents.keys.len(), list.edges, old.graph)
	if err != nil {
		return ImportStats{}, fmt.Errorf("storage: import into graph %q: %w", name, err)
	}
	stats.Added = p.contents.graph.Edges() - int64(p.base.Edges)
	stats.Duplicates = read - stats.SelfLoops - stats.Added
	p.result = p.base
	if p.base.ID == 0 || stats.Added > 0 || p.contents.keys.len() > old.keys.len() {
		p.all, p.touched = changed(old.graph, p.contents.graph)
		if err := p.run(ctx); err != nil {
			return ImportStats{}, fmt.Errorf("storage: import into graph %q: %w", name, err)
		}
	}
	stats.Vertices, stats.Edges = int(p.result.Vertices), int64(p.result.Edges)
	stats.Version, stats.Resumed = p.result.Version, p.resumed
	return stats, nil
}

// changed lists the vertices whose neighbours differ between a graph and one
// that has all its edges and more: those whose degree grew. Where they are most
// of the graph, it says all instead.
func changed(old, now *csr.Graph) (all bool, touched []uint32) {
	known := 0
	if old != nil {
		known = old.Vertices()
	}
	for v := range uint32(now.Vertices()) {
		if int(v) >= known || old.Degree(v) != now.Degree(v) {
			touched = append(touched, v)
		}
	}
	if 2*len(touched) > now.Vertices() {
		return true, nil
	}
	return false, touched
}

// PutGraphRequest is a graph to be stored.
type PutGraphRequest struct {
	Graph  *csr.Graph
	Keys   func(v uint32) string // key of each vertex; nil means its number in decimal
	Source string                // what GraphInfo.Source will say

	// Progress, where not nil, is called for the stage "writing" as that of an
	// import is.
	Progress func(stage string, done, total int64)
}

// PutGraph stores a graph that was made in memory, such as a generated or
// reconstructed one, under a name that is free or whose graph is empty;
// otherwise it is ErrExists. It is written and published like an import.
func (db *DB) PutGraph(ctx context.Context, name string, req PutGraphRequest) (GraphInfo, error) {
	g := req.Graph
	if err := checkName("graph", name); err != nil {
		return GraphInfo{}, err
	}
	if uint64(g.Vertices()) > maxVertices {
		return GraphInfo{}, fmt.Errorf("storage: put graph %q: %d vertices: %w", name, g.Vertices(), ErrLimit)
	}
	if err := checkGraph(ctx, g); err != nil {
		return GraphInfo{}, fmt.Errorf("storage: put graph %q: %w", name, err)
	}
	set, err := collectKeys(ctx, g.Vertices(), req.Keys)
	if err != nil {
		return GraphInfo{}, fmt.Errorf("storage: put graph %q: %w", name, err)
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return GraphInfo{}, err
	}
	defer unlock()
	p := &publication{db: db, name: name, source: req.Source, all: true, progress: newReporter(req.Progress), contents: contents{graph: g, keys: set}}
	err = db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(name)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Vertices > 0 {
			return fmt.Errorf("storage: graph %q has vertices already: %w", name, ErrExists)
		}
		p.base = *r
		return nil
	})
	if err != nil {
		return GraphInfo{}, err
	}
	if err := p.run(ctx); err != nil {
		return GraphInfo{}, fmt.Errorf("storage: put graph %q: %w", name, err)
	}
	return p.result.info(name), nil
}

// checkGraph makes sure that g keeps what csr.Graph promises, as its Validate
// does, but in O(n + m) and looking at ctx.
func checkGraph(ctx context.Context, g *csr.Graph) error {
	n := g.Vertices()
	if (g.Weights != nil && len(g.Weights) != len(g.Targets)) || (g.Times != nil && len(g.Times) != len(g.Targets)) {
		return fmt.Errorf("%d weights and %d timestamps for %d targets: %w", len(g.Weights), len(g.Times), len(g.Targets), ErrInvalid)
	}
	if (n == 0 && len(g.Targets) > 0) || (n > 0 && (g.Offsets[0] != 0 || g.Offsets[n] != int64(len(g.Targets)))) {
		return fmt.Errorf("offsets do not span the targets: %w", ErrInvalid)
	}
	for v := range n {
		if g.Offsets[v] > g.Offsets[v+1] || g.Offsets[v+1] > int64(len(g.Targets)) {
			return fmt.Errorf("offsets of vertex %d: %w", v, ErrInvalid)
		}
	}
	for v := range uint32(n) {
		if v%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := g.Neighbors(v)
		for i, u := range row {
			if int64(u) >= int64(n) || u == v || (i > 0 && row[i-1] >= u) {
				return fmt.Errorf("neighbours of vertex %d: %w", v, ErrInvalid)
			}
		}
		for _, w := range g.WeightsOf(v) {
			if !validWeight(w) {
				return fmt.Errorf("weight %v of an edge of vertex %d: %w", w, v, ErrInvalid)
			}
		}
	}
	if err := checkSymmetric(ctx, g); errors.Is(err, errRecord) {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	} else if err != nil {
		return err
	}
	return nil
}

// collectKeys gathers the keys of n vertices and makes sure that they are valid
// and distinct.
func collectKeys(ctx context.Context, n int, keys func(uint32) string) (keySet, error) {
	names := newInterner()
	var decimal []byte
	for v := range uint32(n) {
		if v%(checkEvery/16) == 0 && ctx.Err() != nil {
			return keySet{}, ctx.Err()
		}
		if keys == nil {
			decimal = fmt.Appendf(decimal[:0], "%d", v)
		} else {
			decimal = append(decimal[:0], keys(v)...)
		}
		id, err := names.intern(decimal)
		if err != nil {
			return keySet{}, fmt.Errorf("vertex %d: %w", v, err)
		}
		if id != v {
			return keySet{}, fmt.Errorf("vertices %d and %d have the same key %q: %w", id, v, clip(string(decimal)), ErrKey)
		}
	}
	return names.keys, nil
}
