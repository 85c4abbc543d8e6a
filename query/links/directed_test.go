package links_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// arcText draws a directed graph as lines of source, target and time. The edges before 60 name all vertices.
func arcText(n, more int, seed uint64) (text string, earlier string, has map[links.Pair]int) {
	random := rand.New(rand.NewPCG(seed, 3))
	has = map[links.Pair]int{}
	var all, before strings.Builder
	add := func(u, v, time int) {
		pair := links.Pair{Source: fmt.Sprint(u), Target: fmt.Sprint(v)}
		if _, twice := has[pair]; twice || u == v {
			return
		}
		has[pair] = time
		line := fmt.Sprintf("%d %d %d\n", u, v, time)
		all.WriteString(line)
		if time < 60 {
			before.WriteString(line)
		}
	}
	for v := range n {
		add((v*7)%n, (v*7+7)%n, v%60)
	}
	for i := range more {
		u, v := int(float64(n)*math.Pow(random.Float64(), 2)), int(float64(n)*math.Pow(random.Float64(), 3))
		if add(u, v, i%100); i%3 == 0 {
			add(v, u, i%100)
		}
	}
	return all.String(), before.String(), has
}

func importArcs(t *testing.T, db *query.DB, graph, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), graph+".txt")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	querytest.MustRun(t, db, fmt.Sprintf("IMPORT '%s' INTO %s WITH (directed := 'true', time := 3)", path, graph))
}

// TestDirected compares scores, predictions, stored predictions and tests of a directed graph with the edges
// themselves.
func TestDirected(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := querytest.Open(t, nil)
	const n = 50
	text, before, has := arcText(n, 120, 1)
	importArcs(t, db, "all", text)
	importArcs(t, db, "earlier", before)
	out, in := map[string]float64{}, map[string]float64{}
	for p := range has {
		out[p.Source]++
		in[p.Target]++
	}
	naive := map[string]func(p links.Pair) float64{
		"resource_allocation": func(p links.Pair) (sum float64) {
			for w := range n {
				w := fmt.Sprint(w)
				_, from := has[links.Pair{Source: p.Source, Target: w}]
				_, to := has[links.Pair{Source: w, Target: p.Target}]
				if from && to && p.Source != p.Target {
					sum += 1 / out[w]
				}
			}
			return sum
		},
		"preferential_attachment": func(p links.Pair) float64 { return out[p.Source] * in[p.Target] },
	}
	var pairs []links.Pair
	for u := range n {
		for v := range n {
			if u != v {
				pairs = append(pairs, links.Pair{Source: fmt.Sprint(u), Target: fmt.Sprint(v)})
			}
		}
	}
	for name, of := range naive {
		with := catalogue.Scorer{Name: name}
		scored, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: pairs, Graph: "all", With: []catalogue.Scorer{with}})
		if err != nil {
			t.Fatal(err)
		}
		one, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: pairs[:1], Graph: "all", With: []catalogue.Scorer{with}})
		if err != nil || one.Pairs[0].Scores[0] != scored.Pairs[0].Scores[0] {
			t.Errorf("%v alone, %v", one.Pairs, err)
		}
		for _, p := range scored.Pairs {
			if want := of(p.Pair); math.Abs(p.Scores[0]-want) > 1e-12 {
				t.Fatalf("%s of %v is %v, expected %v", name, p.Pair, p.Scores[0], want)
			}
		}
		checkPredicted(t, db, with, pairs, has, of)
		checkTested(t, db, with, pairs, has)
		at := int64(60)
		want, err := db.Links().Predict(ctx, links.PredictRequest{K: 40, Graph: "earlier", With: with})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Links().Predict(ctx, links.PredictRequest{K: 40, Graph: "all", With: with, AsOf: &at})
		became := 0
		for _, l := range got.Links {
			if _, is := has[l.Pair]; is {
				became++
			}
		}
		if err != nil || !reflect.DeepEqual(got.Links, want.Links) || got.Became != became {
			t.Errorf("%s before a time: %v, %v, expected %v; %d became edges, expected %d", name, got.Links, err, want.Links, got.Became, became)
		}
	}
	querytest.MustBeSound(t, db)
}

