package tune

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// dice is an objective with random scores: the score of an embedding with one effort is
// independent of its score with another effort, so that surveys and close judgements
// mislead.
type dice struct {
	g       *csr.Graph
	close   Closeness
	seed    uint64
	best    *vec.Matrix // if not nil, these vectors score 2 in an exact judgement and are the worst in others
	efforts [Exact + 1]atomic.Int64
}

func (d *dice) Graph(Effort) *csr.Graph { return d.g }

func (d *dice) CloseIs() Closeness { return d.close }

func (d *dice) Judge(_ context.Context, m *vec.Matrix, effort Effort, _ int) (Judgement, error) {
	d.efforts[effort].Add(1)
	return Judgement{Score: d.score(m, effort)}, nil
}

func (d *dice) score(m *vec.Matrix, effort Effort) float64 {
	if d.best != nil && slices.Equal(m.Data, d.best.Data) {
		return 2 * float64(effort) / float64(Exact)
	}
	h := fnv.New64a()
	for _, x := range []any{d.seed, uint8(effort), m.Data} {
		_ = binary.Write(h, binary.LittleEndian, x)
	}
	return float64(h.Sum64()>>11) / (1 << 53)
}

// small returns methods whose embeddings take hardly any time.
func small() []Method {
	return []Method{
		{Name: embedding.MethodLaplacianEigenmaps, Spectral: embedding.SpectralOptions{Dim: 3}, Held: []string{"row_scale"}},
		{Name: embedding.MethodDPWalker, Walks: embedding.WalkOptions{Dim: 3, Walks: 3, Length: 4, Window: 2, Seed: 3}, Held: []string{"row_norm", "row_scale"}},
	}
}

