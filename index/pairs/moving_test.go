package pairs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/index/internal/base"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// TestMoving_Join moves vectors, and compares each join with brute force: if the moves are what
// the vectors moved by, no pair is missing. A join that is given no moves, with the bounds of the
// one before, finds the same pairs.
func TestMoving_Join(t *testing.T) {
	for _, c := range []struct {
		rows, dim, workers int
		step               float32
	}{{1, 3, 1, 0.1}, {31, 2, 2, 0.3}, {700, 5, 1, 0.02}, {1203, 9, 3, 0.1}, {1203, 70, 2, 0.004}} {
		random := rand.New(rand.NewPCG(uint64(c.rows), 1))
		m := indextest.Clustered(c.rows, c.dim, 9, 3, 7)
		x := NewMoving(c.rows, c.dim)
		moves := make([]float32, c.rows)
		fewest := int64(1) << 62
		for round := range 9 {
			radius := 0.9 + 0.4*random.Float64()
			o := MovingOptions{Workers: c.workers, Moves: moves, All: round == 6}
			got, computed, all := joinMoving(t, x, m, radius, o)
			if !indextest.SameLists(got, indextest.BruteJoin(m, radius)) {
				t.Fatalf("%+v, round %d: differs from brute force", c, round)
			}
			if (round == 0 || round == 6) && !all || all && computed < pairs(c.rows) {
				t.Fatalf("%+v, round %d: %d pairs, all is %v", c, round, computed, all)
			}
			if !all {
				fewest = min(fewest, computed)
			}
			again := NewMoving(c.rows, c.dim)
			copy(again.Bounds(), x.Bounds())
			if same, _, _ := joinMoving(t, again, m, radius, MovingOptions{Workers: 1}); !indextest.SameLists(same, got) || !slices.Equal(again.Bounds(), x.Bounds()) {
				t.Fatalf("%+v, round %d: a join without moves differs", c, round)
			}
			before := slices.Clone(x.Bounds())
			stop := errors.New("stop")
			if _, _, err := x.Join(t.Context(), m, radius, o, func(uint32, []uint32) error { return stop }); !errors.Is(err, stop) || !slices.Equal(x.Bounds(), before) {
				t.Fatalf("%+v, round %d: %v, or it changed what is known", c, round, err)
			}
			for v := range c.rows {
				old := slices.Clone(m.Row(v))
				for l := range old {
					m.Row(v)[l] += c.step * random.Float32() * float32(random.NormFloat64())
				}
				moves[v] = 1.0001 * float32(math.Sqrt(float64(vec.L2Squared(old, m.Row(v)))))
			}
		}
		if c.rows > 1000 && fewest > pairs(c.rows)*9/10 {
			t.Errorf("%+v: no join compared fewer than %d of %d pairs", c, fewest, pairs(c.rows))
		}
	}
}

// TestMoving_Thin expects about the part of the pairs that is asked for, and none that is not near.
func TestMoving_Thin(t *testing.T) {
	m := indextest.Clustered(3000, 8, 2, 3, 7)
	whole := indextest.BruteJoin(m, 1.5)
	for thin := range uint64(4) {
		for seed := range uint64(3) {
			got, _, _ := joinMoving(t, NewMoving(m.Rows, m.Dim), m, 1.5, MovingOptions{Thin: thin, Seed: seed})
			some, want := 0, 0
			for u := range got {
				want += len(whole[u])
				some += len(got[u])
				for _, v := range got[u] {
					if _, found := slices.BinarySearch(whole[u], v); !found {
						t.Fatalf("%d and %d are not near", u, v)
					}
				}
			}
			if by := float64(some<<thin) / float64(want); by < 0.8 || by > 1.25 {
				t.Errorf("thin %d, seed %d: %d of %d pairs", thin, seed, some, want)
			}
		}
	}
}

// TestMoving_Height expects numbers that take less than the vectors.
func TestMoving_Height(t *testing.T) {
	for _, c := range []struct{ rows, dim int }{{100_000, 8}, {300_647, 64}, {1_000_000, 64}, {3_000_000, 64}, {10_000_000, 128}} {
		if bytes, most := MovingBytes(c.rows, c.dim), 4*int64(c.rows)*int64(c.dim); bytes > most {
			t.Errorf("%d vectors of %d: %d bytes, more than %d", c.rows, c.dim, bytes, most)
		}
	}
}

func TestMoving_Errors(t *testing.T) {
	m := indextest.Clustered(100, 4, 2, 3, 7)
	x := NewMoving(100, 4)
	nothing := func(uint32, []uint32) error { return nil }
	if _, _, err := x.Join(t.Context(), indextest.Clustered(99, 4, 2, 3, 7), 1, MovingOptions{}, nothing); !errors.Is(err, base.ErrVertex) {
		t.Error(err)
	}
	if _, _, err := x.Join(t.Context(), m, 1, MovingOptions{Moves: make([]float32, 3)}, nothing); !errors.Is(err, base.ErrVertex) {
		t.Error(err)
	}
	if _, _, err := x.Join(t.Context(), m, -1, MovingOptions{}, nothing); !errors.Is(err, base.ErrRadius) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := x.Join(ctx, m, 1, MovingOptions{}, nothing); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func joinMoving(t *testing.T, x *Moving, m *vec.Matrix, radius float64, o MovingOptions) (lists [][]uint32, computed int64, all bool) {
	t.Helper()
	computed, all, err := x.Join(t.Context(), m, radius, o, func(u uint32, near []uint32) error {
		lists = append(lists, slices.Clone(near))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lists, computed, all
}
