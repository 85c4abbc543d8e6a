package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/gather"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// Repeated decides the weight of an edge that occurs again in an import, in
// either direction, or that the graph already has.
type Repeated = gather.Repeated

// The ways to treat repeated edges. A line without a weight leaves the weight
// unchanged, or counts as 1 if weights are added. The timestamp is the first
// that was given under RepeatedFirst, and otherwise the last.
const (
	RepeatedLast  = gather.RepeatedLast  // the last weight that was given
	RepeatedFirst = gather.RepeatedFirst // the first weight, or the weight in the graph if it has the edge
	RepeatedSum   = gather.RepeatedSum   // all added up
	RepeatedMin   = gather.RepeatedMin   // the smallest
	RepeatedMax   = gather.RepeatedMax   // the largest
	RepeatedCount = gather.RepeatedCount // the number of occurrences of the edge, regardless of weights, added to the weight in the graph
)

// Repeats returns all ways to treat repeated edges, the default first.
func Repeats() []Repeated { return gather.Repeats() }

// ParseRepeated returns the way of the given name, and RepeatedLast for "".
// Other names are ErrInvalid.
func ParseRepeated(name string) (Repeated, error) { return gather.ParseRepeated(name) }

// MemoryError reports that an import needs more memory than its
// ImportOptions.MemoryLimit. errors.Is(err, ErrLimit) holds.
type MemoryError = gather.MemoryError

// ImportOptions are the options of an import. The zero value reads every
// common form.
type ImportOptions struct {
	// Format has the options for reading the text. Its Progress, or Progress if that
	// is nil, is called for the stage "reading" (bytes of the input).
	Format format.Options

	// Repeated decides the weight of an edge that occurs again, in either
	// direction, or that the graph already has; "" means RepeatedLast.
	Repeated Repeated

	// Join is the text between the values of a vertex that occurs several times in a
	// table; each distinct value is written once. Attributes whose type the table does
	// not state become texts. "" means that the last value counts.
	Join string

	// MemoryLimit is the largest number of bytes that the import may use: the keys,
	// values of attributes, the new graph and, up to a quarter of the limit, edges
	// that are not sorted yet. Further edges are written to temporary files next to
	// the store, which are removed at the end, and have no name if the system allows
	// it. 0 means DefaultMemoryLimit; a limit below 16 MiB means 16 MiB. A graph that
	// does not fit gives a MemoryError. The result does not depend on the limit.
	MemoryLimit int64

	// Source becomes GraphInfo.Source; "" means Format.Name.
	Source string

	// Progress, if not nil, is called for the stages "reading" (bytes of the input),
	// "sorting" (no count) and "writing" (keys, arcs and values), from one goroutine,
	// at most about 20 times per second.
	Progress func(stage string, done, total int64)

	edgeRoom int64 // bytes for unsorted edges, for tests; 0 is a quarter of the limit
}

// ImportStats counts what an import read and what it changed. Every edge that
// was read is counted in one of Added, Duplicates and SelfLoops; in a directed graph an
// edge of both directions is two.
type ImportStats struct {
	format.ReadStats `json:"read"`
	Vertices         int             `json:"vertices"`         // of the graph after the import
	Edges            int64           `json:"edges"`            // of the graph after the import; see GraphInfo.Count
	DirectedGraph    bool            `json:"directed_graph"`   // the graph is directed
	Version          uint64          `json:"version"`          // of the graph after the import
	Added            int64           `json:"added"`            // edges that the graph did not have
	Duplicates       int64           `json:"duplicates"`       // edges that occurred again, in either direction, or that the graph already had
	Updated          int64           `json:"updated"`          // edges of the graph whose weight or timestamp changed
	SelfLoops        int64           `json:"self_loops"`       // edges from a vertex to itself; they are dropped, the vertex is kept
	NewVertices      int64           `json:"new_vertices"`     // vertices that the graph did not have
	UpdatedVertices  int64           `json:"updated_vertices"` // vertices of the graph whose attributes changed
	RepeatedValues   int64           `json:"repeated_values"`  // values of vertices that replaced an earlier value from the same input
	Resumed          bool            `json:"resumed"`          // the import continued one that had been interrupted
	Times            format.TimeForm `json:"times"`            // how the graph writes timestamps after the import
	Seconds          float64         `json:"seconds"`
}

