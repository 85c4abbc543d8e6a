package query

import (
	"context"
	"errors"
	"testing"

	"heavytail/storage"
)

// TestStartCompute has a measure computed in the background, and its attribute beside
// vertices that came after it.
func TestStartCompute(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, nil)
	execAll(t, db, "GENERATE preferential_attachment(n := 2000, m := 3) INTO g")
	info, err := db.StartCompute(ctx, ComputeRequest{Graph: "g", Measure: "betweenness", As: "between"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err = db.WaitJob(ctx, info.ID); err != nil || info.State != storage.JobDone {
		t.Fatal(info, err)
	}
	execAll(t, db, "INSERT EDGE ('0', 'new') INTO g")
	list, err := db.Attributes(ctx, "g")
	if err != nil || len(list) != 1 || list[0].Computed == nil || list[0].Computed.Method != "betweenness" || list[0].Missing != 1 || list[0].Behind != 1 || list[0].Changed != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := db.StartCompute(ctx, ComputeRequest{Graph: "g", Measure: "core"}); err == nil {
		t.Error("a job without an attribute began")
	}
	if _, err := db.Compute(ctx, ComputeRequest{Graph: "g", Measure: "core", As: "between"}); !errors.Is(err, storage.ErrExists) {
		t.Errorf("an attribute that exists: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Compute(cancelled, ComputeRequest{Graph: "g", Measure: "harmonic"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestMeasures_Options computes every measure with its defaults and with each of its
// choices.
func TestMeasures_Options(t *testing.T) {
	ctx := context.Background()
	db := openTest(t, nil)
	execAll(t, db, "GENERATE preferential_attachment(n := 300, m := 3) INTO g")
	for _, m := range Measures() {
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
			r, err := db.Compute(ctx, ComputeRequest{Graph: "g", Measure: m.Name, Settings: settings})
			if err != nil || len(r.Vertices) != 300 || r.Vertices[0].Value.Type() != m.Type || r.Min > r.Mean || r.Mean > r.Max {
				t.Errorf("%s %v: %d values from %v to %v, %v", m.Name, settings, len(r.Vertices), r.Min, r.Max, err)
			}
		}
	}
}
