package storage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/gather"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

func (e *Edge) check() error {
	if w := float32(e.Weight); e.Weight != 0 && !block.ValidWeight(w) {
		return fmt.Errorf("edge %s: weight %v is not a positive number within the range of a float32: %w", e.name(), e.Weight, ErrInvalid)
	}
	return nil
}

// name is the edge in a message.
func (e *Edge) name() string {
	return fmt.Sprintf("(%q, %q)", fault.Clip(e.Source), fault.Clip(e.Target))
}

type edgeBatch struct {
	edges []Edge
	keys  [][]byte    // distinct keys of the ends, in the order of their first appearance
	ends  [][2]uint32 // the two ends of every edge, as numbers of keys
	slots []uint32    // of the keys; block.NoVertex for those that are not in the graph
	loops int64       // edges from a vertex to itself

	requests []request         // the edges whose ends are vertices
	states   []block.EdgeState // states of the distinct edges in requests, ascending
	values   valueBatch[block.Arc]
}

// request is an edge of a batch whose ends are known and distinct.
type request struct {
	arc   block.Arc // from the smaller slot to the larger
	back  bool      // the edge is one of a directed graph from the larger slot to the smaller
	index int       // of the edge
}

func newEdgeBatch(ctx context.Context, edges []Edge) (*edgeBatch, error) {
	b := &edgeBatch{edges: edges, ends: make([][2]uint32, len(edges)), values: valueBatch[block.Arc]{changed: make([]bool, len(edges))}}
	names := block.NewInterner()
	for i := range edges {
		e := &edges[i]
		if i%(block.CheckEvery/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := e.check(); err != nil {
			return nil, err
		}
		for end, key := range []string{e.Source, e.Target} {
			number, err := names.Intern(block.BytesOf(key))
			if err != nil {
				return nil, fmt.Errorf("edge %s: %w", e.name(), err)
			}
			b.ends[i][end] = number
		}
		if b.ends[i][0] == b.ends[i][1] {
			b.loops++
		}
	}
	for i := range uint32(names.Keys.Len()) {
		b.keys = append(b.keys, names.Keys.At(i))
	}
	return b, nil
}

// find looks the ends up.
func (b *edgeBatch) find(t *tree.Tx, g *graphState) (err error) {
	b.slots, err = graphs.SlotsOfKeys(t, &g.record, b.keys)
	return fault.Corrupt(t.Path, graphs.DescribeGraph(g.name)+", ids", err)
}

// findValues gives every value its attribute, as valueBatch.request does.
func (b *edgeBatch) findValues(g *graphState, strict bool) error {
	b.values.record = g.record
	for i := range b.edges {
		for _, v := range b.edges[i].Values {
			if err := b.values.request(uint32(i), v, strict); err != nil {
				return fmt.Errorf("edge %s: %w", b.edges[i].name(), err)
			}
		}
	}
	return nil
}

// applyValues writes the values of the edges whose ends are vertices.
func (b *edgeBatch) applyValues(t *tree.Tx, g *graphState) error {
	if len(b.values.requests) == 0 {
		return nil
	}
	return b.values.apply(t, g, func(i uint32) (block.Arc, bool) {
		u, v := b.slots[b.ends[i][0]], b.slots[b.ends[i][1]]
		return g.record.EdgeArc(u, v), u != v
	})
}

// addMissing adds the ends that are not in the graph as vertices.
func (b *edgeBatch) addMissing(t *tree.Tx, g *graphState) (added int64, err error) {
	var keys [][]byte
	for i, slot := range b.slots {
		if slot == block.NoVertex {
			keys = append(keys, b.keys[i])
		}
	}
	slots, err := graphs.AddVertices(t, &g.record, keys)
	if err != nil {
		return 0, fault.Corrupt(t.Path, graphs.DescribeGraph(g.name), err)
	}
	g.touch(slots...)
	for i, slot := range b.slots {
		if slot == block.NoVertex {
			b.slots[i], slots = slots[0], slots[1:]
		}
	}
	return int64(len(keys)), nil
}

// locate finds the edges whose ends are vertices.
func (b *edgeBatch) locate(t *tree.Tx, g *graphState) (err error) {
	list := make([]request, 0, len(b.edges))
	for i, ends := range b.ends {
		u, v := b.slots[ends[0]], b.slots[ends[1]]
		if u != v && u != block.NoVertex && v != block.NoVertex {
			list = append(list, request{block.NewArc(min(u, v), max(u, v)), g.record.Directed && u > v, i})
		}
	}
	// Requests for the same edge stay in the order of the batch.
	b.requests, err = block.MergeSort(t.Ctx, list, func(a, b request) int {
		return cmp.Or(cmp.Compare(a.arc, b.arc), cmp.Compare(a.index, b.index))
	})
	if err != nil {
		return err
	}
	arcs := make([]block.Arc, 0, len(b.requests))
	for _, r := range b.requests {
		if len(arcs) == 0 || arcs[len(arcs)-1] != r.arc {
			arcs = append(arcs, r.arc)
		}
	}
	b.states, err = graphs.FindEdges(t, &g.record, arcs)
	return fault.Corrupt(t.Path, graphs.DescribeGraph(g.name)+", arcs", err)
}

// apply calls change for the state of every edge, in the order of the batch.
func (b *edgeBatch) apply(t *tree.Tx, g *graphState, change func(s *block.EdgeState, i int)) error {
	after := slices.Clone(b.states)
	at, before := 0, g.record.Timed
	var times gather.Times
	for i, r := range b.requests {
		if i%block.CheckEvery == 0 && t.Ctx.Err() != nil {
			return t.Ctx.Err()
		}
		for after[at].Arc != r.arc {
			at++
		}
		e, state := &b.edges[r.index], &after[at]
		if g.record.Directed {
			way := state.Way(r.back)
			change(&way, r.index)
			state.SetWay(r.back, way)
			state = &way
		} else {
			change(state, r.index)
		}
		if state.There && e.Timed && e.Time != csr.NoTime {
			times.Add(e.Time, e.Dated)
		}
	}
	if err := writeEdges(t, g, b.states, after); err != nil {
		return fault.Corrupt(t.Path, graphs.DescribeGraph(g.name)+", arcs", err)
	}
	g.record.Gave(times, before)
	return nil
}

// InsertEdges adds edges to a graph, and their ends as vertices if the graph does not
// have them; in a directed graph each from its Source to its Target. If an edge exists, the given weight and timestamp replace its own
// (Updated); if none are given, or they are the same, it counts as Unchanged. A new
// edge without a weight has weight 1. An edge from a vertex to itself is dropped, and
// the vertex kept. An invalid key is ErrKey, an invalid weight ErrInvalid.
//
// The rules for values of attributes are those of InsertVertices.
//
// Each block of keys or arcs that changes is rewritten once, so an edge of a large
// batch costs much less than a single one; see the package comment.
func (x *Tx) InsertEdges(graph string, edges []Edge) (WriteStats, error) {
	b, err := newEdgeBatch(x.tx.Ctx, edges)
	if err != nil {
		return WriteStats{}, err
	}
	find := func(g *graphState) error {
		if err := b.find(x.tx, g); err != nil {
			return err
		}
		return b.findValues(g, false)
	}
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) (err error) {
		stats.SelfLoops = b.loops
		if stats.NewVertices, err = b.addMissing(x.tx, g); err != nil {
			return err
		}
		if err := b.locate(x.tx, g); err != nil {
			return err
		}
		return b.insert(x.tx, g, stats)
	})
}

