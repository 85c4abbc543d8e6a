package shard

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage"
)

// exportWalks is EXPORT WALKS, which is divided by the numbers of the walks: each walk
// follows from its number, so that a shard reads nothing but the graph.
type exportWalks struct{ s *parser.ExportWalks }

var exportWalksJob = job{
	form: "EXPORT WALKS … INTO FILE 'x.txt'",
	take: func(s parser.Statement) divisible {
		if s, ok := s.(*parser.ExportWalks); ok {
			return exportWalks{s}
		}
		return nil
	},
}

func (w exportWalks) output() parser.Value { return w.s.File }
func (w exportWalks) endings() []string    { return []string{".txt", ".walks"} }
func (w exportWalks) names() named         { return named{graph: w.s.Graph.Name} }

// count is the number of walks: those of each vertex, for all vertices.
func (w exportWalks) count(ctx context.Context, db *query.DB) (int64, error) {
	for _, o := range w.s.Options {
		if o.Name.Name == "first" || o.Name.Name == "count" {
			return 0, fmt.Errorf("%w: the option %s divides it already", ErrStatement, o.Name.Name)
		}
	}
	each, err := w.each()
	if err != nil {
		return 0, err
	}
	graphs, err := db.Graphs(ctx)
	if err != nil {
		return 0, err
	}
	i := slices.IndexFunc(graphs, func(g storage.GraphInfo) bool { return g.Name == w.s.Graph.Name })
	if i < 0 {
		return 0, fmt.Errorf("graph %s was dropped: %w", w.s.Graph.Name, ErrChanged)
	}
	return each * int64(graphs[i].Vertices), nil
}

// each is the number of walks of each vertex: the option walks of the method.
func (w exportWalks) each() (int64, error) {
	const name = "walks"
	for _, o := range w.s.Method.Options {
		if o.Name.Name == name {
			return strconv.ParseInt(fmt.Sprint(o.Value), 10, 64)
		}
	}
	for _, m := range query.Methods() {
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
	s.File = text(p.output)
	s.Options = []parser.Option{
		option("overwrite", parser.Bool{Value: true}),
		option("first", parser.Int{Value: p.first}), option("count", parser.Int{Value: p.rows}),
	}
	return &s
}
