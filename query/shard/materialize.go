package shard

import (
	"context"
	"fmt"
	"io"

	"heavytail/query"
	"heavytail/query/links"
	"heavytail/query/parser"
)

// materialize is MATERIALIZE PREDICTIONS, which is divided by vertices: the links of a vertex
// do not depend on those of others. All of them are computed, also where predictions are
// stored of which the statement would keep some: the records are the same.
type materialize struct{ s *parser.Materialize }

func (w materialize) names() named {
	n := named{graph: w.s.Graph.Name, indexes: true}
	switch {
	case w.s.Scorer.Of == nil:
	case w.s.Scorer.Name.Name == "model":
		n.models = []string{w.s.Scorer.Of.Name}
	default:
		n.embeddings = []string{w.s.Scorer.Of.Name}
	}
	return n
}

func (w materialize) check(ctx context.Context, db *query.DB) error {
	if w.s.Background {
		return fmt.Errorf("%w: IN BACKGROUND has no meaning for shards", ErrStatement)
	}
	_, err := db.Links().MaterializeRequestOf(ctx, w.s)
	return err
}

func (w materialize) ending() string { return ".links" }

// divide gives each shard about the same number of paths, from its vertices.
func (w materialize) divide(ctx context.Context, db *query.DB, shards int) ([]int64, error) {
	req, err := db.Links().MaterializeRequestOf(ctx, w.s)
	if err != nil {
		return nil, err
	}
	return db.Links().DivideMaterialize(ctx, req, shards)
}

func (w materialize) run(ctx context.Context, db *query.DB, p piece) error {
	req, err := db.Links().MaterializeRequestOf(ctx, w.s)
	if err != nil {
		return err
	}
	_, err = db.Links().MaterializePart(ctx, links.MaterializePartRequest{MaterializeRequest: req, First: p.first, Count: p.rows, Path: p.output, Overwrite: true})
	return err
}

func (w materialize) merge(ctx context.Context, db *query.DB, parts []func() (io.ReadCloser, error)) error {
	req, err := db.Links().MaterializeRequestOf(ctx, w.s)
	if err != nil {
		return err
	}
	_, err = db.Links().MaterializeParts(ctx, links.MaterializePartsRequest{MaterializeRequest: req, Parts: parts})
	return err
}
