package query

import (
	"fmt"
	"math"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/measure"
	"heavytail/storage/csr"
)

// This file runs EVALUATE LINKS.

func runEvaluateLinks(c *call, req EvaluateLinksRequest, t *linkTrial) (EvaluateLinksResult, error) {
	graph, release, err := c.linkGraph(req, t)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer release()
	if req.RankAt > 0 {
		return c.rankBoth(graph, req, t)
	}
	splits, held := make([]EvaluateLinksResult, max(1, req.Splits)), 0
	for i := range splits {
		of := req
		of.Seed += uint64(i)
		if splits[i], held, err = c.scoreSplit(graph, graph.Graph, of, t); err != nil {
			return EvaluateLinksResult{}, err
		}
	}
	result := splits[0]
	result.Scores = meanScores(splits)
	if req.Null {
		if err := c.scoreNull(graph, req, t, result.Scores); err != nil {
			return EvaluateLinksResult{}, err
		}
	}
	c.noteNegatives(held, result.NegativePairs)
	c.Advise("to learn which of them to recommend links by, add ranking := 10")
	result.Notices = c.Notices
	return result, nil
}

// scoreSplit holds edges of a graph out and measures everything once. view names the graph
// in errors; held is the number of edges that were held out.
func (c *call) scoreSplit(view *session.Graph, g *csr.Graph, req EvaluateLinksRequest, t *linkTrial) (result EvaluateLinksResult, held int, err error) {
	s, err := c.splitLinks(view, g, req, t)
	if err != nil {
		return result, 0, err
	}
	result = EvaluateLinksResult{Methods: t.texts(), NegativePairs: s.pairs()}
	stop := c.Watch.Start(plan.Score)
	err = c.eachMethod(t, s.base, func(m methodVectors) error { return result.score(c, s, m, req) })
	if err != nil {
		return result, 0, err
	}
	stop(int64(len(result.Scores)), "methods included")
	return result, len(s.base.Edges), nil
}

// nullGraph returns a random graph with the same degrees.
func (c *call) nullGraph(view *session.Graph, seed uint64) (*csr.Graph, error) {
	g, err := measure.Exchange(c.Ctx, view.Graph, measure.ExchangeOptions{Work: measure.Work{Progress: c.Meter.Update}, Seed: seed})
	if err != nil {
		return nil, fmt.Errorf("random graph with the same degrees: %w", err)
	}
	return g, nil
}

// rankBoth measures recommendations, with Null also those of the null graph.
func (c *call) rankBoth(view *session.Graph, req EvaluateLinksRequest, t *linkTrial) (EvaluateLinksResult, error) {
	s, err := c.splitLinks(view, view.Graph, req, t)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	result, err := rankLinks(c, req, t, s.base)
	if err != nil || !req.Null {
		return result, err
	}
	g, err := c.nullGraph(view, req.Seed)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	req.Latest = false
	if s, err = c.splitLinks(view, g, req, t); err != nil {
		return EvaluateLinksResult{}, err
	}
	if err = c.rankNull(req, t, s.base, result.Rankings); err != nil {
		return EvaluateLinksResult{}, err
	}
	return result, nil
}

// scoreNull adds the figures of the null graph.
func (c *call) scoreNull(view *session.Graph, req EvaluateLinksRequest, t *linkTrial, scores []MethodScore) error {
	g, err := c.nullGraph(view, req.Seed)
	if err != nil {
		return err
	}
	req.Latest = false
	null, _, err := c.scoreSplit(view, g, req, t)
	if err != nil {
		return err
	}
	left := null.Scores
	for i := range scores {
		s := &scores[i]
		s.NullAUC, s.NullAveragePrecision = math.NaN(), math.NaN()
		if len(left) > 0 && left[0].Method == s.Method && left[0].Scorer == s.Scorer && left[0].Learned == s.Learned && left[0].Negatives == s.Negatives {
			s.NullAUC, s.NullAveragePrecision = left[0].AUC, left[0].AveragePrecision
			left = left[1:]
		}
	}
	return nil
}

// meanScores are the means over splits, with deviations.
func meanScores(splits []EvaluateLinksResult) []MethodScore {
	scores := slices.Clone(splits[0].Scores)
	for j := range scores {
		s := &scores[j]
		of := func(figure func(*evaluate.LinkScore) *float64) (deviation float64) {
			n, mean := float64(len(splits)), 0.0
			for _, split := range splits {
				mean += *figure(&split.Scores[j].LinkScore) / n
			}
			for _, split := range splits {
				d := *figure(&split.Scores[j].LinkScore) - mean
				deviation += d * d / max(1, n-1)
			}
			*figure(&s.LinkScore) = mean
			return math.Sqrt(deviation)
		}
		s.AUCDeviation = of(func(s *evaluate.LinkScore) *float64 { return &s.AUC })
		s.AveragePrecisionDeviation = of(func(s *evaluate.LinkScore) *float64 { return &s.AveragePrecision })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Precision })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Recall })
		of(func(s *evaluate.LinkScore) *float64 { return &s.F1 })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Hits })
	}
	return scores
}

// linkGraph loads the graph of a trial and its sides, and reserves the memory of the trial
// until release.
func (c *call) linkGraph(req EvaluateLinksRequest, t *linkTrial) (graph *session.Graph, release func(), err error) {
	graph, columns, err := c.Columns(req.Graph, sidesAttribute(req.Sides), fault.Graph)
	if err != nil {
		return nil, nil, err
	}
	if t.across, err = c.sides(graph, req.Sides, columns); err != nil {
		return nil, nil, err
	}
	if undivided(graph, req.Sides) {
		c.Notice("graph %s is bipartite, and pairs without an edge may be of one side; sides := 'auto' measures links between the sides", fault.Name(req.Graph))
	}
	release, err = c.db.cache.Reserve(t.bytes(req, graph), "evaluating links of graph "+fault.Name(req.Graph))
	return graph, release, err
}

