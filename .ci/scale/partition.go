package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
)

// PartitionConfig says what Partition counts.
type PartitionConfig struct {
	Vertices []int // of the generated graphs
	M        int   // edges that each vertex of preferential attachment brings
	Hub      float64
	Machines int
	Seed     uint64
}

// Validate returns an error for the first field that cannot be used.
func (c PartitionConfig) Validate() error {
	switch {
	case c.Machines < 2 || c.Machines > 1<<12:
		return fmt.Errorf("-machines is %d: expected 2 to 4096", c.Machines)
	case !(c.Hub >= 0 && c.Hub <= 1):
		return fmt.Errorf("-hub is %g: expected 0 to 1", c.Hub)
	case len(c.Vertices) == 0:
		return fmt.Errorf("-vertices is empty: expected numbers of vertices")
	}
	for _, n := range c.Vertices {
		if n < c.Machines {
			return fmt.Errorf("-vertices is %d: expected at least as many as machines (%d)", n, c.Machines)
		}
		if err := c.model(n).Validate(); err != nil {
			return err
		}
	}
	return nil
}

func (c PartitionConfig) model(n int) generate.PreferentialAttachment {
	return generate.PreferentialAttachment{N: n, M: c.M, Seed: c.Seed}
}

// Partition counts what each machine has and receives for one product of the adjacency
// matrix with a block of vectors, over graphs of preferential attachment and several ways
// to divide them, and returns a table. Nothing is sent: the counts are exact for these
// graphs, and say nothing about latency.
//
// Every vertex has one owner, which keeps its rows of all vectors. A machine needs the row
// of every target of its arcs; if it does not own the target, it receives the row. If the
// arcs of a source are on machines that do not own it, each of these sends a row with its
// part of the sum. It takes O(arcs) time for each division, and 8 bytes for each vertex in
// addition to the graph.
func Partition(ctx context.Context, c PartitionConfig) (string, error) {
	if err := c.Validate(); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d machines, preferential attachment with m = %d", c.Machines, c.M)
	if c.Hub > 0 {
		fmt.Fprintf(&b, " whose last vertex is adjacent to a fraction of %g of the others instead", c.Hub)
	}
	fmt.Fprintf(&b, ", seed %d. Received are rows of %d numbers (%d bytes) for one product with A.\n\n", c.Seed, eigen.Width, rowBytes)
	b.WriteString("| vertices | edges | largest degree | division | arcs, max / mean | vertices, max / mean | copies of a vertex | rows received, max | max / mean | MB received by the busiest |\n|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|\n")
	for _, n := range c.Vertices {
		g, err := c.graph(ctx, n)
		if err != nil {
			return b.String(), err
		}
		for _, d := range divisions(g, c) {
			t, err := d.count(ctx, g, c.Machines)
			if err != nil {
				return b.String(), err
			}
			fmt.Fprintf(&b, "| %d | %d | %d | %s | %.2f | %.2f | %.2f | %d | %.2f | %.1f |\n", g.Vertices(), g.Edges(), largestDegree(g), d.name,
				ratio(t.arcs), ratio(t.owned), t.copies, slices.Max(t.received), ratio(t.received), float64(slices.Max(t.received)*rowBytes)/1e6)
		}
	}
	return b.String(), nil
}

const rowBytes = 4 * eigen.Width

// graph generates a graph of n vertices; with a hub, the hub is one of them.
func (c PartitionConfig) graph(ctx context.Context, n int) (*csr.Graph, error) {
	g, err := c.model(n).Generate(ctx, nil)
	if err != nil || c.Hub == 0 {
		return g, err
	}
	// The last vertex to arrive becomes the hub.
	r, hub := rand.New(rand.NewPCG(c.Seed, 0x5eed)), uint32(n-1)
	var edges []csr.Edge
	for v := range hub {
		for _, u := range g.Neighbors(v) {
			if v < u {
				edges = append(edges, csr.Edge{U: v, V: u})
			}
		}
		if r.Float64() < c.Hub {
			edges = append(edges, csr.Edge{U: v, V: hub})
		}
	}
	return csr.FromEdges(n, edges)
}

// division assigns the vertices and the arcs of a graph to machines.
type division struct {
	name string
	// owner is the machine of each vertex.
	owner []uint16
	// arc returns the machine of the arc from u to v, which is number i of all arcs when
	// they are ordered by the rank of their source.
	arc func(u, v uint32, i int64) uint16
	// order has all vertices in the order in which their arcs are numbered.
	order []uint32
}

