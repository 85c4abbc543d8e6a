package studies_test

import (
	"encoding/csv"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// exportedPairs are the rows of a file of EXPORT PAIRS, by column.
func exportedPairs(t *testing.T, db *query.DB, req studies.EvaluateLinksRequest) []map[string]string {
	t.Helper()
	path := t.TempDir() + "/pairs.csv"
	written, err := db.Studies().ExportPairs(t.Context(), studies.ExportPairsRequest{Evaluation: req, Path: path})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil || int64(len(records)-1) != written.Rows {
		t.Fatalf("%d records for %d rows, %v", len(records), written.Rows, err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestDB_ExportPairs compares the AUC of every scorer with that of all pairs of an edge
// and another pair in the file.
func TestDB_ExportPairs(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	req := studies.EvaluateLinksRequest{
		Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.DPSpectral{Dim: 4}}, {Using: vectors.LaplacianEigenmaps{Dim: 4}}},
		Negatives: evaluate.AllNegatives(), Scorers: []string{"l3", "l2", "cosine"}, Features: []string{"l1"}, Share: 0.1, Seed: 7, Training: 200, Model: !testing.Short(),
	}
	result, err := db.Studies().EvaluateLinks(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	rows := exportedPairs(t, db, req)
	for _, s := range result.Scores {
		column := scorerText(s.Scorer, s.Learned)
		if s.Method >= 0 {
			column = []string{"dp_spectral.", "laplacian_eigenmaps."}[s.Method] + column
		}
		scores := map[string][]float64{}
		for _, row := range rows {
			if row["negatives"] == string(s.Negatives) && row["part"] == "held_out" {
				x, err := strconv.ParseFloat(row[column], 64)
				if err != nil {
					t.Fatalf("%s: %v", column, err)
				}
				scores[row["label"]] = append(scores[row["label"]], x)
			}
		}
		won := 0.0
		for _, edge := range scores["1"] {
			for _, other := range scores["0"] {
				switch {
				case edge > other:
					won++
				case edge == other:
					won += 0.5
				}
			}
		}
		if auc := won / float64(len(scores["1"])*len(scores["0"])); !(math.Abs(auc-s.AUC) < 1e-12) {
			t.Errorf("%s, %s: %v of the file, %v printed", s.Negatives, column, auc, s.AUC)
		}
	}
}

// TestDB_ExportPairs_Rankings compares recall and reciprocal rank with those of the file.
func TestDB_ExportPairs_Rankings(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	req := studies.EvaluateLinksRequest{
		Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.DPSpectral{Dim: 4}}}, Scorers: []string{"l3", "l2"}, Features: []string{"l1"},
		Share: 0.1, Seed: 7, Training: 200, RankAt: 5, RankVertices: 40, Model: true,
	}
	result, err := db.Studies().EvaluateLinks(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	rows := exportedPairs(t, db, req)
	for _, s := range result.Rankings {
		recall, reciprocal := map[string][2]float64{}, map[string]float64{}
		last := math.Inf(1)
		for _, row := range rows {
			if row["scorer"] != scorerText(s.Scorer, s.Learned) || (row["method"] != "") != (s.Method == 0) {
				continue
			}
			counts := recall[row["u"]]
			rank, _ := strconv.Atoi(row["rank"])
			if row["label"] == "1" {
				counts[1]++
				if rank > 0 {
					counts[0]++
					reciprocal[row["u"]] = max(reciprocal[row["u"]], 1/float64(rank))
				}
			}
			recall[row["u"]] = counts
			if rank > 0 {
				score, err := strconv.ParseFloat(row["score"], 64)
				if err != nil || rank > 1 && score > last {
					t.Fatalf("%s: rank %d of %s has the score %v after %v, %v", s.Scorer, rank, row["u"], score, last, err)
				}
				last = score
			}
		}
		sum, first := 0.0, 0.0
		for _, u := range slices.Sorted(maps.Keys(recall)) {
			sum += recall[u][0] / recall[u][1]
			first += reciprocal[u]
		}
		n := float64(len(recall))
		if len(recall) != 40 || !(math.Abs(sum/n-s.Recall.Mean) < 1e-12) || !(math.Abs(first/n-s.MRR.Mean) < 1e-12) {
			t.Errorf("%s: %d vertices, recall %v and mrr %v of the file, %v and %v printed", s.Scorer, len(recall), sum/n, first/n, s.Recall.Mean, s.MRR.Mean)
		}
	}
}

// scorerText is the name of a scorer or model in tables.
func scorerText(scorer string, learned bool) string {
	if learned && scorer != "model" {
		return "logistic(" + scorer + ")"
	}
	return scorer
}
