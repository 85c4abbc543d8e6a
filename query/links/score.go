package links

import (
	"context"
	"errors"
	"slices"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// ScoreRequest asks for the scores of some pairs.
type ScoreRequest struct {
	Pairs []Pair
	// Graph has the vertices of the pairs. It may be empty if an embedding or
	// a model determines it, or if the file has one graph.
	Graph string
	With  []catalogue.Scorer // at least one
}

// ScoreResult is the answer of Score: the pairs in the order of the request.
type ScoreResult struct {
	Pairs   []ScoredPair  `json:"pairs"`
	Missing int           `json:"missing"` // number of pairs with an unknown vertex
	Notices []rows.Notice `json:"notices,omitempty"`
}

var score = &engine.Statement[*parser.Score, ScoreRequest, *scorerEntries, ScoreResult]{
	Help: help.Statement{
		Statement: "SCORE",
		Summary:   "scores how likely a link between two vertices is; SHOW SCORERS lists the scorers",
		Columns:   "source, target, and one column for each scorer",
		Example:   "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)",
	},
	Bind: func(b *engine.Binder, s *parser.Score) (req ScoreRequest) {
		req.Graph = b.MarkGraph(s.Graph, s)
		b.Settings("SCORE", nil, s.Options)
		for _, p := range s.Pairs {
			req.Pairs = append(req.Pairs, Pair{b.Key(fault.Vertex, p.U), b.Key(fault.Vertex, p.V)})
		}
		req.With = scorers(b, s.Scorers...)
		return req
	},
	Resolve: func(c *engine.Call, req ScoreRequest) (*scorerEntries, error) {
		found, err := findScorers(c, req.Graph, req.With)
		if err != nil {
			return nil, err
		}
		return found, c.CheckRows(len(req.Pairs))
	},
	Plan: func(req ScoreRequest, found *scorerEntries) *plan.Plan {
		return plan.Result("scores", fault.Count(int64(len(req.Pairs)), "pair"), found.partPlan(req.With))
	},
	Run: runScore,
	Rows: func(req ScoreRequest, r ScoreResult) *rows.Rows {
		return cells.RowsOf(scoreColumns(req.With, nil), lists.Map(r.Pairs, ScoredPair.Row)).TypedFrom(2, cells.ScoreTypes(len(req.With)))
	},
	Reads: true,
}

// Score scores pairs of vertices. A pair with an unknown vertex is counted in
// Missing and stays in the result without scores.
func (s *Service) Score(ctx context.Context, req ScoreRequest) (ScoreResult, error) {
	return score.Answer(ctx, s.db, req)
}

func runScore(c *engine.Call, req ScoreRequest, found *scorerEntries) (ScoreResult, error) {
	if err := readScored(c, found, req.Pairs, nil); err != nil {
		return ScoreResult{}, err
	}
	s, err := loadScoring(c, found)
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

func scoreColumns(with []catalogue.Scorer, further []string) []string {
	return slices.Concat([]string{"source", "target"}, further, scorerColumns(with))
}

// Row is the row of a table with the pair, its further columns and its scores.
func (p ScoredPair) Row() []rows.Value {
	row := make([]rows.Value, 0, 2+len(p.Further)+len(p.Scores))
	row = append(row, p.Source, p.Target)
	for _, text := range p.Further {
		row = append(row, text)
	}
	for _, x := range p.Scores {
		row = append(row, cells.Number(x))
	}
	return row
}

// readScored reads what scorers need for pairs, unless a scorer reads more of the graph than the
// rows of some vertices. also, which may be nil, reads more for the pair.
func readScored(c *engine.Call, found *scorerEntries, pairs []Pair, also func(p *storage.GraphPart, u, v uint32) error) error {
	if !found.readsPart() {
		return nil
	}
	var ends []uint32
	err := c.ReadPart(found.graph, nil, func(v *storage.GraphView, p *storage.GraphPart) error {
		for _, pair := range pairs {
			a, foundA, err := vertexIn(v, pair.Source)
			if err != nil {
				return err
			}
			b, foundB, err := vertexIn(v, pair.Target)
			if err != nil {
				return err
			}
			if !foundA || !foundB {
				continue
			}
			p.Name(a, b)
			ends = append(ends, a, b)
			for _, s := range found.scorers {
				if err := link.ReadPair(p, s.Name, a, b); err != nil {
					return err
				}
			}
			if also != nil {
				if err := also(p, a, b); err != nil {
					return err
				}
			}
		}
		return nil
	})
	g := c.Graphs[found.graph.Name]
	if err != nil || g == nil || g.Vertices == nil {
		return err
	}
	for i, u := range ends {
		at, _ := slices.BinarySearch(g.Vertices, u)
		ends[i] = uint32(at)
	}
	slices.Sort(ends)
	ends = slices.Compact(ends)
	for _, e := range found.embeddings() {
		if err := c.ReadRows(*e, ends); err != nil {
			return err
		}
	}
	return nil
}

// vertexIn returns the number of a vertex, and whether there is one of this key.
func vertexIn(v *storage.GraphView, key string) (uint32, bool, error) {
	u, err := v.Vertex(key)
	if errors.Is(err, storage.ErrNotFound) {
		return 0, false, nil
	}
	return u, err == nil, err
}
