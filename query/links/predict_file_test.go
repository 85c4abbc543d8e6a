package links_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/where"
)

// predictBoth compares a prediction from the file with that from the loaded graph, to the last bit, and
// reports whether the graph was loaded for the first one.
func predictBoth(t *testing.T, db *query.DB, req links.PredictRequest) (links.PredictResult, bool) {
	t.Helper()
	querytest.ForgetLoaded(db)
	have, err := db.Links().Predict(t.Context(), req)
	if err != nil {
		t.Fatalf("%+v: %v", req, err)
	}
	whole := querytest.Loaded(db)
	req.Where = func(where.Candidate) bool { return true } // loads the graph and the vectors
	want, err := db.Links().Predict(t.Context(), req)
	if err != nil || !querytest.Loaded(db) || !reflect.DeepEqual(have, want) {
		t.Errorf("%+v: %+v in the file, %+v loaded, %v", req, have, want, err)
	}
	return have, whole
}

// Predictions from the file equal those from the loaded graph: by scorers of one and of two steps, by
// degrees, and by vectors with an index and without. The graph is loaded for a vertex with many edges.
func TestPredict_InFile(t *testing.T) {
	t.Parallel()
	low, one, high := 40.0, 1.0, 1e9
	half := 0.5
	for name, c := range map[string]struct {
		generate   string
		scorers    []string
		vertices   []string
		thresholds []*float64
		counts     []int
		near       []int                               // of vectors
		loads      func(req links.PredictRequest) bool // whether the graph may be loaded
		long       bool
	}{
		"one step": {
			"preferential_attachment(n := 4000, m := 3, seed := 3)", []string{"common_neighbors", "adamic_adar", "resource_allocation"}, []string{"2", "2500", "3001", "3999", "alone"},
			[]*float64{nil, &one}, []int{7}, []int{0}, func(req links.PredictRequest) bool { return len(req.Vertex) < 4 }, false,
		},
		"two steps": {
			"watts_strogatz(n := 20000, k := 4, beta := 0.1, seed := 3)", []string{"jaccard", "sorensen", "lhn", "hub_promoted", "hub_depressed"}, []string{"2", "76", "3001", "19999"},
			[]*float64{nil}, []int{7}, []int{0}, func(links.PredictRequest) bool { return false }, true,
		},
		"degrees": {
			"preferential_attachment(n := 20000, m := 4, seed := 3)", []string{"jaccard", "hub_depressed", "preferential_attachment"}, []string{"2500", "19999", "alone"},
			[]*float64{nil, &low, &high}, []int{1, 9, 40}, []int{0}, func(req links.PredictRequest) bool { return req.With.Name == "preferential_attachment" && req.K > 9 }, true,
		},
		"vectors": {
			"preferential_attachment(n := 20000, m := 4, seed := 3)", []string{"l2", "cosine", "probability"}, []string{"2500", "19999", "alone"},
			[]*float64{nil, &half}, []int{7}, []int{-1, 0, 3}, func(links.PredictRequest) bool { return false }, true,
		},
	} {
		if c.long && testing.Short() {
			continue
		}
		db := querytest.Open(t, &query.Options{IndexBytes: 1})
		querytest.MustRun(t, db, "GENERATE "+c.generate+" INTO g")
		embedding := ""
		if name == "vectors" {
			embedding = "e"
		} else {
			querytest.MustRun(t, db, "DELETE VERTEX '3', '77', '3000' FROM g")
		}
		querytest.MustRun(t, db, "INSERT VERTEX 'alone' INTO g")
		if embedding != "" {
			querytest.PutRows(t, db, 20001, 5)
		}
		for _, index := range []bool{false, true} {
			if index && embedding == "" {
				continue
			}
			if index {
				querytest.MustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 60)")
			}
			found, whole := 0, 0
			for _, scorer := range c.scorers {
				for _, vertex := range c.vertices {
					for _, threshold := range c.thresholds {
						for _, k := range c.counts {
							for _, near := range c.near {
								req := links.PredictRequest{Vertex: vertex, K: k, Graph: "g", With: catalogue.Scorer{Name: scorer, Embedding: embedding}, Threshold: threshold, Near: near}
								r, all := predictBoth(t, db, req)
								if found += len(r.Links); all {
									whole++
								}
								if all && !c.loads(req) {
									t.Errorf("%s, %+v: the graph was loaded", name, req)
								}
							}
						}
					}
				}
			}
			if found == 0 || name == "one step" && whole == 0 {
				t.Errorf("%s: %d links, and the graph was loaded %d times", name, found, whole)
			}
		}
	}
}

// The graph is loaded once the answers from the file have cost as much as loading, and EXPLAIN and
// PROFILE say what is read.
func TestPredict_InFilePlan(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 4000, m := 3, seed := 3) INTO g")
	querytest.ForgetLoaded(db)
	text := "PREDICT 5 LINKS FOR '3999' IN g WITH adamic_adar"
	if explained := querytest.MustRun(t, db, "EXPLAIN "+text); !strings.Contains(explained, "read in the file") {
		t.Error(explained)
	}
	if profile := querytest.MustRun(t, db, "PROFILE "+text); !strings.Contains(profile, "edges read in the file") || querytest.Loaded(db) {
		t.Error(profile)
	}
	answers := 1
	for ; !querytest.Loaded(db) && answers < 1000; answers++ {
		querytest.MustRun(t, db, text)
	}
	if answers < 8 || answers == 1000 {
		t.Errorf("the graph was loaded after %d answers", answers)
	}
}

// A prediction that needs more than the edges around a vertex loads the graph.
func TestPredict_NotInFile(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 4000, m := 3, seed := 3) INTO g")
	for _, rest := range []string{"WITH katz", "WITH l3", "WITH adamic_adar WHERE degree > 1", "WITH adamic_adar ORDER BY degree"} {
		querytest.ForgetLoaded(db)
		querytest.MustRun(t, db, "PREDICT 5 LINKS FOR '3999' IN g "+rest)
		if !querytest.Loaded(db) {
			t.Errorf("%s did not load the graph", rest)
		}
	}
	querytest.ForgetLoaded(db)
	if _, err := db.Query(context.Background(), "PREDICT 5 LINKS FOR 'nobody' IN g WITH adamic_adar", nil); err == nil || !strings.Contains(fmt.Sprint(err), "nobody") {
		t.Error(err)
	}
}
