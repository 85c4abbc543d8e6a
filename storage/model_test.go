package storage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// model is what a store should hold, in maps.
type model struct {
	graphs     map[string]*modelGraph
	embeddings map[string]*modelEmbedding
}

// modelGraph is a graph by slots. log has what each version changed, from
// version 1 on.
type modelGraph struct {
	keys       []string // of the slots; "" where they are empty
	ids        map[string]uint32
	directed   bool
	edges      map[[2]uint32]modelEdge // u < v, or by source and target
	attributes []Attribute
	values     map[string]map[uint32]Value // by attribute and slot

	edgeAttributes []Attribute
	edgeValues     map[string]map[[2]uint32]Value // by attribute and edge, u < v

	log     []modelChange
	history map[uint64][]uint32 // live slots of every version
	now     modelChange         // of the transaction that is open
}

type modelChange struct {
	changed, imported, put bool
	all, columns           bool // the log says that everything may have changed
	edges, values, deleted map[uint32]bool
}

type modelEmbedding struct {
	graph      string
	generation uint64
	version    uint64
	slots      []uint32 // of the rows
	rows       []float32
	dim        int
}

func newModel() *model {
	return &model{graphs: map[string]*modelGraph{}, embeddings: map[string]*modelEmbedding{}}
}

// newModelGraph is an empty graph; its first commit makes it version 1.
func newModelGraph(directed bool) *modelGraph {
	g := &modelGraph{directed: directed, ids: map[string]uint32{}, edges: map[[2]uint32]modelEdge{}, values: map[string]map[uint32]Value{}, edgeValues: map[string]map[[2]uint32]Value{}, history: map[uint64][]uint32{}}
	g.begin()
	return g
}

// clone is a copy that a transaction may change and throw away.
func (g *modelGraph) clone() *modelGraph {
	c := *g
	c.keys, c.ids, c.edges = slices.Clone(g.keys), maps.Clone(g.ids), maps.Clone(g.edges)
	c.attributes, c.log, c.history = slices.Clone(g.attributes), slices.Clone(g.log), maps.Clone(g.history)
	c.values = map[string]map[uint32]Value{}
	for name, values := range g.values {
		c.values[name] = maps.Clone(values)
	}
	c.edgeAttributes, c.edgeValues = slices.Clone(g.edgeAttributes), map[string]map[[2]uint32]Value{}
	for name, values := range g.edgeValues {
		c.edgeValues[name] = maps.Clone(values)
	}
	c.begin()
	return &c
}

func (g *modelGraph) version() uint64 { return uint64(len(g.log)) }

func (g *modelGraph) begin() {
	g.now = modelChange{edges: map[uint32]bool{}, values: map[uint32]bool{}, deleted: map[uint32]bool{}}
}

// commit makes a version of what changed, if anything did.
func (g *modelGraph) commit() {
	if g.now.changed {
		n := len(g.live())
		if g.now.imported {
			n = len(g.keys)
		}
		for slot := range g.now.deleted {
			delete(g.now.edges, slot)
			delete(g.now.values, slot)
		}
		if g.now.all = g.now.put || 2*len(g.now.edges) > n; !g.now.all {
			maps.DeleteFunc(g.now.values, func(slot uint32, _ bool) bool { return g.now.edges[slot] })
		}
		g.now.columns = 2*len(g.now.values) > n
		g.log = append(g.log, g.now)
		g.history[g.version()] = g.live()
	}
	g.begin()
}

// next is the version that a commit would give.
func (g *modelGraph) next() uint64 {
	if g.now.changed {
		return g.version() + 1
	}
	return g.version()
}

// live lists the slots that have a vertex.
func (g *modelGraph) live() []uint32 {
	var slots []uint32
	for slot, key := range g.keys {
		if key != "" {
			slots = append(slots, uint32(slot))
		}
	}
	return slots
}

func (g *modelGraph) touch(slots ...uint32) {
	for _, slot := range slots {
		g.now.changed, g.now.edges[slot] = true, true
	}
}