// Import reads a graph, or vertices with attributes, into a graph of the store,
// which is made if there is none by this name. A graph that exists stays directed or
// undirected. A new one is as opts.Format.Directed says, or as the text does before its
// first edge, or otherwise undirected. In an undirected graph directed edges become
// undirected; in a directed one an edge that the text calls undirected becomes two.
// Known keys keep their vertices, and new vertices follow in the order of their
// first appearance. The keys of vertices are UTF-8 without NUL, up to 1,024
// bytes.
//
// An edge that the graph has gets the weight that Repeated determines, and the new
// timestamp. Values of attributes replace those that vertices have; a missing value
// leaves the old value. Attributes that the graph does not have get the type that the
// input declares, or else the narrowest that holds all values: integer, float, boolean
// or text, where a number with zeros in front is a text. Existing attributes keep their
// type, and a value that is not of that type is ErrInvalid. An attribute whose name is
// reserved, cannot be a name, or is that of an earlier attribute of the input gets
// another name, which a remark states.
//
// Repeated edges are merged while they are read, so that the memory depends on the
// graph and not on the length of the input; see ImportOptions.MemoryLimit. The graph
// takes 8 bytes per edge, 8 more with weights, 16 more with timestamps, and about 100
// bytes per vertex with its key. It is written in batches into a part of the file that
// nothing refers to; the last batch makes the new version of the graph visible. An
// error or a cancelled context before that changes nothing. After a kill, the same
// import, run again, continues after the batches already written; another import of the
// graph discards them. An import that changes nothing makes no new version.
func (db *DB) Import(ctx context.Context, graph string, r io.Reader, opts ImportOptions) (ImportStats, error) {
	ctx, started := tree.OrBackground(ctx), time.Now()
	if err := block.CheckName("graph", graph); err != nil {
		return ImportStats{}, err
	}
	how, err := ParseRepeated(string(opts.Repeated))
	if err != nil {
		return ImportStats{}, err
	}
	if err := db.file.Writable(); err != nil {
		return ImportStats{}, err
	}
	if opts.Format.Progress == nil {
		opts.Format.Progress = opts.Progress
	}
	opts.Source = cmp.Or(opts.Source, opts.Format.Name)
	direction, err := db.importDirection(ctx, graph, opts.Format.Directed)
	if err != nil {
		return ImportStats{}, err
	}
	dir, pattern := tree.TempName(cmp.Or(db.file.Real, db.file.Path), tree.KindImport)
	direction.Repeated, direction.Join, direction.Limit, direction.EdgeRoom = how, opts.Join, opts.MemoryLimit, opts.edgeRoom
	direction.Dir, direction.Pattern = dir, pattern
	list := gather.NewList(ctx, direction)
	defer list.Close()
	read, err := graphfile.Read(ctx, r, opts.Format, list.Handler())
	if err == nil {
		err = list.End(ctx, &read)
	}
	if err != nil {
		return ImportStats{ReadStats: read}, fmt.Errorf("import into graph %q: %w", graph, err)
	}
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		return ImportStats{}, err
	}
	defer unlock()
	i := importer{list: list, layout: read.Layout, publication: publication{
		db: db, name: graph, source: opts.Source, input: read.SHA256, progress: newReporter(opts.Progress),
		times: list.Times, most: list.BatchBytes(),
	}}
	if err := i.run(ctx); err != nil {
		return ImportStats{}, err
	}
	for _, r := range i.remarks() {
		read.Add(r)
	}
	i.stats.ReadStats, i.stats.RepeatedValues, i.stats.Times = read, list.RepeatedValues(), graphInfo(&i.result, graph).Times
	i.stats.Seconds = time.Since(started).Seconds()
	return i.stats, nil
}