func divisions(g *csr.Graph, c PartitionConfig) []division {
	n, p, arcs := g.Vertices(), c.Machines, int64(len(g.Targets))
	arrival := make([]uint32, n)
	for v := range arrival {
		arrival[v] = uint32(v)
	}
	shuffled := make([]uint32, n)
	for i, v := range rand.New(rand.NewPCG(c.Seed, 0xd1ce)).Perm(n) {
		shuffled[i] = uint32(v)
	}
	var list []division
	for _, o := range []struct {
		name  string
		order []uint32
	}{{"by arrival", arrival}, {"shuffled", shuffled}} {
		rows, balanced := make([]uint16, n), make([]uint16, n)
		at := int64(0) // arcs of the vertices before
		for i, v := range o.order {
			rows[v] = uint16(i * p / n)
			middle := at + int64(g.Degree(v))/2
			balanced[v] = uint16(min(middle*int64(p)/max(arcs, 1), int64(p)-1))
			at += int64(g.Degree(v))
		}
		ofRow := func(owner []uint16) func(u, v uint32, i int64) uint16 {
			return func(u, _ uint32, _ int64) uint16 { return owner[u] }
		}
		list = append(list,
			division{"equal rows, " + o.name, rows, ofRow(rows), o.order},
			division{"rows of equal arcs, " + o.name, balanced, ofRow(balanced), o.order},
			division{"equal rows, arcs in equal blocks, " + o.name, rows, func(_, _ uint32, i int64) uint16 { return uint16(i * int64(p) / arcs) }, o.order},
		)
		if side := squareRoot(p); side > 0 && o.name == "shuffled" {
			list = append(list, division{fmt.Sprintf("equal rows, arcs in a grid of %d × %d, %s", side, side, o.name), rows, func(u, v uint32, _ int64) uint16 {
				return rows[u]/uint16(side)*uint16(side) + rows[v]%uint16(side)
			}, o.order})
		}
	}
	return list
}

// squareRoot returns the root of a square number, and 0 for other numbers.
func squareRoot(p int) int {
	for s := 1; s*s <= p; s++ {
		if s*s == p {
			return s
		}
	}
	return 0
}

// traffic is what each machine has and receives.
type traffic struct {
	arcs     []int64 // that it multiplies
	owned    []int64 // vertices that it owns
	received []int64 // rows of vectors and of partial sums
	copies   float64 // machines that have a row of a vertex, the owner included, on average
}

// count counts over all arcs once for each machine, so that it keeps marks for one machine
// at a time.
func (d division) count(ctx context.Context, g *csr.Graph, machines int) (traffic, error) {
	n := g.Vertices()
	t := traffic{make([]int64, machines), make([]int64, machines), make([]int64, machines), 0}
	for _, p := range d.owner {
		t.owned[p]++
	}
	// The arcs are sorted by machine: by counting, as numbers of 4 bytes for both ends.
	at := int64(0)
	for _, u := range d.order {
		for _, v := range g.Neighbors(u) {
			t.arcs[d.arc(u, v, at)]++
			at++
		}
	}
	first := make([]int64, machines+1)
	for p, arcs := range t.arcs {
		first[p+1] = first[p] + arcs
	}
	sources, targets, next := make([]uint32, at), make([]uint32, at), append([]int64(nil), first...)
	at = 0
	for _, u := range d.order {
		for _, v := range g.Neighbors(u) {
			p := d.arc(u, v, at)
			sources[next[p]], targets[next[p]] = u, v
			next[p]++
			at++
		}
	}
	needed, summed := make([]uint16, n), make([]uint16, n) // the last machine, plus 1, that needs the row or has a part of the sum
	copies := int64(n)
	for p := range machines {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		mark := uint16(p + 1)
		for i := first[p]; i < first[p+1]; i++ {
			u, v := sources[i], targets[i]
			if needed[v] != mark && int(d.owner[v]) != p {
				t.received[p]++
				copies++
			}
			needed[v] = mark
			if summed[u] != mark && int(d.owner[u]) != p {
				t.received[d.owner[u]]++
			}
			summed[u] = mark
		}
	}
	t.copies = float64(copies) / float64(n)
	return t, nil
}

func largestDegree(g *csr.Graph) int {
	d := 0
	for v := range uint32(g.Vertices()) {
		d = max(d, g.Degree(v))
	}
	return d
}

// ratio is the largest number over the mean.
func ratio(list []int64) float64 {
	sum := int64(0)
	for _, x := range list {
		sum += x
	}
	if sum == 0 {
		return 1
	}
	return float64(slices.Max(list)) * float64(len(list)) / float64(sum)
}
