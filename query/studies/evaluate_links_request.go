package studies

import (
	"cmp"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/run"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// EvaluateLinksRequest asks how well the edges of a graph can be predicted.
type EvaluateLinksRequest struct {
	Graph   string
	Methods []LinkMethod // each embeds the remaining edges; without methods only scorers of the graph are compared

	Share    float64 // fraction of the edges to hold out; 0 is the default of evaluate.SplitOptions
	Latest   bool    // hold out the edges with the latest timestamps instead of random edges
	Training int     // largest number of edges to train on; 0 is the default of evaluate.SplitOptions
	// With Unseen the edges to train on are held out as well. With Ascending
	// the first vertex of each pair is the one that came into the graph
	// first; see evaluate.SplitOptions.
	Unseen, Ascending bool
	Seed              uint64 // seed of the random edges and pairs
	// Connected holds out only edges outside of a spanning forest; see evaluate.SplitOptions.
	Connected bool
	// Sides, in a bipartite graph, measures links between its two sides only, as in
	// links.PredictRequest: the other pairs join them, too, and so do the recommendations. Scorers
	// of common neighbours, which are 0 for all such pairs, are left out.
	Sides string
	// Direction is that of links of a directed graph. "out", the default, holds out edges with their direction, from
	// ordered pairs, and scores along the edges: see evaluate.SplitDirected. Methods embed the undirected view
	// of the edges that are left, unless their own direction is another. "both" measures links of the undirected view, as TrainModel does, and is the default with Model and Sides.
	Direction string
	// Negatives are the kinds of pairs without an edge that the held-out edges are
	// compared with, one after the other; nil is evaluate.RandomNegatives alone.
	Negatives []evaluate.Negatives

	Scorers  []string // names of links.Scorers; nil is all of them that the graph has data for
	Features []string // names of link.Features; nil is the default of evaluate.LinkOptions
	// Model also measures the model that links.Service.TrainModel makes by default, and one that reads
	// only the vectors of each method. Each is trained on edges that are held out of the
	// remaining graph in turn, which takes five more embeddings.
	Model  bool
	HitsAt int // 0 is the default of evaluate.LinkOptions

	// CurveSteps asks for EvaluateLinksResult.Curves, each with at most 2·CurveSteps + 2
	// points; 0 leaves them out. Statements do not have this option, because rows cannot
	// hold a curve. It must be 0 with RankAt.
	CurveSteps int

	// RankAt, if it is not 0, measures recommendations instead of pairs: RankAt links for
	// each of at most RankVertices sampled vertices with held-out edges (0 is the default of
	// evaluate.RankOptions), with Near candidates as in PREDICT. Negatives and HitsAt must
	// be zero.
	RankAt, RankVertices, Near int

	// Splits is the number of times that edges are held out and everything is measured, with
	// the seeds Seed, Seed+1, …; scores are the means. 0 is 1. With Latest the same edges
	// are held out each time, and only the other pairs differ.
	Splits int
	// Null also measures everything, recommendations included, on a random graph with the same
	// degrees (see algorithms.Exchange), drawn by Seed, where only the degrees can be predicted. The
	// held-out edges of that graph are random, because it has no timestamps. Without Null only the
	// scores by evaluate.DegreeNegatives are measured there, too, which takes about as long as one
	// split; and with WithoutNull, Sides or RankAt none.
	Null, WithoutNull bool

	given struct { // as a statement has them
		latest, null *bool
		learn        string
	}
}

// nulls are the kinds of negatives that are measured on the null graph; none with RankAt.
func (req EvaluateLinksRequest) nulls(kinds []evaluate.Negatives) []evaluate.Negatives {
	switch {
	case req.RankAt > 0:
		return nil
	case req.Null:
		return kinds
	case !req.WithoutNull && req.Sides == "" && slices.Contains(req.Negatives, evaluate.DegreeNegatives):
		return []evaluate.Negatives{evaluate.DegreeNegatives}
	}
	return nil
}

// hasNull reports whether anything is measured on the null graph.
func (req EvaluateLinksRequest) hasNull() bool { return req.Null || req.nulls(nil) != nil }

// LinkMethod is a method with its options, in one of the two forms of vectors.EmbedRequest.
type LinkMethod struct {
	Using    vectors.MethodOptions
	Method   string
	Settings map[string]any
}

// MethodScore is the score of a scorer or model with one of the methods.
type MethodScore struct {
	Method             int                `json:"method"` // index in EvaluateLinksRequest.Methods; −1 where the scorer needs no vectors
	Negatives          evaluate.Negatives `json:"negatives"`
	evaluate.LinkScore                    // the means over the splits
	// Standard deviations over the splits; 0 for one split.
	AUCDeviation              float64 `json:"auc_deviation"`
	AveragePrecisionDeviation float64 `json:"average_precision_deviation"`
	// The same figures of one split of the null graph, NaN (null in JSON) where they were not
	// measured: for a scorer that needs the times of edges and, without
	// EvaluateLinksRequest.Null, for other negatives than evaluate.DegreeNegatives. All are 0
	// if nothing was measured there.
	NullAUC              float64 `json:"null_auc"`
	NullAveragePrecision float64 `json:"null_average_precision"`
}

// MethodRanking is how one scorer or model recommends links with one of the methods.
type MethodRanking struct {
	Method int `json:"method"` // as in MethodScore
	evaluate.RankScore
	// The means of the same measures on the null graph, NaN (null in JSON) for a scorer that needs
	// the times of edges; 0 without Null.
	NullMAP    float64 `json:"null_map"`
	NullRecall float64 `json:"null_recall"`
}

// NegativePairs counts what held-out edges are compared with.
type NegativePairs struct {
	Negatives evaluate.Negatives `json:"negatives"`
	// Held is the number of held-out edges that are counted; with
	// evaluate.TwoHopNegatives only edges with a common neighbour count. Pairs is the
	// number of pairs without an edge, which is smaller if the graph has too few of
	// the kind.
	Held  int `json:"held"`
	Pairs int `json:"pairs"`
	// Trained is the number of pairs to learn from, half of them edges.
	Trained int `json:"trained"`
	// HeldBack and PairsBack are the numbers of held-out edges and of pairs whose way back is an edge that was
	// not held out; 0 where links have no direction.
	HeldBack  int `json:"held_back"`
	PairsBack int `json:"pairs_back"`
}

// EvaluateLinksResult is the answer of EvaluateLinks.
type EvaluateLinksResult struct {
	// Scores has first the scorers that need no vectors, then for each method the
	// scorers of vectors and the models, in the order of the request. Each scorer has
	// one entry for each kind of negatives.
	Scores []MethodScore `json:"scores"`
	// Methods are the methods of the request with their options, in the form of the
	// language.
	Methods []string `json:"methods"`
	// NegativePairs has the numbers of pairs of each kind of negatives, in the first split.
	NegativePairs []NegativePairs `json:"negative_pairs"`
	// Rankings is set with RankAt, in the order that Scores would have; Scores is then
	// empty.
	Rankings []MethodRanking `json:"rankings,omitempty"`
	// Verdict, with RankAt, says which of Rankings to use, and whether the difference is
	// more than chance.
	Verdict *evaluate.RankVerdict `json:"verdict,omitempty"`
	// Curves, with CurveSteps, are the points of the ROC and precision-recall curves in the
	// first split, in the order of Scores.
	Curves  [][]evaluate.CurvePoint `json:"curves,omitempty"`
	Notices []rows.Notice           `json:"notices,omitempty"`
}

// linkTrial is a request whose names are resolved.
type linkTrial struct {
	graph    storage.GraphInfo
	kinds    []evaluate.Negatives // after the default
	methods  []methods.Configured
	features []string               // after the default
	plain    []string               // scorers that need no vectors
	vectors  []string               // scorers of vectors
	model    *evaluate.SplitOptions // of the edges that models learn from; nil without models
	across   link.Sides             // nil without sides, and until the graph is loaded
	directed bool                   // links have a direction
	along    *csr.Directed          // the graph, if they have; nil until it is loaded
}

func (t *linkTrial) texts() []string {
	return lists.Map(t.methods, func(m methods.Configured) string { return m.Text().String() })
}

// scorers is the number of scorers and models of all methods together.
func (t *linkTrial) scorers() int64 {
	each, alone := len(t.vectors)+len(t.features), len(t.plain)
	if t.model != nil {
		each, alone = each+1, alone+1
	}
	return int64(alone + len(t.methods)*each)
}

// bytes estimates the memory of a trial in addition to the graph, and with keep that of all scores.
//
// At a time it has the graph of the remaining edges, the pairs, and for the method that takes most
// either the computation of the vectors or these and the features of the training pairs. What a
// split allocates in all is not much more, so garbage is also bounded by the number of splits.
func (t *linkTrial) bytes(req EvaluateLinksRequest, graph *session.Graph, workers int, keep bool) int64 {
	n, edges := int64(graph.Graph.Vertices()), graph.Graph.Edges()
	if t.directed {
		edges = graph.Info.Arcs
	}
	held := int64(cmp.Or(req.Share, evaluate.DefaultShare) * float64(edges))
	training := min(int64(cmp.Or(req.Training, evaluate.DefaultTraining)), edges)
	kinds, pairs := int64(len(t.kinds)), held+training
	rest := graph.Info
	rest.Edges -= held
	// The edges that remain, and those that are held out, which are made a graph too; the edges of
	// pairs and as many other pairs, a set of these, and the scores of both.
	const perHeld, perPair, perScore, perOrdered = 16, 16 + 12, 16, 32
	split := session.EdgeBytes(rest) + 16*n + perHeld*held + perPair*kinds*pairs + perScore*pairs
	if t.directed { // the directed graph of the remaining edges, and its undirected view
		split += session.DirectedBytes(rest) + session.EdgeBytes(rest)
	}
	if req.Latest || req.Connected {
		split += perOrdered * edges
	}
	if req.hasNull() {
		split = max(split+8*n+8*edges, 16*n+44*edges) // of algorithms.Exchange
	}
	most := int64(0)
	for _, e := range t.methods {
		dim, width := e.Dim(int(n)), 0
		for _, name := range t.features {
			if f, err := link.FindFeature(name); err == nil {
				width = max(width, f.Width(int(dim)))
			}
		}
		computing, _ := run.Bytes(graph.Graph, e.Method.Name, e.Options) // they have been checked; nothing is stored
		features := 8 * int64(width) * training
		// The first features are made beside what the computation has left.
		most = max(most, computing+features/2, session.VectorBytes(int(n), int(dim))+features)
	}
	if t.model != nil { // a smaller graph and its vectors, in addition to the others, and the table of the pairs
		work := int64(0)
		for _, s := range run.StackEmbeddings() {
			computing, _ := run.Bytes(graph.Graph, s.Method, s.Options)
			work = max(work, computing)
			most += 2 * session.VectorBytes(int(n), int(run.Dim(s.Method, s.Options)))
		}
		most += work + 64*edges + 40*8*run.ModelSplits*(25*min(link.DefaultLinks, edges)+min(20_000, edges))
	}
	kept := int64(0)
	switch {
	case req.RankAt > 0:
		const perVertex, perRanking = 16, 64 // bytes per vertex of each worker's search; bytes per sampled vertex and scorer
		sampled, lists := min(n, max(int64(req.RankVertices), evaluate.DefaultRankVertices)), int64(1)
		if keep {
			lists = t.scorers()
		}
		most += int64(workers)*perVertex*n + 4*n
		kept = sampled * (perRanking*t.scorers() + 24*lists*min(int64(req.RankAt), n))
	case keep:
		kept = perScore * kinds * pairs * t.scorers()
	}
	bytes := session.WithGarbage(session.GraphBytes(graph.Info), split+most+kept)
	if len(t.methods) == 0 && t.model == nil && req.RankAt == 0 && !keep {
		splits := int64(max(1, req.Splits))
		if req.hasNull() {
			splits++
		}
		bytes = min(bytes, split*splits)
	}
	return bytes
}
