// Package placement places the vertices of a graph in the plane, to draw it: linked
// vertices near each other, and all others apart.
//
// The start is a projection by pivot MDS of the distances in edges from some vertices,
// which gets the large structure right. A force model refines it: edges attract by the root
// of their length, all pairs of vertices repel in proportion to their degrees, which keeps
// the leaves of a hub around it, and gravity keeps distant parts on the page. The root is
// between the two modes of ForceAtlas2: communities are as far apart as in its LinLog mode,
// but their vertices do not cover each other. Components are placed alone and packed into
// rows. Repulsion is summed over the cells of a quadtree (Barnes and Hut 1986). The same
// graph and seed give the same places with any number of workers.
package placement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Options of Place. The zero value is valid.
type Options struct {
	// Iterations of the force model; 0 means from 60 to 400, fewer for large graphs, so that
	// they take about the same time.
	Iterations int
	Seed       uint64 // of the noise that separates vertices with the same neighbours
	Workers    int    // goroutines; 0 means GOMAXPROCS
	// Progress, if not nil, is called after each iteration with stage "placing".
	Progress func(stage string, done, total int64)
}

// Point is a place in the plane.
type Point struct{ X, Y float64 }

// Place returns a place for every vertex, around the origin; their unit means nothing. It
// ignores weights. The cost of an iteration is O(n log n + m), and that of the start
// O(50·(n + m)). The error is that of ctx, wrapped.
func Place(ctx context.Context, g *csr.Graph, opts Options) ([]Point, error) {
	if lists := g.Components().Vertices(); len(lists) > 1 {
		return placeComponents(ctx, g, opts, lists)
	}
	return placeConnected(ctx, g, opts)
}

func placeConnected(ctx context.Context, g *csr.Graph, opts Options) ([]Point, error) {
	m := &model{graph: g, at: start(g, opts.Seed), opts: opts, speed: 1, efficiency: 1}
	m.before, m.force = make([]Point, len(m.at)), make([]Point, len(m.at))
	m.gravity = gravity * math.Sqrt(float64(2*g.Edges())+float64(g.Vertices()))
	total := opts.Iterations
	if total == 0 {
		total = iterations(g)
	}
	for i := range total {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("placing the vertices: %w", err)
		}
		m.step()
		if opts.Progress != nil {
			opts.Progress("placing", int64(i+1), int64(total))
		}
	}
	turn(m.at)
	return m.at, nil
}

// turn rotates places around the origin so that their widest direction is horizontal: a
// page is wider than it is high.
func turn(at []Point) {
	var xx, xy, yy float64
	for _, p := range at {
		xx, xy, yy = xx+p.X*p.X, xy+p.X*p.Y, yy+p.Y*p.Y
	}
	sin, cos := math.Sincos(-math.Atan2(2*xy, xx-yy) / 2)
	for v, p := range at {
		at[v] = Point{cos*p.X - sin*p.Y, sin*p.X + cos*p.Y}
	}
}

// iterations returns the default number of iterations: fewer for large graphs, so that a
// picture takes seconds. The forces of a vertex take about as long as those of 40 edges.
func iterations(g *csr.Graph) int {
	return int(max(60, min(400, 300_000_000/(40*int64(g.Vertices())+g.Edges()+1))))
}

// Constants of the force model, relative to the attraction of an edge.
const (
	repulsion = 4.0  // of two vertices of degree 0 at distance 1
	gravity   = 0.14 // towards the origin, on a vertex of degree 0, times the root of all masses
	tolerance = 1.0  // of swinging
)

// model is a state of the force model, as in Jacomy, Venturini, Heymann and Bastian,
// "ForceAtlas2" (PLoS ONE 2014).
type model struct {
	graph         *csr.Graph
	opts          Options
	at            []Point
	force, before []Point // on each vertex, now and in the last iteration
	tree          tree
	gravity       float64 // of a vertex of degree 0
	speed         float64
	efficiency    float64 // a factor of the speed, which falls when vertices swing
}

// mass of a vertex, by which it repels.
func (m *model) mass(v int) float64 { return float64(m.graph.Degree(uint32(v)) + 1) }

func (m *model) step() {
	m.tree.build(m.at, m.mass)
	m.force, m.before = m.before, m.force
	vec.Parallel(len(m.at), 64, m.opts.Workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			m.force[v] = m.forceOn(v)
		}
	})
	m.move()
}

