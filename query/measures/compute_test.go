package measures_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/algorithms"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/measures"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
)

// TestStartCompute computes a measure in the background, and reads its attribute after
// vertices were added.
func TestStartCompute(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 400, m := 3) INTO g")
	info, err := db.Measures().StartCompute(ctx, measures.ComputeRequest{Graph: "g", Measure: "betweenness", As: "between"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err = db.Jobs().Wait(ctx, info.ID); err != nil || info.State != storage.JobDone {
		t.Fatal(info, err)
	}
	querytest.ExecAll(t, db, "INSERT EDGE ('0', 'new') INTO g")
	list, err := db.Graphs().Attributes(ctx, "g")
	if err != nil || len(list) != 1 || list[0].Computed == nil || list[0].Computed.Method != "betweenness" || list[0].Missing != 1 || list[0].Behind != 1 || list[0].Changed != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := db.Measures().StartCompute(ctx, measures.ComputeRequest{Graph: "g", Measure: "core"}); err == nil {
		t.Error("a job without an attribute began")
	}
	if _, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "g", Measure: "core", As: "between"}); !errors.Is(err, storage.ErrExists) {
		t.Errorf("an attribute that exists: %v", err)
	}
	// A residual that rounding keeps it from: the remedy is the option.
	_, err = db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "g", Measure: "eigenvector", Settings: map[string]any{"tolerance": 1e-30}})
	if mistake := (*fault.Error)(nil); !errors.As(err, &mistake) || !errors.Is(err, algorithms.ErrConverge) || errors.Is(err, fault.ErrInvalid) || len(mistake.Options) != 1 || mistake.Options[0].Option != "tolerance" {
		t.Errorf("does not converge: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Measures().Compute(cancelled, measures.ComputeRequest{Graph: "g", Measure: "harmonic"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRefreshMeasure has a stored measure computed again with its options where edges have
// changed, and nowhere else: every other stored measure makes a version of the graph, too.
func TestRefreshMeasure(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 200, m := 3) INTO g; EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	settings := map[string]any{"quality": "cpm", "resolution": 0.25, "seed": int64(5), "weighted": false}
	for as, req := range map[string]measures.ComputeRequest{
		"team": {Measure: "community", Settings: settings}, "rank": {Measure: "pagerank", Settings: map[string]any{"tolerance": 1e-9}, From: []string{"3", "7"}},
	} {
		req.Graph, req.As = "g", as
		if _, err := db.Measures().Compute(ctx, req); err != nil {
			t.Fatal(err)
		}
	}
	before, err := db.Graphs().Attributes(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	for round, want := range []catalogue.RefreshKind{catalogue.RefreshNone, catalogue.RefreshFull, catalogue.RefreshNone} {
		r, err := db.Jobs().RefreshAll(ctx, "g")
		if err != nil || len(r.Refreshed) != 3 || r.Refreshed[1].Kind != want || r.Refreshed[2].Kind != want || (r.Refreshed[0].Kind == catalogue.RefreshNone) != (want == catalogue.RefreshNone) {
			t.Fatalf("%s: %+v, %v", want, r, err)
		}
		if round == 0 {
			querytest.ExecAll(t, db, "INSERT EDGE ('0', 'new') INTO g")
		}
		after, err := db.Graphs().Attributes(ctx, "g")
		if err != nil || len(after) != 2 {
			t.Fatal(after, err)
		}
		for i, a := range after {
			if !slices.Equal(a.Computed.Options, before[i].Computed.Options) {
				t.Errorf("options of %s: %v, before %v", a.Name, a.Computed.Options, before[i].Computed.Options)
			}
			if (a.Behind > 0) != (round == 0) {
				t.Errorf("round %d: %s is %d versions behind", round, a.Name, a.Behind)
			}
		}
	}
	info, err := db.Measures().StartRefresh(ctx, measures.RefreshMeasureRequest{Graph: "g", Attribute: "team"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err = db.Jobs().Wait(ctx, info.ID); err != nil || info.State != storage.JobDone {
		t.Fatal(info, err)
	}
	r, err := db.Measures().Refresh(ctx, measures.RefreshMeasureRequest{Graph: "g", Attribute: "team"})
	if err != nil || r.Kind != catalogue.RefreshNone || r.Versions != 0 || r.Changed != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCompute_Resume cancels measures at a checkpoint and resumes them, with the values of
// a run that was never stopped.
func TestCompute_Resume(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops and resumes a job again and again")
	}
	for _, measure := range []string{"betweenness", "harmonic", "eccentricity"} {
		db := querytest.Open(t, &query.Options{Notice: func(n rows.Notice) {
			if strings.Contains(n.Text, "starts over") {
				t.Errorf("%s: %s", measure, n.Text)
			}
		}})
		querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 1200, m := 2, seed := 4) INTO g; COMPUTE "+measure+" IN g AS whole")
		querytest.Eager(db)
		ctx, cancel := context.WithCancel(t.Context())
		querytest.Engine(db).Runner.AtCheckpoint = func(string) { cancel() }
		_, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "g", Measure: measure, As: "parts"})
		stopped := new(fault.JobError)
		if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
			t.Fatalf("%s: %v", measure, err)
		}
		querytest.Engine(db).Runner.AtCheckpoint = func(string) {}
		querytest.ExecAll(t, db, "UPDATE VERTEX '3' SET age := 7 IN g") // which leaves the checkpoint valid
		if _, err := db.Jobs().Resume(t.Context(), stopped.Job, false); err != nil {
			t.Fatal(measure, err)
		}
		r, err := db.Graphs().CountVertices(t.Context(), graphs.CountVerticesRequest{
			Graph: "g", Attributes: []string{"whole", "parts"}, Where: func(v where.Candidate) bool {
				return v.Value("whole") != v.Value("parts") || v.Value("whole").IsMissing()
			},
		})
		if err != nil || r.Vertices != 0 {
			t.Errorf("%s: %d values differ, %v", measure, r.Vertices, err)
		}
	}
}

