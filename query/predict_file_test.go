package query

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"heavytail/query/catalogue"
	"heavytail/query/links"
	"heavytail/query/where"
)

// Predictions from the file equal those from the loaded graph, to the last bit. The graph is
// loaded for a vertex with many edges, and once the answers from the file have cost as much
// as loading.
func TestPredict_InFile(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 4000, m := 3, seed := 3) INTO g")
	mustRun(t, db, "DELETE VERTEX '3', '77', '3000' FROM g")
	mustRun(t, db, "INSERT VERTEX 'alone' INTO g")
	high := 1.0
	fromFile, loads := 0, 0
	for _, scorer := range []string{"common_neighbors", "adamic_adar", "resource_allocation"} {
		for _, vertex := range []string{"2", "2500", "3001", "3999", "alone"} {
			for _, threshold := range []*float64{nil, &high} {
				req := links.PredictRequest{Vertex: vertex, K: 7, Graph: "g", With: catalogue.Scorer{Name: scorer}, Threshold: threshold}
				forgetLoaded(db)
				have, err := db.Links().Predict(ctx, req)
				if err != nil {
					t.Fatal(err)
				}
				if loaded(db) {
					loads++
				} else {
					fromFile++
				}
				req.Where = func(where.Candidate) bool { return true } // loads the graph
				want, err := db.Links().Predict(ctx, req)
				if err != nil || !loaded(db) || !reflect.DeepEqual(have, want) {
					t.Errorf("%s of %s: %+v in the file, %+v loaded, %v", scorer, vertex, have, want, err)
				}
			}
		}
	}
	if fromFile == 0 || loads == 0 {
		t.Errorf("%d answers from the file, %d from the loaded graph", fromFile, loads)
	}
	forgetLoaded(db)
	text := "PREDICT 5 LINKS FOR '3999' IN g WITH adamic_adar"
	if explained := mustRun(t, db, "EXPLAIN "+text); !strings.Contains(explained, "read in the file") {
		t.Error(explained)
	}
	if profile := mustRun(t, db, "PROFILE "+text); !strings.Contains(profile, "edges read in the file") || loaded(db) {
		t.Error(profile)
	}
	answers := 1
	for ; !loaded(db) && answers < 1000; answers++ {
		mustRun(t, db, text)
	}
	if answers < 8 || answers == 1000 {
		t.Errorf("the graph was loaded after %d answers", answers)
	}
}

// TestPredict_InFileTwoSteps is the same for scorers that read the degrees of the candidates.
func TestPredict_InFileTwoSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestPredict_InFile compares the other scorers")
	}
	t.Parallel()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE watts_strogatz(n := 20000, k := 4, beta := 0.1, seed := 3) INTO g")
	mustRun(t, db, "DELETE VERTEX '3', '77', '3000' FROM g")
	for _, scorer := range []string{"jaccard", "sorensen", "lhn", "hub_promoted", "hub_depressed"} {
		for _, vertex := range []string{"2", "76", "3001", "19999"} {
			req := links.PredictRequest{Vertex: vertex, K: 7, Graph: "g", With: catalogue.Scorer{Name: scorer}}
			forgetLoaded(db)
			have, err := db.Links().Predict(t.Context(), req)
			if err != nil || loaded(db) {
				t.Fatalf("%s of %s: the graph was loaded, or %v", scorer, vertex, err)
			}
			req.Where = func(where.Candidate) bool { return true } // loads the graph
			if want, err := db.Links().Predict(t.Context(), req); err != nil || !loaded(db) || len(have.Links) == 0 || !reflect.DeepEqual(have, want) {
				t.Errorf("%s of %s: %+v in the file, %+v loaded, %v", scorer, vertex, have, want, err)
			}
		}
	}
}