// importDirection decides what the edges of an import become, in the fields of the result for that.
func (db *DB) importDirection(ctx context.Context, graph string, wish format.Direction) (gather.Options, error) {
	info, err := db.Graph(ctx, graph)
	switch {
	case errors.Is(err, ErrNotFound):
		auto := wish == "" || wish == format.DirectionAuto
		return gather.Options{Directed: wish == format.Directed, Auto: auto}, nil
	case err != nil:
		return gather.Options{}, fmt.Errorf("import into graph %q: %w", graph, err)
	case !info.Directed && wish == format.Directed:
		return gather.Options{}, fmt.Errorf("import into graph %q, which is undirected, of directed edges: %w", fault.Clip(graph), ErrInvalid)
	case !info.Directed:
		return gather.Options{}, nil
	}
	return gather.Options{Directed: true, Both: wish == format.Undirected}, nil
}

// importer merges what an import has read into a graph and publishes the result.
type importer struct {
	publication
	list   *gather.List
	layout format.Layout
	old    graphs.Contents
	stats  ImportStats

	vertices []format.Remark // about the vertices that were read
	differ   int64           // edges with different weights in the input
	example  string          // one of them
}

// run performs the import. The caller holds the writer's lock.
func (i *importer) run(ctx context.Context) error {
	if err := i.db.file.View(ctx, i.load); err != nil {
		return err
	}
	i.progress.report("sorting", 0, 0)
	if err := i.merge(ctx); err != nil {
		return fmt.Errorf("import into graph %q: %w", i.name, err)
	}
	stats := &i.stats
	if i.list.Edges == 0 && (i.base.Edges > 0 || i.base.Source != "") {
		i.source = i.base.Source // the source of the edges, because this import has only vertices
	}
	i.result = i.base
	if i.base.ID == 0 || stats.Added+stats.Updated+stats.NewVertices+stats.UpdatedVertices > 0 ||
		len(i.contents.Attributes) > len(i.old.Attributes) || len(i.contents.EdgeAttributes) > len(i.old.EdgeAttributes) {
		if err := i.publication.run(ctx); err != nil {
			return fmt.Errorf("import into graph %q: %w", i.name, err)
		}
	}
	stats.Vertices, stats.Edges, stats.DirectedGraph = int(i.result.Vertices), int64(i.result.Count()), i.list.Directed
	stats.Version, stats.Resumed = i.result.Version, i.resumed
	return nil
}

// remarks returns what the import renamed or chose, beside what the reader did.
func (i *importer) remarks() []format.Remark {
	list := append(i.list.Remarks(), i.vertices...)
	if i.differ > 0 {
		list = append(list, format.Remark{What: "edges with different weights, of which the last one counts", Count: i.differ, Names: []string{i.example},
			Remedy: "repeated := 'first', 'sum', 'min', 'max' or 'count' takes others"})
	}
	return list
}