// vertex returns the slot of a key, which it makes if it is new.
func (g *modelGraph) vertex(key string) (slot uint32, added bool) {
	if slot, found := g.ids[key]; found {
		return slot, false
	}
	slot = uint32(len(g.keys))
	g.ids[key] = slot
	g.keys = append(g.keys, key)
	g.touch(slot)
	return slot, true
}

// setVertices gives values to vertices, in turn, and makes those that are not
// there.
func (g *modelGraph) setVertices(vertices []Vertex, stats *WriteStats) {
	before := map[string]map[uint32]Value{}
	for name, values := range g.values {
		before[name] = maps.Clone(values)
	}
	for _, v := range vertices {
		slot, added := g.vertex(v.Key)
		changed := false
		for _, x := range v.Values {
			changed = g.setValue(slot, x) || changed
		}
		switch {
		case added:
			stats.Inserted++
		case changed:
			stats.Updated++
		default:
			stats.Unchanged++
		}
	}
	for name, values := range g.values {
		for slot := range uint32(len(g.keys)) {
			if values[slot] != before[name][slot] {
				g.now.changed, g.now.values[slot] = true, true
			}
		}
	}
}

func (g *modelGraph) setValue(slot uint32, x NamedValue) (changed bool) {
	i := slices.IndexFunc(g.attributes, func(a Attribute) bool { return a.Name == x.Name })
	switch {
	case i < 0 && x.Value.IsMissing():
		return false
	case i < 0:
		i = len(g.attributes)
		g.attributes = append(g.attributes, Attribute{Name: x.Name, Type: x.Value.Type()})
		g.values[x.Name] = map[uint32]Value{}
		g.now.changed = true
	}
	value := x.Value
	if g.attributes[i].Type == Float && value.Type() == Integer {
		value = FloatValue(float64(value.Integer()))
	}
	changed = g.values[x.Name][slot] != value
	if value.IsMissing() {
		delete(g.values[x.Name], slot)
	} else {
		g.values[x.Name][slot] = value
	}
	return changed
}

func (g *modelGraph) dropAttribute(name string) {
	for slot := range g.values[name] {
		g.now.values[slot] = true
	}
	g.now.changed = true
	delete(g.values, name)
	g.attributes = slices.DeleteFunc(g.attributes, func(a Attribute) bool { return a.Name == name })
}

func (g *modelGraph) deleteVertices(keys []string) (stats WriteStats) {
	for _, key := range keys {
		slot, found := g.ids[key]
		if !found {
			stats.Missing++
			continue
		}
		stats.Deleted++
		g.now.changed, g.now.deleted[slot] = true, true
		for pair := range g.edges {
			if pair[0] == slot || pair[1] == slot {
				g.deleteEdge(pair)
				g.touch(pair[:]...)
				stats.EdgesDeleted++
			}
		}
		for _, values := range g.values {
			delete(values, slot)
		}
		delete(g.ids, key)
		g.keys[slot] = ""
	}
	return stats
}

// pair is the edge between two keys, and whether both are vertices.
func (g *modelGraph) pair(e Edge) (pair [2]uint32, known bool) {
	u, foundU := g.ids[e.Source]
	v, foundV := g.ids[e.Target]
	return g.pairOf(u, v), foundU && foundV
}

// pairOf is the key of the edge from one slot to another.
func (g *modelGraph) pairOf(u, v uint32) [2]uint32 {
	if g.directed {
		return [2]uint32{u, v}
	}
	return [2]uint32{min(u, v), max(u, v)}
}

func (g *modelGraph) insertEdges(edges []Edge) (stats WriteStats) {
	before, was := maps.Clone(g.edges), g.clone().edgeValues
	g.addEdgeAttributes(edges)
	for _, e := range edges {
		u, newU := g.vertex(e.Source)
		v, newV := g.vertex(e.Target)
		for _, added := range []bool{newU, newV} {
			if added {
				stats.NewVertices++
			}
		}
		if u == v {
			stats.SelfLoops++
			continue
		}
		g.setEdge(e, &stats)
	}
	g.touchEdges(before)
	g.noteEdgeValues(was)
	return stats
}

