package studies

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/links"
	"heavytail/query/parser"
	"heavytail/query/plan"
)

// This file has EVALUATE LINKS.

var evaluateLinks = &engine.Statement[*parser.EvaluateLinks, EvaluateLinksRequest, *linkTrial, EvaluateLinksResult]{
	Help: help.Statement{
		Statement: "EVALUATE LINKS",
		Summary:   "holds out edges, embeds the rest by each method, and compares how well scorers and learned models separate held-out edges from pairs without an edge; without USING it compares the scorers of the graph. It stores nothing",
		Columns: strings.Join(linkColumns, ", ") + "; with ranking: " + strings.Join(rankColumns, ", ") +
			"; with splits in addition: " + strings.Join(splitColumns, ", ") + "; with null_graph or negatives by degree in addition: " + strings.Join(nullColumns, ", ") +
			"; with ranking and null_graph in addition to those of ranking: " + strings.Join(nullRankColumns, ", "),
		Example: "EVALUATE LINKS IN social USING dp_spectral(beta := 0.25), dp_walker WITH (share := 0.1, features := 'difference, l1')",
	},
	Options: linksOptions,
	Bind: func(b *engine.Binder, s *parser.EvaluateLinks) (req EvaluateLinksRequest) {
		linkMethods(b, &req, s.Graph, s.Methods)
		linksSettings(b, &req, b.Settings("EVALUATE LINKS", linksOptions(), s.Options))
		return req
	},
	Resolve: resolveEvaluateLinks,
	Plan:    planEvaluateLinks,
	Run:     runEvaluateLinks,
	Rows:    linkRows,
	Reads:   true,
}

func linksOptions() []help.Option {
	return []help.Option{
		engine.ShareOption("fraction of the edges to hold out"),
		{Name: "latest", Type: "bool", Default: "TRUE", Doc: "hold out the edges with the latest timestamps if the graph has any, otherwise edges at random"},
		{Name: "seed", Type: "int", Default: "0", Doc: "seed of the edges and pairs that are drawn"},
		scoring.SidesOption("in a bipartite graph, measure links between its sides only, with pairs and recommendations between them"),
		engine.NegativesOption("comma-separated kinds of pairs without an edge that held-out edges are compared with"),
		{Name: "training", Type: "int", Default: fmt.Sprint(evaluate.DefaultTraining), Doc: "largest number of edges to learn from, with as many pairs without an edge"},
		{Name: "learn", Type: "text", Default: "'auto'", Choices: []string{"auto", "seen", "unseen"}, Doc: "which edges to learn from: seen are edges of the embedded graph, unseen are further edges that are held out as well; auto is unseen if the latest edges are held out"},
		{Name: "order", Type: "text", Default: "'random'", Choices: []string{"random", "ascending"}, Doc: "order of the two vertices of a pair, on which the feature difference depends: random, or ascending, with the vertex first that came into the graph first"},
		{Name: "scorers", Type: "text", Default: "'all'", Doc: "comma-separated scorers to compare; SHOW SCORERS lists them"},
		{Name: "features", Type: "text", Default: "'" + evaluate.DefaultFeature + "'", Doc: "comma-separated inputs of a logistic regression: " + strings.Join(scoring.FeatureNames(), ", ") + " or all"},
		{Name: "model", Type: "bool", Default: "FALSE", Doc: "also measure the model that TRAIN MODEL makes by default, as scorer model: without an embedding, and with that of each method. It is trained on edges held out of the remaining graph, which takes one more embedding"},
		{Name: "hits", Type: "int", Default: "100", Doc: "k of the measure hits: the fraction of edges that score above the k-th highest pair without an edge"},
		{Name: "connected", Type: "bool", Default: "FALSE", Doc: "hold out only edges outside of a spanning forest, drawn by the seed, so that the remaining graph has the same components"},
		{Name: "splits", Type: "int", Default: "1", Doc: "how many times to hold out edges, with the seeds seed, seed + 1, …; figures are means, with the standard deviations of auc and average_precision"},
		{Name: "null_graph", Type: "bool", Default: "FALSE", Doc: "also measure on a random graph with the same degrees, where only the degrees can be predicted; this takes as long as one more split. Without the option negatives by degree are measured there, and with FALSE nothing; recommendations are measured there with TRUE only, and with sides nothing can be"},
		{Name: "ranking", Type: "int", Default: "0", Doc: "measure recommendations instead of pairs: the number of links recommended to each vertex in a sample of vertices with held-out edges, from the candidates of PREDICT; 0 measures pairs. Intervals are 95 % over the vertices"},
		{Name: "vertices", Type: "int", Default: fmt.Sprint(evaluate.DefaultRankVertices), Doc: "with ranking: largest number of vertices in the sample"},
		{Name: "near", Type: "int", Default: fmt.Sprint(links.DefaultNear), Doc: "with ranking: number of nearest vertices that are candidates of a scorer of vectors; the default is raised to the number recommended, and 0 takes none"},
	}
}