// load reads the graph, if it exists.
func (i *importer) load(t *tree.Tx) error {
	r, err := graphs.Find(t, i.name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	i.base = *r
	if r.Directed != i.list.Directed {
		return fmt.Errorf("graph %q: %w", i.name, ErrConflict) // it was made while the text was read
	}
	fits := func(further int64) error {
		return i.list.FitsGraph(int(r.Slots), int64(r.Count()), r.Weighted > 0, r.Timed > 0, further)
	}
	if err := fits(0); err != nil {
		return err
	}
	t.Room = &tree.Room{Fits: fits}
	i.old, err = graphs.ReadContents(t, i.name, r, false)
	return err
}

// merge makes the new contents of the graph, and the entry of the change log.
func (i *importer) merge(ctx context.Context) error {
	stats := &i.stats
	merged, err := i.list.Merge(ctx, gather.Base{Keys: i.old.Keys, Graph: i.old.Graph, Directed: i.old.Directed, Columns: i.old.Columns, EdgeColumns: i.old.EdgeColumns})
	if err != nil {
		return err
	}
	if i.vertices, err = merged.Remarks(ctx, i.layout); err != nil {
		return err
	}
	i.differ, i.example = merged.Differ, merged.Example
	i.contents.Keys, i.contents.Slots = merged.Keys, i.old.Slots
	i.contents.Graph, i.contents.Directed = merged.Graph, merged.Directed
	stats.NewVertices = int64(merged.Keys.Len() - i.old.Keys.Len())
	stats.SelfLoops, stats.Updated = i.list.SelfLoops, merged.Updated
	stats.Added = merged.Edges() - int64(i.base.Count())
	stats.Duplicates = i.list.Edges - stats.SelfLoops - stats.Added
	valued, err := i.mergeColumns(ctx, merged)
	if err != nil {
		return err
	}
	stats.UpdatedVertices = int64(len(valued))
	if valued, err = i.mergeEdgeColumns(ctx, merged, valued); err != nil {
		return err
	}
	i.change = newChange(merged.Keys.Len(), merged.Touched, valued)
	return nil
}

// mergeColumns adds the attributes of the graph and of the input to the new
// contents, and returns the slots of the graph whose values changed,
// ascending.
func (i *importer) mergeColumns(ctx context.Context, merged *gather.Merged) ([]uint32, error) {
	c := &i.contents
	schema := graphs.Record{Attributes: slices.Clone(i.old.Attributes), NextAttribute: i.base.NextAttribute}
	c.Columns = slices.Clone(i.old.Columns)
	changed := block.NewBits(i.old.Keys.Len())
	for _, read := range i.list.Columns {
		at, err := graphs.SchemaOf[uint32](&schema).For(ctx, read)
		if err != nil {
			return nil, err
		}
		if at < 0 {
			continue
		}
		schema.Attributes[at].Computed = nil
		base := (*Column)(nil)
		if at < len(c.Columns) {
			base = c.Columns[at]
		} else {
			c.Columns = append(c.Columns, nil)
		}
		if c.Columns[at], err = merged.Fill(ctx, read, schema.Attributes[at].Attribute(), base, changed); err != nil {
			return nil, err
		}
	}
	c.Attributes, c.NextAttribute = schema.Attributes, schema.NextAttribute
	return slotsOf(changed, i.old.Keys.Len()), nil
}

// slotsOf lists the slots, of n, whose bits are set.
func slotsOf(bits []uint64, n int) (slots []uint32) {
	for slot := range uint32(n) {
		if block.BitAt(bits, slot) {
			slots = append(slots, slot)
		}
	}
	return slots
}

// mergeEdgeColumns is mergeColumns for the attributes of edges. It counts the edges of the graph of
// which only values changed as updated, and returns valued, ascending slots, with the ends of all
// edges whose values changed.
func (i *importer) mergeEdgeColumns(ctx context.Context, merged *gather.Merged, valued []uint32) ([]uint32, error) {
	c := &i.contents
	schema := graphs.Record{EdgeAttributes: slices.Clone(i.old.EdgeAttributes), NextEdgeAttribute: i.base.NextEdgeAttribute}
	list := graphs.SchemaOf[block.Arc](&schema)
	read := make([]*gather.Column, len(schema.EdgeAttributes))
	for _, column := range i.list.EdgeColumns {
		at, err := list.For(ctx, column)
		if err != nil {
			return nil, err
		}
		if at == len(read) {
			read = append(read, nil)
		}
		if at >= 0 {
			read[at] = column
		}
	}
	edges := block.NewBits(int(i.base.Count()))
	for at, a := range schema.EdgeAttributes {
		base := (*Column)(nil)
		if at < len(i.old.EdgeColumns) {
			base = i.old.EdgeColumns[at]
		}
		column, err := merged.FillEdges(ctx, read[at], a.Attribute(), base, edges)
		if err != nil {
			return nil, err
		}
		c.EdgeColumns = append(c.EdgeColumns, column)
	}
	c.EdgeAttributes, c.NextEdgeAttribute = schema.EdgeAttributes, schema.NextEdgeAttribute
	if len(c.EdgeColumns) == 0 {
		return valued, nil
	}
	slots := block.NewBits(i.old.Keys.Len())
	for _, slot := range valued {
		block.SetBit(slots, slot, true)
	}
	only, err := merged.ChangedEdges(ctx, edges, slots)
	i.stats.Updated += only
	return slotsOf(slots, i.old.Keys.Len()), err
}

// newChange returns the entry of the change log for a graph with n slots; touched are
// slots whose edges changed, valued, which it overwrites, slots whose attributes changed.
// A slot in both lists counts as touched. If a list has most slots, the entry states that
// all may have changed.
func newChange(n int, touched, valued []uint32) block.Change {
	var c block.Change
	if c.All = 2*len(touched) > n; !c.All {
		c.Edges = touched
	}
	c.Values = without(valued, touched)
	if c.Columns = 2*len(c.Values) > n; c.Columns {
		c.Values = nil
	}
	return c
}

// PutGraphRequest is a graph to be stored.
type PutGraphRequest struct {
	Graph      *csr.Graph
	Directed   *csr.Directed         // in place of Graph, for a directed graph
	Keys       func(v uint32) string // key of each vertex; nil means its number in decimal
	Attributes []*Column             // one value per vertex each

	// EdgeAttributes have one value per edge each, in the order of csr.EdgeOrder; those of a directed
	// graph in that of its rows by source.
	EdgeAttributes []*Column

	Source string          // for GraphInfo.Source
	Times  format.TimeForm // how timestamps are written

	// Progress, if not nil, is called for the stage "writing" as that of an import is.
	Progress func(stage string, done, total int64)
}

// PutGraph stores a graph that was made in memory, such as a generated or
// reconstructed one. The name must be free, or belong to a graph that never had
// a vertex; otherwise the error is ErrExists. It is written and published like
// an import.
func (db *DB) PutGraph(ctx context.Context, name string, req PutGraphRequest) (GraphInfo, error) {
	ctx = tree.OrBackground(ctx)
	if err := block.CheckName("graph", name); err != nil {
		return GraphInfo{}, err
	}
	n, err := req.check(ctx)
	if err != nil {
		return GraphInfo{}, fmt.Errorf("put graph %q: %w", name, err)
	}
	set, err := collectKeys(ctx, n, req.Keys)
	if err != nil {
		return GraphInfo{}, fmt.Errorf("put graph %q: %w", name, err)
	}
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		return GraphInfo{}, err
	}
	defer unlock()
	p := &publication{db: db, name: name, source: req.Source, times: gather.Times{Dates: req.Times != format.TimeNumbers, Clocks: req.Times == format.TimeClocks}, change: block.Change{All: true}, progress: newReporter(req.Progress), contents: graphs.Contents{Graph: req.Graph, Directed: req.Directed, Keys: set}}
	err = db.file.View(ctx, func(t *tree.Tx) error {
		r, err := graphs.Find(t, name)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.Slots > 0 {
			return fmt.Errorf("graph %q has vertices already, or had some: %w", name, ErrExists)
		}
		p.base = *r
		return nil
	})
	if err == nil {
		err = p.putColumns(req.Attributes, req.EdgeAttributes)
	}
	if err != nil {
		return GraphInfo{}, err
	}
	if err := p.run(ctx); err != nil {
		return GraphInfo{}, fmt.Errorf("put graph %q: %w", name, err)
	}
	return graphInfo(&p.result, name), nil
}