// setEdge makes an edge between two vertices be as it is given.
func (g *modelGraph) setEdge(e Edge, stats *WriteStats) {
	pair, _ := g.pair(e)
	old, found := g.edges[pair]
	now := old
	if !found {
		now = modelEdge{1, csr.NoTime}
	}
	if e.Weight != 0 {
		now.weight = float32(e.Weight)
	}
	if e.Timed {
		now.time = e.Time
	}
	valued := false
	for _, x := range e.Values {
		valued = g.setEdgeValue(pair, x) || valued
	}
	switch {
	case !found:
		stats.Inserted++
	case now != old || valued:
		stats.Updated++
	default:
		stats.Unchanged++
	}
	g.edges[pair] = now
}

// touchEdges notes the ends of the edges that differ from before.
func (g *modelGraph) touchEdges(before map[[2]uint32]modelEdge) {
	for pair, e := range g.edges {
		if old, found := before[pair]; !found || old != e {
			g.touch(pair[:]...)
		}
	}
	for pair := range before {
		if _, found := g.edges[pair]; !found {
			g.touch(pair[:]...)
		}
	}
}

// updateEdges reports whether all edges are there; otherwise nothing happens.
func (g *modelGraph) updateEdges(edges []Edge) (stats WriteStats, ok bool) {
	for _, e := range edges {
		pair, known := g.pair(e)
		if _, found := g.edges[pair]; !known || !found {
			return WriteStats{}, false
		}
	}
	known := map[string]bool{}
	for _, a := range g.edgeAttributes {
		known[a.Name] = true
	}
	for _, e := range edges {
		for _, x := range e.Values {
			if !known[x.Name] && x.Value.IsMissing() {
				return WriteStats{}, false
			}
			known[x.Name] = true
		}
	}
	before, was := maps.Clone(g.edges), g.clone().edgeValues
	g.addEdgeAttributes(edges)
	for _, e := range edges {
		g.setEdge(e, &stats)
	}
	g.touchEdges(before)
	g.noteEdgeValues(was)
	return stats, true
}

func (g *modelGraph) deleteEdges(edges []Edge) (stats WriteStats) {
	before := maps.Clone(g.edges)
	for _, e := range edges {
		pair, known := g.pair(e)
		if _, found := g.edges[pair]; known && found {
			g.deleteEdge(pair)
			stats.Deleted++
		} else {
			stats.Missing++
		}
	}
	g.touchEdges(before)
	return stats
}

// importEdges merges edges, repeated ones as how says, and returns what an
// import should report. In a directed graph each may have both directions.
func (g *modelGraph) importEdges(edges []Edge, how Repeated, both bool) (stats ImportStats) {
	stats.DirectedGraph = g.directed
	slots := len(g.keys)
	before, was := maps.Clone(g.edges), g.clone().edgeValues
	folds := map[[2]uint32]edgeOccurrences{}
	for _, e := range edges {
		u, _ := g.vertex(e.Source)
		v, _ := g.vertex(e.Target)
		if u == v {
			stats.SelfLoops++
			continue
		}
		pairs := [][2]uint32{g.pairOf(u, v)}
		if both && g.directed {
			pairs = append(pairs, g.pairOf(v, u))
		}
		for _, pair := range pairs {
			if _, found := g.edges[pair]; !found && folds[pair] == nil {
				stats.Added++
			} else {
				stats.Duplicates++
			}
			folds[pair] = append(folds[pair], e)
		}
	}
	for pair, occurrences := range folds {
		old, found := before[pair]
		g.edges[pair] = occurrences.fold(old, found, how)
		if changed := g.foldValues(pair, occurrences, how); found && (changed || g.edges[pair] != old) {
			stats.Updated++
		}
	}
	g.touchEdges(before)
	g.noteEdgeValues(was)
	stats.NewVertices = int64(len(g.keys) - slots)
	g.now.imported = true
	g.now.changed = g.now.changed || g.version() == 0
	return stats
}

