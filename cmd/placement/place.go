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
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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
