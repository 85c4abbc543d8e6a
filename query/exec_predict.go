package query

import "heavytail/query/parser"

// This file runs PREDICT.

type predictOp struct {
	req   PredictForRequest // its vertex is empty for the links of the whole graph
	found *prediction
	where parser.Expr // of req.Where, for its text; may be nil
}

func (o *predictOp) exec(c *call) (*Rows, error) {
	if !o.found.of {
		r, err := c.predict(o.req.request())
		table := make([][]Value, len(r.Links))
		for i, l := range r.Links {
			table[i] = []Value{l.Source, l.Target, l.Score}
		}
		return rowsOf([]string{"source", "target", "score"}, table), err
	}
	r, err := c.predictFor(o.req)
	table := make([][]Value, len(r.Vertices))
	for i, v := range r.Vertices {
		table[i] = []Value{v.Vertex, v.Score}
	}
	return rowsOf([]string{"vertex", "score"}, table), err
}