// insert adds the edges, or what they give to those that exist, and counts whether each was inserted,
// updated or unchanged.
func (b *edgeBatch) insert(t *tree.Tx, g *graphState, stats *WriteStats) error {
	if err := b.applyValues(t, g); err != nil {
		return err
	}
	return b.apply(t, g, func(s *block.EdgeState, i int) { stats.insert(s, &b.edges[i], b.values.changed[i]) })
}

// insert adds an edge, or its weight and timestamp, and counts whether it was inserted, updated, as also
// where valued says that values of attributes changed, or unchanged.
func (stats *WriteStats) insert(s *block.EdgeState, e *Edge, valued bool) {
	before := *s
	s.There = true
	e.give(s)
	switch {
	case !before.There:
		stats.Inserted++
	case *s != before || valued:
		stats.Updated++
	default:
		stats.Unchanged++
	}
}

// UpdateEdges changes the weights, timestamps and values of attributes of edges, where they are
// given: weight 1 and csr.NoTime are those of an edge that has none. If an
// edge does not exist, or an attribute of which a value is to be removed, the first such
// gives a NotFoundError, and nothing is changed.
func (x *Tx) UpdateEdges(graph string, edges []Edge) (WriteStats, error) {
	b, err := newEdgeBatch(x.tx.Ctx, edges)
	if err != nil {
		return WriteStats{}, err
	}
	find := func(g *graphState) error {
		if err := b.find(x.tx, g); err != nil {
			return err
		}
		if err := b.locate(x.tx, g); err != nil {
			return err
		}
		if err := b.complete(g.record.Directed); err != nil {
			return err
		}
		return b.findValues(g, true)
	}
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) error { return b.insert(x.tx, g, stats) })
}

