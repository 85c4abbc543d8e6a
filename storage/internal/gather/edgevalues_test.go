package gather

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/sample"
)

// The values of edges are those of a map: the last of an edge, under RepeatedFirst the first, after
// those of a graph, whatever goes to temporary files and whichever vertices the graph has.
func TestMerge_EdgeValues(t *testing.T) {
	ctx := context.Background()
	type pair [2]string
	for seed := range 24 {
		random := rand.New(rand.NewPCG(uint64(seed), 5))
		how := Repeats()[seed%len(Repeats())]
		list := testList(t, how, int64(seed/2%2))
		directed := seed%5 < 2
		list.Directed, list.buffer.directed = directed, directed
		base, was := Base{}, map[pair]block.Value{}
		if seed%4 > 0 {
			base.Graph, base.Keys = sample.Graph(50, 120, uint64(seed)), block.NewKeySet(50)
			for v := range 50 {
				base.Keys.Add(fmt.Append(nil, 70-v))
			}
			if directed { // with both directions of each
				base.Directed, base.Graph = csr.NewDirected(csr.Rows{Offsets: base.Graph.Offsets, Targets: base.Graph.Targets}), nil
			}
			if seed%4 > 1 {
				edges := edgesOf(base.Graph, base.Directed)
				c := block.NewColumn(block.Attribute{Name: "kind", Type: block.Text}, int(edges.edges()))
				order := edges.order()
				for i := range edges.edges() {
					if random.IntN(2) == 0 {
						u, v := order.Ends(i)
						x := block.TextValue(fmt.Sprint("old ", random.IntN(5)))
						if err := c.Set(uint32(i), x); err != nil {
							t.Fatal(err)
						}
						was[pair{fmt.Sprint(70 - u), fmt.Sprint(70 - v)}] = x
					}
				}
				base.EdgeColumns = []*block.Column{c}
			}
		}
		want, repeated := map[pair]block.Value{}, int64(0)
		for p, x := range was {
			want[p] = x
		}
		if err := list.addEdgeColumns([]format.Column{{Name: "since", Type: format.Integer}, {Name: "kind"}}); err != nil {
			t.Fatal(err)
		}
		read := map[pair]bool{}
		for i := range 400 {
			u, v := fmt.Sprint(random.IntN(80)), fmt.Sprint(random.IntN(80))
			e := format.Edge{Source: []byte(u), Target: []byte(v), Values: [][]byte{nil, nil}}
			if random.IntN(3) > 0 {
				e.Values[1] = fmt.Append(nil, "new ", random.IntN(5))
			}
			if random.IntN(4) == 0 {
				e.Values[0] = fmt.Append(nil, i)
			}
			if err := list.addEdge(e); err != nil {
				t.Fatal(err)
			}
			if u == v || e.Values[1] == nil {
				continue
			}
			p := pair{u, v}
			if _, other := want[pair{v, u}]; !directed && (other || read[pair{v, u}]) {
				p = pair{v, u}
			}
			x := block.TextValue(string(e.Values[1]))
			if old, known := want[p]; how != RepeatedFirst || !known {
				if read[p] && old != x {
					repeated++
				}
				want[p] = x
			}
			read[p] = true
		}
		if err := list.End(ctx, &format.ReadStats{}); err != nil {
			t.Fatal(err)
		}
		m, err := list.Merge(ctx, base)
		if err != nil {
			t.Fatal(err)
		}
		changed := block.NewBits(400)
		var old *block.Column
		if base.EdgeColumns != nil {
			old = base.EdgeColumns[0]
		}
		since, err := m.FillEdges(ctx, list.EdgeColumns[0], block.Attribute{Name: "since", Type: block.Integer}, nil, block.NewBits(400))
		if err != nil || since.Count() == 0 {
			t.Fatalf("%d values, %v", since.Count(), err)
		}
		c, err := m.FillEdges(ctx, list.EdgeColumns[1], block.Attribute{Name: "kind", Type: block.Text}, old, changed)
		if err != nil {
			t.Fatal(err)
		}
		if int64(c.Len()) != m.Edges() || c.Count() != len(want) || list.EdgeColumns[1].repeated != repeated {
			t.Fatalf("seed %d, %s: %d of %d values, want %d; %d repeated, want %d", seed, how, c.Count(), c.Len(), len(want), list.EdgeColumns[1].repeated, repeated)
		}
		order := edgesOf(m.Graph, m.Directed).order()
		for i := range m.Edges() {
			u, v := order.Ends(i)
			p := pair{string(m.Keys.At(u)), string(m.Keys.At(v))}
			x, found := want[p]
			if !found && !directed {
				x = want[pair{p[1], p[0]}]
			}
			if c.At(uint32(i)) != x {
				t.Fatalf("seed %d, %s: edge %v has %v, want %v", seed, how, p, c.At(uint32(i)), x)
			}
		}
		known := edgesOf(base.Graph, base.Directed)
		if known.rows == nil {
			continue
		}
		slots, differ := block.NewBits(m.Keys.Len()), int64(0)
		before := known.order()
		for i := range known.edges() {
			u, v := before.Ends(i)
			p := pair{fmt.Sprint(70 - u), fmt.Sprint(70 - v)}
			x, found := want[p]
			if !found && !directed {
				x = want[pair{p[1], p[0]}]
			}
			if differs := x != was[p]; differs != block.BitAt(changed, uint32(i)) {
				t.Fatalf("seed %d, %s: edge %v changed from %v to %v, and the bit is %t", seed, how, p, was[p], x, !differs)
			} else if differs {
				differ++
			}
		}
		only, err := m.ChangedEdges(ctx, changed, slots)
		if err != nil || only > differ || how != RepeatedSum && how != RepeatedCount && only != differ {
			t.Fatalf("seed %d, %s: %d edges changed only values, %d changed some, %v", seed, how, only, differ, err)
		}
	}
}
