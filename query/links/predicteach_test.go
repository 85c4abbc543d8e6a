package links_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/storage"
)

// TestEachPredict_Ends iterates while the context ends, and while the predictions are replaced:
// the error comes last, in one line, with an empty row.
func TestEachPredict_Ends(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.ExecAll(t, db, "GENERATE preferential_attachment(n := 3000, m := 3, seed := 2) INTO g")
	w := catalogue.Scorer{Name: "adamic_adar"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended error
	for row, err := range db.Links().EachPredict(ctx, links.PredictRequest{K: 2, Graph: "g", With: w}) {
		cancel()
		if ended = err; err != nil && row != (links.PredictedLink{}) {
			t.Errorf("row %+v with error %v", row, err)
		}
	}
	if !errors.Is(ended, context.Canceled) || strings.Contains(ended.Error(), "\n") {
		t.Errorf("cancelled: %v", ended)
	}
	querytest.ExecAll(t, db, "MATERIALIZE PREDICTIONS FROM adamic_adar IN g WITH (top := 2)")
	rows := 0
	for _, err := range db.Links().EachPredict(t.Context(), links.PredictRequest{Stored: true, K: 2, Graph: "g"}) {
		if rows++; rows == 1 {
			querytest.ExecAll(t, db, "MATERIALIZE PREDICTIONS FROM adamic_adar IN g WITH (top := 3)")
		}
		ended = err
	}
	if !errors.Is(ended, storage.ErrConflict) || rows > 2*1024+1 {
		t.Errorf("replaced after one row: %d rows, %v", rows, ended)
	}
}
