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
	"heavytail/embedding/option"
	"heavytail/embedding/run"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// This file has EVALUATE LINKS.

var evaluateLinks = &engine.Statement[*parser.EvaluateLinks, EvaluateLinksRequest, *linkTrial, EvaluateLinksResult]{
	Help: help.Statement{
		Statement: "EVALUATE LINKS",
		Summary:   "holds out edges and compares how well scorers, methods and learned models separate them from pairs without an edge",
		Detail:    "Each method embeds the edges that are left; without USING it compares the scorers of the graph. precision, recall and f1 are those at the threshold with the best f1 of the training pairs, and missing if all test pairs are on one side of it. It stores nothing",
		Words:     "auc roc benchmark train test split holdout cross validation precision recall accuracy compare methods link prediction",
		Columns: strings.Join(linkColumns, ", ") + "; with ranking: " + strings.Join(rankColumns, ", ") +
			"; with splits in addition: " + strings.Join(splitColumns, ", ") + "; with null_graph or negatives by degree in addition: " + strings.Join(nullColumns, ", ") +
			"; with ranking and null_graph in addition to those of ranking: " + strings.Join(nullRankColumns, ", "),
	},
	Schema: linksSchema,
	Bind: func(b *engine.Binder, s *parser.EvaluateLinks) (req EvaluateLinksRequest) {
		linkMethods(b, &req, s.Graph, s.Methods)
		engine.Bind(b, parser.Heading(s), linksSchema(), s.Options, &req)
		req.settle(b)
		return req
	},
	Resolve: resolveEvaluateLinks,
	Plan:    planEvaluateLinks,
	Run:     runEvaluateLinks,
	Rows:    linkRows,
	Reads:   true,
}

