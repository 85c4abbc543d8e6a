package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/embedding/link"
	"heavytail/query/parser"
)

// This file is EXPLAIN SCORE.

// ExplainScoreRequest asks what the scores of a pair are made of.
type ExplainScoreRequest struct {
	Pair  Pair
	Graph string   // as in ScoreRequest
	With  []Scorer // empty is all heuristics
}

// mostCommon is how many common neighbours an explanation names.
const mostCommon = 5

// CommonNeighbor is a vertex that has edges to both of a pair.
type CommonNeighbor struct {
	Vertex string
	Degree int
	Weight float64 // 1/ln(Degree), what it adds to adamic_adar
}

// ExplainedScore is a score of a pair.
type ExplainedScore struct {
	Scorer Scorer
	Score  float64 // NaN where there is none: a vertex is newer than the embedding
	// Model says what the probability is made of, if the scorer is a model.
	Model *link.Explanation
}

// ExplainScoreResult is the answer of ExplainScore.
type ExplainScoreResult struct {
	Pair
	Linked  bool   // the graph has this edge already
	Degrees [2]int // of the two vertices
	Common  int    // number of common neighbours
	// Heaviest are those of the fewest edges, five at most: the link is likelier by
	// them than by one that everybody knows. Ties are in the order in which the
	// vertices came into the graph.
	Heaviest []CommonNeighbor
	Scores   []ExplainedScore // in the order of the request
	Notices  []Notice
}

// ExplainScore tells what the scores of a pair are made of. A vertex that is not
// there is an Error.
func (db *DB) ExplainScore(ctx context.Context, req ExplainScoreRequest) (ExplainScoreResult, error) {
	c, err := db.begin(ctx, "EXPLAIN SCORE")
	if err != nil {
		return ExplainScoreResult{}, err
	}
	defer c.end()
	result, err := c.explainScore(req)
	return result, c.wrap(err)
}

// explaining is a request whose names are resolved.
type explaining struct {
	*scoring
	with []Scorer // after the default
	u, v uint32
}

// resolveExplainScore checks a request and finds what it names.
func (c *call) resolveExplainScore(req ExplainScoreRequest) (*explaining, error) {
	e := &explaining{with: req.With}
	if len(e.with) == 0 {
		for _, s := range link.Scorers() {
			if !s.NeedsEmbedding {
				e.with = append(e.with, Scorer{Name: s.Name})
			}
		}
	}
	var err error
	if e.scoring, err = c.resolveScoring(req.Graph, e.with); err != nil {
		return nil, err
	}
	if e.u, err = c.vertex(e.graph, req.Pair.Source, partKey(0)); err != nil {
		return nil, err
	}
	e.v, err = c.vertex(e.graph, req.Pair.Target, partKey(1))
	return e, err
}

func (c *call) explainScore(req ExplainScoreRequest) (ExplainScoreResult, error) {
	e, err := c.resolveExplainScore(req)
	if err != nil {
		return ExplainScoreResult{}, err
	}
	g := e.graph.Graph
	r := ExplainScoreResult{Pair: req.Pair, Linked: g.HasEdge(e.u, e.v), Degrees: [2]int{g.Degree(e.u), g.Degree(e.v)}}
	r.Common, r.Heaviest = e.common()
	for i, w := range e.with {
		s := ExplainedScore{Scorer: w, Score: math.NaN()}
		if bound := e.scorers[i]; e.u < bound.rows && e.v < bound.rows {
			s.Score = bound.score(e.u, e.v)
			if bound.model != nil {
				parts := bound.model.Explain(e.u, e.v)
				s.Model = &parts
			}
		} else {
			c.notice("%s has no score: a vertex of the pair is newer than the embedding", w)
		}
		r.Scores = append(r.Scores, s)
	}
	r.Notices = c.notices
	return r, nil
}

// common counts the common neighbours of the pair, and returns the heaviest.
func (e *explaining) common() (n int, heaviest []CommonNeighbor) {
	g := e.graph.Graph
	common := link.Common(g, e.u, e.v)
	slices.SortStableFunc(common, func(a, b uint32) int { return cmp.Compare(g.Degree(a), g.Degree(b)) })
	for _, w := range common[:min(len(common), mostCommon)] {
		degree := g.Degree(w)
		heaviest = append(heaviest, CommonNeighbor{e.graph.Key(w), degree, 1 / math.Log(float64(degree))})
	}
	return len(common), heaviest
}

func (b *binder) explainScoreStatement(s *parser.ExplainScore) (operation, error) {
	op := &explainScoreOp{}
	if s.Graph != nil {
		b.mark(partGraph, s.Graph)
		op.req.Graph = s.Graph.Name
	} else {
		b.mark(partGraph, s)
	}
	var err error
	if op.req.Pair.Source, err = b.vertexKey(partKey(0), s.Pair.U); err != nil {
		return nil, err
	}
	if op.req.Pair.Target, err = b.vertexKey(partKey(1), s.Pair.V); err != nil {
		return nil, err
	}
	op.req.With = b.scorers(s.Scorers)
	op.found, err = b.resolveExplainScore(op.req)
	return op, err
}

type explainScoreOp struct {
	req   ExplainScoreRequest
	found *explaining
}

func (o *explainScoreOp) plan() *Plan {
	return result("explanation", "of one pair", o.found.scoring.plan())
}

func (o *explainScoreOp) exec(c *call) (*Rows, error) {
	r, err := c.explainScore(o.req)
	if err != nil {
		return nil, err
	}
	return rowsOf([]string{"item", "value", "part"}, r.rows()), nil
}

// rows is the table of EXPLAIN SCORE.
func (r ExplainScoreResult) rows() [][]Value {
	table := [][]Value{
		{"linked", r.Linked, nil},
		{"degree of " + quoteKey(r.Source), int64(r.Degrees[0]), nil},
		{"degree of " + quoteKey(r.Target), int64(r.Degrees[1]), nil},
		{"common neighbours", int64(r.Common), nil},
	}
	for _, w := range r.Heaviest {
		table = append(table, []Value{"  " + quoteKey(w.Vertex) + ", its degree and part of adamic_adar", int64(w.Degree), w.Weight})
	}
	for _, s := range r.Scores {
		table = append(table, []Value{s.Scorer.String(), number(s.Score), nil})
		if s.Model == nil {
			continue
		}
		for _, p := range s.Model.Parts {
			var value Value
			if !p.Embedding && p.Name != "bias" {
				value = p.Value
			}
			what := p.Name
			if p.Embedding {
				what += " of the embedding"
			}
			table = append(table, []Value{"  " + what, value, p.Part})
		}
		table = append(table, []Value{"  log-odds before calibration", nil, s.Model.LogOdds})
	}
	return table
}
