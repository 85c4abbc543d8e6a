package query_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/querytest"
)

// stopping is a context that is cancelled just after a number of calls of Err.
type stopping struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func (s *stopping) Err() error {
	err := s.Context.Err()
	if s.left.Add(-1) == 0 {
		s.cancel()
	}
	return err
}

// TestQuery_StoppedAnywhere stops statements whose work continues until it ends after they have
// returned: the race detector finds what both write, and no answer may be that of a part.
func TestQuery_StoppedAnywhere(t *testing.T) {
	db, err := query.Open(t.TempDir()+"/g.ht", &query.Options{NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range []string{
		"CREATE GRAPH g",
		"INSERT EDGES ('a', 'b'), ('b', 'c'), ('c', 'd'), ('d', 'a'), ('d', 'e') INTO g",
		"INSERT VERTICES 'a' (l := 'x'), 'b' (l := 'y'), 'c' (l := 'x'), 'd' (l := 'y') INTO g",
		"EMBED g USING laplacian_eigenmaps(dim := 2) AS e",
		"INSERT EDGE ('e', 'new') INTO g",
	} {
		querytest.MustRun(t, db, text)
	}
	for _, text := range []string{
		"PATH FROM 'a' TO 'new' IN g",
		"RECONSTRUCT e RADIUS 1",
		"CREATE GRAPH h AS SUBGRAPH OF g WHERE degree >= 1",
		"CREATE GRAPH i AS COMPONENT OF g",
		"COMPUTE core IN g",
		"EVALUATE LABELS 'l' OF e WITH (fractions := '0.5')",
		"TUNE g USING laplacian_eigenmaps FOR LABELS AS best WITH (attribute := 'l', trials := 1)",
	} {
		const most = 1000
		for left := int64(1); ; left += 1 + left/16 {
			ctx := &stopping{}
			ctx.Context, ctx.cancel = context.WithCancel(t.Context())
			ctx.left.Store(left)
			rows, err := db.Query(ctx, text, nil)
			ctx.cancel()
			if err == nil && rows.Next() {
				break
			}
			if !errors.Is(err, context.Canceled) || left > most {
				t.Fatalf("%s, stopped after %d: %v, %v", text, left, rows, err)
			}
		}
	}
}
