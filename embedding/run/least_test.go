package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/unitball"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

var leastOptions = []option.Given{{Name: "dim", Value: leastWord}, {Name: "passes", Value: 60}, {Name: "seed", Value: 3}}

func statistic(info storage.EmbeddingInfo, name string) string {
	for _, s := range info.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

// TestLeast_Known expects the known sphericity of small graphs: at most five points of a
// disc of radius 1 are more than 1 apart pairwise, so a star of five leaves needs two
// dimensions and one of six needs three; all vertices of a complete graph may coincide, and
// isolated vertices and paths are on a line.
func TestLeast_Known(t *testing.T) {
	t.Parallel()
	star := func(leaves int) []csr.Edge {
		var edges []csr.Edge
		for v := range leaves {
			edges = append(edges, csr.Edge{U: 0, V: uint32(v + 1)})
		}
		return edges
	}
	for _, c := range []struct {
		n     int
		edges []csr.Edge
		want  int
	}{
		{6, star(5), 2}, {7, star(6), 3}, {4, star(3), 2}, {4, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 0, V: 3}}, 2},
		{3, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 0, V: 2}}, 1}, {1, nil, 1}, {2, nil, 1},
		{3, nil, 1}, {6, nil, 1}, {5, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 3, V: 4}}, 1},
	} {
		g, err := csr.FromEdges(c.n, c.edges)
		if err != nil {
			t.Fatal(err)
		}
		rows, info, err := Compute(t.Context(), g, Request{Method: unitball.Method, Options: []option.Given{{Name: "dim", Value: leastWord}}})
		if err != nil {
			t.Fatal(err)
		}
		if rows.Dim != c.want || statistic(info, "least dim") == "" || wrongPairs(g, rows) != 0 {
			t.Errorf("%d vertices, edges %v: %d dimensions with %d wrong pairs, want %d; %s", c.n, c.edges, rows.Dim, wrongPairs(g, rows), c.want, statistic(info, "note"))
		}
	}
}

// wrongPairs counts the wrong pairs one by one.
func wrongPairs(g *csr.Graph, rows *vec.Matrix) (wrong int) {
	for v := range g.Vertices() {
		for u := range v {
			if g.HasEdge(uint32(u), uint32(v)) != (vec.L2Squared(rows.Row(u), rows.Row(v)) <= 1) {
				wrong++
			}
		}
	}
	return wrong
}

// TestLeast_Trials expects the search to try dimensions in this order: doubled after
// failures, then halved between the last failure and the last success, and in the end the two
// below the success, unless they were tried with its vectors. A failure is no reason not to try
// a dimension again, or one below it.
func TestLeast_Trials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		least, bound int
		tolerance    int64
		once         int // fails at first
		want         []int
	}{
		{100, 5, 0, 0, []int{64, 128, 96, 112, 104, 100, 98, 99}},
		{64, 64, 0, 0, []int{64}},
		{3, 3, 0, 0, []int{64, 33, 17, 9, 5, 3}},
		{2, 3, 4, 0, []int{64, 32, 16, 8, 4, 2, 1}},
		{300, 1, 0, 0, []int{64, 128, 256}},
		{40, 5, 0, 49, []int{64, 34, 49, 56, 52, 50, 49, 41, 37, 39, 40, 39, 38}},
		{40, 40, 0, 42, []int{64, 51, 45, 42, 43, 42, 40}},
	} {
		s := leastSearch{vertices: 1000, bound: c.bound}
		s.o.Tolerance = c.tolerance
		var got []int
		for d := s.next(); d > 0 && len(got) < 20; d = s.next() {
			trial := leastTrial{Dim: int64(d)}
			if d < c.least || d == c.once && !slices.Contains(got, d) {
				trial.Wrong.False = c.tolerance + 1
			}
			got, s.trials = append(got, d), append(s.trials, trial)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("least %d: dimensions %v, want %v", c.least, got, c.want)
		}
	}
}

