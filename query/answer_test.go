package query_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/parser"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// TestAnswer compares the rows of requests with those of the statements that mean the
// same.
func TestAnswer(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.MustExec(t, db, "GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO g")
	querytest.MustExec(t, db, "EMBED g USING dp_spectral(dim := 4, normalization := 'degree') AS e")
	querytest.MustExec(t, db, "EMBED g USING dp_spectral(dim := 4, beta := 1) AS e")
	file := t.TempDir() + "/f"
	neighbours := catalogue.Scorer{Name: "common_neighbors"}
	for _, tt := range []struct {
		statement string
		request   any
		text      string
	}{
		{"DESCRIBE GRAPH", graphs.DescribeGraphRequest{Graph: "g"}, "DESCRIBE GRAPH g"},
		{"DESCRIBE EMBEDDING", "e", "DESCRIBE EMBEDDING e ALL"},
		{"SHOW", parser.Graphs, "SHOW GRAPHS"},
		{"DROP PREDICTIONS", nil, ""},
		{"SHOW VERTICES", graphs.VerticesRequest{Graph: "g", Limit: 3}, "SHOW VERTICES IN g LIMIT 3"},
		{"SHOW EDGES", graphs.EdgesRequest{Graph: "g", Limit: 3, OrderBy: "weight", Columns: []string{"weight", "degree"}}, "SHOW EDGES IN g COLUMNS weight, degree ORDER BY weight LIMIT 3"},
		{"COUNT VERTICES", graphs.CountVerticesRequest{Graph: "g"}, "COUNT VERTICES IN g"},
		{"COUNT EDGES", graphs.CountEdgesRequest{Graph: "g"}, "COUNT EDGES IN g"},
		{"NEAREST", vectors.NearestRequest{K: 3, Embedding: "e", Vertex: "1", Metric: index.Cosine}, "NEAREST 3 TO '1' USING cosine(e)"},
		{"SCORE", links.ScoreRequest{Pairs: []links.Pair{{Source: "1", Target: "2"}}, Graph: "g", With: []catalogue.Scorer{neighbours}}, "SCORE ('1', '2') IN g WITH common_neighbors"},
		{"EXPLAIN SCORE", links.ScoreRequest{Pairs: []links.Pair{{Source: "1", Target: "2"}}, Graph: "g"}, "EXPLAIN SCORE ('1', '2') IN g"},
		{"PREDICT", links.PredictRequest{K: 3, Graph: "g", With: neighbours}, "PREDICT 3 LINKS IN g WITH common_neighbors"},
		{"PREDICT", links.PredictRequest{K: 3, Graph: "g", Vertex: "1", With: neighbours}, "PREDICT 3 LINKS FOR '1' IN g WITH common_neighbors"},
		{"EVALUATE LINKS", studies.EvaluateLinksRequest{Graph: "g", Methods: []studies.LinkMethod{{Using: vectors.DPSpectral{Dim: 4, Beta: new(1.0)}}}, Seed: 2},
			"EVALUATE LINKS IN g USING dp_spectral(dim := 4, beta := 1) WITH (seed := 2)"},
		{"EXPORT PAIRS", studies.ExportPairsRequest{Evaluation: studies.EvaluateLinksRequest{Graph: "g", Seed: 2}, Path: file + ".csv", Overwrite: true},
			"EXPORT PAIRS OF g INTO FILE '" + file + ".csv' WITH (seed := 2, overwrite := TRUE)"},
		{"EVALUATE PARAMETERS", studies.EvaluateParametersRequest{Graph: "g", Using: vectors.DPSpectral{Dim: 4}, Vary: []studies.Variation{{Option: "beta", Values: []float64{0, 1}}}},
			"EVALUATE PARAMETERS IN g USING dp_spectral(dim := 4) WITH (beta := '0,1')"},
		{"EVALUATE RECONSTRUCTION", vectors.EvaluateReconstructionRequest{Embedding: "e"}, "EVALUATE RECONSTRUCTION OF e"},
		{"RECONSTRUCT", vectors.ReconstructRequest{Embedding: "e", Epsilon: 0.4}, "RECONSTRUCT e EPSILON 0.4"},
		{"SHOW GENERATIONS", "e", "SHOW GENERATIONS OF e"},
		{"EXPORT VERTICES", files.ExportRequest{Name: "g", Path: file + ".csv", Overwrite: true}, "EXPORT VERTICES OF g INTO FILE '" + file + ".csv' WITH (overwrite := TRUE)"},
		{"IMPORT", graphs.ImportRequest{Graph: "g", Path: "missing"}, ""},
		{"CHECK", nil, "CHECK"},
	} {
		rows, err := db.Answer(t.Context(), tt.statement, tt.request)
		if tt.text == "" {
			if err == nil {
				t.Errorf("%s: no error", tt.statement)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.statement, err)
			continue
		}
		asked, err := db.Query(t.Context(), tt.text, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if !slices.Equal(rows.Columns(), asked.Columns()) || !reflect.DeepEqual(rows.Notices(), asked.Notices()) {
			t.Errorf("%s: columns %v and notices %v, of the statement %v and %v", tt.statement, rows.Columns(), rows.Notices(), asked.Columns(), asked.Notices())
		}
		n := 0
		for ; rows.Next() && asked.Next(); n++ {
			if !reflect.DeepEqual(rows.Row(), asked.Row()) {
				t.Errorf("%s: row %v, of the statement %v", tt.statement, rows.Row(), asked.Row())
			}
		}
		if asked.Next() || rows.Next() || n == 0 && tt.statement != "CHECK" {
			t.Errorf("%s: %d rows, and more of one", tt.statement, n)
		}
	}
}

// TestAnswer_Given gives an option apart from the request.
func TestAnswer_Given(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b\n")
	path := filepath.Join(t.TempDir(), "edges")
	if _, err := db.Answer(t.Context(), "EXPORT GRAPH", files.ExportRequest{Name: "g", Path: path}, option.Given{Name: "format", Value: "graphml"}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Contains(text, []byte("<graphml")) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestAnswer_Mistakes gives what no statement takes, and a closed database.
func TestAnswer_Mistakes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	var mistake *fault.Error
	for statement, request := range map[string]any{"IMPORT": nil, "CHECK": 3, "SHOW": "GRAPHS", "SELECT": nil} {
		if _, err := db.Answer(t.Context(), statement, request); !errors.As(err, &mistake) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	var failed *fault.StatementError
	if _, err := new(query.DB).Answer(t.Context(), "CHECK", nil); !errors.Is(err, fault.ErrClosed) || !errors.As(err, &failed) || failed.Statement != "CHECK" {
		t.Errorf("a zero DB: %v", err)
	}
	for _, statement := range []string{"IMPORT", "CHECK"} {
		request := map[string]any{"IMPORT": graphs.ImportRequest{Graph: "g", Path: "x"}}[statement]
		if _, err := db.Answer(t.Context(), statement, request, option.Given{Name: "bold", Value: true}); !errors.As(err, &mistake) {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if _, err := db.Answer(t.Context(), "IMPORT", graphs.ImportRequest{Graph: "g", Path: "x", Repeated: "mean"}); !errors.As(err, &mistake) || mistake.Option != "repeated" || len(mistake.Expected) != len(storage.Repeats()) {
		t.Errorf("an import: %v", err)
	}
}