// EvaluateLinks holds out edges of a graph, embeds the remaining edges by each
// method, and compares how well scorers, and models that learn from the remaining
// edges, separate the held-out edges from pairs without an edge. All methods are
// measured on the same edges and pairs. It stores nothing.
func (s *Service) EvaluateLinks(ctx context.Context, req EvaluateLinksRequest) (EvaluateLinksResult, error) {
	return evaluateLinks.Answer(ctx, s.db, req)
}

func linkMethods(b *engine.Binder, req *EvaluateLinksRequest, graph parser.Ident, named []parser.Call) {
	req.Graph = b.Name(fault.Graph, graph)
	for _, call := range named {
		req.Methods = append(req.Methods, LinkMethod{Method: call.Name.Name, Settings: methods.Bind(b, call)})
	}
}

// linksSettings puts checked options into a request.
func linksSettings(b *engine.Binder, req *EvaluateLinksRequest, set bind.Settings) {
	req.Share = engine.Share(b, set)
	req.Training = int(b.Within(set, "training", 1, scoring.MaxTraining))
	req.HitsAt = int(b.Within(set, "hits", 1, math.MaxInt32))
	req.Negatives = engine.Negatives(b, set)
	req.Splits = int(b.Within(set, "splits", 1, maxSplits))
	req.Seed, req.Connected = set.Seed(), set.Bool("connected")
	if null, given := set["null_graph"]; given {
		req.Null, req.WithoutNull = null.(bool), !null.(bool)
	}
	req.Model, req.Sides = set.Bool("model"), scoring.SidesIn(set.Text("sides"))
	rankSettings(b, req, set)
	if text := set.Text("scorers"); text != "" && text != "all" {
		req.Scorers = engine.NamesIn(text)
	}
	switch text := set.Text("features"); text {
	case "":
	case "all":
		req.Features = scoring.FeatureNames()
	default:
		req.Features = engine.NamesIn(text)
	}
	if latest, given := set["latest"]; given {
		req.Latest = latest.(bool)
	} else {
		req.Latest = b.Graph(req.Graph).Timed
	}
	req.Ascending = set.Text("order") == "ascending"
	req.Unseen = set.Text("learn") == "unseen" || set.Text("learn") != "seen" && req.Latest
}

func rankSettings(b *engine.Binder, req *EvaluateLinksRequest, set bind.Settings) {
	req.RankAt = int(b.Within(set, "ranking", 0, maxRank))
	req.RankVertices = int(b.Within(set, "vertices", 1, scoring.MaxTraining))
	for _, name := range []string{"vertices", "near"} {
		if _, given := set[name]; given && req.RankAt == 0 {
			b.Fail(fault.OfOption(name, "applies only to recommendations").WithRemedy("add ranking := 10"))
		}
	}
	req.Near = scoring.Near(b, set)
}