func linksSchema() option.Schema[EvaluateLinksRequest] {
	type request = EvaluateLinksRequest
	ranked := func(r request) error {
		if r.RankAt > 0 {
			return fault.Rule("cannot be combined with ranking, which compares a vertex with all candidates")
		}
		return nil
	}
	ranking := func(field option.Field[request]) option.Field[request] {
		return field.Rule(func(r request) error {
			if _, given := field.Value(r); given && r.RankAt == 0 {
				return fault.Rule("applies only to recommendations").WithRemedy("add ranking := 10")
			}
			return nil
		})
	}
	return option.Schema[request]{
		engine.ShareField("fraction of the edges to hold out", func(r *request) *float64 { return &r.Share }),
		scoring.LatestField("", func(r *request) **bool { return &r.given.latest }),
		option.Seed("seed of the edges and pairs that are drawn", func(r *request) *uint64 { return &r.Seed }),
		scoring.DirectionField("edges are held out with their direction, from ordered pairs, and scored along the edges; methods without a direction of their own embed the undirected view; not with model and sides, whose default is both", func(r *request) *string { return &r.Direction }),
		scoring.SidesField("in a bipartite graph, measure links between its sides only, with pairs and recommendations between them", func(r *request) *string { return &r.Sides }),
		engine.NegativesField("comma-separated kinds of pairs without an edge that held-out edges are compared with", evaluate.DirectedNegatives(), func(r *request) *[]evaluate.Negatives { return &r.Negatives }).
			Rule(func(r request) error {
				if r.Sides != "" && slices.Contains(r.Negatives, evaluate.TwoHopNegatives) {
					return fault.Rule("cannot be two_hop with sides: vertices on different sides have no common neighbour")
				}
				if len(r.Negatives) > 0 {
					return ranked(r)
				}
				return nil
			}),
		option.Int("training", "largest number of edges to learn from, with as many pairs without an edge", func(r *request) *int { return &r.Training }).
			OrElse(evaluate.DefaultTraining).Between(1, scoring.MaxTraining),
		option.Choice("learn", "which edges to learn from: seen are edges of the embedded graph, unseen are further edges that are held out as well; auto is unseen if the latest edges are held out",
			[]string{learnAuto, learnSeen, learnUnseen}, func(r *request) *string { return &r.given.learn }),
		option.Either("order", "order of the two vertices of a pair, on which the feature difference depends: random, or ascending, with the vertex first that came into the graph first; with a direction the source is first",
			"random", "ascending", func(r *request) *bool { return &r.Ascending }),
		option.Names(scorersOption, "all", "comma-separated scorers to compare; SHOW SCORERS lists them", func(r *request) *[]string { return &r.Scorers }),
		option.Parsed("features", "comma-separated inputs of a logistic regression: "+strings.Join(scoring.FeatureNames(), ", ")+" or all", func(r *request) *[]string { return &r.Features },
			featuresIn, func(list []string) string { return strings.Join(list, ",") }).OrElse(evaluate.DefaultFeature).Rule(checkFeatures),
		option.Bool("model", "also measure models as of TRAIN MODEL, as scorer model: the default one, and with each method one that reads its embedding alone. They are trained on edges held out of the remaining graph, which takes five more embeddings of each method",
			func(r *request) *bool { return &r.Model }).Rule(func(r request) error {
			if r.Model && r.Sides != "" {
				return fault.Rule("cannot be combined with sides: TRAIN MODEL learns from pairs of any vertices")
			}
			return nil
		}),
		option.Int("hits", "k of the measure hits: the fraction of edges that score above the k-th highest pair without an edge", func(r *request) *int { return &r.HitsAt }).
			OrElse(100).Between(1, math.MaxInt32).Rule(func(r request) error {
			if r.HitsAt > 0 {
				return ranked(r)
			}
			return nil
		}),
		option.Bool("connected", "hold out only edges outside of a spanning forest, drawn by the seed, so that the remaining graph has the same components", func(r *request) *bool { return &r.Connected }),
		option.Int(splitsOption, "how many times to hold out edges, with the seeds seed, seed + 1, …; figures are means, with the standard deviations of auc and average_precision",
			func(r *request) *int { return &r.Splits }).OrElse(1).Between(1, maxSplits).Rule(func(r request) error {
			if r.RankAt > 0 && r.Splits > 1 {
				return fault.Rule("cannot be combined with ranking, whose intervals are over the vertices of one split")
			}
			return nil
		}),
		option.BoolOrNil(nullOption, "also measure on a random graph with the same degrees, where only the degrees can be predicted; this takes as long as one more split. Without the option negatives by degree are measured there, and with FALSE nothing; recommendations are measured there with TRUE only, and with sides nothing can be",
			func(r *request) **bool { return &r.given.null }).Rule(func(r request) error {
			switch {
			case r.Null && r.WithoutNull:
				return fault.New(fault.This, "Null and WithoutNull exclude each other")
			case r.Null && r.Sides != "":
				return fault.Rule("cannot be combined with sides, because the random graph has no sides")
			}
			return nil
		}),
		option.Int("ranking", "measure recommendations instead of pairs: the number of links recommended to each vertex in a sample of vertices with held-out edges, from the candidates of PREDICT; 0 measures pairs. Intervals are 95 % over the vertices",
			func(r *request) *int { return &r.RankAt }).Between(0, maxRank),
		ranking(option.Int("vertices", "with ranking: largest number of vertices in the sample", func(r *request) *int { return &r.RankVertices }).
			OrElse(evaluate.DefaultRankVertices).Between(1, scoring.MaxTraining)),
		ranking(scoring.NearField("with ranking: number of nearest vertices that are candidates of a scorer of vectors; the default is raised to the number recommended, and 0 takes none", func(r *request) *int { return &r.Near })),
	}
}

// The names of options that other checks report.
const (
	scorersOption = "scorers"
	splitsOption  = "splits"
	nullOption    = "null_graph"
)

// The values of the option learn.
const (
	learnAuto   = "auto"
	learnSeen   = "seen"
	learnUnseen = "unseen"
)

// settle sets what depends on whether an option was given, and on the graph.
func (req *EvaluateLinksRequest) settle(b *engine.Binder) {
	if null := req.given.null; null != nil {
		req.Null, req.WithoutNull = *null, !*null
	}
	if req.given.latest != nil {
		req.Latest = *req.given.latest
	} else {
		req.Latest = b.Graph(req.Graph).Timed
	}
	req.Unseen = req.given.learn == learnUnseen || req.given.learn != learnSeen && req.Latest
}

