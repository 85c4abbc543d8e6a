package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"heavytail/cmd/picture"
	"heavytail/embedding/evaluate"
	"heavytail/query/catalogue"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/storage"
)

// curveLines is how many scorers a chart of curves shows: the best ones.
const curveLines = 6

// linkRequest returns the request of a link evaluation; callers add the form of the
// evaluation.
func (g *graph) linkRequest() studies.EvaluateLinksRequest {
	return studies.EvaluateLinksRequest{Graph: g.info.Name, Methods: g.methods, Seed: g.opts.Seed}
}

// tooManyEdges reports whether the prediction of links is left out because of the size of
// the graph, and notes this in the block.
func (g *graph) tooManyEdges(b *block) bool {
	if g.info.Edges <= mostPredicted || g.opts.Full {
		return false
	}
	b.Failed = fmt.Sprintf("left out of graphs with more than %s edges; --full computes it", grouped(mostPredicted))
	return true
}

// linkBlock compares scorers on held-out edges, and with their values on a random graph of
// the same degrees.
func (g *graph) linkBlock(b *block) error {
	if g.tooManyEdges(b) {
		return nil
	}
	req := g.linkRequest()
	req.Null, req.CurveSteps = true, 100
	req.Negatives = []evaluate.Negatives{evaluate.RandomNegatives, evaluate.DegreeNegatives}
	result, err := g.db.Studies().EvaluateLinks(g.ctx, req)
	if err != nil {
		return err
	}
	b.Lead = "A fifth of the edges are held out, and each scorer ranks them among pairs without an edge. Next to it are the figures of a random graph with the same degrees, where only these can be predicted. " +
		"AUC is the probability that a held-out edge scores above a pair without an edge (0.5 is chance); hits at 100 is the fraction of the held-out edges that score above the 100th best pair without an edge."
	b.Statement = "EVALUATE LINKS IN " + identText(g.info.Name) + g.usingText() + fmt.Sprintf(" WITH (negatives := 'random,degree', null_graph := true, seed := %d)", g.opts.Seed)
	best := picture.Best(result, evaluate.RandomNegatives, curveLines)
	err = g.draw(b, "roc", picture.ROC(best, evaluate.RandomNegatives), "ROC curves of the best scorers, against random pairs: the higher, the better.")
	if err == nil {
		err = g.draw(b, "pr", picture.PrecisionRecall(best, evaluate.RandomNegatives), "Precision against recall of the best scorers, against random pairs: the higher, the better.")
	}
	if err != nil {
		return err
	}
	// NaN is the least for cmp.Compare, and comes last.
	order := slices.SortedStableFunc(slices.Values(result.Scores), func(x, y studies.MethodScore) int { return cmp.Compare(y.AUC, x.AUC) })
	for i, kind := range req.Negatives {
		t := head("Scorers by AUC, against "+pairsOf(kind), "scorer", "#AUC", "#AUC of the random graph", "#average precision", "#AP of the random graph", "#precision", "#recall", "#F1", "#hits at 100")
		t.Folded = i > 0
		for _, s := range order {
			if s.Negatives == kind {
				t.add(picture.ScoreName(result, s), s.AUC, s.NullAUC, s.AveragePrecision, s.NullAveragePrecision, s.Precision, s.Recall, s.F1, s.Hits)
			}
		}
		b.Tables = append(b.Tables, t)
	}
	b.note(slices.DeleteFunc(result.Notices, func(n rows.Notice) bool { return n.Advice })) // the next block has the recommendations
	return nil
}

// pairsOf describes a kind of pairs without an edge.
func pairsOf(kind evaluate.Negatives) string {
	if kind == evaluate.DegreeNegatives {
		return "pairs without an edge whose ends have degrees as high as those of the held-out edges"
	}
	return "random pairs without an edge"
}

// usingText returns the USING clause with the methods, or "".
func (g *graph) usingText() string {
	if len(g.opts.Using) == 0 {
		return ""
	}
	return " USING " + strings.Join(g.opts.Using, ", ")
}

// rankingBlock measures recommendations.
func (g *graph) rankingBlock(b *block) error {
	if g.tooManyEdges(b) {
		return nil
	}
	req := g.linkRequest()
	req.RankAt, req.Null = evaluate.DefaultRankAt, true
	result, err := g.db.Studies().EvaluateLinks(g.ctx, req)
	if err != nil {
		return err
	}
	b.Lead = fmt.Sprintf("Each scorer recommends %d links to each of a sample of the vertices with held-out edges. Figures are means over these vertices, with 95 %% intervals. Next to MAP is that of a random graph with the same degrees. "+
		"Coverage is the fraction of all vertices that are recommended to any of the sample, and popular the fraction of the recommendations that lead to the 1 %% of the vertices with most edges.", req.RankAt)
	b.Statement = "EVALUATE LINKS IN " + identText(g.info.Name) + g.usingText() + fmt.Sprintf(" WITH (ranking := %d, null_graph := true, seed := %d)", req.RankAt, req.Seed)
	t := head("Recommendations by mean average precision (MAP)", "scorer", "#MAP", "#95 % interval", "#MAP of the random graph", "#recall", "#NDCG", "#MRR", "#hit rate", "#coverage", "#popular")
	order := slices.SortedStableFunc(slices.Values(result.Rankings), func(x, y studies.MethodRanking) int { return cmp.Compare(y.MAP.Mean, x.MAP.Mean) })
	for _, s := range order {
		name := picture.ScoreName(result, studies.MethodScore{Method: s.Method, LinkScore: evaluate.LinkScore{Scorer: s.Scorer, Learned: s.Learned}})
		t.add(name, s.MAP.Mean, short(s.MAP.Low)+" to "+short(s.MAP.High), s.NullMAP, s.Recall.Mean, s.NDCG.Mean, s.MRR.Mean, s.HitRate.Mean, s.Coverage, s.Popular)
	}
	b.Tables = []table{t}
	b.note(result.Notices)
	return nil
}

// aucInterval is the interval of the AUC of a model as text; "" in models of earlier versions.
func aucInterval(m catalogue.ModelSummary) string {
	if m.AUCHigh == 0 {
		return ""
	}
	return short(m.AUCLow) + " to " + short(m.AUCHigh)
}

// modelBlock shows the models of the graph and how well their probabilities are calibrated.
func (g *graph) modelBlock(b *block) error {
	all, err := g.db.Links().Models(g.ctx)
	if err != nil {
		return err
	}
	t := head("Models, measured on pairs that were hidden from them", "model", "embedding", "features", "#AUC", "#95 % interval", "#average precision", "#Brier", "#calibration error", "best scorer alone", "#its AUC", "state")
	var models []storage.ModelInfo
	for _, m := range all {
		if m.Graph != g.info.Name {
			continue
		}
		models = append(models, m.ModelInfo)
		best := m.Best()
		b.Statement = strings.TrimPrefix(b.Statement+"; DESCRIBE MODEL "+identText(m.Name)+" ALL", "; ")
		t.add(m.Name, m.EmbeddingNames(), m.HeuristicNames(), m.AUC, aucInterval(m), m.AveragePrecision, m.Brier, m.CalibrationError, best.Name, best.AUC, modelState(m))
	}
	if models == nil {
		return nil
	}
	b.Lead = "Models that TRAIN MODEL has learned. Their probability is exact where a fraction p of the pairs with probability p are edges."
	b.Tables = []table{t}
	return g.draw(b, "calibration", picture.Calibration(models),
		"Calibration: the predicted probability against the fraction of edges among the pairs of the test. On the grey line it is exact.")
}