// maxCurveSteps prevents a typing error from asking for a point of every pair.
const maxCurveSteps = 10_000

const maxSplits = 10_000

// maxRank bounds the length of lists of recommendations.
const maxRank = 100_000

func resolveEvaluateLinks(c *engine.Call, req EvaluateLinksRequest) (*linkTrial, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	t := &linkTrial{features: req.Features, kinds: req.Negatives}
	if len(t.kinds) == 0 {
		t.kinds = []evaluate.Negatives{evaluate.RandomNegatives}
	}
	if t.features == nil {
		t.features = []string{evaluate.DefaultFeature}
	}
	if req.Model {
		t.model = &evaluate.SplitOptions{Share: req.Share, Latest: req.Latest, Training: req.Training, Seed: req.Seed}
	}
	if err := t.sortScorers(req.Scorers, req.Sides); err != nil {
		return nil, err
	}
	if req.Scorers != nil && len(req.Methods) == 0 && len(t.vectors) > 0 {
		return nil, fault.New(fault.Option("scorers"), "scorer %s reads an embedding, and no method is named", t.vectors[0]).
			WithRemedy("write USING method before WITH")
	}
	for _, name := range t.features {
		if err := checkFeature(name); err != nil {
			return nil, err
		}
	}
	for _, m := range req.Methods {
		e, err := methods.Configure(m.Method, m.Settings, m.Using)
		if err != nil {
			return nil, err
		}
		t.methods = append(t.methods, e)
	}
	if err := scoring.CheckLinkGraph(c, req.Graph, req.Unseen, req.Latest); err != nil {
		return nil, err
	}
	var err error
	if t.graph, err = c.GraphInfo(req.Graph, fault.Graph); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(t.plain, link.NeedsTimes); at >= 0 && !t.graph.Timed {
		if req.Scorers != nil {
			return nil, scoring.NoTimes(req.Graph, t.plain[at], fault.Option("scorers"))
		}
		t.plain = slices.DeleteFunc(t.plain, link.NeedsTimes)
	}
	return t, session.CheckAttributes(t.graph, fault.Option("sides"), scoring.SidesAttribute(req.Sides)...)
}

// check returns an Error for a number that is out of range.
func (req EvaluateLinksRequest) check() error {
	switch {
	case engine.CheckShare(req.Share) != nil:
		return engine.CheckShare(req.Share)
	case req.RankAt < 0 || req.RankAt > maxRank || req.RankVertices < 0:
		return fault.New(fault.Option("ranking"), "%d links for each of %d vertices must not be negative, nor more than %d", req.RankAt, req.RankVertices, maxRank)
	case req.RankAt > 0 && (len(req.Negatives) > 0 || req.HitsAt > 0):
		at := "negatives"
		if len(req.Negatives) == 0 {
			at = "hits"
		}
		return fault.OfOption(at, "cannot be combined with ranking, which compares a vertex with all candidates")
	case req.Splits < 0 || req.Splits > maxSplits:
		return fault.OfOption("splits", "is %d, and must be from 1 to %d", req.Splits, maxSplits)
	case req.RankAt > 0 && req.Splits > 1:
		return fault.OfOption("splits", "cannot be combined with ranking, whose intervals are over the vertices of one split")
	case req.RankAt > 0 && req.CurveSteps > 0:
		return fault.New(fault.Option("CurveSteps"), "curves have no meaning with ranking, which compares a vertex with all candidates")
	case req.Null && req.WithoutNull:
		return fault.New(fault.Option("null_graph"), "Null and WithoutNull exclude each other")
	case req.Sides != "" && req.Null:
		return fault.OfOption("null_graph", "cannot be combined with sides, because the random graph has no sides")
	case req.Sides != "" && req.Model:
		return fault.OfOption("model", "cannot be combined with sides: TRAIN MODEL learns from pairs of any vertices")
	case req.Sides != "" && slices.Contains(req.Negatives, evaluate.TwoHopNegatives):
		return fault.OfOption("negatives", "cannot be two_hop with sides: vertices on different sides have no common neighbour")
	case req.CurveSteps < 0 || req.CurveSteps > maxCurveSteps:
		return fault.New(fault.Option("CurveSteps"), "%d steps of a curve must be from 0 to %d", req.CurveSteps, maxCurveSteps)
	case req.Training < 0 || req.HitsAt < 0:
		return fault.New(fault.Option("training"), "%d edges to learn from and hits at %d must not be negative", req.Training, req.HitsAt)
	}
	return engine.CheckNegatives(req.Negatives)
}

