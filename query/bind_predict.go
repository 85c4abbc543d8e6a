package query

import (
	"fmt"

	"heavytail/query/parser"
)

// This file binds PREDICT.

// predictOptions are the options of PREDICT.
func predictOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "near", Type: "int", Default: fmt.Sprint(DefaultNear), Doc: "how many of the nearest vertices of each are candidates too, by a scorer of vectors; for one vertex at least n by default, and 0 for none"},
	}
}

// linkedToPredict is why linked has no meaning in PREDICT.
const linkedToPredict = "links that are there are left out in any case"

func (b *binder) predictStatement(s *parser.Predict) (operation, error) {
	op := &predictOp{where: s.Where}
	var err error
	if op.req.K, err = b.size(partCount, s.Count); err != nil {
		return nil, err
	}
	if s.For != nil {
		if op.req.Vertex, err = b.key(s.For); err != nil {
			return nil, err
		}
		if op.req.Vertex == "" {
			return nil, mistake(partVertex, "the key of a vertex is empty")
		}
	}
	b.mark(partGraph, s)
	if s.Graph != nil {
		b.mark(partGraph, s.Graph)
		op.req.Graph = s.Graph.Name
	}
	op.req.With = b.scorers([]parser.Scorer{s.Scorer})[0]
	set, err := b.settings("PREDICT", predictOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if _, given := set["near"]; given {
		near, err := set.within("near", 0, 1<<20)
		if err != nil {
			return nil, err
		}
		if op.req.Near = int(near); near == 0 {
			op.req.Near = -1
		}
	}
	// The condition reads attributes of the graph, which an embedding may name.
	scorers, err := b.resolveScoring(op.req.Graph, []Scorer{op.req.With})
	if err != nil {
		return nil, err
	}
	op.req.Graph = scorers.graph.Info.Name
	where, err := b.where(s.Where, scorers.graph.Info, linkedToPredict)
	if err != nil {
		return nil, err
	}
	op.req.Where, op.req.Attributes = where.admits, where.attributes
	if s.For == nil {
		op.found, err = b.resolvePredict(op.req.request())
	} else {
		op.found, err = b.resolvePredictFor(op.req)
	}
	return op, err
}