func (m *model) forceOn(v int) Point {
	p, mass := m.at[v], m.mass(v)
	f := m.tree.repel(p)
	f.X, f.Y = f.X*repulsion*mass, f.Y*repulsion*mass
	for _, u := range m.graph.Neighbors(uint32(v)) {
		dx, dy := m.at[u].X-p.X, m.at[u].Y-p.Y
		if d := math.Hypot(dx, dy); d > 0 {
			pull := 1 / math.Sqrt(d)
			f.X, f.Y = f.X+pull*dx, f.Y+pull*dy
		}
	}
	if d := math.Hypot(p.X, p.Y); d > 0 {
		f.X, f.Y = f.X-m.gravity*mass*p.X/d, f.Y-m.gravity*mass*p.Y/d
	}
	return f
}

// move moves the vertices along their forces. Vertices that swing, whose forces change
// their direction, move slowly. All vertices move faster while few swing.
func (m *model) move() {
	swinging, traction := 0.0, 0.0
	for v, f := range m.force {
		b := m.before[v]
		swinging += m.mass(v) * math.Hypot(f.X-b.X, f.Y-b.Y)
		traction += m.mass(v) * math.Hypot(f.X+b.X, f.Y+b.Y) / 2
	}
	if swinging == 0 || traction == 0 {
		return
	}
	n := float64(len(m.at))
	jitter := 0.05 * math.Sqrt(n)
	jitter = tolerance * max(math.Sqrt(jitter), min(10, jitter*traction/(n*n)))
	const least = 0.05 // efficiency
	if swinging/traction > 2 {
		if m.efficiency > least {
			m.efficiency *= 0.5
		}
		jitter = max(jitter, tolerance)
	}
	target := jitter * m.efficiency * traction / swinging
	if swinging > jitter*traction {
		if m.efficiency > least {
			m.efficiency *= 0.7
		}
	} else if m.speed < 1000 {
		m.efficiency *= 1.3
	}
	m.speed += min(target-m.speed, 0.5*m.speed)
	for v, f := range m.force {
		b := m.before[v]
		factor := m.speed / (1 + math.Sqrt(m.speed*m.mass(v)*math.Hypot(f.X-b.X, f.Y-b.Y)))
		if far := factor * math.Hypot(f.X, f.Y); far > 10*math.Sqrt(n) { // a jump out of the picture
			factor *= 10 * math.Sqrt(n) / far
		}
		m.at[v].X += f.X * factor
		m.at[v].Y += f.Y * factor
	}
}

// noise is a small random shift.
func noise(random *rand.Rand) Point {
	return Point{0.02 * (random.Float64() - 0.5), 0.02 * (random.Float64() - 0.5)}
}

// pivots is the number of vertices from which distances are measured; a larger number
// changes little (Brandes and Pich, "Eigensolver methods for progressive multidimensional
// scaling", 2006, use 50 to 200 for graphs of any size).
const pivots = 50

// start places the vertices by pivot MDS, with a root mean square distance from the origin
// of √n, and adds noise, which separates vertices at the same place.
func start(g *csr.Graph, seed uint64) []Point {
	n := g.Vertices()
	rows := centred(pivotDistances(g))
	at := make([]Point, n)
	first := axis(rows, nil)
	second := axis(rows, first)
	square := 0.0
	for v := range at {
		for i, row := range rows {
			at[v].X += row[v] * first[i]
			at[v].Y += row[v] * second[i]
		}
		square += at[v].X*at[v].X + at[v].Y*at[v].Y
	}
	scale := 1.0
	if square > 0 {
		scale = float64(n) / math.Sqrt(square)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	size := math.Sqrt(float64(n))
	for v := range at {
		shift := noise(random)
		at[v] = Point{at[v].X*scale + size*shift.X, at[v].Y*scale + size*shift.Y}
	}
	return at
}

// pivotDistances returns the distances in edges of all vertices from each pivot: the first
// is a vertex of the largest degree, and each other one is farthest from those before it.
// A vertex that cannot be reached from a pivot has the distance of the farthest reachable
// one plus one.
func pivotDistances(g *csr.Graph) [][]float64 {
	n := g.Vertices()
	next := uint32(0)
	for v := range n {
		if g.Degree(uint32(v)) > g.Degree(next) {
			next = uint32(v)
		}
	}
	nearest := make([]float64, n) // distance from the nearest pivot
	for v := range nearest {
		nearest[v] = math.Inf(1)
	}
	var rows [][]float64
	for range min(pivots, n) {
		row := distances(g, next)
		rows = append(rows, row)
		for v, d := range row {
			nearest[v] = min(nearest[v], d)
		}
		for v, d := range nearest { // the last pivot has 0
			if d > nearest[next] {
				next = uint32(v)
			}
		}
		if nearest[next] == 0 {
			break // all vertices are pivots
		}
	}
	return rows
}

// distances returns the distances in edges from a vertex.
func distances(g *csr.Graph, from uint32) []float64 {
	row := make([]float64, g.Vertices())
	for v := range row {
		row[v] = -1
	}
	row[from] = 0
	queue := []uint32{from}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, u := range g.Neighbors(v) {
			if row[u] < 0 {
				row[u] = row[v] + 1
				queue = append(queue, u)
			}
		}
	}
	farthest := row[queue[len(queue)-1]]
	for v := range row {
		if row[v] < 0 {
			row[v] = farthest + 1
		}
	}
	return row
}

