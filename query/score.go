package query

import (
	"context"
	"slices"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/parser"
)

// ScoreRequest asks for the scores of some pairs.
type ScoreRequest struct {
	Pairs []Pair
	// Graph has the vertices of the pairs. It may be empty if an embedding or
	// a model determines it, or if the file has one graph.
	Graph string
	With  []Scorer // at least one
}

// ScoreResult is the answer of Score: the pairs in the order of the request.
type ScoreResult struct {
	Pairs   []ScoredPair `json:"pairs"`
	Missing int          `json:"missing"` // number of pairs with an unknown vertex
	Notices []Notice     `json:"notices,omitempty"`
}

var score = &statement[*parser.Score, ScoreRequest, *scorerEntries, ScoreResult]{
	help: Help{
		Statement: "SCORE", Syntax: "SCORE (vertex, vertex), … [IN graph] WITH scorer | scorer(embedding) | model(model), …",
		Summary: "scores how likely a link between two vertices is; SHOW SCORERS lists the scorers",
		Columns: "source, target, and one column for each scorer",
		Example: "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)",
	},
	bind: func(b *binder, s *parser.Score) (req ScoreRequest) {
		req.Graph = b.markGraph(s.Graph, s)
		b.Settings("SCORE", nil, s.Options)
		for _, p := range s.Pairs {
			req.Pairs = append(req.Pairs, Pair{b.Key(fault.Vertex, p.U), b.Key(fault.Vertex, p.V)})
		}
		req.With = b.scorers(s.Scorers...)
		return req
	},
	resolve: func(c *call, req ScoreRequest) (*scorerEntries, error) {
		found, err := c.scorerEntries(req.Graph, req.With)
		if err != nil {
			return nil, err
		}
		return found, c.checkRows(len(req.Pairs))
	},
	plan: func(req ScoreRequest, found *scorerEntries) *plan.Plan {
		return plan.Result("scores", fault.Count(int64(len(req.Pairs)), "pair"), found.partPlan(req.With))
	},
	run: runScore,
	rows: func(req ScoreRequest, r ScoreResult) *Rows {
		return rowsOf(scoreColumns(req.With, nil), ofEach(r.Pairs, ScoredPair.row)).typedFrom(2, scoreTypes(len(req.With)))
	},
	reads: true,
}

// Score scores pairs of vertices. A pair with an unknown vertex is counted in
// Missing and stays in the result without scores.
func (db *DB) Score(ctx context.Context, req ScoreRequest) (ScoreResult, error) {
	return score.answer(ctx, db, req)
}

func runScore(c *call, req ScoreRequest, found *scorerEntries) (ScoreResult, error) {
	if err := c.readScored(found, req.Pairs, nil); err != nil {
		return ScoreResult{}, err
	}
	s, err := c.scoring(found)
	if err != nil {
		return ScoreResult{}, err
	}
	stop := c.Watch.Start(plan.Score)
	scored, err := s.all(c, req.Pairs)
	if err != nil {
		return ScoreResult{}, err
	}
	stop(int64(len(scored)), "")
	s.noteMissing(c)
	return ScoreResult{Pairs: scored, Missing: int(s.missing), Notices: c.Notices}, nil
}

func scoreColumns(with []Scorer, further []string) []string {
	return slices.Concat([]string{"source", "target"}, further, scorerColumns(with))
}

func (p ScoredPair) row() []Value {
	row := make([]Value, 0, 2+len(p.Further)+len(p.Scores))
	row = append(row, p.Source, p.Target)
	for _, text := range p.Further {
		row = append(row, text)
	}
	for _, x := range p.Scores {
		row = append(row, number(x))
	}
	return row
}