// putColumns stores columns as the attributes of the vertices and of the edges of a graph that had
// no vertices.
func (p *publication) putColumns(columns, edgeColumns []*Column) error {
	r, c := &graphs.Record{NextAttribute: p.base.NextAttribute, NextEdgeAttribute: p.base.NextEdgeAttribute}, &p.contents
	if err := p.addColumns(graphs.SchemaOf[uint32](r), columns, int64(c.Keys.Len()), "vertices"); err != nil {
		return err
	}
	if err := p.addColumns(graphs.SchemaOf[block.Arc](r), edgeColumns, c.Count(), "edges"); err != nil {
		return err
	}
	if len(edgeColumns) > 0 && c.Count() > math.MaxUint32 {
		return fmt.Errorf("put graph %q: attributes of %d edges: %w", p.name, c.Count(), ErrLimit)
	}
	c.Columns, c.Attributes, c.NextAttribute = columns, r.Attributes, r.NextAttribute
	c.EdgeColumns, c.EdgeAttributes, c.NextEdgeAttribute = edgeColumns, r.EdgeAttributes, r.NextEdgeAttribute
	return nil
}

// addColumns enters columns with n values each.
func (p *publication) addColumns(schema graphs.Schema, columns []*Column, n int64, of string) error {
	for _, column := range columns {
		if schema.Find(column.Name) >= 0 {
			return fmt.Errorf("put graph %q: attribute %q comes twice: %w", p.name, fault.Clip(column.Name), ErrInvalid)
		}
		if int64(column.Len()) != n {
			return fmt.Errorf("put graph %q: attribute %q has %d values for %d %s: %w", p.name, fault.Clip(column.Name), column.Len(), n, of, ErrInvalid)
		}
		if _, err := schema.Add(column.Attribute); err != nil {
			return err
		}
	}
	return nil
}