// TestPredict_InFileDegrees is the same for scorers that read the degrees of very many candidates.
func TestPredict_InFileDegrees(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestPredict_InFile compares the other scorers")
	}
	t.Parallel()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 20000, m := 4, seed := 3) INTO g")
	mustRun(t, db, "DELETE VERTEX '3', '77', '3000' FROM g")
	mustRun(t, db, "INSERT VERTEX 'alone' INTO g")
	low, high := 40.0, 1e9
	for _, scorer := range []string{"jaccard", "hub_depressed", "preferential_attachment"} {
		for _, vertex := range []string{"2500", "19999", "alone"} {
			for _, threshold := range []*float64{nil, &low, &high} {
				for _, k := range []int{1, 9, 40} {
					req := links.PredictRequest{Vertex: vertex, K: k, Graph: "g", With: catalogue.Scorer{Name: scorer}, Threshold: threshold}
					forgetLoaded(db)
					have, err := db.Links().Predict(t.Context(), req)
					if fits := scorer != "preferential_attachment" || k < 10; err != nil || fits && loaded(db) {
						t.Fatalf("%s of %s: the graph was loaded, or %v", scorer, vertex, err)
					}
					req.Where = func(where.Candidate) bool { return true } // loads the graph
					want, err := db.Links().Predict(t.Context(), req)
					if err != nil || !loaded(db) || threshold == nil && vertex != "alone" && len(want.Links) == 0 || !reflect.DeepEqual(have, want) {
						t.Errorf("%d by %s of %s: %+v in the file, %+v loaded, %v", k, scorer, vertex, have, want, err)
					}
				}
			}
		}
	}
}

// TestPredict_InFileVectors is the same for scorers of vectors, with an index and without.
func TestPredict_InFileVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: TestPredict_InFile compares the other scorers")
	}
	t.Parallel()
	db := openTest(t, &Options{IndexBytes: 1})
	mustRun(t, db, "GENERATE preferential_attachment(n := 20000, m := 4, seed := 3) INTO g")
	mustRun(t, db, "INSERT VERTEX 'alone' INTO g")
	putRows(t, db, 20001, 5)
	for _, index := range []bool{false, true} {
		if index {
			mustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 60)")
		}
		low := 0.5
		for _, scorer := range []string{"l2", "cosine", "probability"} {
			for _, vertex := range []string{"2500", "19999", "alone"} {
				for _, near := range []int{-1, 0, 3} {
					req := links.PredictRequest{Vertex: vertex, K: 7, Graph: "g", With: catalogue.Scorer{Name: scorer, Embedding: "e"}, Near: near}
					if near == 3 {
						req.Threshold = &low
					}
					forgetLoaded(db)
					have, err := db.Links().Predict(t.Context(), req)
					if err != nil || loaded(db) {
						t.Fatalf("%s of %s: loaded %v, %v", scorer, vertex, loaded(db), err)
					}
					req.Where = func(where.Candidate) bool { return true } // loads the graph and the vectors
					want, err := db.Links().Predict(t.Context(), req)
					if err != nil || !loaded(db) || !reflect.DeepEqual(have, want) {
						t.Errorf("%s of %s, near %d, index %v: %+v in the file, %+v loaded, %v", scorer, vertex, near, index, have, want, err)
					}
				}
			}
		}
	}
}

// A prediction that needs more than the edges around a vertex loads the graph.
func TestPredict_NotInFile(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	mustRun(t, db, "GENERATE preferential_attachment(n := 4000, m := 3, seed := 3) INTO g")
	for _, rest := range []string{"WITH katz", "WITH l3", "WITH adamic_adar WHERE degree > 1", "WITH adamic_adar ORDER BY degree"} {
		forgetLoaded(db)
		mustRun(t, db, "PREDICT 5 LINKS FOR '3999' IN g "+rest)
		if !loaded(db) {
			t.Errorf("%s did not load the graph", rest)
		}
	}
	forgetLoaded(db)
	if _, err := db.Query(context.Background(), "PREDICT 5 LINKS FOR 'nobody' IN g WITH adamic_adar", nil); err == nil || !strings.Contains(fmt.Sprint(err), "nobody") {
		t.Error(err)
	}
}