// sortScorers separates scorers of vectors from the others; nil means all, and with sides
// all but those that are 0 between them.
func (t *linkTrial) sortScorers(names []string, sides string) error {
	if names == nil {
		names = scoring.ScorerNames()
		if sides != "" {
			names = slices.DeleteFunc(names, link.CommonNeighborsOnly)
		}
	}
	all := link.Scorers()
	for _, name := range names {
		i := slices.IndexFunc(all, func(s link.Scorer) bool { return s.Name == name })
		switch {
		case i < 0:
			return scoring.UnknownScorer(name, fault.Option("scorers"))
		case sides != "" && link.CommonNeighborsOnly(name):
			return scoring.ZeroAcross(name, fault.Option("scorers"))
		case all[i].NeedsEmbedding:
			t.vectors = append(t.vectors, name)
		default:
			t.plain = append(t.plain, name)
		}
	}
	return nil
}

func checkFeature(name string) error {
	_, err := link.FindFeature(name)
	if err == nil {
		return nil
	}
	return fault.New(fault.Option("features"), "unknown feature %s", fault.Quote(name)).WithErr(err).WithNearest(name, scoring.FeatureNames(), nil)
}

func planEvaluateLinks(req EvaluateLinksRequest, t *linkTrial) *plan.Plan {
	share := cmp.Or(req.Share, evaluate.DefaultShare)
	which := "at random"
	if req.Latest {
		which = "with the latest timestamps"
	}
	if req.Unseen {
		which += fmt.Sprintf(", and %v of the others to learn from", evaluate.DefaultUnseen)
	}
	scorers := "all scorers"
	switch {
	case req.Scorers != nil:
		scorers = strings.Join(req.Scorers, ", ")
	case len(t.methods) == 0:
		scorers = "all scorers of the graph"
	}
	if req.Sides != "" && req.Scorers == nil {
		scorers += " but those of common neighbours"
	}
	if len(t.methods) > 0 {
		scorers += "; learned from " + strings.Join(t.features, ", ")
	}
	if req.Model {
		scorers += "; models as of TRAIN MODEL"
	}
	measures := "AUC, average precision, decisions, hits"
	if req.RankAt > 0 {
		measures = fmt.Sprintf("recall, MAP and other measures of %d recommendations for each vertex of a sample", req.RankAt)
	}
	if req.Connected {
		which += ", outside of a spanning forest"
	}
	if req.Sides != "" {
		which += ", between the sides by " + fault.Name(req.Sides)
	}
	if req.Splits > 1 {
		which += fmt.Sprintf("; %d splits", req.Splits)
	}
	if req.Null {
		which += "; and of a random graph with the same degrees"
	}
	if len(req.Negatives) > 0 {
		which += "; other pairs " + engine.KindNames(t.kinds, ", ")
	}
	if req.hasNull() && !req.Null {
		which += "; by degree also of a random graph with the same degrees"
	}
	var inputs []*plan.Plan
	for i, text := range t.texts() {
		inputs = append(inputs, plan.Measured(solveStep(i), "method", text))
	}
	inputs = append(inputs, plan.Measured(plan.Split, "split", fmt.Sprintf("%v of the edges held out, %s", share, which), session.GraphPlan(t.graph)))
	return plan.Result("evaluation", measures,
		plan.Measured(plan.Score, "score", scorers, inputs...))
}