// featuresIn reads names of features; nil for an empty text.
func featuresIn(text string) ([]string, error) {
	switch text {
	case "":
		return nil, nil
	case "all":
		return scoring.FeatureNames(), nil
	}
	return engine.NamesIn(text), nil
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
		t.model = &evaluate.SplitOptions{Latest: req.Latest, Seed: req.Seed}
	}
	if err := t.sortScorers(req.Scorers, req.Sides); err != nil {
		return nil, err
	}
	if req.Scorers != nil && len(req.Methods) == 0 && len(t.vectors) > 0 {
		return nil, fault.New(fault.Option(scorersOption), "scorer %s reads an embedding, and no method is named", t.vectors[0]).
			WithRemedy("write USING method before WITH")
	}
	for _, m := range req.Methods {
		e, err := methods.Configure(m.Method, m.Settings, m.Using)
		if err != nil {
			return nil, err
		}
		t.methods = append(t.methods, e)
	}
	var err error
	if t.graph, err = c.GraphInfo(req.Graph, fault.Graph); err != nil {
		return nil, err
	}
	if t.directed, err = req.along(t.graph); err != nil {
		return nil, err
	}
	for _, m := range t.methods {
		if err := m.CheckDirection(t.graph); err != nil {
			return nil, err
		}
		if m.Follows() && !t.directed {
			return nil, fault.OfOption(run.DirectionOption, "makes %s follow the direction of edges, and links of the undirected view are held out", m.Method.Name)
		}
	}
	if err := scoring.CheckLinkGraph(c, req.Graph, t.directed, req.Unseen, req.Latest); err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(t.plain, link.NeedsTimes); at >= 0 && !t.graph.Timed {
		if req.Scorers != nil {
			return nil, scoring.NoTimes(req.Graph, t.plain[at], fault.Option(scorersOption))
		}
		t.plain = slices.DeleteFunc(t.plain, link.NeedsTimes)
	}
	return t, session.CheckAttributes(t.graph, fault.Option(scoring.SidesOption), scoring.SidesAttribute(req.Sides)...)
}

// along reports whether links have a direction. The error is an Error for what has none.
func (req EvaluateLinksRequest) along(graph storage.GraphInfo) (bool, error) {
	models := ""
	if req.Model {
		models = "models learn from the undirected view"
	}
	along, err := scoring.LinksAlong(graph, req.Direction, models, req.Sides)
	if err == nil && !along && slices.Contains(req.Negatives, evaluate.ReversedNegatives) {
		err = fault.OfOption(engine.NegativesOption, "has reversed, which are pairs of a directed graph with direction := 'out'")
	}
	return along, err
}

// check returns an Error for curves, which statements do not have.
func (req EvaluateLinksRequest) check() error {
	switch {
	case req.RankAt > 0 && req.CurveSteps > 0:
		return fault.New(fault.Option("CurveSteps"), "curves have no meaning with ranking, which compares a vertex with all candidates")
	case req.CurveSteps < 0 || req.CurveSteps > maxCurveSteps:
		return fault.New(fault.Option("CurveSteps"), "%d steps of a curve must be from 0 to %d", req.CurveSteps, maxCurveSteps)
	}
	return nil
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
			return scoring.UnknownScorer(name, fault.Option(scorersOption))
		case sides != "" && link.CommonNeighborsOnly(name):
			return scoring.ZeroAcross(name, fault.Option(scorersOption))
		case all[i].NeedsEmbedding:
			t.vectors = append(t.vectors, name)
		default:
			t.plain = append(t.plain, name)
		}
	}
	return nil
}

func checkFeatures(req EvaluateLinksRequest) error {
	for _, name := range req.Features {
		if _, err := link.FindFeature(name); err != nil {
			return fault.New(fault.This, "unknown feature %s", fault.Quote(name)).WithErr(err).WithNearest(name, scoring.FeatureNames(), nil)
		}
	}
	return nil
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
	if t.directed {
		which += ", with their direction"
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
