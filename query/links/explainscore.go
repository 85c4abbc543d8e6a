package links

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// mostCommon is the number of common neighbours that an explanation lists.
const mostCommon = 5

// CommonNeighbor is a vertex that has edges to both vertices of a pair, or in a directed graph an edge from the source
// and one to the target.
type CommonNeighbor struct {
	Vertex string  `json:"vertex"`
	Degree int     `json:"degree"` // the out-degree, where pairs have a direction
	Weight float64 `json:"weight"` // its part of the score of adamic_adar: 1/ln(Degree), of a Degree of 1 that of 2
}

// ExplainedScore is a score of a pair.
type ExplainedScore struct {
	Scorer catalogue.Scorer `json:"scorer"`
	Score  float64          `json:"score"` // NaN (null in JSON) if a vertex is newer than the embedding
	// Model has the parts of the probability, if the scorer is a model, and Embeddings the names of the
	// embeddings of which they are.
	Model      *link.Explanation `json:"model,omitempty"`
	Embeddings []string          `json:"embeddings,omitempty"`
	// AtBaseRate is the probability for ScoreRequest.BaseRate; 0 without one.
	AtBaseRate float64 `json:"at_base_rate,omitempty"`
	// Alike are the held-out pairs of the model's training whose probability was about the
	// same; nil if there were none, or the scorer is no model.
	Alike *AlikePairs `json:"alike,omitempty"`
}

