package graphs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// checkUnion returns an Error if attributes of the same name have different types, or if
// some times are dates and others numbers.
func checkUnion(req DeriveRequest, found derivation) error {
	for i, b := range found.others {
		for _, a := range append([]storage.GraphInfo{found.graph}, found.others[:i]...) {
			if a.Timed && b.Timed && (a.Times == format.TimeNumbers) != (b.Times == format.TimeNumbers) {
				return fault.New(partOther(i), "the times of graph %s are %s, and those of graph %s are %s", fault.Name(a.Name), a.Times, fault.Name(b.Name), b.Times).
					WithRemedy("export one with the times of the other, and import it again")
			}
			for _, x := range a.Attributes {
				if y, both := session.AttributeIn(b.Attributes, x.Name); both && x.Type != y.Type {
					return fault.New(partOther(i), "attribute %s of graph %s is %s, and that of graph %s is %s", fault.Name(x.Name), fault.Name(a.Name), x.Type, fault.Name(b.Name), y.Type).
						WithRemedy("DROP ATTRIBUTE removes it from one of them")
				}
			}
			for _, x := range a.EdgeAttributes {
				if y, both := session.AttributeIn(b.EdgeAttributes, x.Name); both && x.Type != y.Type {
					return fault.New(partOther(i), "attribute %s of the edges of graph %s is %s, and that of graph %s is %s", fault.Name(x.Name), fault.Name(a.Name), x.Type, fault.Name(b.Name), y.Type).
						WithRemedy("DROP EDGE ATTRIBUTE removes it from one of them")
				}
			}
		}
	}
	return nil
}

// makeUnion makes the union of graphs: the vertices of the first graph, then of each further
// graph the vertices that no earlier graph has. If one of them is directed, the union is, and the edges of undirected ones
// lead in both directions.
func makeUnion(c *engine.Call, req DeriveRequest, found derivation) (made derived, err error) {
	u := &union{how: cmp.Or(req.Repeated, storage.RepeatedLast)}
	var names []string
	bytes := int64(0)
	for _, info := range append([]storage.GraphInfo{found.graph}, found.others...) {
		u.directed = u.directed || info.Directed
		bytes += session.GraphBytes(info) + 16*int64(info.Vertices)*int64(1+len(info.Attributes))
		made.times = max(made.times, info.Times)
		names = append(names, fmt.Sprintf("%s, version %d", fault.Name(info.Name), info.Version))
	}
	if u.directed { // the rows by source and by target
		bytes *= 2
	}
	if err := c.Hold(c.DB.Cache.Reserve(bytes, "graph "+fault.Name(req.Graph))); err != nil {
		return made, err
	}
	for _, info := range append([]storage.GraphInfo{found.graph}, found.others...) {
		s, err := scan.New(c, info.Name, nil, session.AttributeNames(info), 0)
		if err != nil {
			return made, err
		}
		if err := c.IndexKeys(s.Graph); err != nil {
			return made, err
		}
		edges, err := edgesOf(c, info)
		if err != nil {
			return made, err
		}
		if err := u.add(c.Ctx, s, edges.orOf(s.Graph.Graph)); err != nil {
			return made, err
		}
	}
	made.source = "union of graphs " + strings.Join(names, "; ")
	made.key = func(v uint32) string { return u.home[v].key(u) }
	rows, err := u.edges(c.Ctx)
	if err != nil {
		return made, err
	}
	if made.columns, err = u.columns(); err != nil {
		return made, err
	}
	if made.edgeColumns, err = u.edgeColumns(c, rows); err != nil {
		return made, err
	}
	if u.directed {
		made.directed = csr.NewDirected(csr.Rows(*rows))
	} else {
		made.graph = rows
	}
	return made, nil
}

// union is the union of several graphs while it is made.
type union struct {
	how      storage.Repeated
	directed bool
	members  []member
	home     []place // for each vertex: the first graph that has it, and its number there
}

