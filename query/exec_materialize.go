package query

import (
	"fmt"

	"heavytail/query/parser"
	"heavytail/storage"
)

// This file binds, plans and runs the statements of predictions that are stored.

// materializeOptions are the options of MATERIALIZE PREDICTIONS.
func materializeOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "top", Type: "int", Default: fmt.Sprint(DefaultTop), Doc: "links of each vertex that are stored"},
		{Name: "near", Type: "int", Default: fmt.Sprint(DefaultNear), Doc: "how many of the nearest vertices of each are candidates too, by a scorer of vectors; at least top by default, and 0 for none"},
	}
}

func (b *binder) materializeStatement(s *parser.Materialize) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &materializeOp{req: MaterializeRequest{Graph: s.Graph.Name}, background: s.Background}
	op.req.With = b.scorers([]parser.Scorer{s.Scorer})[0]
	set, err := b.settings("MATERIALIZE PREDICTIONS", materializeOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	top, err := set.within("top", 1, storage.MaxPredicted)
	if err != nil {
		return nil, err
	}
	op.req.Top = int(top)
	if _, given := set["near"]; given {
		near, err := set.within("near", 0, 1<<20)
		if err != nil {
			return nil, err
		}
		if op.req.Near = int(near); near == 0 {
			op.req.Near = -1
		}
	}
	op.found, err = b.resolveMaterialize(op.req)
	return op, err
}

type materializeOp struct {
	req        MaterializeRequest
	found      *materializing
	background bool
}

func (o *materializeOp) spec(*call) jobSpec { return o.found.spec(o.req) }

func (o *materializeOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.materialize(o.req)
	return rowsOf([]string{"graph", "scorer", "top", "vertices", "links", "computed", "seconds"},
		[][]Value{{r.Graph, r.Scorer, int64(r.Top), int64(r.Vertices), r.Links, int64(r.Computed), r.Seconds}}), err
}

func (o *materializeOp) plan() *Plan {
	m := o.found
	which := "of all vertices"
	if !m.full {
		which = fmt.Sprintf("of the %d vertices that changes have reached, of %d", len(m.all), m.graph.Graph.Vertices())
	}
	inputs := []*Plan{m.graph.plan()}
	for _, s := range m.spaces {
		inputs = append([]*Plan{s.plan()}, inputs...)
	}
	return result("predictions", fmt.Sprintf("by %s, the %d likeliest of each vertex", o.req.With, m.top),
		measuredStep(stepScore, "candidates", which+": "+m.candidates()+", without an edge", inputs...))
}

func (b *binder) dropPredictionsStatement(s *parser.DropPredictions) (operation, error) {
	b.mark(partGraph, s.Graph)
	if err := b.writable(); err != nil {
		return nil, err
	}
	_, err := b.graphInfo(s.Graph.Name, partGraph)
	return &dropPredictionsOp{s.Graph.Name, b.scorers([]parser.Scorer{s.Scorer})[0]}, err
}

type dropPredictionsOp struct {
	graph string
	with  Scorer
}

func (o *dropPredictionsOp) exec(c *call) (*Rows, error) {
	return none(), c.dropPredictions(o.graph, o.with)
}

func (o *dropPredictionsOp) plan() *Plan {
	return result("drop predictions", fmt.Sprintf("of graph %s by %s", name(o.graph), o.with))
}

func (b *binder) predictedStatement(s *parser.Predicted) (operation, error) {
	op := &predictedOp{}
	var err error
	if op.req.K, err = b.size(partCount, s.Count); err != nil {
		return nil, err
	}
	if op.req.Vertex, err = b.vertexKey(partVertex, s.For); err != nil {
		return nil, err
	}
	b.mark(partGraph, s)
	if s.Graph != nil {
		b.mark(partGraph, s.Graph)
		op.req.Graph = s.Graph.Name
	}
	b.mark(partScorer(0), s)
	if s.Scorer != nil {
		op.req.With = b.scorers([]parser.Scorer{*s.Scorer})[0]
	}
	return op, b.resolvePredicted(&op.req)
}

type predictedOp struct{ req PredictedRequest }

func (o *predictedOp) exec(c *call) (*Rows, error) {
	r, err := c.predicted(o.req)
	table := make([][]Value, len(r.Vertices))
	for i, v := range r.Vertices {
		table[i] = []Value{v.Vertex, v.Score}
	}
	return rowsOf([]string{"vertex", "score"}, table), err
}

func (o *predictedOp) plan() *Plan {
	return result("links", fmt.Sprintf("%d of vertex %s, the likeliest first", o.req.K, quoteKey(o.req.Vertex)),
		step("predictions", fmt.Sprintf("of graph %s by %s, from the file", name(o.req.Graph), o.req.With)))
}

// predictionRows is the table of SHOW PREDICTIONS.
func predictionRows(list []PredictionSummary) *Rows {
	table := make([][]Value, len(list))
	for i, p := range list {
		table[i] = []Value{p.Graph, p.Scorer, int64(p.Top), int64(p.Vertices), p.Links, int64(p.GraphVersion), int64(p.Behind), timestamp(p.Created)}
	}
	return rowsOf([]string{"graph", "scorer", "top", "vertices", "links", "version", "behind", "created"}, table)
}