// centred squares the distances and centres them twice.
func centred(rows [][]float64) [][]float64 {
	if len(rows) == 0 {
		return nil
	}
	n := len(rows[0])
	columns, all := make([]float64, n), 0.0
	means := make([]float64, len(rows))
	for i, row := range rows {
		for v := range row {
			row[v] *= row[v]
			means[i] += row[v] / float64(n)
			columns[v] += row[v] / float64(len(rows))
		}
		all += means[i] / float64(len(rows))
	}
	for i, row := range rows {
		for v := range row {
			row[v] = -(row[v] - means[i] - columns[v] + all) / 2
		}
	}
	return rows
}

// axis returns the eigenvector of the largest eigenvalue of the products of the rows,
// orthogonal to the vector other, by power iteration. It is 0 if there is none.
func axis(rows [][]float64, other []float64) []float64 {
	k := len(rows)
	products := make([][]float64, k)
	for i := range rows {
		products[i] = make([]float64, k)
		for j := range i + 1 {
			sum := 0.0
			for v, x := range rows[i] {
				sum += x * rows[j][v]
			}
			products[i][j], products[j][i] = sum, sum
		}
	}
	x := make([]float64, k)
	for i := range x {
		x[i] = 1 / float64(i+1) // a start that no symmetry of a graph leaves unchanged
	}
	for range 300 {
		y := make([]float64, k)
		for i, row := range products {
			for j, p := range row {
				y[i] += p * x[j]
			}
		}
		if other != nil {
			dot := 0.0
			for i := range y {
				dot += y[i] * other[i]
			}
			for i := range y {
				y[i] -= dot * other[i]
			}
		}
		norm := 0.0
		for _, v := range y {
			norm = math.Hypot(norm, v)
		}
		if norm < 1e-9 {
			return make([]float64, k)
		}
		for i := range y {
			y[i] /= norm
		}
		x = y
	}
	return x
}

// placeComponents places each component of a graph alone, and packs the components into
// rows, the largest first. Vertices that are not connected have no meaningful distance,
// and a force model would be slowest for them.
func placeComponents(ctx context.Context, g *csr.Graph, opts Options, lists [][]uint32) ([]Point, error) {
	local := make([]uint32, g.Vertices()) // number in its component
	for _, list := range lists {
		for i, v := range list {
			local[v] = uint32(i)
		}
	}
	boxes := make([]box, len(lists))
	for i, list := range lists {
		if i > 0 {
			opts.Progress = nil // the largest is most of the work
		}
		at, err := placeConnected(ctx, alone(g, list, local), opts)
		if err != nil {
			return nil, err
		}
		boxes[i] = newBox(list, at)
	}
	return pack(boxes, g.Vertices()), nil
}

// alone returns a component as a graph, without weights.
func alone(g *csr.Graph, list, local []uint32) *csr.Graph {
	sub := &csr.Graph{Offsets: make([]int64, 1, len(list)+1)}
	for _, v := range list {
		for _, u := range g.Neighbors(v) {
			sub.Targets = append(sub.Targets, local[u])
		}
		sub.Offsets = append(sub.Offsets, int64(len(sub.Targets)))
	}
	return sub
}

// box is a component with the places of its vertices relative to its lower left corner.
type box struct {
	vertices   []uint32
	at         []Point
	wide, high float64
}

// apart is the space around a component, in units of the force model.
const apart = 6

func newBox(vertices []uint32, at []Point) box {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		low, high = Point{min(low.X, p.X), min(low.Y, p.Y)}, Point{max(high.X, p.X), max(high.Y, p.Y)}
	}
	for i, p := range at {
		at[i] = Point{p.X - low.X + apart/2, p.Y - low.Y + apart/2}
	}
	return box{vertices, at, high.X - low.X + apart, high.Y - low.Y + apart}
}

