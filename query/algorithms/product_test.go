package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
)

// TestProduct compares products with and without tiles, which are the same to the last bit: of matrices that
// are symmetric and that are not, with weights and without, of all rows and of some, with any number of workers.
func TestProduct(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]generate.Model{
		"hubs":      generate.PreferentialAttachment{N: cachedVertices + 1, M: 3, Seed: 1},
		"random":    generate.ErdosRenyi{N: 5 << 16, M: 1 << 20, Seed: 2},
		"few edges": generate.ErdosRenyi{N: cachedVertices + 70_000, M: 400_000, Seed: 3},
		"local":     generate.WattsStrogatz{N: 200_000, K: 6, Beta: 0.01, Seed: 4},
	} {
		if testing.Short() && name != "hubs" {
			t.Logf("-short: without %s", name)
			continue
		}
		g, err := model.Generate(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		draw := rand.New(rand.NewPCG(5, 6))
		x := make([]float64, g.Vertices())
		for v := range x {
			x[v] = draw.Float64() - 0.25
		}
		var arcs []csr.Edge
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				if draw.IntN(3) == 0 {
					arcs = append(arcs, csr.Edge{U: u, V: v})
				}
			}
		}
		weighted := testgraph.Weighted(g, func(u, v uint32) float32 { return float32((u^v)%97) + 0.5 })
		d := csr.NewDirected(csr.RowsOf(g.Vertices(), arcs))
		var some []uint32
		for v := range uint32(g.Vertices()) {
			if draw.IntN(3) > 0 {
				some = append(some, v)
			}
		}
		for _, m := range []struct {
			what          string
			rows, columns *csr.Graph
			list          []uint32
		}{
			{"symmetric", g, g, nil}, {"weights", weighted, weighted, nil}, {"some rows", g, g, some}, {"one row", g, g, some[7:8]},
			{"in", rowsOf(&d.In), rowsOf(&d.Out), nil}, {"out, some rows", rowsOf(&d.Out), rowsOf(&d.In), some},
		} {
			for _, workers := range []int{1, 2, 40} {
				what := fmt.Sprintf("%s, %s, %d workers", name, m.what, workers)
				p, err := newProduct(t.Context(), Work{Workers: workers}, m.rows, m.columns, m.list)
				if err != nil {
					t.Fatal(err)
				}
				if p.tiles == nil {
					t.Fatalf("%s: no tiles", what)
				}
				want := (&product{rows: m.rows, list: m.list}).times(x)
				for range 2 { // with used buffers
					if got := p.times(x); !slices.Equal(got, want) {
						t.Fatalf("%s: tiles have another product", what)
					}
				}
			}
		}
	}
}

func TestProduct_Canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g, err := generate.ErdosRenyi{N: 1 << 18, M: 1 << 20}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newProduct(ctx, Work{}, g, g, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

// TestTileBytes has the shapes of graphs that have tiles: large, with enough arcs.
func TestTileBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n, arcs  int64
		weighted bool
		want     int64
	}{
		{0, 0, false, 0}, {cachedVertices, 1 << 24, false, 0}, {cachedVertices + 1, 1 << 24, false, 1 << 26}, {1 << 20, 1 << 22, true, 1 << 25},
		{5_000_000, 80_000_000, false, 320_000_000}, {50_000_000, 100_000_000, false, 0}, {1 << 20, 0, false, 0},
	} {
		if got := TileBytes(c.n, c.arcs, c.weighted); got != c.want {
			t.Errorf("TileBytes(%d, %d, %v) = %d, want %d", c.n, c.arcs, c.weighted, got, c.want)
		}
	}
}