// again embeds a graph with the options of a trial, without the cached solves of a search.
func again(t *testing.T, g *csr.Graph, trial Trial) *vec.Matrix {
	t.Helper()
	for _, m := range small() {
		if m.Name != trial.Method {
			continue
		}
		o := m.Walks
		for _, parameter := range trial.Options {
			x := parameter.Value.(float64)
			switch parameter.Name {
			case "scale":
				m.Spectral.Scale = &x
			case "beta":
				o.Beta = &x
			case "common":
				o.Common = &x
			case "alpha":
				o.Alpha = x
			case "walks":
				o.Walks = int(x)
			}
		}
		var rows *vec.Matrix
		var err error
		if m.spectral() {
			rows, _, err = embedding.LaplacianEigenmaps(context.Background(), g, m.Spectral)
		} else {
			rows, _, err = embedding.DPWalker(context.Background(), g, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	t.Fatalf("no method %s", trial.Method)
	return nil
}

// TestSearch_AnyLimit ends a misled search after every possible number of trials. The best
// trial must be confirmed and have the same score as the same embedding computed
// separately. It must be no worse than the defaults that were tried, and no worse than the
// best of any shorter search.
func TestSearch_AnyLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches once for each number of trials")
	}
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, close := range []Closeness{Estimate, Same, Apart} {
		for seed := range uint64(3) {
			whole, err := Search(context.Background(), &dice{g: g, close: close, seed: seed}, small(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("closeness %d, seed %d", close, seed)
			best := math.Inf(-1)
			for limit := 1; limit <= len(whole.Trials); limit++ {
				objective := &dice{g: g, close: close, seed: seed}
				found, err := Search(context.Background(), objective, small(), Options{Trials: limit})
				if err != nil {
					t.Fatal(err)
				}
				b := found.Best()
				if !b.Confirmed || b.Score < best || b.Score != objective.score(again(t, g, b), Exact) {
					t.Fatalf("%s: the best of %d trials is %+v, of one less %v", name, limit, b, best)
				}
				best = b.Score
				checkDefaults(t, name, g, objective, found, limit)
			}
			if close != Same {
				checkMisled(t, name, whole)
			}
			objective := &dice{g: g, close: close, seed: seed}
			if _, err := Search(context.Background(), objective, small(), Options{}); err != nil || close == Same && objective.efforts[Close].Load() > 0 {
				t.Errorf("%s: judged closely %d times, %v", name, objective.efforts[Close].Load(), err)
			}
		}
	}
}

// checkDefaults expects the defaults of a method to be its first trial and to be confirmed,
// and the best trial to be no worse than the defaults.
func checkDefaults(t *testing.T, name string, g *csr.Graph, objective *dice, found *Result, limit int) {
	t.Helper()
	laplacian, _, err := embedding.LaplacianEigenmaps(context.Background(), g, small()[0].Spectral)
	if err != nil {
		t.Fatal(err)
	}
	walker, _, err := embedding.DPWalker(context.Background(), g, small()[1].Walks)
	if err != nil {
		t.Fatal(err)
	}
	exact := map[string]float64{small()[0].Name: objective.score(laplacian, Exact), small()[1].Name: objective.score(walker, Exact)}
	met := map[string]bool{}
	var confirmed []float64
	for _, trial := range slices.SortedFunc(slices.Values(found.Trials), func(a, b Trial) int { return cmp.Compare(a.Number, b.Number) }) {
		if met[trial.Method] {
			continue
		}
		met[trial.Method] = true
		if trial.Stage != Defaults || !trial.Confirmed || trial.Score != exact[trial.Method] {
			t.Errorf("%s: the first of %s is %+v, and its defaults score %v", name, trial.Method, trial, exact[trial.Method])
		}
		confirmed = append(confirmed, trial.Score)
	}
	if len(confirmed) != 2-found.Missing || limit == 40 && found.Missing > 0 {
		t.Errorf("%s: of %d trials %d are first ones, and %d are missing", name, limit, len(confirmed), found.Missing)
	}
	if len(confirmed) > 0 && found.Best().Score < slices.Max(confirmed) {
		t.Errorf("%s: of %d trials the best is %+v, and the defaults scored %v", name, limit, found.Best(), confirmed)
	}
}

// checkMisled expects that the best of the survey and of the close judgements is not the
// best of all. Otherwise the test would not show that confirmations matter.
func checkMisled(t *testing.T, name string, whole *Result) {
	t.Helper()
	for _, unconfirmed := range whole.Trials {
		if !unconfirmed.Confirmed && unconfirmed.Score > whole.Best().Score {
			return
		}
	}
	t.Errorf("%s: nothing misled", name)
}

// TestSearch_DefaultsAreBest hides the best exact score at the defaults of a method that
// surveys and close judgements rate worst. Every search with enough trials to try the
// defaults of all methods must end with these defaults.
func TestSearch_DefaultsAreBest(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for i, m := range small() {
		defaults, _, err := embedding.DPWalker(context.Background(), g, m.Walks)
		if m.spectral() {
			defaults, _, err = embedding.LaplacianEigenmaps(context.Background(), g, m.Spectral)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, close := range []Closeness{Estimate, Apart} {
			for _, trials := range []int{20, 30, 0} {
				found, err := Search(context.Background(), &dice{g: g, close: close, best: defaults}, small(), Options{Trials: trials})
				if err != nil {
					t.Fatal(err)
				}
				if b := found.Best(); b.Score != 2 || b.Stage != Defaults || b.Method != small()[i].Name {
					t.Errorf("closeness %d, %d trials: the best is %+v, not the defaults of %s", close, trials, b, m.Name)
				}
			}
		}
	}
}

// TestSearch_Confirm expects every trial with a new best close judgement to be confirmed.
// If close judgements are estimates, the best few trials are confirmed at the end too; if
// they use other pairs, no further trial is.
func TestSearch_Confirm(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, close := range []Closeness{Estimate, Apart} {
		found, err := Search(context.Background(), &dice{g: g, close: close, seed: 5}, small(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		named := func(trial Trial) string { return fmt.Sprint(trial.Method, trial.Options) }
		confirmed, want := map[string]bool{}, map[string]bool{}
		var closely []Trial
		record := math.Inf(-1)
		for _, trial := range slices.SortedFunc(slices.Values(found.Trials), func(a, b Trial) int { return cmp.Compare(a.Number, b.Number) }) {
			switch {
			case trial.Confirmed:
				confirmed[named(trial)] = true
				if trial.Stage == Defaults {
					want[named(trial)] = true
				}
			case trial.Stage != Survey:
				closely = append(closely, trial)
				if trial.Score > record {
					record, want[named(trial)] = trial.Score, true
				}
			}
		}
		slices.SortStableFunc(closely, func(a, b Trial) int { return cmp.Compare(b.Score, a.Score) })
		if close == Estimate {
			for _, trial := range closely[:confirmedPoints] {
				want[named(trial)] = true
			}
		}
		if fmt.Sprint(confirmed) != fmt.Sprint(want) || found.Reason != Finished || found.Stage != Confirm {
			t.Errorf("closeness %d: confirmed %v, not %v; ended in %v by %s", close, confirmed, want, found.Stage, found.Reason)
		}
	}
}

// TestLabels_Kept expects that choices do not depend on the classes of the vertices that
// confirm them.
func TestLabels_Kept(t *testing.T) {
	t.Parallel()
	g := attachment(t, 100, 4)
	classes := evaluate.Labels{Names: []string{"few", "many"}}
	for v := range uint32(100) {
		classes.Of = append(classes.Of, []uint32{uint32(min(1, g.Degree(v)/8))})
	}
	m := spectral(t, g, embedding.SpectralOptions{Dim: 8})
	judge := func(l evaluate.Labels, effort Effort) float64 {
		objective, err := Labels(g, l, 7, ByMicroF1)
		if err != nil {
			t.Fatal(err)
		}
		j, err := objective.Judge(context.Background(), m, effort, 0)
		if err != nil {
			t.Fatal(err)
		}
		return j.Score
	}
	known := classes.Training(0.5, 7)
	turned := evaluate.Labels{Names: classes.Names, Of: slices.Clone(classes.Of)}
	kept := 0
	for v, own := range known.Of {
		if len(own) == 0 {
			kept++
			turned.Of[v] = []uint32{1 - classes.Of[v][0]}
		}
	}
	if kept != 50 || judge(turned, Exact) == judge(classes, Exact) {
		t.Errorf("%d vertices are kept, and their classes do not matter to what confirms", kept)
	}
	for _, effort := range []Effort{Rough, Close} {
		if judge(turned, effort) != judge(classes, effort) {
			t.Errorf("effort %d sees the classes that are kept", effort)
		}
	}
}

// TestLinks_Kept expects that choices do not depend on the edges that confirm them.
func TestLinks_Kept(t *testing.T) {
	t.Parallel()
	objective, err := Links(context.Background(), attachment(t, 100, 4), evaluate.SplitOptions{Seed: 3}, ByAUC)
	if err != nil {
		t.Fatal(err)
	}
	l := objective.(*links)
	held := map[csr.Edge]bool{}
	for _, e := range l.last.Edges {
		held[csr.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}] = true
	}
	if len(held) == 0 || l.Graph(Rough) != l.Graph(Close) || l.Graph(Close).Edges() >= l.Graph(Exact).Edges() {
		t.Fatalf("%d edges are kept, of %d and %d", len(held), l.Graph(Close).Edges(), l.Graph(Exact).Edges())
	}
	for _, list := range [][]csr.Edge{l.split.Edges, l.split.TrainEdges} {
		for _, e := range list {
			if held[csr.Edge{U: min(e.U, e.V), V: max(e.U, e.V)}] {
				t.Errorf("edge %v chooses and confirms", e)
			}
		}
	}
	for e := range held {
		if l.Graph(Close).HasEdge(e.U, e.V) || l.Graph(Exact).HasEdge(e.U, e.V) {
			t.Errorf("edge %v is embedded, and confirms", e)
		}
	}
}