// pack places boxes in rows from the top, the highest first, in about the shape of a page,
// around the origin.
func pack(boxes []box, n int) []Point {
	const shape = 1.3 // width by height
	area, widest := 0.0, 0.0
	for _, b := range boxes {
		area, widest = area+b.wide*b.high, max(widest, b.wide)
	}
	width := max(widest, math.Sqrt(shape*area))
	slices.SortStableFunc(boxes, func(a, b box) int { return cmp.Compare(b.high, a.high) })
	at := make([]Point, n)
	x, top, row := 0.0, 0.0, 0.0
	for _, b := range boxes {
		if x > 0 && x+b.wide > width {
			x, top, row = 0, top-row, 0
		}
		row = max(row, b.high)
		for i, v := range b.vertices {
			at[v] = Point{x + b.at[i].X - width/2, top - b.high + b.at[i].Y}
		}
		x += b.wide
	}
	for v := range at {
		at[v].Y -= (top - row) / 2
	}
	return at
}

// tree is a quadtree of points with masses.
type tree struct{ cells []cell }

// cell is a square of the tree with the points in it.
type cell struct {
	mass     float64
	x, y     float64 // centre of the masses
	left, up float64 // corner
	size     float64
	child    [4]int32 // 0 for none; the root is nobody's child
	points   int32
	depth    int32
}

const (
	// opening is the largest ratio of the size of a cell to its distance at which the cell
	// counts as one point. At this value the error of a force is a few percent in the
	// mean, which no picture shows.
	opening = 1.2
	// deepest is the depth of cells that are not divided: points closer than 2⁻⁴⁰ of the
	// picture count as one place.
	deepest = 40
	// nearest is the least distance of two points, so that forces stay finite.
	nearest = 1e-3
)

func (t *tree) build(at []Point, mass func(v int) float64) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, p := range at {
		low.X, low.Y = min(low.X, p.X), min(low.Y, p.Y)
		high.X, high.Y = max(high.X, p.X), max(high.Y, p.Y)
	}
	size := max(high.X-low.X, high.Y-low.Y, nearest)
	t.cells = append(t.cells[:0], cell{left: low.X, up: low.Y, size: size})
	for v, p := range at {
		t.insert(p, mass(v))
	}
	for i := range t.cells {
		c := &t.cells[i]
		c.x, c.y = c.x/c.mass, c.y/c.mass
	}
}

// insert adds a point. Until all are in, x and y of a cell are sums.
func (t *tree) insert(p Point, mass float64) {
	for i := int32(0); ; {
		c := &t.cells[i]
		if c.points == 1 && c.depth < deepest { // it becomes a parent: its point moves down
			old := Point{c.x / c.mass, c.y / c.mass}
			child := t.childOf(i, old)
			down, c := &t.cells[child], &t.cells[i]
			down.mass, down.x, down.y, down.points = c.mass, c.x, c.y, 1
		}
		c = &t.cells[i]
		c.mass += mass
		c.x, c.y = c.x+mass*p.X, c.y+mass*p.Y
		if c.points++; c.points == 1 || c.depth == deepest {
			return
		}
		i = t.childOf(i, p)
	}
}

// childOf returns the child of a cell that contains a place, and creates the child if
// it does not exist.
func (t *tree) childOf(i int32, p Point) int32 {
	c := &t.cells[i]
	half := c.size / 2
	left, up, quarter := c.left, c.up, 0
	if p.X >= left+half {
		left, quarter = left+half, 1
	}
	if p.Y >= up+half {
		up, quarter = up+half, quarter+2
	}
	if c.child[quarter] == 0 {
		c.child[quarter] = int32(len(t.cells))
		t.cells = append(t.cells, cell{left: left, up: up, size: half, depth: c.depth + 1})
		return int32(len(t.cells) - 1)
	}
	return c.child[quarter]
}

// repel sums mass/d away from all points over their distances d from p. Points at p
// itself do not count.
func (t *tree) repel(p Point) (f Point) {
	var stack [4 * deepest]int32
	depth := 1
	for depth > 0 {
		depth--
		c := &t.cells[stack[depth]]
		dx, dy := p.X-c.x, p.Y-c.y
		square := dx*dx + dy*dy
		if c.points > 1 && c.depth < deepest && c.size*c.size > opening*opening*square {
			for _, child := range c.child {
				if child != 0 {
					stack[depth] = child
					depth++
				}
			}
			continue
		}
		if square == 0 {
			continue
		}
		push := c.mass / max(square, nearest*nearest)
		f.X, f.Y = f.X+push*dx, f.Y+push*dy
	}
	return f
}