type member struct {
	*scan.Vertices
	edges  edgeList
	number []uint32 // for each vertex of the member: its number in the union
	vertex []int64  // for each vertex of the union: its number in the member; -1 if it is not there, as are vertices beyond the end of the list
}

type place struct {
	member int
	vertex uint32
}

func (p place) key(u *union) string { return u.members[p.member].Graph.Key(p.vertex) }

func (u *union) add(ctx context.Context, s *scan.Vertices, edges edgeList) error {
	n := s.Graph.Graph.Vertices()
	m := member{Vertices: s, edges: edges, number: make([]uint32, n)}
	var key []byte
	for v := range uint32(n) {
		if v%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		key = s.Graph.AppendKey(key[:0], v)
		at, known := u.find(key)
		if !known {
			at = uint32(len(u.home))
			u.home = append(u.home, place{len(u.members), v})
		}
		m.number[v] = at
	}
	m.vertex = slices.Repeat([]int64{-1}, len(u.home))
	for v, at := range m.number {
		m.vertex[at] = int64(v)
	}
	u.members = append(u.members, m)
	return nil
}

// find returns the number of a vertex in the union so far.
func (u *union) find(key []byte) (uint32, bool) {
	for _, m := range u.members {
		if v, found := m.Graph.VertexOf(key); found {
			return m.number[v], true
		}
	}
	return 0, false
}

// in returns the number that a vertex of the union has in the member.
func (m *member) in(v uint32) (uint32, bool) {
	if int(v) >= len(m.vertex) || m.vertex[v] < 0 {
		return 0, false
	}
	return uint32(m.vertex[v]), true
}

// unionArc is an edge of a vertex, as one member has it.
type unionArc struct {
	target uint32
	weight float32 // 0 where the graph has no weights
	time   int64
}

// edges makes the rows of the union, of a directed one by source. Both rows of an edge of an undirected one combine the
// same weights in the same order, that of the members.
func (u *union) edges(ctx context.Context) (*csr.Graph, error) {
	g := &csr.Graph{Offsets: make([]int64, 1, len(u.home)+1)}
	weighted, timed := u.how == storage.RepeatedSum || u.how == storage.RepeatedCount, false
	for _, m := range u.members {
		weighted, timed = weighted || m.edges.rows.Weights != nil, timed || m.edges.rows.Times != nil
	}
	var arcs []unionArc
	var weights []float32
	var times []int64
	for v := range uint32(len(u.home)) {
		if v%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		arcs = u.arcsOf(v, arcs[:0])
		for len(arcs) > 0 {
			target := arcs[0].target
			weights, times = weights[:0], times[:0]
			for ; len(arcs) > 0 && arcs[0].target == target; arcs = arcs[1:] {
				weights, times = append(weights, arcs[0].weight), append(times, arcs[0].time)
			}
			weight, time, err := u.how.Fold(weights, times)
			if err != nil {
				return nil, fmt.Errorf("edge %s to %s: %w", fault.QuoteKey(u.home[v].key(u)), fault.QuoteKey(u.home[target].key(u)), err)
			}
			g.Targets = append(g.Targets, target)
			if weighted {
				g.Weights = append(g.Weights, weight)
			}
			if timed {
				g.Times = append(g.Times, time)
			}
		}
		g.Offsets = append(g.Offsets, int64(len(g.Targets)))
	}
	return g, nil
}

// arcsOf appends the edges of a vertex in all members, sorted by target, and for one
// target in the order of the members.
func (u *union) arcsOf(v uint32, arcs []unionArc) []unionArc {
	for _, m := range u.members {
		own, there := m.in(v)
		if !there {
			continue
		}
		g := m.edges.rows
		for at := g.Offsets[own]; at < g.Offsets[own+1]; at++ {
			arc := unionArc{target: m.number[g.Targets[at]], time: csr.NoTime}
			if g.Weights != nil {
				arc.weight = g.Weights[at]
			}
			if g.Times != nil {
				arc.time = g.Times[at]
			}
			arcs = append(arcs, arc)
		}
	}
	slices.SortStableFunc(arcs, func(a, b unionArc) int { return cmp.Compare(a.target, b.target) })
	return arcs
}

