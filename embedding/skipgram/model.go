package skipgram

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"heavytail/storage/vec"
)

// Model is a trained model that can follow changes of the graph: Change adds and deletes
// vertices, and Continue learns from more walks.
type Model struct {
	Vectors *vec.Matrix // row v is the vector of vertex v
	// Nodes has one row for each inner node of the tree, the root first: one row fewer than
	// there are vertices. For negative sampling it has one row for each vertex as a centre.
	Nodes *vec.Matrix
	// Children has the two children of each inner node, for the turns 0 and 1. A child is
	// the number of an inner node, which is higher than its parent's, or ^v for the leaf of
	// vertex v. Children is nil for negative sampling.
	Children [][2]int64
	Visits   []int64 // of each vertex on the walks of the first training, at least 1
	// Touched is for callers that continue the training: the number of vertices that
	// changes have touched since the first training, with repetitions.
	Touched int64
}

// Model returns the model of a state, which may have no vertices. It has the vectors and nodes
// of the state, which must not be used afterwards.
func (s *State) Model(negative int) *Model {
	n := s.Vectors.Rows
	m := &Model{Vectors: joined(s.Vectors, n), Visits: s.Visits}
	rows := n
	if negative == 0 {
		rows = max(n-1, 0)
		m.Children = childrenOf(s.Visits)
	}
	m.Nodes = joined(s.Nodes, rows)
	for v := range m.Visits {
		m.Visits[v] = max(m.Visits[v], 1)
	}
	return m
}

// childrenOf returns the Huffman tree of the vertices by their visits, in the form of
// Model.Children.
func childrenOf(visits []int64) [][2]int64 {
	if len(visits) == 0 {
		return [][2]int64{}
	}
	children := make([][2]int64, len(visits)-1)
	t := newTree(visits)
	for v := range uint32(len(visits)) {
		path := t.path(v)
		for i, step := range path {
			child := ^int64(v)
			if i+1 < len(path) {
				child = int64(path[i+1] >> 1)
			}
			children[step>>1][step&1] = child
		}
	}
	return children
}

// Added marks a vertex that a model does not have yet.
const Added = math.MaxUint32

// Change makes a model whose vertex v is vertex from[v] of m, or a new vertex where from[v]
// is Added. from names at least two vertices of m, each at most once. A vertex of m that is
// not named is deleted: its leaf is removed, and the other child of its parent replaces
// the parent.
//
// near returns the neighbours of a new vertex that are in m, as vertices of the new model.
// The new vertex starts at the mean of their vectors. Its visits are the mean of their
// visits, but at most the average over all vertices. Its leaf goes next to that of the
// neighbour with the least depth (of equals the lowest), because the model already expects
// the walks that pass there. If that neighbour has more visits, the leaf goes next to a
// leaf that is reached from the neighbour's sibling along the children with fewer visits;
// otherwise every new neighbour would move a hub one level down. If a vertex has no
// neighbours, or only very deep ones, its leaf goes next to that of a vertex selected by
// its number.
//
// m must not be used afterwards.
func (m *Model) Change(from []uint32, near func(v uint32) []uint32) (*Model, error) {
	n := len(from)
	kept, seen := 0, make([]bool, m.Vectors.Rows)
	for _, old := range from {
		switch {
		case old == Added:
			continue
		case int(old) >= len(seen) || seen[old]:
			return nil, fmt.Errorf("%w: vertex %d of %d named twice or missing", ErrState, old, len(seen))
		}
		seen[old] = true
		kept++
	}
	if kept < 2 {
		return nil, fmt.Errorf("%w: %d of its vertices are left", ErrState, kept)
	}
	next := &Model{Vectors: vec.NewMatrix(n, m.Vectors.Dim), Visits: make([]int64, n), Touched: m.Touched}
	for v, old := range from {
		if old != Added {
			copy(next.Vectors.Row(v), m.Vectors.Row(int(old)))
			next.Visits[v] = m.Visits[old]
		}
	}
	average := next.averageVisits(kept)
	for v, old := range from {
		if old == Added {
			next.placeNew(v, near(uint32(v)), average)
		}
	}
	if m.Children == nil {
		next.Nodes = vec.NewMatrix(n, m.Nodes.Dim)
		for v, old := range from {
			if old != Added {
				copy(next.Nodes.Row(v), m.Nodes.Row(int(old)))
			}
		}
		return next, nil
	}
	g := newGrowth(m, from, next.Visits)
	for v, old := range from {
		if old == Added {
			g.add(uint32(v), near(uint32(v)))
		}
	}
	next.Nodes, next.Children = g.nodes(m.Nodes)
	return next, nil
}