// linkSplits is a graph whose edges were held out, with pairs of each kind of negatives.
type linkSplits struct {
	base  *evaluate.LinkSplit // by evaluate.RandomNegatives
	kinds []evaluate.Negatives
	of    []*evaluate.LinkSplit // each kind
}

// pairs counts the pairs of each kind.
func (s *linkSplits) pairs() []NegativePairs {
	list := make([]NegativePairs, len(s.kinds))
	for i, of := range s.of {
		list[i] = NegativePairs{s.kinds[i], len(of.Edges), len(of.NonEdges), len(of.TrainEdges) + len(of.TrainNonEdges)}
	}
	return list
}

// noteNegatives gives a notice of the number of pairs of each kind; all is the number of
// edges that were held out.
func (c *call) noteNegatives(all int, list []NegativePairs) {
	for _, p := range list {
		held, kind, few := fault.Count(int64(p.Held), "edge")+" held out", "", ""
		if p.Negatives != evaluate.RandomNegatives || len(list) > 1 {
			kind = string(p.Negatives) + ": "
		}
		if p.Negatives == evaluate.TwoHopNegatives {
			held = fmt.Sprintf("%d of %s held out have a common neighbour,", p.Held, fault.Count(int64(all), "edge"))
		}
		if p.Pairs < p.Held {
			few = "; the graph has too few such pairs"
		}
		c.Notice("%s%s and %s without an edge, %s to learn from%s",
			kind, held, fault.Count(int64(p.Pairs), "pair"), fault.Count(int64(p.Trained), "pair"), few)
	}
}

// score appends the scores of one method.
func (r *EvaluateLinksResult) score(c *call, s *linkSplits, m methodVectors, req EvaluateLinksRequest) error {
	opts := evaluate.LinkOptions{Scorers: m.scorers, Features: m.features, Models: m.models, HitsAt: req.HitsAt, Workers: c.db.opts.Workers, Progress: c.Meter.Update}
	of := make([][]evaluate.LinkScore, len(s.kinds))
	curves := make([][][]evaluate.CurvePoint, len(s.kinds))
	for i, split := range s.of {
		err := split.EachScore(c.Ctx, m.vectors, opts, func(p evaluate.PairScores) error {
			of[i] = append(of[i], p.Measure(req.HitsAt))
			if req.CurveSteps > 0 {
				curves[i] = append(curves[i], p.Curve(req.CurveSteps))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for j := range of[0] {
		for i, kind := range s.kinds {
			r.Scores = append(r.Scores, MethodScore{Method: m.number, Negatives: kind, LinkScore: of[i][j]})
			if req.CurveSteps > 0 {
				r.Curves = append(r.Curves, curves[i][j])
			}
		}
	}
	return nil
}

// splitLinks holds edges of a graph out, and draws pairs without an edge of each kind.
// view names the graph in errors.
func (c *call) splitLinks(view *session.Graph, g *csr.Graph, req EvaluateLinksRequest, t *linkTrial) (*linkSplits, error) {
	stop := c.Watch.Start(plan.Split)
	s := &linkSplits{kinds: t.kinds, of: make([]*evaluate.LinkSplit, len(t.kinds))}
	opts := evaluate.SplitOptions{
		Share: req.Share, Latest: req.Latest, Training: req.Training,
		Unseen: req.Unseen, Ascending: req.Ascending, Seed: req.Seed, Connected: req.Connected, Sides: t.across,
	}
	var err error
	waited := c.Await(func() {
		if s.base, err = evaluate.SplitLinks(c.Ctx, g, opts); err != nil {
			err = noneAcross(view.Info.Name, t.across, err)
			return
		}
		for i, kind := range t.kinds {
			if s.of[i], err = s.base.With(c.Ctx, g, kind, opts); err != nil {
				err = noNegatives(view.Info.Name, kind, err)
				return
			}
		}
	})
	if waited != nil {
		return nil, waited
	}
	if err != nil {
		return nil, err
	}
	stop(int64(len(s.base.Edges)), "")
	return s, nil
}

// linkColumns are those of EVALUATE LINKS.
var linkColumns = []string{"method", "scorer", "negatives", "auc", "average_precision", "precision", "recall", "f1", "hits"}

// splitColumns follow linkColumns with several splits, and nullColumns with a null graph.
var (
	splitColumns = []string{"auc_deviation", "average_precision_deviation"}
	nullColumns  = []string{"null_auc", "null_average_precision"}
)

func linkRows(req EvaluateLinksRequest, r EvaluateLinksResult) *Rows {
	if req.RankAt > 0 {
		return rankRows(req, r)
	}
	columns := slices.Clone(linkColumns)
	if req.Splits > 1 {
		columns = append(columns, splitColumns...)
	}
	if req.Null {
		columns = append(columns, nullColumns...)
	}
	table := make([][]Value, len(r.Scores))
	for i, s := range r.Scores {
		var method Value
		if s.Method >= 0 {
			method = r.Methods[s.Method]
		}
		table[i] = []Value{method, scorerText(s.Scorer, s.Learned), string(s.Negatives),
			number(s.AUC), number(s.AveragePrecision), number(s.Precision), number(s.Recall), number(s.F1), number(s.Hits)}
		if req.Splits > 1 {
			table[i] = append(table[i], number(s.AUCDeviation), number(s.AveragePrecisionDeviation))
		}
		if req.Null {
			table[i] = append(table[i], number(s.NullAUC), number(s.NullAveragePrecision))
		}
	}
	return rowsOf(columns, table)
}
