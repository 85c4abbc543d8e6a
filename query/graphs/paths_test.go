package graphs_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// TestShortestPaths_Directed follows the edges of a directed graph in each direction: a way in one is the
// reverse of one in the other. Where there is none, the direction is named if that is the reason. Beside
// many other vertices, the graph is not loaded for it.
func TestShortestPaths_Directed(t *testing.T) {
	t.Run("small", func(t *testing.T) { directedPaths(t, 0) })
	t.Run("part", func(t *testing.T) { directedPaths(t, 100_000) })
}

func directedPaths(t *testing.T, others int) {
	db := querytest.Open(t, nil)
	// 0 → 1 → 2 → 0, 2 → 3, 4 → 3 and 5 → 6, and a way through the others.
	out := csr.Rows{Offsets: []int64{0, 1, 2, 4, 4, 5, 6, 6}, Targets: []uint32{1, 2, 0, 3, 3, 6}}
	for v := range uint32(others) {
		if v > 0 {
			out.Targets = append(out.Targets, 6+v)
		}
		out.Offsets = append(out.Offsets, int64(len(out.Targets)))
	}
	d := csr.NewDirected(out)
	_, err := querytest.Engine(db).Store.PutGraph(t.Context(), "g", storage.PutGraphRequest{Directed: d, Keys: func(v uint32) string { return strconv.Itoa(int(v)) }})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		from, to  string
		direction graphs.Direction
		want      []string
	}{
		{"0", "3", "", []string{"0 1 2 3"}},
		{"3", "0", graphs.DirectionIn, []string{"3 2 1 0"}},
		{"3", "0", graphs.DirectionOut, nil},
		{"0", "4", "", nil},
		{"0", "3", graphs.DirectionBoth, []string{"0 2 3", "0 1 2 3"}},
		{"0", "4", graphs.DirectionBoth, []string{"0 2 3 4", "0 1 2 3 4"}},
		{"1", "0", "", []string{"1 2 0"}},
		{"1", "0", graphs.DirectionIn, []string{"1 0"}},
		{"0", "6", "", nil},
		{"6", "5", "", nil},
		{"6", "3", graphs.DirectionBoth, nil},
	}
	one := make([]graphs.PathResult, len(tests)) // before the graph is loaded
	for i, tt := range tests {
		one[i], err = db.Graphs().ShortestPath(t.Context(), graphs.PathRequest{Graph: "g", From: tt.from, To: tt.to, Direction: tt.direction})
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, tt := range tests {
		req := graphs.PathRequest{Graph: "g", From: tt.from, To: tt.to, Direction: tt.direction}
		r, err := db.Graphs().ShortestPaths(t.Context(), graphs.PathsRequest{PathRequest: req, K: 5})
		var got []string
		for _, steps := range r.Paths {
			var keys []string
			for at, s := range steps {
				if s.Length != float64(at) {
					t.Errorf("%v: step %d has the length %v", tt, at, s.Length)
				}
				keys = append(keys, s.Vertex)
			}
			got = append(got, strings.Join(keys, " "))
		}
		if err != nil || !slices.Equal(got, tt.want) || (len(r.Notices) > 0) != (tt.want == nil) {
			t.Errorf("%v: %v, %v, %v", tt, got, r.Notices, err)
		}
		if one := one[i]; (len(one.Steps) > 0) != (tt.want != nil) || len(one.Notices) != len(r.Notices) {
			t.Errorf("%v: one path is %v, %v", tt, one.Steps, one.Notices)
		}
		apart := max(tt.from, tt.to) > "4" && min(tt.from, tt.to) <= "4"
		for _, n := range append(one[i].Notices, r.Notices...) {
			if strings.Contains(n.Text, "components") != apart || strings.Contains(n.Text, "direction") == apart {
				t.Errorf("%v: %s", tt, n.Text)
			}
		}
	}
}