// TestLeast_Describe reads the texts of a search that found nothing, and of a running one.
func TestLeast_Describe(t *testing.T) {
	t.Parallel()
	s := leastSearch{vertices: 1000, bound: 3}
	wrong := unitball.Wrong{Edges: 10, Missed: 2, False: 2}
	if got, want := s.stage(64, wrong), "placing: dim 64, trial 1 (none found, above 2): 4 wrong pairs, precision 0.8000, recall 0.8000"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.trials = []leastTrial{{Dim: 64, Wrong: wrong}, {Dim: 128}}
	if got, want := s.stage(96, wrong), "placing: dim 96, trial 3 (found in 128, above 64): 4 wrong"; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s.trials = []leastTrial{{Dim: 64, Wrong: wrong}, {Dim: 128, Wrong: wrong}, {Dim: 256, Wrong: wrong}}
	stats := s.describe([]storage.Setting{{Name: "note", Value: "4 pairs are wrong"}})
	note := stats[len(stats)-1].Value
	for _, want := range []string{"no placement was found in up to 256 dimensions, the most", "give dim as a number", "tried: 64 (4 wrong), 128 (4 wrong), 256 (4 wrong)", "needs 3 or more"} {
		if !strings.Contains(note, want) {
			t.Errorf("%q does not say %q", note, want)
		}
	}
}

// TestLeast_Resume continues a search from its checkpoints, which come from several
// trials, and expects the same vectors and statistics.
func TestLeast_Resume(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops and resumes a job again and again")
	}
	t.Parallel()
	g, err := generate.PreferentialAttachment{N: 80, M: 3, Seed: 1}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var saved [][]byte
	req := Request{Method: unitball.Method, Options: leastOptions, Workers: 1}
	req.Checkpoints.Save = func(write func(io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		saved = append(saved, b.Bytes())
		return err
	}
	want, info, err := Compute(t.Context(), g, req)
	if err != nil {
		t.Fatal(err)
	}
	if tried := strings.Split(statistic(info, "dims tried"), ", "); len(tried) < 4 {
		t.Fatalf("only %v were tried", tried)
	}
	req.Workers, req.Checkpoints.Save = 3, nil
	for i := 0; i < len(saved); i += 1 + len(saved)/12 {
		req.Checkpoints.From = bytes.NewReader(saved[i])
		rows, again, err := Compute(t.Context(), g, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"dims tried", "passes", "reason", "note"} {
			if a, b := statistic(again, name), statistic(info, name); a != b {
				t.Errorf("checkpoint %d: %s is %q, and was %q", i, name, a, b)
			}
		}
		if rows.Dim != want.Dim || !slices.Equal(rows.Data, want.Data) {
			t.Fatalf("checkpoint %d of %d: other vectors", i, len(saved))
		}
	}
	last := saved[len(saved)-1]
	other := slices.Clone(last)
	other[16]++ // the dimension of the first trial
	for _, bad := range [][]byte{nil, last[:10], last[:30], last[:len(last)/4], other, slices.Concat([]byte("x"), last)} {
		req.Checkpoints.From = bytes.NewReader(bad)
		if _, _, err := Compute(t.Context(), g, req); !errors.Is(err, embedding.ErrCheckpoint) {
			t.Errorf("a checkpoint of %d bytes: %v", len(bad), err)
		}
	}
}

// Without pairs that could be right or wrong, precision and recall are not among the statistics.
func TestBallRecord_NoEdges(t *testing.T) {
	t.Parallel()
	info, err := ballRecord(context.Background(), random(t, 3, 0, 1), BallOptions{}, unitball.Stats{})
	if err != nil || statistic(info, "wrong pairs") != "0" {
		t.Fatalf("%+v, %v", info, err)
	}
	for _, s := range info.Stats {
		if s.Value == "NaN" || s.Name == "precision" || s.Name == "recall" {
			t.Errorf("%+v", s)
		}
	}
}

// Figures that are not defined are left out of the notice.
func TestBallNote(t *testing.T) {
	t.Parallel()
	g, err := csr.FromEdges(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for wrong, want := range map[unitball.Wrong]string{
		{Edges: 4, Missed: 1}: "1 pair is wrong within distance 1: 1 of 4 edges are missed, and 0 pairs without an edge are nearer (precision 1.0000, recall 0.7500); more",
		{Edges: 2, Missed: 2}: "2 pairs are wrong within distance 1: 2 of 2 edges are missed, and 0 pairs without an edge are nearer (recall 0.0000); more",
		{False: 3}:            "3 pairs are wrong within distance 1: 0 of 0 edges are missed, and 3 pairs without an edge are nearer (precision 0.0000); more",
	} {
		note, err := ballNote(t.Context(), g, 2, wrong)
		if err != nil || !strings.HasPrefix(note, want) {
			t.Errorf("%q, %v, want %q", note, err, want)
		}
	}
}
