package shard

import (
	"context"
	"math"

	"heavytail/query"
	"heavytail/query/parser"
)

// reconstruct is RECONSTRUCT … INTO FILE at one radius, which is divided by vertices: a
// shard has the edges from its vertices to those behind them.
type reconstruct struct{ s *parser.Reconstruct }

func (w reconstruct) output() parser.Value { return w.s.File }
func (w reconstruct) endings() []string    { return []string{".edges", ".txt", ".edgelist", ".el"} }
func (w reconstruct) headed() bool         { return true }
func (w reconstruct) names() named         { return named{embeddings: []string{w.s.Embedding.Name}} }

// divide gives each shard the same number of pairs of vectors. A vector is compared with
// those behind it, so that the first ones have the most to do.
func (w reconstruct) divide(ctx context.Context, db *query.DB, shards int) ([]int64, error) {
	if err := notDivided(w.s.Options); err != nil {
		return nil, err
	}
	known, err := db.Vectors().List(ctx)
	e, err := embedding(known, err, w.s.Embedding.Name)
	if err != nil {
		return nil, err
	}
	ends := make([]int64, shards)
	for i := range ends {
		left := 1 - float64(i+1)/float64(shards) // of the pairs, which are as the square of the vectors
		ends[i] = int64(e.Vertices) - int64(math.Round(float64(e.Vertices)*math.Sqrt(left)))
	}
	return ends, nil
}

func (w reconstruct) on(p piece) parser.Statement {
	s := *w.s
	s.File, s.Options = text(p.output), p.options()
	return &s
}
