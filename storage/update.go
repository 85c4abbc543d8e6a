package storage

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// WriteStats counts what one call wrote. Every edge or vertex of the call is counted in
// one of Inserted, Updated, Deleted, Unchanged, Missing and SelfLoops.
type WriteStats struct {
	Inserted     int64  `json:"inserted"`
	Updated      int64  `json:"updated"`
	Deleted      int64  `json:"deleted"`
	Unchanged    int64  `json:"unchanged"`
	Missing      int64  `json:"missing"`       // to be deleted, but did not exist
	SelfLoops    int64  `json:"self_loops"`    // edges from a vertex to itself; they are dropped, the vertex is kept
	NewVertices  int64  `json:"new_vertices"`  // added as ends of edges
	EdgesDeleted int64  `json:"edges_deleted"` // with the vertices that were deleted
	Version      uint64 `json:"version"`       // of the graph when the transaction is committed
}

// Tx is one write transaction over any number of graphs. It is not safe for
// concurrent use and not valid after the function that it was given to has
// returned. A call that returns an error before it has changed anything, such
// as one for a graph that does not exist, leaves the transaction as it was;
// after any other error the transaction cannot be committed.
type Tx struct {
	tx     *tree.Tx
	graphs map[string]*graphState
	over   bool  // the function that had the transaction has returned
	broken error // a change stopped in the middle
}

// graphState is what a transaction knows of one graph.
type graphState struct {
	name       string
	record     graphs.Record // its counts follow every change, its version only the commit
	changed    bool          // the graph gets a new version
	created    bool          // the graph was made by this transaction: that is its version 1
	touched    []uint32      // slots that are new, or whose edges changed; in any order, repeated
	attributed []uint32      // slots whose attributes changed, likewise
	deleted    []uint32      // slots that became empty, in any order
}

// Update calls f with a write transaction, and commits what f did if it returns nil;
// otherwise nothing changes. Every graph that f changed gets one new version and one
// entry in the change log. Other writers wait meanwhile, readers do not; f must not
// call methods of db that write, nor Close, which would wait for f, and sees its own
// changes through the methods of Tx only.
//
// The cost is that of the blocks that are touched: some 50 KB are written for
// an edge, whatever the size of the graph and the degrees of its ends. All
// changed pages are in memory until the commit, so an import (see Import) is
// the better way to write tens of millions of edges.
func (db *DB) Update(ctx context.Context, f func(*Tx) error) error {
	return transact(f, func(g func(*tree.Tx) error) error { return db.file.InTransaction(ctx, g) })
}

