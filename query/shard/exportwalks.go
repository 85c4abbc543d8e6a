package shard

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// exportWalks is EXPORT WALKS, which is divided by the numbers of the walks: each walk
// follows from its number, so that a shard reads nothing but the graph.
type exportWalks struct{ s *parser.ExportWalks }

func (w exportWalks) output() parser.Value { return w.s.File }
func (w exportWalks) endings() []string    { return []string{".txt", ".walks", parquetEnding} }
func (w exportWalks) headed() bool         { return false }
func (w exportWalks) names() named         { return named{graph: w.s.Graph.Name} }

func (w exportWalks) divide(ctx context.Context, db *query.DB, shards int) ([]int64, error) {
	if err := notDivided(w.s.Options); err != nil {
		return nil, err
	}
	each, err := w.each()
	if err != nil {
		return nil, err
	}
	graphs, err := db.Graphs().List(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(graphs, func(g storage.GraphInfo) bool { return g.Name == w.s.Graph.Name })
	if i < 0 {
		return nil, fmt.Errorf("graph %s was dropped: %w", w.s.Graph.Name, ErrChanged)
	}
	ends := make([]int64, shards)
	for j := range ends {
		_, ends[j] = bounds(each*int64(graphs[i].Vertices), int64(j), int64(shards))
	}
	return ends, nil
}

// each is the number of walks of each vertex: the option walks of the method.
func (w exportWalks) each() (int64, error) {
	const name = "walks"
	for _, o := range w.s.Method.Options {
		if o.Name.Name == name {
			return strconv.ParseInt(fmt.Sprint(o.Value), 10, 64)
		}
	}
	for _, m := range vectors.Methods() {
		for _, o := range m.Options {
			if m.Name == w.s.Method.Name.Name && o.Name == name {
				return strconv.ParseInt(o.Default, 10, 64)
			}
		}
	}
	return 0, fmt.Errorf("%w: method %s has no walks", ErrStatement, w.s.Method.Name.Name)
}

func (w exportWalks) on(p piece) parser.Statement {
	s := *w.s
	s.File, s.Options = text(p.output), p.options()
	return &s
}