// check verifies the graph and returns its number of vertices.
func (req *PutGraphRequest) check(ctx context.Context) (n int, err error) {
	switch {
	case (req.Graph == nil) == (req.Directed == nil):
		return 0, fmt.Errorf("%w: there is no graph, or there are two", ErrInvalid)
	case req.Directed != nil:
		n = req.Directed.Vertices()
	default:
		n = req.Graph.Vertices()
	}
	if uint64(n) > block.MaxVertices {
		return n, fmt.Errorf("%d vertices: %w", n, ErrLimit)
	}
	if req.Directed != nil {
		return n, checkDirected(ctx, req.Directed)
	}
	return n, checkGraph(ctx, req.Graph)
}

// checkGraph verifies the invariants of csr.Graph, like its Validate, but in O(n + m)
// and with a context.
func checkGraph(ctx context.Context, g *csr.Graph) error {
	if err := checkRows(ctx, &csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights, Times: g.Times}); err != nil {
		return err
	}
	return invalid(verify.Symmetric(ctx, g))
}

// checkDirected is checkGraph for a directed graph.
func checkDirected(ctx context.Context, d *csr.Directed) error {
	if d.Out.Vertices() != d.In.Vertices() || len(d.Out.Targets) != len(d.In.Targets) {
		return fmt.Errorf("rows by source and by target differ: %w", ErrInvalid)
	}
	for _, r := range []*csr.Rows{&d.Out, &d.In} {
		if err := checkRows(ctx, r); err != nil {
			return err
		}
	}
	return invalid(verify.Transposed(ctx, &d.Out, &d.In))
}

// invalid is the error of a graph of a caller for a fault of a record.
func invalid(err error) error {
	if errors.Is(err, fault.ErrRecord) {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return err
}

// checkRows verifies the invariants of csr.Rows.
func checkRows(ctx context.Context, g *csr.Rows) error {
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
			if !block.ValidWeight(w) {
				return fmt.Errorf("weight %v of an edge of vertex %d: %w", w, v, ErrInvalid)
			}
		}
	}
	return nil
}

// collectKeys gathers the keys of n vertices and makes sure that they are valid
// and distinct.
func collectKeys(ctx context.Context, n int, keys func(uint32) string) (block.KeySet, error) {
	names := block.NewInterner()
	var decimal []byte
	for v := range uint32(n) {
		if v%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return block.KeySet{}, ctx.Err()
		}
		if keys == nil {
			decimal = fmt.Appendf(decimal[:0], "%d", v)
		} else {
			decimal = append(decimal[:0], keys(v)...)
		}
		id, err := names.Intern(decimal)
		if err != nil {
			return block.KeySet{}, fmt.Errorf("vertex %d: %w", v, err)
		}
		if id != v {
			return block.KeySet{}, fmt.Errorf("vertices %d and %d have the same key %q: %w", id, v, fault.Clip(string(decimal)), ErrKey)
		}
	}
	return names.Keys, nil
}