// transact has run call f in a transaction. A panic of f does not mean a damaged page: it continues
// after the transaction was rolled back.
func transact(f func(*Tx) error, run func(func(*tree.Tx) error) error) error {
	var panicked any
	err := run(func(t *tree.Tx) (err error) {
		defer func() {
			if panicked = recover(); panicked != nil {
				err = tree.ErrPanicked
			}
		}()
		return change(t, f)
	})
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// change runs f on the transaction and prepares what it did for the commit.
func change(t *tree.Tx, f func(*Tx) error) error {
	x := &Tx{tx: t, graphs: make(map[string]*graphState)}
	defer func() { x.over = true }()
	if err := f(x); err != nil {
		return err
	}
	if x.broken != nil {
		return x.broken
	}
	if err := t.Ctx.Err(); err != nil {
		return err
	}
	return x.finish()
}

// usable reports why a call on the transaction cannot be answered.
func (x *Tx) usable() error {
	if x.over {
		return fmt.Errorf("the transaction is over: %w", ErrClosed)
	}
	return x.broken
}

// read runs a call that changes nothing.
func (x *Tx) read(f func() error) error {
	if err := x.usable(); err != nil {
		return err
	}
	return fault.Guarded(x.tx.Path, func() error { return fault.Corrupt(x.tx.Path, "", f()) })
}

// write runs a call that changes the graph. If it fails, the transaction is broken,
// unless the failure was in check, which runs first and writes nothing.
func (x *Tx) write(graph string, check, f func(g *graphState) error) (version uint64, err error) {
	var g *graphState
	err = x.read(func() error {
		if g, err = x.graph(graph); err != nil || check == nil {
			return err
		}
		return check(g)
	})
	if err != nil {
		return 0, err
	}
	err = x.read(func() error { return f(g) })
	if err != nil {
		x.broken = err
		return 0, err
	}
	return g.next().Version, nil
}

// counted is write for a call that counts what it changed.
func (x *Tx) counted(graph string, check func(g *graphState) error, f func(g *graphState, stats *WriteStats) error) (WriteStats, error) {
	var stats WriteStats
	version, err := x.write(graph, check, func(g *graphState) error { return f(g, &stats) })
	if err != nil {
		return WriteStats{}, err
	}
	stats.Version = version
	return stats, nil
}

func (x *Tx) graph(name string) (*graphState, error) {
	if g := x.graphs[name]; g != nil {
		return g, nil
	}
	r, err := graphs.Find(x.tx, name)
	if err != nil {
		return nil, err
	}
	g := &graphState{name: name, record: *r}
	x.graphs[name] = g
	return g, nil
}

// next is the record as it will be committed.
func (g *graphState) next() graphs.Record {
	r := g.record
	if g.changed && !g.created {
		r.Version++
	}
	return r
}

// touch notes that the edges of a slot changed, or that it is new.
func (g *graphState) touch(slots ...uint32) {
	g.changed = g.changed || len(slots) > 0
	g.touched = append(g.touched, slots...)
}

// Graph returns the catalogue entry of a graph as it would be committed now.
func (x *Tx) Graph(name string) (GraphInfo, error) {
	var info GraphInfo
	err := x.read(func() error {
		g, err := x.graph(name)
		if err == nil {
			r := g.next()
			info = graphInfo(&r, name)
		}
		return err
	})
	return info, err
}

// CreateGraph makes an empty graph. A name that is in use is ErrExists.
func (x *Tx) CreateGraph(name string) (GraphInfo, error) { return x.createGraph(name, false) }

// CreateDirected is CreateGraph for a directed graph.
func (x *Tx) CreateDirected(name string) (GraphInfo, error) { return x.createGraph(name, true) }

func (x *Tx) createGraph(name string, directed bool) (GraphInfo, error) {
	if err := block.CheckName("graph", name); err != nil {
		return GraphInfo{}, err
	}
	var info GraphInfo
	err := x.read(func() error {
		r, err := graphs.Create(x.tx, name, directed)
		if err != nil {
			return err
		}
		x.graphs[name] = &graphState{name: name, record: *r, created: true}
		info = graphInfo(r, name)
		return nil
	})
	return info, err
}

// finish writes the catalogue entry and the change of every graph that changed.
func (x *Tx) finish() error {
	now := time.Now().UnixNano()
	for _, name := range slices.Sorted(maps.Keys(x.graphs)) {
		g := x.graphs[name]
		if !g.changed {
			continue
		}
		r := g.next()
		r.Modified = now
		if err := x.tx.Put(block.GraphsName, []byte(name), &r); err != nil {
			return err
		}
		c, err := changeOf(x.tx, g)
		if err != nil {
			return err
		}
		if err := graphs.LogChange(x.tx, r.ID, r.Version, c); err != nil {
			return err
		}
	}
	return nil
}

// changeOf is the entry of the change log: each slot is in one list. If a list has most
// of the graph, the entry says that everything may have changed.
func changeOf(t *tree.Tx, g *graphState) (c block.Change, err error) {
	if c.Deleted, err = distinct(t, g.deleted, nil); err != nil {
		return c, err
	}
	if c.Edges, err = distinct(t, g.touched, c.Deleted); err != nil {
		return c, err
	}
	if 2*uint64(len(c.Edges)) > g.record.Vertices {
		c.All, c.Edges = true, nil
	}
	if c.Values, err = distinct(t, g.attributed, c.Deleted, c.Edges); err != nil {
		return c, err
	}
	if 2*uint64(len(c.Values)) > g.record.Vertices {
		c.Columns, c.Values = true, nil
	}
	return c, nil
}

// distinct returns the slots of a list in ascending order, each once, without
// those of other ascending lists.
func distinct(t *tree.Tx, list []uint32, others ...[]uint32) ([]uint32, error) {
	list, err := block.MergeSort(t.Ctx, list, cmp.Compare)
	if err != nil {
		return nil, err
	}
	list = slices.Compact(list)
	for _, other := range others {
		list = without(list, other)
	}
	return list, nil
}

// without returns the slots of an ascending list that another one does not have. It overwrites the
// list.
func without(list, other []uint32) []uint32 {
	kept := list[:0]
	for _, slot := range list {
		for len(other) > 0 && other[0] < slot {
			other = other[1:]
		}
		if len(other) == 0 || other[0] != slot {
			kept = append(kept, slot)
		}
	}
	return kept
}

// writeEdges brings edges from one state into another and counts them. Only
// those that differ are written, each as two arcs.
func writeEdges(t *tree.Tx, g *graphState, before, after []block.EdgeState) error {
	var edits []block.Edit[block.ArcValue]
	var gone []block.Arc
	r := &g.record
	for i, now := range after {
		was := before[i]
		if now == was {
			continue
		}
		back := now.ArcValue
		if back.Arc = back.Arc.Reverse(); r.Directed {
			back = now.Turned()
		}
		edits = append(edits, block.Edit[block.ArcValue]{Entry: now.ArcValue, Remove: !now.There}, block.Edit[block.ArcValue]{Entry: back, Remove: !now.There})
		g.touch(now.Arc.Source(), now.Arc.Target())
		switch {
		case len(r.EdgeAttributes) == 0:
		case r.Directed:
			for _, back := range [2]bool{false, true} {
				if way := was.Way(back); way.There && !now.Way(back).There {
					gone = append(gone, way.Arc)
				}
			}
		case was.There && !now.There:
			gone = append(gone, now.Arc)
		}
		r.Edges += block.OneIf(now.There) - block.OneIf(was.There)
		if r.Directed {
			r.Arcs += now.Edges() - was.Edges()
		}
		r.Weighted += now.Weighted() - was.Weighted()
		r.Timed += now.Timed() - was.Timed()
	}
	if len(edits) == 0 {
		return nil
	}
	slices.Sort(gone)
	if err := dropValues(t, g, gone); err != nil {
		return err
	}
	edits, err := block.MergeSort(t.Ctx, edits, func(a, b block.Edit[block.ArcValue]) int { return cmp.Compare(a.Entry.Arc, b.Entry.Arc) })
	if err != nil {
		return err
	}
	return graphs.EditPart(t, r.Object, block.ArcsName, block.ArcList(r.Directed), edits)
}

// dropEdges removes the edges of arcs, given in either direction, in any order
// and repeated, and returns how many there were.
func dropEdges(t *tree.Tx, g *graphState, arcs []block.Arc) (dropped int64, err error) {
	forward := make([]block.Arc, len(arcs))
	for i, a := range arcs {
		forward[i] = min(a, a.Reverse())
	}
	if forward, err = block.MergeSort(t.Ctx, forward, cmp.Compare); err != nil {
		return 0, err
	}
	forward = slices.Compact(forward)
	before, err := graphs.FindEdges(t, &g.record, forward)
	if err != nil {
		return 0, err
	}
	after := make([]block.EdgeState, len(before))
	for i, s := range before {
		after[i] = s
		after[i].There = false
		dropped += int64(s.Edges())
	}
	return dropped, writeEdges(t, g, before, after)
}

// dropValues removes the values that places, ascending, have of all attributes.
func dropValues[P block.Place](t *tree.Tx, g *graphState, places []P) error {
	schema := graphs.SchemaOf[P](&g.record)
	if len(places) == 0 || len(*schema.List) == 0 {
		return nil
	}
	list := schema.Own()
	for i := range list {
		if err := dropValuesOf(t, g, &list[i], places); err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeValues[P](g.name, list[i].Name), err)
		}
	}
	return nil
}

func dropValuesOf[P block.Place](t *tree.Tx, g *graphState, a *graphs.AttributeRecord, places []P) error {
	values, err := graphs.ValuesAt(t, &g.record, *a, places)
	if err != nil {
		return err
	}
	var edits []block.Edit[block.PlaceValue[P]]
	for i, v := range values {
		if !v.IsMissing() {
			edits = append(edits, block.Edit[block.PlaceValue[P]]{Entry: block.PlaceValue[P]{Place: places[i]}, Remove: true})
		}
	}
	a.Values -= uint64(len(edits))
	return editValues(t, &g.record, *a, edits)
}

func editValues[P block.Place](t *tree.Tx, r *graphs.Record, a graphs.AttributeRecord, edits []block.Edit[block.PlaceValue[P]]) error {
	if len(edits) == 0 {
		return nil
	}
	if bytes.Equal(block.ValuePart[P](), block.EdgeAttrsName) {
		t.Header.Need(block.FeatureEdgeAttributes)
	}
	p, err := t.OpenPart(r.Object, block.ValuePart[P]())
	if err != nil {
		return err
	}
	return graphs.EditBlocks(t, p, block.ValueList[P](a.ID, a.Type), edits)
}
