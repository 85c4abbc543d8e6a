package classify

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// The model of every class is the one that Logistic trains on the class against the rest,
// and the classes are ordered by their scores.
func TestOneVsRest_Models(t *testing.T) {
	x, first := sample(700)
	labels := make([][]uint32, x.Rows)
	for i := range labels {
		labels[i] = append(labels[i], 4) // every row
		if first[i] {
			labels[i] = append(labels[i], 0)
		}
		labels[i] = append(labels[i], uint32(1+i%2))
	}
	for _, workers := range []int{1, 3, 20} {
		r, err := OneVsRest(context.Background(), x, labels, 5, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		for c := range 3 {
			positive := make([]bool, x.Rows)
			for i := range positive {
				positive[i] = slices.Contains(labels[i], uint32(c))
			}
			want, err := Logistic(context.Background(), x, positive, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Score(c, x.Row(5)); got != want.Score(x.Row(5)) {
				t.Errorf("%d workers: score %v of class %d, expected %v", workers, got, c, want.Score(x.Row(5)))
			}
		}
		if a, b := r.Score(3, x.Row(0)), r.Score(4, x.Row(0)); !math.IsInf(a, -1) || !math.IsInf(b, 1) {
			t.Errorf("scores %v and %v of the class of no row and of every row", a, b)
		}
		if top := r.Top(9, x.Row(0)); len(top) != 5 || top[0] != 4 || top[4] != 3 {
			t.Errorf("order %v", top)
		}
		if top := r.Top(1, x.Row(0)); !reflect.DeepEqual(top, []uint32{4}) {
			t.Errorf("likeliest %v", top)
		}
	}
}

// Classes with equal scores are in ascending order.
func TestRanker_Top_Ties(t *testing.T) {
	x := vec.NewMatrix(4, 1)
	labels := [][]uint32{{0, 1}, {2}, {0, 1}, {2}}
	copy(x.Data, []float32{1, 2, 1, 2})
	r, err := OneVsRest(context.Background(), x, labels, 3, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if top := r.Top(3, []float32{1}); !reflect.DeepEqual(top, []uint32{0, 1, 2}) {
		t.Errorf("order %v", top)
	}
	if top := r.Top(2, []float32{2}); !reflect.DeepEqual(top, []uint32{2, 0}) {
		t.Errorf("order %v", top)
	}
}

func TestOneVsRest_Errors(t *testing.T) {
	x, _ := sample(4)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	infinite, _ := sample(4)
	infinite.Data[2] = float32(math.NaN())
	good := [][]uint32{{0}, {1}, {0}, {1}}
	for _, c := range []struct {
		name   string
		ctx    context.Context
		x      *vec.Matrix
		labels [][]uint32
		opts   Options
		want   error
	}{
		{"rows", context.Background(), x, good[1:], Options{}, ErrShape},
		{"class", context.Background(), x, [][]uint32{{0}, {1}, {2}, nil}, Options{}, ErrShape},
		{"not finite", context.Background(), infinite, good, Options{}, ErrValue},
		{"penalty", context.Background(), x, good, Options{Penalty: -1}, ErrOption},
		{"cancelled", cancelled, x, good, Options{}, context.Canceled},
	} {
		if r, err := OneVsRest(c.ctx, c.x, c.labels, 2, c.opts); !errors.Is(err, c.want) || r != nil {
			t.Errorf("%s: %v, %v", c.name, r, err)
		}
	}
}