// TestEstimateCompute estimates every measure, with the memory that computing it reserves,
// and does not store anything.
func TestEstimateCompute(t *testing.T) {
	ctx := t.Context()
	db := querytest.Open(t, nil)
	querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 300, m := 3) INTO g; CREATE GRAPH empty")
	for _, m := range measures.List() {
		for graph, n := range map[string]int{"g": 300, "empty": 0} {
			e, err := db.Measures().Estimate(ctx, measures.ComputeRequest{Graph: graph, Measure: m.Name, As: "x"})
			if err != nil || !(e.Seconds >= 0) || e.Seconds > 3600 || (e.Bytes > 0) != (n > 0) || e.Measure != m.Name || e.Limit != querytest.Engine(db).Opts.MemoryLimit {
				t.Errorf("%s of %s: %+v, %v", m.Name, graph, e, err)
			}
			if paths := m.Name == "harmonic" || m.Name == "closeness" || m.Name == "betweenness"; paths && e.Sources != n || !paths && e.Sources != 0 {
				t.Errorf("%s of %s: %d sources", m.Name, graph, e.Sources)
			}
		}
	}
	if list, err := db.Graphs().Attributes(ctx, "g"); err != nil || len(list) > 0 {
		t.Errorf("stored: %v, %v", list, err)
	}
	var limit *fault.LimitError
	small := querytest.Open(t, &query.Options{MemoryLimit: 4 << 20})
	querytest.ExecAll(t, small, "GENERATE preferential_attachment(n := 10000, m := 3) INTO g")
	if e, err := small.Measures().Estimate(ctx, measures.ComputeRequest{Graph: "g", Measure: "community"}); err != nil && !errors.As(err, &limit) || err == nil && len(e.Notices) == 0 && e.Bytes > e.Limit {
		t.Errorf("more than the limit: %+v, %v", e, err)
	}
}

// TestMeasures_Options computes every measure with its defaults and with each of its
// choices.
func TestMeasures_Options(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 300, m := 3) INTO g")
	for _, m := range measures.List() {
		requests := []map[string]any{nil}
		for _, o := range m.Options {
			for _, choice := range o.Choices {
				requests = append(requests, map[string]any{o.Name: choice})
			}
			if o.Type == "bool" {
				requests = append(requests, map[string]any{o.Name: true}, map[string]any{o.Name: false})
			}
		}
		for _, settings := range requests {
			r, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "g", Measure: m.Name, Settings: settings})
			if err != nil || len(r.Vertices) != 300 || r.Vertices[0].Value.Type() != m.Type || r.Min > r.Mean || r.Mean > r.Max {
				t.Errorf("%s %v: %d values from %v to %v, %v", m.Name, settings, len(r.Vertices), r.Min, r.Max, err)
			}
		}
	}
}
