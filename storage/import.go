package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// ImportOptions say how to import a graph. The zero value reads every common
// form.
type ImportOptions struct {
	// Format says how the text is read. Its Progress is called for the stage
	// "reading" (bytes of the input); where it is nil, Progress is.
	Format format.Options

	// Repeated says what becomes of the weight of an edge that comes again, in
	// either direction, or that the graph has; "" means RepeatedLast.
	Repeated Repeated

	// Join stands between the values of a vertex that comes again in a table, each
	// value once, and makes the attributes of which the table tells no type texts.
	// "" means that the last value counts.
	Join string

	// Source is what GraphInfo.Source will say; "" means Format.Name.
	Source string

	// Progress, where not nil, is called for the stages "reading" (bytes of the
	// input), "sorting" (no count) and "writing" (keys, arcs and values), from
	// one goroutine, at most about 20 times a second.
	Progress func(stage string, done, total int64)
}

// ImportStats is what an import read and what it made of the graph. Every edge
// read is one of Added, Duplicates and SelfLoops.
type ImportStats struct {
	format.ReadStats
	Vertices        int    // of the graph after the import
	Edges           int64  // of the graph after the import
	Version         uint64 // of the graph after the import
	Added           int64  // edges that the graph did not have
	Duplicates      int64  // edges that came again, in either direction, or that the graph had
	Updated         int64  // edges of the graph that got another weight or timestamp
	SelfLoops       int64  // edges from a vertex to itself; they are dropped, the vertex is kept
	NewVertices     int64  // vertices that the graph did not have
	UpdatedVertices int64  // vertices of the graph that got other values of attributes
	RepeatedValues  int64  // values of vertices that had another one from the same input
	Resumed         bool   // the import took up one that was killed
	Seconds         float64
}

