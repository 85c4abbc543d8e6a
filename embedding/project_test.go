package embedding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"heavytail/storage/vec"
)

// scattered returns rows far from the origin whose variance differs between coordinates,
// rotated so that no axis is a coordinate.
func scattered(rows, dim int) *vec.Matrix {
	r := rand.New(rand.NewPCG(1, uint64(dim)))
	m := vec.NewMatrix(rows, dim)
	for v := range rows {
		row := m.Row(v)
		for j := range row {
			row[j] = float32(10 + r.NormFloat64()*math.Pow(0.7, float64(j)))
		}
		for j := 1; j < dim; j++ {
			a, b := row[j-1], row[j]
			row[j-1], row[j] = 0.8*a-0.6*b, 0.6*a+0.8*b
		}
	}
	return m
}

// TestProject_Library compares projections with the principal components of gonum/stat, up
// to the signs of the axes.
func TestProject_Library(t *testing.T) {
	for _, dim := range []int{2, 5, 40, 150} {
		m := scattered(300, dim)
		got, err := Project(t.Context(), m, 2)
		if err != nil {
			t.Fatal(err)
		}
		data := mat.NewDense(m.Rows, dim, nil)
		for v := range m.Rows {
			for j, x := range m.Row(v) {
				data.Set(v, j, float64(x))
			}
		}
		var pc stat.PC
		if !pc.PrincipalComponents(data, nil) {
			t.Fatal("no components")
		}
		var axes, want mat.Dense
		pc.VectorsTo(&axes)
		want.Mul(centredDense(data), axes.Slice(0, dim, 0, 2))
		total := 0.0
		for _, v := range pc.VarsTo(nil) {
			total += v
		}
		for i, values := range [][]float64{got.X, got.Y} {
			sign := math.Copysign(1, values[0]*want.At(0, i))
			for v := range values {
				if d := math.Abs(sign*values[v] - want.At(v, i)); d > 2e-3 {
					t.Fatalf("dim %d: component %d of row %d is %v, want %v", dim, i, v, values[v], want.At(v, i))
				}
			}
			if share := pc.VarsTo(nil)[i] / total; math.Abs(got.Share[i]-share) > 1e-3 {
				t.Errorf("dim %d: share %d is %v, want %v", dim, i, got.Share[i], share)
			}
		}
	}
}

func centredDense(data *mat.Dense) *mat.Dense {
	rows, columns := data.Dims()
	centred := mat.DenseCopyOf(data)
	for j := range columns {
		mean := stat.Mean(mat.Col(nil, j, data), nil)
		for v := range rows {
			centred.Set(v, j, data.At(v, j)-mean)
		}
	}
	return centred
}

func TestProject_Workers(t *testing.T) {
	m := scattered(3000, 60)
	one, err := Project(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	three, err := Project(t.Context(), m, 3)
	if err != nil {
		t.Fatal(err)
	}
	for v := range one.X {
		if one.X[v] != three.X[v] || one.Y[v] != three.Y[v] {
			t.Fatalf("row %d: %v, %v with one worker, %v, %v with three", v, one.X[v], one.Y[v], three.X[v], three.Y[v])
		}
	}
}

func TestProject_Edges(t *testing.T) {
	for _, m := range []*vec.Matrix{vec.NewMatrix(0, 3), vec.NewMatrix(3, 0), vec.NewMatrix(4, 3)} {
		p, err := Project(t.Context(), m, 1)
		if err != nil || len(p.X) != m.Rows || p.Share != [2]float64{} {
			t.Errorf("%d × %d: %+v, %v", m.Rows, m.Dim, p, err)
		}
	}
	line := &vec.Matrix{Rows: 3, Dim: 1, Data: []float32{1, 2, 6}}
	p, err := Project(t.Context(), line, 1)
	if err != nil || p.X[0] != -2 || p.X[1] != -1 || p.X[2] != 3 || p.Y[2] != 0 {
		t.Errorf("a line: %+v, %v", p, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Project(stopped, scattered(100, 5), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want it cancelled", err)
	}
}
