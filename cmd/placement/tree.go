package placement

import "math"

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
