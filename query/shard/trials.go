package shard

import (
	"context"
	"io"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/query/studies"
)

// trials is a statement that consists of independent trials, which are divided among the shards:
// EVALUATE LINKS, where a trial is a split, or the null graph after the splits, with the scorers that
// need no vectors or with one method, and each split holds out edges by its own seed; or EVALUATE
// PARAMETERS, where it is the embedding with one value of one option, and embeddings that share a
// solve repeat it in each shard.
// Its parts have the figures of the trials, and its rows, also with INTO FILE, are computed from
// all of them.
type trials struct {
	s     parser.Statement // as it was given
	inner parser.Statement // without INTO FILE
	graph string
}

// unwrapped is a statement without INTO FILE.
func unwrapped(s parser.Statement) parser.Statement {
	if into, ok := s.(*parser.IntoFile); ok {
		return into.Statement
	}
	return s
}

func (w trials) names() named   { return named{graph: w.graph} }
func (w trials) ending() string { return ".trials" }

func (w trials) check(ctx context.Context, db *query.DB) error { return explained(ctx, db, w.s) }

// divide gives each shard the same number of trials. With more shards than trials some have none.
func (w trials) divide(ctx context.Context, db *query.DB, shards int) ([]int64, error) {
	all, err := db.Studies().Trials(ctx, w.inner)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, shards)
	for i := range ends {
		_, ends[i] = bounds(all, int64(i), int64(shards))
	}
	return ends, nil
}

func (w trials) run(ctx context.Context, db *query.DB, p piece) error {
	return db.Studies().WriteTrials(ctx, studies.TrialsRequest{Statement: w.inner, First: p.first, Count: p.rows, Path: p.output, Overwrite: true})
}

func (w trials) answer(ctx context.Context, db *query.DB, parts []func() (io.ReadCloser, error)) (*rows.Rows, error) {
	return db.Studies().RunTrials(ctx, w.s, parts)
}