// averageVisits returns the sum of the visits divided by the given number of vertices. Only
// those vertices have visits.
func (m *Model) averageVisits(vertices int) int64 {
	sum := int64(0)
	for _, visits := range m.Visits {
		sum += visits
	}
	return sum / int64(vertices)
}

// placeNew gives a new vertex the mean of the vectors near it.
func (m *Model) placeNew(v int, near []uint32, most int64) {
	m.Visits[v] = 1
	if len(near) == 0 {
		return
	}
	row, visits := m.Vectors.Row(v), int64(0)
	for _, u := range near {
		vec.Axpy(1/float32(len(near)), m.Vectors.Row(int(u)), row)
		visits += m.Visits[u]
	}
	m.Visits[v] = max(1, min(visits/int64(len(near)), most))
}

// growth is a tree whose leaves are removed and added. Inner nodes keep their
// numbers until the end, and new ones follow them, so that children have
// higher numbers than their parents.
type growth struct {
	children [][2]int64
	parent   []int64  // of each inner node: the node above times 2 and the turn; −1 for the root
	leaf     []int64  // of each vertex, likewise
	gone     []bool   // inner nodes
	present  []uint32 // vertices that have a leaf
	visits   []int64  // of each vertex
	weight   []int64  // of each inner node: the visits of the vertices below it
}

// maxDepth is the largest depth of a near leaf next to which a new leaf is
// put.
const maxDepth = 40

func newGrowth(m *Model, from []uint32, visits []int64) *growth {
	g := &growth{visits: visits, children: m.Children, parent: make([]int64, len(m.Children)), leaf: make([]int64, len(from)), gone: make([]bool, len(m.Children))}
	now := make([]uint32, m.Vectors.Rows)
	for v := range now {
		now[v] = Added
	}
	for v, old := range from {
		if old != Added {
			now[old] = uint32(v)
			g.present = append(g.present, uint32(v))
		}
	}
	g.parent[0] = -1
	var deleted []int64
	for node := range g.children {
		for turn, child := range g.children[node] {
			at := int64(node)<<1 | int64(turn)
			switch {
			case child >= 0:
				g.parent[child] = at
			case now[^child] == Added:
				deleted = append(deleted, at)
			default:
				g.children[node][turn] = ^int64(now[^child])
				g.leaf[now[^child]] = at
			}
		}
	}
	g.remove(deleted)
	g.weight = make([]int64, len(g.children))
	for node := len(g.children) - 1; node >= 0; node-- {
		if !g.gone[node] {
			g.weight[node] = g.below(g.children[node][0]) + g.below(g.children[node][1])
		}
	}
	return g
}

func (g *growth) below(child int64) int64 {
	if child >= 0 {
		return g.weight[child]
	}
	return g.visits[^child]
}

// remove removes leaves, each given by its place below its parent. It works from the bottom
// up: nodes below a node have higher numbers.
func (g *growth) remove(leaves []int64) {
	dead := make([][2]bool, len(g.children))
	for _, at := range leaves {
		dead[at>>1][at&1] = true
	}
	for node := int64(len(g.children)) - 1; node >= 0; node-- {
		switch {
		case dead[node][0] && dead[node][1]:
			g.gone[node] = true
			if up := g.parent[node]; up >= 0 {
				dead[up>>1][up&1] = true
			}
		case dead[node][0] || dead[node][1]:
			rest := g.children[node][0]
			if dead[node][0] {
				rest = g.children[node][1]
			}
			g.gone[node] = true
			g.put(g.parent[node], rest)
		}
	}
}