// AlikePairs are held-out pairs whose probabilities lie in the same of run.CalibrationBins bins.
type AlikePairs struct {
	Pairs    int     `json:"pairs"`
	Observed float64 `json:"observed"` // fraction of them that were edges
	// Low and High are the ends of the 95 % interval of that fraction (Wilson, "Probable
	// Inference, the Law of Succession, and Statistical Inference", 1927).
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// alike returns the pairs of a model's training that had about the same probability.
func alike(model storage.ModelInfo, probability float64) *AlikePairs {
	for _, b := range model.Bins {
		if run.BinOf(b.Predicted) != run.BinOf(probability) {
			continue
		}
		low, high := evaluate.WilsonInterval(b.Observed, float64(b.Pairs))
		return &AlikePairs{b.Pairs, b.Observed, low, high}
	}
	return nil
}

// ExplainScoreResult is the answer of ExplainScore.
type ExplainScoreResult struct {
	Pair
	Linked  bool   `json:"linked"`  // the graph already has this edge
	Along   bool   `json:"along"`   // the pair has a direction
	Degrees [2]int `json:"degrees"` // of the two vertices; with Along the out-degree of the source and the in-degree of the target
	Common  int    `json:"common"`  // number of common neighbours
	// Heaviest are the common neighbours with the fewest edges, five at most: a
	// common neighbour with few edges is stronger evidence for a link than a hub.
	// Ties are in the order in which the vertices came into the graph.
	Heaviest []CommonNeighbor `json:"heaviest"`
	Scores   []ExplainedScore `json:"scores"` // in the order of the request
	Notices  []rows.Notice    `json:"notices,omitempty"`
}

var explainScore = &engine.Statement[*parser.ExplainScore, ScoreRequest, *scorerEntries, ExplainScoreResult]{
	Help: help.Statement{
		Statement: "EXPLAIN SCORE",
		Summary:   "explains the scores of one pair by its common neighbours and by what speaks for an edge in a model",
		Detail:    "Common neighbours have their degrees, the lowest first. By a model the parts, against what is usual for pairs of such degrees, add up to the log-odds. It shows the fraction of the hidden pairs of about the same probability that were edges, with its 95 % interval. Without WITH it uses all heuristics. EXPLAIN of SCORE with several pairs shows the plan",
		Words:     "why reason evidence interpret shap",
		Columns:   "item, value, usual, part",
	},
	Bind: func(b *engine.Binder, s *parser.ExplainScore) (req ScoreRequest) {
		req.Graph = b.MarkGraph(s.Graph, s)
		req.Pairs = []Pair{{b.VertexKey(engine.PartKey(0), s.Pair.U), b.VertexKey(engine.PartKey(1), s.Pair.V)}}
		req.With = scorers(b, s.Scorers...)
		engine.Bind(b, "EXPLAIN SCORE", explainSchema(), s.Options, &req)
		return req
	},
	Schema:  explainSchema,
	Resolve: resolveExplainScore,
	Plan: func(req ScoreRequest, found *scorerEntries) *plan.Plan {
		return plan.Result("explanation", "of one pair", found.partPlan(found.with()))
	},
	Run: runExplainScore,
	Rows: func(_ ScoreRequest, r ExplainScoreResult) *rows.Rows {
		return cells.RowsOf([]string{"item", "value", "usual", "part"}, r.rows()).Typed("usual", cells.OrNull(storage.Float)).Typed("part", cells.OrNull(storage.Float))
	},
	Reads: true,
}

// Explain reports the parts of the scores of one pair, without scorers by all heuristics that the graph
// has data for. If a vertex does not exist, the error is an Error.
func (s *Service) Explain(ctx context.Context, req ScoreRequest) (ExplainScoreResult, error) {
	return explainScore.Answer(ctx, s.db, req)
}

func explainSchema() option.Schema[ScoreRequest] {
	return option.Schema[ScoreRequest]{scoreDirection(), baseRateField("is shown too", func(r *ScoreRequest) *float64 { return &r.BaseRate })}
}

// explained are the scorers of a request, or all heuristics.
func explained(c *engine.Call, r ScoreRequest) ([]catalogue.Scorer, error) {
	if len(r.With) > 0 {
		return r.With, nil
	}
	graph, err := c.GraphOrOnly(r.Graph)
	if err != nil {
		return nil, err
	}
	var all []catalogue.Scorer
	for _, s := range link.Scorers() {
		if !s.NeedsEmbedding && (graph.Timed || !link.NeedsTimes(s.Name)) {
			all = append(all, catalogue.Scorer{Name: s.Name})
		}
	}
	return all, nil
}

func resolveExplainScore(c *engine.Call, req ScoreRequest) (*scorerEntries, error) {
	if len(req.Pairs) != 1 || req.Path != "" {
		return nil, fault.New(fault.Statement, "one pair can be explained, and %d are given", len(req.Pairs))
	}
	if err := req.check(); err != nil {
		return nil, err
	}
	with, err := explained(c, req)
	if err != nil {
		return nil, err
	}
	found, err := findScorers(c, req.Graph, with)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(found.toward(req.Direction), c.CheckVertex(found.graph, req.Pairs[0].Source, engine.PartKey(0))); err != nil {
		return nil, err
	}
	return found, c.CheckVertex(found.graph, req.Pairs[0].Target, engine.PartKey(1))
}

func runExplainScore(c *engine.Call, req ScoreRequest, found *scorerEntries) (ExplainScoreResult, error) {
	e := &explaining{}
	err := readScored(c, found, req.Pairs, func(p *storage.GraphPart, u, v uint32) error {
		return link.ReadPair(rowsOf(p, found.along), "adamic_adar", u, v) // the degrees of the common neighbours, which are shown
	})
	if err != nil {
		return ExplainScoreResult{}, err
	}
	if e.loadedScoring, err = loadScoring(c, found); err != nil {
		return ExplainScoreResult{}, err
	}
	if e.u, err = c.Vertex(e.graph, req.Pairs[0].Source, engine.PartKey(0)); err != nil {
		return ExplainScoreResult{}, err
	}
	if e.v, err = c.Vertex(e.graph, req.Pairs[0].Target, engine.PartKey(1)); err != nil {
		return ExplainScoreResult{}, err
	}
	from, to := e.rows()
	r := ExplainScoreResult{Pair: req.Pairs[0], Linked: e.hasEdge(e.u, e.v), Along: found.along, Degrees: [2]int{from.Degree(e.u), to.Degree(e.v)}}
	r.Common, r.Heaviest = e.common()
	for i, w := range e.Scorers {
		s := ExplainedScore{Scorer: w.Scorer, Score: math.NaN()}
		if e.u < w.Rows && e.v < w.Rows {
			s.Score = w.Score(e.u, e.v)
			if w.model != nil {
				parts := w.model.Explain(e.u, e.v, w.model.Usual(e.u, e.v, w.Rows))
				s.Model, s.Alike = &parts, alike(found.scorers[i].model, s.Score)
				for _, of := range w.model.info.Embeddings {
					s.Embeddings = append(s.Embeddings, of.Name)
				}
				if req.BaseRate > 0 {
					s.AtBaseRate = link.Probability01(parts.LogOdds + link.LogOdds(req.BaseRate))
				}
			}
		} else {
			c.Notice("%s has no score: a vertex of the pair is newer than the embedding", w)
		}
		r.Scores = append(r.Scores, s)
	}
	r.Notices = c.Notices
	return r, nil
}

// explaining is a pair of vertices in a loaded graph.
type explaining struct {
	*loadedScoring
	u, v uint32
}

// common counts the common neighbours of the pair, and returns the heaviest.
func (e *explaining) common() (n int, heaviest []CommonNeighbor) {
	g, _ := e.rows()
	var common []uint32
	if e.along != nil {
		common = link.CommonAlong(e.along, e.u, e.v)
	} else {
		common = link.Common(g, e.u, e.v)
	}
	slices.SortStableFunc(common, func(a, b uint32) int { return cmp.Compare(g.Degree(a), g.Degree(b)) })
	for _, w := range common[:min(len(common), mostCommon)] {
		degree := g.Degree(w)
		heaviest = append(heaviest, CommonNeighbor{e.graph.Key(w), degree, 1 / math.Log(float64(max(2, degree)))})
	}
	return len(common), heaviest
}

func (r ExplainScoreResult) rows() [][]rows.Value {
	var table [][]rows.Value
	add := func(item string, value, usual, part rows.Value) {
		table = append(table, []rows.Value{item, value, usual, part})
	}
	add("linked", r.Linked, nil, nil)
	degrees := [3]string{"degree", "degree", "degree"}
	if r.Along {
		degrees = [3]string{"out-degree", "in-degree", "out-degree"}
	}
	add(degrees[0]+" of "+fault.QuoteKey(r.Source), int64(r.Degrees[0]), nil, nil)
	add(degrees[1]+" of "+fault.QuoteKey(r.Target), int64(r.Degrees[1]), nil, nil)
	add("common neighbours", int64(r.Common), nil, nil)
	for _, w := range r.Heaviest {
		add("  "+fault.QuoteKey(w.Vertex)+", its "+degrees[2]+" and its part of adamic_adar", int64(w.Degree), nil, w.Weight)
	}
	for _, s := range r.Scores {
		add(s.Scorer.String(), cells.Number(s.Score), nil, nil)
		if s.Model == nil {
			continue
		}
		add(fmt.Sprintf("  %s of such degrees", fault.Count(int64(s.Model.Pairs), "pair")), nil, nil, s.Model.Parts[0].Part)
		for _, g := range s.evidence() {
			add("  "+g.name, g.value, g.usual, g.part)
		}
		add("  log-odds", nil, nil, s.Model.LogOdds)
		if s.AtBaseRate > 0 {
			add("  probability at the base rate", s.AtBaseRate, nil, nil)
		}
		if a := s.Alike; a != nil {
			add("  hidden pairs of about this probability", int64(a.Pairs), nil, nil)
			add("  fraction of them that were edges", a.Observed, nil, nil)
			add("    95 % interval", fmt.Sprintf("%.4f to %.4f", a.Low, a.High), nil, nil)
		}
	}
	return table
}

// evidence is the terms of a model that say the same, with the value of the first of them and the sum of
// their parts.
type evidence struct {
	of, name           string
	value, usual, part float64
}

// evidence groups the parts of a model, in the order of its terms.
func (s ExplainedScore) evidence() []evidence {
	var list []evidence
	for _, p := range s.Model.Parts[1:] {
		name := link.EvidenceOf(p.Name)
		if p.Embedding >= 0 {
			name = "vectors of " + fault.Name(s.Embeddings[p.Embedding])
		}
		at := slices.IndexFunc(list, func(e evidence) bool { return e.of == name })
		if at < 0 {
			what := name
			if p.Name != "common_neighbors" && p.Name != "same_component" {
				what += ", " + p.Name
			}
			list = append(list, evidence{name, what, p.Value, p.Usual, p.Part})
			continue
		}
		list[at].part += p.Part
	}
	return list
}