// checkPredicted expects the links of the graph, of every vertex, and the stored ones to be the likeliest
// pairs without an edge.
func checkPredicted(t *testing.T, db *query.DB, with catalogue.Scorer, pairs []links.Pair, has map[links.Pair]int, of func(links.Pair) float64) {
	t.Helper()
	ctx := t.Context()
	var want []float64
	each := map[string][]float64{}
	for _, p := range pairs {
		if _, is := has[p]; !is && of(p) > 0 {
			want, each[p.Source] = append(want, of(p)), append(each[p.Source], of(p))
		}
	}
	descending := func(list []float64) []float64 { slices.Sort(list); slices.Reverse(list); return list }
	same := func(got []links.PredictedLink, want []float64) bool {
		for i, l := range got {
			_, is := has[l.Pair]
			if is || math.Abs(l.Score-of(l.Pair)) > 1e-12 || math.Abs(l.Score-want[i]) > 1e-12 {
				return false
			}
		}
		return len(got) == len(want)
	}
	all, err := db.Links().Predict(ctx, links.PredictRequest{K: 1e6, Graph: "all", With: with})
	if err != nil || !same(all.Links, descending(want)) {
		t.Errorf("%s: %v, %v, expected %v", with, all.Links, err, want)
	}
	back := 0
	for _, l := range all.Links {
		if _, is := has[links.Pair{Source: l.Target, Target: l.Source}]; is {
			back++
		}
	}
	if back == 0 {
		t.Errorf("%s predicted no way back", with)
	}
	computed, err := db.Links().Predict(ctx, links.PredictRequest{K: 4, Graph: "all", With: with, Each: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "all", With: with, K: 4}); err != nil {
		t.Fatal(err)
	}
	stored, err := db.Links().Predict(ctx, links.PredictRequest{K: 4, Graph: "all", With: with, Each: true, Stored: true})
	if err != nil || !reflect.DeepEqual(stored.Links, computed.Links) {
		t.Errorf("%s: stored %v, %v, expected %v", with, stored.Links, err, computed.Links)
	}
	for source, scores := range each {
		one, err := db.Links().Predict(ctx, links.PredictRequest{K: 4, Graph: "all", With: with, Vertex: source})
		if err != nil || !same(one.Links, descending(scores)[:min(4, len(scores))]) {
			t.Errorf("%s of %s: %v, %v, expected %v", with, source, one.Links, err, scores)
		}
		own := slices.DeleteFunc(slices.Clone(computed.Links), func(l links.PredictedLink) bool { return l.Source != source })
		if !reflect.DeepEqual(own, one.Links) {
			t.Errorf("%s of %s among all: %v, expected %v", with, source, own, one.Links)
		}
	}
}

// checkTested compares EVALUATE TEST by the edges of a directed graph, and by the pairs of a file, with AUC by
// its definition.
func checkTested(t *testing.T, db *query.DB, with catalogue.Scorer, pairs []links.Pair, has map[links.Pair]int) {
	t.Helper()
	ctx := t.Context()
	var later, others strings.Builder
	var edges, none []links.Pair
	for _, p := range pairs {
		switch time, is := has[p]; {
		case is && time >= 60:
			edges = append(edges, p)
			fmt.Fprintf(&later, "%s %s %d\n", p.Source, p.Target, time)
		case !is:
			none = append(none, p)
			fmt.Fprintf(&others, "%s %s\n", p.Source, p.Target)
		}
	}
	graph, path := "later_"+with.Name, filepath.Join(t.TempDir(), "others.txt")
	importArcs(t, db, graph, later.String())
	if err := os.WriteFile(path, []byte(others.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := db.Links().EvaluateTest(ctx, links.EvaluateTestRequest{
		Graph: "earlier", Edges: links.PairSource{Graph: graph}, Others: links.PairSource{Path: path}, With: []catalogue.Scorer{with},
	})
	if err != nil {
		t.Fatal(err)
	}
	scores := func(pairs []links.Pair) (list []float64) {
		scored, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: pairs, Graph: "earlier", With: []catalogue.Scorer{with}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range scored.Pairs {
			list = append(list, p.Scores[0])
		}
		return list
	}
	auc := 0.0
	for _, a := range scores(edges) {
		for _, b := range scores(none) {
			switch {
			case a > b:
				auc++
			case a == b:
				auc += 0.5
			}
		}
	}
	auc /= float64(len(edges) * len(none))
	if got.Edges != len(edges) || got.Others != len(none) || math.Abs(got.Scores[0].AUC-auc) > 1e-12 {
		t.Errorf("%s: AUC %v of %d edges and %d pairs, expected %v of %d and %d", with, got.Scores[0].AUC, got.Edges, got.Others, auc, len(edges), len(none))
	}
	querytest.MustRun(t, db, "CREATE GRAPH u"+graph+" AS UNDIRECTED OF "+graph)
	if _, err := db.Links().EvaluateTest(ctx, links.EvaluateTestRequest{Graph: "earlier", Edges: links.PairSource{Graph: "u" + graph}, Others: links.PairSource{Path: path}}); err == nil {
		t.Error("the edges of an undirected graph have no direction")
	}
}