// put makes an inner node or a leaf the child at a place.
func (g *growth) put(place, child int64) {
	if child >= 0 {
		g.parent[child] = place
	} else {
		g.leaf[^child] = place
	}
	if place >= 0 {
		g.children[place>>1][place&1] = child
	}
}

// depth returns the depth of a leaf, or a value above maxDepth if it is deeper than that.
func (g *growth) depth(v uint32) int {
	depth := 0
	for at := g.leaf[v]; at >= 0 && depth <= maxDepth; at = g.parent[at>>1] {
		depth++
	}
	return depth
}

// light returns the leaf reached from the sibling of a leaf along the children
// with fewer visits; the leaf itself if that one is too deep.
func (g *growth) light(v uint32) uint32 {
	at := g.leaf[v]
	if at < 0 {
		return v
	}
	child := g.children[at>>1][1-at&1]
	for child >= 0 {
		pair := g.children[child]
		if child = pair[0]; g.below(pair[1]) < g.below(pair[0]) {
			child = pair[1]
		}
	}
	if u := uint32(^child); g.depth(u) <= maxDepth {
		return u
	}
	return v
}

// add puts the leaf of a new vertex next to another.
func (g *growth) add(v uint32, near []uint32) {
	sibling, least := uint32(0), maxDepth+1
	for _, u := range near {
		if depth := g.depth(u); depth < least || (depth == least && u < sibling) {
			sibling, least = u, depth
		}
	}
	for try := uint64(0); try < 16 && least > maxDepth; try++ {
		u := g.present[(uint64(v)+try)*0x9e3779b97f4a7c15>>16%uint64(len(g.present))]
		if depth := g.depth(u); try == 0 || depth < least {
			sibling, least = u, depth
		}
	}
	if g.visits[sibling] > g.visits[v] {
		sibling = g.light(sibling)
	}
	g.present = append(g.present, v)
	node := int64(len(g.children))
	place := g.leaf[sibling]
	g.children = append(g.children, [2]int64{})
	g.parent = append(g.parent, 0)
	g.gone = append(g.gone, false)
	g.weight = append(g.weight, g.visits[sibling])
	g.put(place, node)
	g.put(node<<1, ^int64(sibling))
	g.put(node<<1|1, ^int64(v))
	for at := node; ; at = g.parent[at] >> 1 {
		g.weight[at] += g.visits[v]
		if g.parent[at] < 0 {
			break
		}
	}
}

// nodes renumbers the remaining inner nodes without gaps, and copies their rows. The rows
// of new nodes are zero.
func (g *growth) nodes(rows *vec.Matrix) (*vec.Matrix, [][2]int64) {
	number := make([]int64, len(g.children))
	count := int64(0)
	for node := range g.children {
		if !g.gone[node] {
			number[node] = count
			count++
		}
	}
	m, children := vec.NewMatrix(int(count), rows.Dim), make([][2]int64, 0, count)
	for node, pair := range g.children {
		if g.gone[node] {
			continue
		}
		if node < rows.Rows {
			copy(m.Row(len(children)), rows.Row(node))
		}
		for turn, child := range pair {
			if child >= 0 {
				pair[turn] = number[child]
			}
		}
		children = append(children, pair)
	}
	return m, children
}

func (m *Model) tree() *tree {
	n := m.Vectors.Rows
	up, depth := make([]int64, len(m.Children)), make([]int32, len(m.Children))
	leaf := make([]int64, n)
	t := &tree{first: make([]int64, n+1)}
	for node, pair := range m.Children {
		for turn, child := range pair {
			at := int64(node)<<1 | int64(turn)
			if child >= 0 {
				up[child], depth[child] = at, depth[node]+1
			} else {
				leaf[^child] = at
				t.first[^child+1] = int64(depth[node]) + 1
			}
		}
	}
	for v := range n {
		t.first[v+1] += t.first[v]
	}
	t.steps = make([]uint32, t.first[n])
	for v := range n {
		at := leaf[v]
		for i := t.first[v+1] - 1; i >= t.first[v]; i-- {
			t.steps[i] = uint32(at)
			at = up[at>>1]
		}
	}
	return t
}

