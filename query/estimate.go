package query

import (
	"context"
	"fmt"

	"heavytail/embedding/job"
	"heavytail/query/parser"
)

// Estimate says what computing an embedding would take.
type Estimate struct {
	Bytes   int64   // of memory, beside what is held now
	Limit   int64   // of Options.MemoryLimit, which Bytes must not exceed
	Seconds float64 // on this machine, as it is now
	Dim     int     // coordinates
	Notices []Notice
}

// EstimateEmbed tells what Embed would take, without a name for the embedding. The
// time comes from measurements on the graph that take some tenths of a second: of
// a method that walks it is right to some tens of per cent on an idle machine, of a
// spectral one, whose spectrum nobody knows before, to a factor of three as a rule.
// Embed itself refuses what would take more memory than allowed.
func (db *DB) EstimateEmbed(ctx context.Context, req EmbedRequest) (Estimate, error) {
	c, err := db.begin(ctx, "ESTIMATE EMBED")
	if err != nil {
		return Estimate{}, err
	}
	defer c.end()
	e, err := c.resolveEstimate(req, sortedSettings(req.Settings))
	if err != nil {
		return Estimate{}, c.wrap(err)
	}
	estimate, err := c.estimate(e)
	return estimate, c.wrap(err)
}

// resolveEstimate checks what is to be estimated; nothing will be written.
func (c *call) resolveEstimate(req EmbedRequest, given []setting) (*embedding, error) {
	e := &embedding{}
	var err error
	if e.method, err = findMethod(req.Method); err != nil {
		return nil, err
	}
	if e.settings, e.options, err = methodOptions(e.method, given); err != nil {
		return nil, err
	}
	e.graph, err = c.embeddable(req.Graph)
	return e, err
}

func (c *call) estimate(e *embedding) (Estimate, error) {
	estimate := Estimate{Bytes: e.bytes(), Limit: c.db.opts.MemoryLimit, Dim: int(e.dim())}
	release, err := c.db.cache.reserve(estimate.Bytes, "embedding graph "+name(e.graph.Info.Name))
	if err != nil {
		c.notice("it would be refused: %v", err)
		estimate.Notices = c.notices
		return estimate, nil
	}
	defer release() // measuring takes as much as computing does
	stop := c.watch.start(stepSolve)
	estimate.Seconds, err = job.Seconds(c.ctx, e.graph.Graph, e.method.Name, e.options, c.db.opts.Workers)
	stop(0, "")
	estimate.Notices = c.notices
	return estimate, err
}

type estimateOp struct {
	found *embedding
	text  string // the method in the language
}

func (o *estimateOp) exec(c *call) (*Rows, error) {
	r, err := c.estimate(o.found)
	if err != nil {
		return nil, err
	}
	var seconds Value
	if r.Seconds > 0 {
		seconds = r.Seconds
	}
	return rowsOf([]string{"graph", "method", "dim", "bytes", "limit", "seconds"},
		[][]Value{{o.found.graph.Info.Name, o.found.method.Name, int64(r.Dim), r.Bytes, r.Limit, seconds}}), nil
}

func (o *estimateOp) plan() *Plan {
	return result("estimate", fmt.Sprintf("of memory and time of %s", o.text), measuredStep(stepSolve, "measurement", "of its kernels, on the graph", o.found.graph.plan()))
}

// estimateStatement binds ESTIMATE EMBED.
func (b *binder) estimateStatement(s *parser.Estimate) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partMethod, s.Method.Name)
	given, err := b.given(s.Method.Options)
	if err != nil {
		return nil, err
	}
	op := &estimateOp{text: s.Method.String()}
	op.found, err = b.resolveEstimate(EmbedRequest{Graph: s.Graph.Name, Method: s.Method.Name.Name}, given)
	return op, err
}