// columns returns the attributes of all members, in the order of their first occurrence.
func (u *union) columns() (list []*storage.Column, err error) {
	var names []string
	for _, m := range u.members {
		for _, a := range m.Graph.Info.Attributes {
			if slices.Contains(names, a.Name) {
				continue
			}
			names = append(names, a.Name)
			column := storage.NewColumn(a, len(u.home))
			for v := range uint32(len(u.home)) {
				if err := column.Set(v, u.value(a.Name, v)); err != nil {
					return nil, err
				}
			}
			list = append(list, column)
		}
	}
	return list, nil
}

// edgeColumns returns the attributes of the edges of all members, in the order of their first occurrence:
// the first value of an edge with RepeatedFirst, otherwise the last.
func (u *union) edgeColumns(c *engine.Call, rows *csr.Graph) (list []*storage.Column, err error) {
	number, n := edgeNumbers(rows, u.directed)
	for _, m := range u.members {
		set, err := c.EdgeColumns(m.Graph, session.NamesOf(m.Graph.Info.EdgeAttributes))
		if err != nil {
			return nil, err
		}
		for k, a := range m.Graph.Info.EdgeAttributes {
			at := slices.IndexFunc(list, func(c *storage.Column) bool { return c.Name == a.Name })
			if at < 0 {
				at = len(list)
				if err := c.Hold(c.DB.Cache.Reserve(16*n, "attributes of edges")); err != nil {
					return nil, err
				}
				list = append(list, storage.NewColumn(a, int(n)))
			}
			for p := range m.edges.each() {
				value := set.At(k, p.number)
				v, w := m.number[p.source], m.number[m.edges.rows.Targets[p.at]]
				places := []int64{number(v, w)}
				if u.directed && m.edges.directed == nil {
					places = append(places, number(w, v))
				}
				for _, place := range places {
					i := uint32(place)
					if value.IsMissing() || u.how == storage.RepeatedFirst && !list[at].IsMissing(i) {
						continue
					}
					if err := list[at].Set(i, value); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return list, nil
}

// edgeNumbers returns the numbers of the edges of a graph, of a directed one with its rows by source, as in
// csr.EdgeOrder, and how many there are.
func edgeNumbers(rows *csr.Graph, directed bool) (number func(v, w uint32) int64, n int64) {
	if directed {
		return func(v, w uint32) int64 {
			at, _ := slices.BinarySearch(rows.Neighbors(v), w)
			return rows.Offsets[v] + int64(at)
		}, rows.Offsets[rows.Vertices()]
	}
	starts := edgeStarts(rows)
	return func(v, w uint32) int64 { return edgeNumber(rows, starts, min(v, w), max(v, w)) }, rows.Edges()
}

// edgeStarts returns the number of the first edge of each vertex in csr.EdgeOrder.
func edgeStarts(g *csr.Graph) []int64 {
	starts := make([]int64, g.Vertices()+1)
	for v := range uint32(g.Vertices()) {
		smaller, _ := slices.BinarySearch(g.Neighbors(v), v)
		starts[v+1] = starts[v] + int64(g.Degree(v)-smaller)
	}
	return starts
}

// edgeNumber returns the number of an edge from its smaller vertex, by the result of edgeStarts.
func edgeNumber(g *csr.Graph, starts []int64, v, w uint32) int64 {
	row := g.Neighbors(v)
	at, _ := slices.BinarySearch(row, w)
	return starts[v+1] - int64(len(row)-at)
}

// value returns the value of an attribute of a vertex: the first one with RepeatedFirst,
// otherwise the last.
func (u *union) value(attribute string, v uint32) (value storage.Value) {
	for _, m := range u.members {
		own, there := m.in(v)
		if !there {
			continue
		}
		if x := m.Columns.Value(attribute, own); !x.IsMissing() {
			if value = x; u.how == storage.RepeatedFirst {
				break
			}
		}
	}
	return value
}