// The stored form of a model without its vectors: numbers of eight bytes,
// little-endian, in the order of modelHead, then children, visits and nodes. A
// model with touched vertices begins with touchedMagic, and their number
// follows its head.
var (
	modelMagic   = [8]byte{'s', 'g', 'm', 'o', 'd', 'e', 'l', '1'}
	touchedMagic = [8]byte{'s', 'g', 'm', 'o', 'd', 'e', 'l', '2'}
)

type modelHead struct {
	Magic                [8]byte
	Vertices, Nodes, Dim int64
	Children             int64
}

// Write writes the model without its vectors: for each vertex a row of the nodes
// and 24 bytes.
func (m *Model) Write(w io.Writer) error {
	head := modelHead{modelMagic, int64(m.Vectors.Rows), int64(m.Nodes.Rows), int64(m.Nodes.Dim), int64(len(m.Children))}
	var touched []int64
	if m.Touched > 0 {
		head.Magic, touched = touchedMagic, []int64{m.Touched}
	}
	if err := vec.WriteNumbers(w, head, touched, m.Children, m.Visits); err != nil {
		return err
	}
	return vec.WriteRows(w, m.Nodes.Panel(0, m.Nodes.Dim))
}

// ReadModel reads a model that Write wrote. The vectors are stored separately: they become
// the vectors of the model, and their number limits the memory that ReadModel allocates.
// Invalid content is ErrState, and an error of the reader is wrapped.
func ReadModel(r io.Reader, vectors *vec.Matrix) (*Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var head modelHead
	if err := vec.ReadNumbers(in, ErrState, &head); err != nil {
		return nil, err
	}
	n := int64(vectors.Rows)
	tree := head.Children == n-1 && head.Nodes == n-1
	if (head.Magic != modelMagic && head.Magic != touchedMagic) || n < 1 || head.Vertices != n || head.Dim != int64(vectors.Dim) || !(tree || head.Children == 0 && head.Nodes == n) {
		return nil, fmt.Errorf("%w: not one of %d × %d vectors", ErrState, n, vectors.Dim)
	}
	m := &Model{Vectors: vectors, Visits: make([]int64, n)}
	if head.Magic == touchedMagic {
		if err := vec.ReadNumbers(in, ErrState, &m.Touched); err != nil {
			return nil, err
		}
		if m.Touched < 1 {
			return nil, fmt.Errorf("%w: %d vertices touched", ErrState, m.Touched)
		}
	}
	if tree {
		m.Children = make([][2]int64, head.Children)
		if err := vec.ReadNumbers(in, ErrState, m.Children); err != nil {
			return nil, err
		}
		if err := m.checkTree(); err != nil {
			return nil, err
		}
	}
	if err := vec.ReadNumbers(in, ErrState, m.Visits); err != nil {
		return nil, err
	}
	for _, visits := range m.Visits {
		if visits < 1 {
			return nil, fmt.Errorf("%w: %d visits", ErrState, visits)
		}
	}
	var err error
	if m.Nodes, err = vec.ReadRows(in, int(head.Nodes), vectors.Dim); err != nil {
		return nil, vec.StreamError(err, ErrState)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%w: bytes after its end", ErrState)
	}
	return m, nil
}

// checkTree verifies that Children is one tree whose leaves are all vertices.
func (m *Model) checkTree() error {
	nodes, leaves := make([]bool, len(m.Children)), make([]bool, len(m.Visits))
	for node, pair := range m.Children {
		for _, child := range pair {
			switch {
			case child > int64(node) && child < int64(len(nodes)) && !nodes[child]:
				nodes[child] = true
			case child < 0 && ^child < int64(len(leaves)) && !leaves[^child]:
				leaves[^child] = true
			default:
				return fmt.Errorf("%w: child %d of node %d", ErrState, child, node)
			}
		}
	}
	return nil
}