// edgeOccurrences are the lines of one edge, in order.
type edgeOccurrences []Edge

// fold is what they make of the edge that the graph has, or of none.
func (list edgeOccurrences) fold(old modelEdge, found bool, how Repeated) modelEdge {
	var weights []float64
	var times []int64
	if found {
		weights = append(weights, float64(old.weight))
		if old.time != csr.NoTime {
			times = append(times, old.time)
		}
	}
	adds := how == RepeatedSum || how == RepeatedCount
	for _, e := range list {
		switch {
		case how == RepeatedCount || (adds && e.Weight == 0):
			weights = append(weights, 1)
		case e.Weight != 0:
			weights = append(weights, e.Weight)
		}
		if e.Timed && e.Time != csr.NoTime {
			times = append(times, e.Time)
		}
	}
	e := modelEdge{1, csr.NoTime}
	if n := len(times); n > 0 {
		if e.time = times[n-1]; how == RepeatedFirst {
			e.time = times[0]
		}
	}
	if len(weights) == 0 {
		return e
	}
	w := weights[len(weights)-1]
	switch how {
	case RepeatedFirst:
		w = weights[0]
	case RepeatedMin:
		w = slices.Min(weights)
	case RepeatedMax:
		w = slices.Max(weights)
	case RepeatedSum, RepeatedCount:
		w = 0
		for _, x := range weights {
			w += x
		}
	}
	e.weight = float32(w)
	return e
}

// importVertices gives values to vertices and returns what an import should
// report.
func (g *modelGraph) importVertices(vertices []Vertex) (stats ImportStats) {
	before, slots := g.clone(), len(g.keys)
	stats.DirectedGraph = g.directed
	g.setVertices(vertices, new(WriteStats))
	stats.NewVertices = int64(len(g.keys) - slots)
	for slot := range uint32(slots) {
		if g.keys[slot] != "" && !slices.Equal(g.vertexAt(slot).Values, before.vertexAt(slot).Values) {
			stats.UpdatedVertices++
		}
	}
	last := map[string]string{} // by vertex and attribute
	for _, v := range vertices {
		for _, x := range v.Values {
			cell, text := v.Key+"\x00"+x.Name, x.Value.String()
			if old, again := last[cell]; again && old != text {
				stats.RepeatedValues++
			}
			last[cell] = text
		}
	}
	g.now.imported = true
	g.now.changed = g.now.changed || g.version() == 0
	return stats
}

// put is the graph, which has no empty slots, in memory.
func (g *modelGraph) put() (req PutGraphRequest, err error) {
	weighted, timed := g.valued()
	out := csr.Rows{Offsets: make([]int64, len(g.keys)+1)}
	for u := range uint32(len(g.keys)) {
		for v := range uint32(len(g.keys)) {
			e, found := g.edges[g.pairOf(u, v)]
			if !found {
				continue
			}
			out.Targets = append(out.Targets, v)
			if weighted {
				out.Weights = append(out.Weights, e.weight)
			}
			if timed {
				out.Times = append(out.Times, e.time)
			}
		}
		out.Offsets[u+1] = int64(len(out.Targets))
	}
	req = PutGraphRequest{Keys: func(v uint32) string { return g.keys[v] }, Attributes: g.columns(), Source: "test"}
	if g.directed {
		req.Directed = csr.NewDirected(out)
		return req, req.Directed.Validate()
	}
	req.Graph = &csr.Graph{Offsets: out.Offsets, Targets: out.Targets, Weights: out.Weights, Times: out.Times}
	return req, req.Graph.Validate()
}

// pairs is the number of pairs of slots with an edge between them.
func (g *modelGraph) pairs() (n int) {
	for p := range g.edges {
		if _, back := g.edges[[2]uint32{p[1], p[0]}]; !back || p[0] < p[1] {
			n++
		}
	}
	return n
}

