package query

import "heavytail/storage"

// This file runs the statements about the generations of an embedding.

type refreshOp struct {
	req        RefreshRequest
	info       storage.EmbeddingInfo // as it is before
	graph      *graphView
	changes    storage.ChangeSet
	background bool
}

func (o *refreshOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.refresh(o.req)
	if err != nil {
		return nil, err
	}
	var residual, mean, most Value
	if r.Kind == RefreshIncremental {
		mean, most = r.MeanDrift, r.MaxDrift
		if r.Refined > 0 {
			residual = r.Residual
		}
	}
	return rowsOf([]string{"embedding", "kind", "generation", "versions", "touched", "residual", "mean_drift", "max_drift", "seconds", "reason"},
		[][]Value{{r.To.Name, string(r.Kind), int64(r.To.Generation), int64(r.Versions), int64(r.Touched), residual, mean, most, r.Seconds, r.Reason}}), nil
}

type autoRefreshOp struct {
	embedding string
	auto      storage.AutoRefresh
}

func (o *autoRefreshOp) exec(c *call) (*Rows, error) {
	info, err := c.autoRefresh(o.embedding, o.auto)
	return rowsOf([]string{"embedding", "refresh"}, [][]Value{{info.Name, autoText(info.Auto)}}), err
}

type verifyOp struct {
	req        VerifyRequest
	found      *space
	background bool
}

func (o *verifyOp) exec(c *call) (*Rows, error) {
	if o.background && c.job == nil {
		return c.queued(o)
	}
	r, err := c.verify(o.req)
	if err != nil {
		return nil, err
	}
	var table [][]Value
	for _, m := range r.Measures {
		table = append(table, []Value{m.Name, number(m.Stored), number(m.Full)})
	}
	return rowsOf([]string{"measure", "stored", "full"}, table), nil
}

type showGenerationsOp struct{ embedding string }

func (o *showGenerationsOp) exec(c *call) (*Rows, error) {
	list, err := c.generations(o.embedding)
	var table [][]Value
	for _, g := range list {
		made := "embed"
		if g.Refresh != "" {
			made = "refresh, " + string(g.Refresh)
		}
		table = append(table, []Value{g.Name, int64(g.Generation), int64(g.GraphVersion), int64(g.Behind), int64(g.Vertices), made, timestamp(g.Created)})
	}
	return rowsOf([]string{"embedding", "generation", "version", "behind", "vertices", "made", "created"}, table), err
}

type diffOp struct {
	req           DiffRequest
	before, after *space
}

func (o *diffOp) exec(c *call) (*Rows, error) {
	r, err := c.diff(o.req)
	var table [][]Value
	for _, m := range r.Moved {
		table = append(table, []Value{m.Vertex, m.Distance, m.Relative})
	}
	return rowsOf([]string{"vertex", "distance", "relative"}, table), err
}
