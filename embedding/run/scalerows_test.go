package run

import (
	"context"
	"math"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// dividedRows divides rows by powers of their lengths and of the degrees, by the definition.
func dividedRows(g *csr.Graph, m *vec.Matrix, norm, scale float64) *vec.Matrix {
	list := vec.NewMatrix(m.Rows, m.Dim)
	for v := range m.Rows {
		square := 0.0
		for _, x := range m.Row(v) {
			square += float64(x) * float64(x)
		}
		by := 1.0
		if d := g.Degree(uint32(v)); d > 0 {
			by = math.Pow(square, norm/2) * math.Pow(float64(d), scale)
		}
		for i, x := range m.Row(v) {
			list.Row(v)[i] = float32(float64(x) / by)
		}
	}
	return list
}

func farthest(a, b *vec.Matrix) (most float64) {
	for i := range a.Data {
		most = max(most, math.Abs(float64(a.Data[i]-b.Data[i])))
	}
	return most
}

// The rows of each method are the trained ones divided by the powers, after a full run and,
// since refreshes continue from the trained rows, after every refresh.
func TestScaledRows(t *testing.T) {
	ctx := context.Background()
	short := []option.Given{{Name: "dim", Value: 8}, {Name: "walks", Value: 3}, {Name: "length", Value: 10}, {Name: "window", Value: 3}}
	for _, c := range []struct {
		method      string
		options     []option.Given
		norm, scale float64
	}{
		{"deepwalk", short, 0.5, 0.1}, {"deepwalk", short, 1, 0}, {"node2vec", short, 0, 0.5},
		{"dp_walker", append(short[:4:4], option.Given{Name: "common", Value: 0.0}, option.Given{Name: "beta", Value: 0.25}), 1, 0.1},
	} {
		var rows [2][]*vec.Matrix
		var last *csr.Graph
		for i, powers := range [][2]float64{{0, 0}, {c.norm, c.scale}} {
			options := append(c.options[:len(c.options):len(c.options)], option.Given{Name: "row_norm", Value: powers[0]}, option.Given{Name: "row_scale", Value: powers[1]})
			v := newVillage(t, 150, 5)
			if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: c.method, Options: options}); err != nil {
				t.Fatal(err)
			}
			for round := range 4 {
				last = v.snapshot().Graph
				_, m, err := v.db.Embedding(ctx, "e")
				if err != nil {
					t.Fatal(err)
				}
				if i == 0 {
					m = dividedRows(last, m, c.norm, c.scale)
				}
				rows[i] = append(rows[i], m)
				if round == 3 {
					break
				}
				v.change()
				if done, err := Refresh(ctx, v.db, v.snapshot(), RefreshRequest{Name: "e"}); err != nil || done.Full {
					t.Fatalf("full %v, %v", done.Full, err)
				}
			}
		}
		for round := range rows[0] {
			if d := farthest(rows[0][round], rows[1][round]); d > 1e-4 {
				t.Errorf("%s, norm %v, scale %v: %v apart after %d refreshes", c.method, c.norm, c.scale, d, round)
			}
		}
	}
}

// A search computes what EMBED does, and a power of 1 gives every row the length
// degree^−scale whatever it was.
func TestScaledRows_Lengths(t *testing.T) {
	ctx := context.Background()
	v := newVillage(t, 120, 6)
	g := v.snapshot().Graph
	o := embedding.WalkOptions{Dim: 6, Walks: 2, Length: 8, Common: new(0.0), Beta: new(0.5), RowNorm: new(1.0), RowScale: new(0.25)}
	m, _, err := embedding.DPWalker(ctx, g, o)
	if err != nil {
		t.Fatal(err)
	}
	given := []option.Given{{Name: "dim", Value: 6}, {Name: "walks", Value: 2}, {Name: "length", Value: 8}, {Name: "common", Value: 0.0}, {Name: "beta", Value: 0.5}, {Name: "row_norm", Value: 1.0}, {Name: "row_scale", Value: 0.25}}
	same, _, err := Compute(ctx, g, Request{Method: "dp_walker", Options: given})
	if err != nil || farthest(m, same) > 0 {
		t.Errorf("%v, %v apart", err, farthest(m, same))
	}
	for u := range m.Rows {
		if g.Degree(uint32(u)) == 0 {
			continue
		}
		want := math.Pow(float64(g.Degree(uint32(u))), -0.25)
		if got := math.Sqrt(float64(vec.Dot(m.Row(u), m.Row(u)))); math.Abs(got-want) > 1e-5 {
			t.Errorf("row %d has the length %v, not %v", u, got, want)
		}
	}
	for _, bad := range []embedding.WalkOptions{{RowNorm: new(-0.1)}, {RowNorm: new(1.5)}, {RowScale: new(5.0)}, {RowScale: new(math.NaN())}, {Common: new(-1.0)}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// The methods without walks divide the same rows by the same powers.
func TestScaledRows_Factorisations(t *testing.T) {
	ctx := context.Background()
	g := newVillage(t, 150, 8).snapshot().Graph
	with := func(method string, norm, scale float64) *vec.Matrix {
		given := []option.Given{{Name: "dim", Value: 8}, {Name: "row_norm", Value: norm}, {Name: "row_scale", Value: scale}}
		m, _, err := Compute(ctx, g, Request{Method: method, Options: given})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, method := range []string{"prone", "fastrp", "netmf"} {
		trained := with(method, 0, 0)
		for _, powers := range [][2]float64{{0, 0.25}, {1, 0}, {0.5, 0.1}} {
			if d := farthest(with(method, powers[0], powers[1]), dividedRows(g, trained, powers[0], powers[1])); d > 1e-5 {
				t.Errorf("%s, norm %v, scale %v: %v apart", method, powers[0], powers[1], d)
			}
		}
		for _, bad := range []option.Given{{Name: "row_norm", Value: 1.5}, {Name: "row_scale", Value: -1.0}} {
			if _, err := Check(method, []option.Given{bad}); err == nil {
				t.Errorf("%s takes %v", method, bad)
			}
		}
	}
}