// Import reads a graph, or vertices with attributes, into a graph of the store,
// which is made if there is none by this name. Directed edges become
// undirected; known keys keep their vertices and new ones follow in the order of
// their first appearance. The keys of vertices are UTF-8 without NUL, up to
// 1,024 bytes.
//
// An edge that the graph has is given the weight that Repeated says, and the new
// timestamp. Values of attributes replace those that vertices have; a missing
// one leaves the old one. Attributes that the graph does not have get the type
// that the input declares, or else the narrowest that holds all values:
// integer, float, boolean or text, where a number with zeros in front is a
// text. The others keep their type, and a value that is none of it is
// ErrInvalid.
//
// The edges are sorted in memory (24 bytes per edge at most, 90 with weights or
// timestamps, and the keys) and written in batches into a part of the file that
// nothing refers to; the last batch makes the new version of the graph visible.
// An error or a cancelled context before that changes nothing. After a kill, the
// same import takes up the batches already written; another import of the graph
// discards them. An import that changes nothing makes no new version.
func (db *DB) Import(ctx context.Context, graph string, r io.Reader, opts ImportOptions) (ImportStats, error) {
	started := time.Now()
	if err := checkName("graph", graph); err != nil {
		return ImportStats{}, err
	}
	how, err := ParseRepeated(string(opts.Repeated))
	if err != nil {
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
	list := newImportList(opts.Join)
	read, err := format.Read(ctx, r, opts.Format, list.handler())
	if err == nil && read.CountsHeader {
		err = list.dropHeader(ctx, read.DeclaredVertices)
	}
	if err == nil {
		err = list.join(ctx)
	}
	if err != nil {
		return ImportStats{ReadStats: read}, fmt.Errorf("storage: import into graph %q: %w", graph, err)
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return ImportStats{}, err
	}
	defer unlock()
	i := importer{list: list, how: how, publication: publication{
		db: db, name: graph, source: opts.Source, input: read.SHA256, progress: newReporter(opts.Progress),
	}}
	if err := i.run(ctx); err != nil {
		return ImportStats{}, err
	}
	i.stats.ReadStats, i.stats.RepeatedValues = read, list.repeated()
	i.stats.Seconds = time.Since(started).Seconds()
	return i.stats, nil
}

// importer merges what an import has read into a graph and publishes the result.
type importer struct {
	publication
	list  *importList
	how   Repeated
	old   contents
	stats ImportStats
}

// run does it all. The caller holds the writer's lock.
func (i *importer) run(ctx context.Context) error {
	if err := i.db.view(ctx, i.load); err != nil {
		return err
	}
	i.progress.report("sorting", 0, 0)
	if err := i.merge(ctx); err != nil {
		return fmt.Errorf("storage: import into graph %q: %w", i.name, err)
	}
	stats := &i.stats
	i.result = i.base
	if i.base.ID == 0 || stats.Added+stats.Updated+stats.NewVertices+stats.UpdatedVertices > 0 || len(i.contents.attributes) > len(i.old.attributes) {
		if err := i.publication.run(ctx); err != nil {
			return fmt.Errorf("storage: import into graph %q: %w", i.name, err)
		}
	}
	stats.Vertices, stats.Edges = int(i.result.Vertices), int64(i.result.Edges)
	stats.Version, stats.Resumed = i.result.Version, i.resumed
	return nil
}

// load reads the graph, if there is one.
func (i *importer) load(t *tx) error {
	r, err := t.findGraph(i.name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	i.base = *r
	i.old, err = t.readContents(i.name, r, false)
	return err
}

// merge makes the new contents of the graph and what changes with them.
func (i *importer) merge(ctx context.Context) (err error) {
	c, list, stats := &i.contents, i.list, &i.stats
	read := int64(len(list.edges))
	var number []uint32
	if c.keys, number, err = list.onto(ctx, i.old.keys); err != nil {
		return err
	}
	c.slots = i.old.slots
	known := i.old.keys.len()
	stats.NewVertices = int64(c.keys.len() - known)
	plain := list.weights == nil && list.times == nil && !i.how.adds() && i.base.Weighted+i.base.Timed == 0
	if plain {
		c.graph, stats.SelfLoops, err = buildGraph(ctx, c.keys.len(), list.edges, i.old.graph)
	} else {
		c.graph, stats.SelfLoops, err = mergeGraph(ctx, c.keys.len(), list, i.old.graph, i.how)
	}
	if err != nil {
		return err
	}
	stats.Added = c.graph.Edges() - int64(i.base.Edges)
	stats.Duplicates = read - stats.SelfLoops - stats.Added
	var touched []uint32
	if touched, stats.Updated, err = changedRows(ctx, i.old.graph, c.graph); err != nil {
		return err
	}
	valued, err := i.mergeColumns(ctx, number)
	if err != nil {
		return err
	}
	stats.UpdatedVertices = int64(len(valued))
	i.change = newChange(c.keys.len(), touched, valued)
	return nil
}

// mergeColumns gives the new contents the attributes of the graph and of the
// list, and returns the slots of the graph that got other values, ascending.
func (i *importer) mergeColumns(ctx context.Context, number []uint32) ([]uint32, error) {
	c := &i.contents
	schema := graphRecord{Attributes: slices.Clone(i.old.attributes), NextAttribute: i.base.NextAttribute}
	c.columns = slices.Clone(i.old.columns)
	changed := newBits(i.old.keys.len())
	for _, raw := range i.list.columns {
		at, err := schema.attributeFor(ctx, raw)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			continue
		}
		column := NewColumn(schema.Attributes[at].attribute(), c.keys.len())
		if at < len(c.columns) {
			column.fill(c.columns[at])
			c.columns[at] = column
		} else {
			c.columns = append(c.columns, column)
		}
		values, err := raw.parse(ctx, column.Attribute, i.list.keys.at)
		if err != nil {
			return nil, err
		}
		if err := i.setValues(ctx, column, raw, values, number, changed); err != nil {
			return nil, err
		}
	}
	c.attributes, c.nextAttribute = schema.Attributes, schema.NextAttribute
	var slots []uint32
	for slot := range uint32(i.old.keys.len()) {
		if bitAt(changed, slot) {
			slots = append(slots, slot)
		}
	}
	return slots, nil
}

// setValues enters the values of a column of the list, and marks the slots of
// the graph where another one was.
func (i *importer) setValues(ctx context.Context, column *Column, raw *rawColumn, values []Value, number []uint32, changed []uint64) error {
	known := uint32(i.old.keys.len())
	for v, code := range raw.codes {
		if v%(checkEvery/16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if code == 0 {
			continue
		}
		slot := uint32(v)
		if number != nil {
			slot = number[v]
		}
		if slot < known && column.At(slot) != values[code-1] {
			setBit(changed, slot, true)
		}
		column.set(slot, values[code-1])
	}
	column.compact()
	return nil
}

// attributeFor returns the attribute that takes the values of a column, as its
// number in r.Attributes; r gets one if it has none by this name. A column of no
// type and without values makes none: then it is -1.
func (r *graphRecord) attributeFor(ctx context.Context, raw *rawColumn) (int, error) {
	if at := r.findAttribute(raw.name); at >= 0 {
		return at, nil
	}
	kind := raw.kind
	if kind == 0 {
		var err error
		if kind, err = raw.guess(ctx); kind == 0 || err != nil {
			return -1, err
		}
	}
	return r.addAttribute(Attribute{raw.name, kind})
}

// newChange says what becomes of n slots; those whose values changed may be
// among those that are touched. Where most of them are, it says all instead.
func newChange(n int, touched, valued []uint32) change {
	var c change
	if c.all = 2*len(touched) > n; !c.all {
		c.edges = touched
	}
	for _, slot := range valued {
		for len(touched) > 0 && touched[0] < slot {
			touched = touched[1:]
		}
		if len(touched) == 0 || touched[0] != slot {
			c.values = append(c.values, slot)
		}
	}
	if c.columns = 2*len(c.values) > n; c.columns {
		c.values = nil
	}
	return c
}

// PutGraphRequest is a graph to be stored.
type PutGraphRequest struct {
	Graph      *csr.Graph
	Keys       func(v uint32) string // key of each vertex; nil means its number in decimal
	Attributes []*Column             // one value per vertex each
	Source     string                // what GraphInfo.Source will say

	// Progress, where not nil, is called for the stage "writing" as that of an
	// import is.
	Progress func(stage string, done, total int64)
}

// PutGraph stores a graph that was made in memory, such as a generated or
// reconstructed one, under a name that is free or whose graph never had a
// vertex; otherwise it is ErrExists. It is written and published like an import.
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
	p := &publication{db: db, name: name, source: req.Source, change: change{all: true}, progress: newReporter(req.Progress), contents: contents{graph: g, keys: set}}
	err = db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(name)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Slots > 0 {
			return fmt.Errorf("storage: graph %q has vertices already, or had some: %w", name, ErrExists)
		}
		p.base = *r
		return nil
	})
	if err == nil {
		err = p.putColumns(req.Attributes)
	}
	if err != nil {
		return GraphInfo{}, err
	}
	if err := p.run(ctx); err != nil {
		return GraphInfo{}, fmt.Errorf("storage: put graph %q: %w", name, err)
	}
	return p.result.info(name), nil
}

// putColumns makes columns the attributes of a graph that had no vertices.
func (p *publication) putColumns(columns []*Column) error {
	schema := graphRecord{NextAttribute: p.base.NextAttribute}
	for _, column := range columns {
		if schema.findAttribute(column.Name) >= 0 {
			return fmt.Errorf("storage: put graph %q: attribute %q comes twice: %w", p.name, clip(column.Name), ErrInvalid)
		}
		if column.Len() != p.contents.keys.len() {
			return fmt.Errorf("storage: put graph %q: attribute %q has %d values for %d vertices: %w", p.name, clip(column.Name), column.Len(), p.contents.keys.len(), ErrInvalid)
		}
		if _, err := schema.addAttribute(column.Attribute); err != nil {
			return err
		}
	}
	p.contents.columns, p.contents.attributes, p.contents.nextAttribute = columns, schema.Attributes, schema.NextAttribute
	return nil
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