// view is the edge between two slots in the undirected view.
func (g *modelGraph) view(u, v uint32) (modelEdge, bool) {
	e, found := g.edges[g.pairOf(u, v)]
	back, both := g.edges[[2]uint32{v, u}]
	switch weighted, _ := g.valued(); {
	case !found:
		return back, g.directed && both
	case !g.directed || !both:
		return e, true
	case weighted:
		e.weight = float32(float64(e.weight) + float64(back.weight))
	}
	e.time = max(e.time, back.time)
	return e, true
}

// valued reports whether an edge has a weight other than 1, and a timestamp.
func (g *modelGraph) valued() (weighted, timed bool) {
	for _, e := range g.edges {
		weighted, timed = weighted || e.weight != 1, timed || e.time != csr.NoTime
	}
	return weighted, timed
}

// columns are the attributes of a graph without empty slots.
func (g *modelGraph) columns() []*Column {
	var list []*Column
	for _, a := range g.attributes {
		c := NewColumn(a, len(g.keys))
		for slot, value := range g.values[a.Name] {
			block.PutValue(c, slot, value)
		}
		list = append(list, c)
	}
	return list
}

// changesSince is what Changes should say.
func (g *modelGraph) changesSince(since uint64) ChangeSet {
	set := ChangeSet{From: since, To: g.version()}
	edges, values := map[uint32]bool{}, map[uint32]bool{}
	columns := false
	for _, c := range g.log[since:] {
		maps.Copy(edges, c.edges)
		maps.Copy(values, c.values)
		set.All, columns = set.All || c.all, columns || c.columns
		if c.all || len(c.edges)+len(c.deleted) > 0 {
			set.EdgesChanged = true
			set.Versions++
		}
		set.Deleted += len(c.deleted)
	}
	if set.All {
		return set
	}
	for v, slot := range g.live() {
		switch {
		case edges[slot]:
			set.Touched = append(set.Touched, uint32(v))
		case columns || values[slot]:
			set.Attributes = append(set.Attributes, uint32(v))
		}
	}
	return set
}

// vertexAt is a vertex as it should be read.
func (g *modelGraph) vertexAt(slot uint32) Vertex {
	v := Vertex{Key: g.keys[slot]}
	for _, a := range g.attributes {
		if x, found := g.values[a.Name][slot]; found {
			v.Values = append(v.Values, NamedValue{Name: a.Name, Value: x})
		}
	}
	return v
}

// neighborsOf are the edges of a vertex as they should be read.
func (g *modelGraph) neighborsOf(slot uint32) []Edge {
	list := []Edge{}
	for u, key := range g.keys {
		ends := [][2]uint32{{slot, uint32(u)}}
		if g.directed {
			ends = append(ends, [2]uint32{uint32(u), slot})
		}
		for i, p := range ends {
			e, found := g.edges[g.pairOf(p[0], p[1])]
			if !found {
				continue
			}
			edge := Edge{Source: g.keys[slot], Target: key, Weight: float64(e.weight)}
			if i == 1 {
				edge.Source, edge.Target = edge.Target, edge.Source
			}
			edge.Values = g.edgeValuesAt(g.pairOf(p[0], p[1]))
			if e.time != csr.NoTime {
				edge.Time, edge.Timed = e.time, true
			}
			list = append(list, edge)
		}
	}
	return list
}

// keysWith are the keys that Keys should list.
func (g *modelGraph) keysWith(prefix string, limit int) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(g.ids)) {
		if strings.HasPrefix(key, prefix) && (limit <= 0 || len(keys) < limit) {
			keys = append(keys, key)
		}
	}
	return keys
}

// String names the state in a failure.
func (g *modelGraph) String() string {
	return fmt.Sprintf("directed %t, version %d, %d of %d slots, %d edges, attributes %v and %v", g.directed, g.version(), len(g.ids), len(g.keys), len(g.edges), g.attributes, g.edgeAttributes)
}