// complete returns a NotFoundError for the first edge that does not exist.
func (b *edgeBatch) complete(directed bool) error {
	there := make([]bool, len(b.edges))
	at := 0
	for _, r := range b.requests {
		for b.states[at].Arc != r.arc {
			at++
		}
		there[r.index] = b.states[at].There && (!directed || b.states[at].Way(r.back).There)
	}
	if i := slices.Index(there, false); i >= 0 {
		between := " – "
		if directed {
			between = " → "
		}
		return &NotFoundError{Kind: "edge", Name: b.edges[i].Source + between + b.edges[i].Target}
	}
	return nil
}

// DeleteEdges removes edges with their values of attributes; those that do not exist count as Missing.
// Weights, timestamps and values that are given do not matter. The vertices stay.
func (x *Tx) DeleteEdges(graph string, edges []Edge) (WriteStats, error) {
	b, err := newEdgeBatch(x.tx.Ctx, edges)
	if err != nil {
		return WriteStats{}, err
	}
	find := func(g *graphState) error {
		if err := b.find(x.tx, g); err != nil {
			return err
		}
		return b.locate(x.tx, g)
	}
	return x.counted(graph, find, func(g *graphState, stats *WriteStats) error {
		err := b.apply(x.tx, g, func(s *block.EdgeState, _ int) {
			if s.There {
				s.There = false
				stats.Deleted++
			}
		})
		stats.Missing = int64(len(edges)) - stats.Deleted
		return err
	})
}

// Neighbors returns the edges of a vertex in the order of the slots of its
// neighbours, with the key as the Source of each; in a directed graph the edges of
// both directions, with their Source and Target, first the one to the neighbour and
// then the one from it. If an edge has no weight, Weight is 1; if it has no timestamp,
// Timed is false.
func (x *Tx) Neighbors(graph, key string) ([]Edge, error) {
	var list []Edge
	err := x.read(func() error {
		g, err := x.graph(graph)
		if err == nil {
			list, err = edgesAt(x.tx, &g.record, graph, key)
		}
		return err
	})
	return list, err
}

// Neighbors returns the edges of a vertex as Tx.Neighbors does. It reads the
// blocks that hold them and the keys of the neighbours, and nothing else.
func (db *DB) Neighbors(ctx context.Context, graph, key string) ([]Edge, error) {
	return viewGraph(ctx, db, graph, func(t *tree.Tx, r *graphs.Record) ([]Edge, error) { return edgesAt(t, r, graph, key) })
}

func edgesAt(t *tree.Tx, r *graphs.Record, graph, key string) ([]Edge, error) {
	slot, err := graphs.SlotOfVertex(t, r, graph, key)
	if err != nil {
		return nil, err
	}
	reader, err := graphs.NewArcReader(t, r)
	if err != nil {
		return nil, err
	}
	arcs, err := reader.Of(slot)
	if err != nil {
		return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", arcs", err)
	}
	slots := make([]uint32, len(arcs))
	for i, v := range arcs {
		slots[i] = v.Arc.Target()
	}
	keys, err := graphs.KeysOfSlots(t, r, slots)
	if err != nil {
		return nil, fault.Corrupt(t.Path, graphs.DescribeGraph(graph)+", keys", err)
	}
	list, places := make([]Edge, 0, len(arcs)), make([]block.Arc, 0, len(arcs))
	add := func(source, target string, arc block.Arc, weight float32, time int64) {
		if weight == 0 {
			return
		}
		e := Edge{Source: source, Target: target, Weight: csr.Decimal(weight)}
		if time != csr.NoTime {
			e.Time, e.Timed = time, true
		}
		list, places = append(list, e), append(places, r.EdgeArc(arc.Source(), arc.Target()))
	}
	for i, v := range arcs {
		add(key, keys[i], v.Arc, v.Weight, v.Time)
		add(keys[i], key, v.Arc.Reverse(), v.Back, v.BackTime)
	}
	return list, giveValues(t, r, graph, places, list)
}

// giveValues reads the values of edges at places.
func giveValues(t *tree.Tx, r *graphs.Record, graph string, places []block.Arc, list []Edge) error {
	if len(r.EdgeAttributes) == 0 {
		return nil
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
	slices.Sort(places)
	for _, a := range r.EdgeAttributes {
		values, err := graphs.ValuesAt(t, r, a, places)
		if err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeValues[block.Arc](graph, a.Name), err)
		}
		for at, v := range values {
			if i := order[at]; !v.IsMissing() {
				list[i].Values = append(list[i].Values, NamedValue{Name: a.Name, Value: v})
			}
		}
	}
	return nil
}

// give copies the weight and the timestamp of e, if given, to the state of an edge.
func (e *Edge) give(s *block.EdgeState) {
	if e.Weight != 0 {
		s.Weight = float32(e.Weight)
	}
	if e.Timed {
		s.Time = e.Time
	}
}
