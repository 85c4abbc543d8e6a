package links

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/format"
)

// DefaultNear is the number of nearest vertices that are candidates for the links
// of a vertex, in addition to the vertices two edges away. On ego-facebook,
// ca-GrQc and CollegeMsg the ends of most held-out links are two edges apart; the
// nearest vertices matter for vertices with few edges or none, which have hardly
// any other candidates.
const DefaultNear = evaluate.DefaultRankNear

// PredictForRequest asks for the likeliest links of one vertex.
type PredictForRequest struct {
	Vertex string // by its key
	K      int    // how many links; at least 1
	Graph  string // as in ScoreRequest
	With   catalogue.Scorer
	// Where decides which vertices may be in the result, as in vectors.NearestRequest; nil
	// admits all. It is called from several goroutines at a time.
	Where      func(where.Candidate) bool
	Attributes []string // that Where reads
	// OrderBy is an attribute, or degree or key, by which the vertices that were found are
	// sorted, as in vectors.NearestRequest; empty is the likeliest first.
	OrderBy    string
	Descending bool
	// Near is the number of nearest vertices without an edge to this one that are
	// candidates as well, if With reads vectors; 0 means DefaultNear or K,
	// whichever is larger, and a negative number means none.
	Near int
	// Threshold is the least score of a link, or the largest where the scorer is a
	// distance; nil for none.
	Threshold *float64
	// Sides, in a bipartite graph, asks for links between its two sides only: "auto", or
	// an attribute with two values. Empty is all links.
	Sides string
	// AsOf predicts from the edges whose time is before one, in the unit of the times of the
	// graph (of dates seconds since 1970), and from those without a time; nil predicts from
	// all. Scorers of embeddings, which have seen later edges, are refused.
	AsOf *int64
}

// PredictRequest asks for the likeliest links of a whole graph.
type PredictRequest struct {
	K     int    // how many links; at least 1
	Graph string // as in ScoreRequest
	With  catalogue.Scorer
	// Where is as in PredictForRequest, and must hold for both ends of a link.
	Where      func(where.Candidate) bool
	Attributes []string
	// Near is as in PredictForRequest, for each vertex; 0 means DefaultNear.
	// Without an index each vertex takes a scan of all vectors.
	Near int
	// Threshold is as in PredictForRequest.
	Threshold *float64
	// Top is the number of links of a vertex in the answer: a link counts only if it is
	// among the Top likeliest of both its ends. 0 is any number.
	Top   int
	Sides string // as in PredictForRequest
	AsOf  *int64 // as in PredictForRequest
}

// PredictedVertex is a vertex with the score of a link to it.
type PredictedVertex struct {
	Vertex string  `json:"vertex"`
	Score  float64 `json:"score"`
}

// PredictedPair is a link that the graph does not have, with its score. Source came
// into the graph before Target.
type PredictedPair struct {
	Pair
	Score float64 `json:"score"`
}

// PredictForResult is the answer of PredictFor: the likeliest vertex first, or in the order
// of OrderBy, ties in the order in which the vertices came into the graph.
type PredictForResult struct {
	Vertices []PredictedVertex `json:"vertices"`
	Prediction
}

// PredictResult is the answer of Predict: the likeliest link first, ties by the
// order in which Source, then Target came into the graph.
type PredictResult struct {
	Links []PredictedPair `json:"links"`
	Prediction
}

// Prediction has the number of candidates and the sources of predicted links.
type Prediction struct {
	Candidates int64 `json:"candidates"` // number of scored pairs; with Top most of them twice
	// Capped is the number of vertices from which only a few paths were followed, since
	// they have very many: see [link.Predictor.Many]. It is 0 with one vertex.
	Capped int64 `json:"capped"`
	// Became is the number of predicted links that the graph has by now, with AsOf.
	Became int `json:"became"`
	// Embedding is the embedding that the scorer reads, and Index the index that found
	// the nearest vertices; nil if there is none.
	Embedding *catalogue.EmbeddingState `json:"embedding,omitempty"`
	Index     *storage.IndexInfo        `json:"index,omitempty"`
	Notices   []rows.Notice             `json:"notices,omitempty"`
}

// linksRequest is a PredictRequest or a PredictForRequest.
type linksRequest struct {
	PredictRequest
	one    bool   // the links of one vertex
	vertex string // by its key
	// orderBy and descending are as in PredictForRequest.
	orderBy    string
	descending bool

	condition string // the text of Where
}

type linksEntry struct {
	*scorerEntries
	linkSearch
	inFile bool // the links are predicted from the file, if the vertex has few edges
}

type linkSearch struct {
	k         int                // number of links to find
	top       int                // of them of each vertex; 0 for any number
	threshold *float64           // nil for none
	asOf      *int64             // as in PredictForRequest
	sides     string             // as in PredictForRequest
	near      int                // number of nearest vertices that are candidates of each vertex; 0 for none
	metric    index.Metric       // metric of the nearest vertices
	index     *storage.IndexInfo // index that finds the nearest vertices; nil for a scan
}

var predict = &engine.Statement[*parser.Predict, linksRequest, *linksEntry, PredictResult]{
	Help:    predictHelp(),
	Options: predictOptions,
	When:    func(s *parser.Predict) bool { return s.Each == nil },
	Bind:    bindPredict,
	From:    linksFrom,
	Resolve: resolvePredict,
	Plan: func(req linksRequest, p *linksEntry) *plan.Plan {
		if req.one {
			return planLinks(req, p, " of vertex "+fault.QuoteKey(req.vertex))
		}
		return planLinks(req, p, "")
	},
	Run: runPredict,
	Rows: func(req linksRequest, r PredictResult) *rows.Rows {
		if req.one {
			return cells.RowsOf([]string{"vertex", "score"}, lists.Map(r.Links, func(l PredictedPair) []rows.Value { return []rows.Value{l.Target, l.Score} }))
		}
		return cells.RowsOf([]string{"source", "target", "score"}, lists.Map(r.Links, func(l PredictedPair) []rows.Value { return []rows.Value{l.Source, l.Target, l.Score} }))
	},
	Reads: true,
}

// predictHelp is for both statements that begin with PREDICT.
func predictHelp() help.Statement {
	return help.Statement{
		Statement: "PREDICT",
		Summary:   "finds the n likeliest links that the graph does not have, of one vertex or between any two, the likeliest first. Candidates are vertices two edges apart and, for scorers of vectors, the nearest vertices of each vertex; for preferential_attachment all vertices, for l3 the ends of paths of three edges. The condition of WHERE must hold for the other vertex, or without FOR for both. ORDER BY, which needs FOR vertex, sorts the n vertices that were found, with vertices without a value last. FOR ALL finds the n likeliest of every vertex, in the order of the graph, with the limits of MATERIALIZE PREDICTIONS; FOR FILE finds those of the vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have. AS OF predicts from the edges before a time only, and a notice says how many of the links the graph has by now. Without WITH it answers from the predictions that MATERIALIZE PREDICTIONS has stored; FROM names the scorer if several are stored",
		Columns:   "with FOR vertex: vertex, score; with FOR ALL or FILE: source, rank, target, score; without: source, target, score",
		Example:   "PREDICT 20 LINKS FOR 'alice' IN social WITH resource_allocation WHERE degree >= 3",
	}
}

func predictOptions() []help.Option {
	return []help.Option{
		{Name: "near", Type: "int", Default: fmt.Sprint(DefaultNear), Doc: "for scorers of vectors: number of nearest vertices of each vertex that are candidates as well; with FOR at least n by default, and 0 takes none"},
		{Name: "threshold", Type: "float", Default: "'none'", Choices: []string{"none"}, Doc: "least score of a link, or the largest where the scorer is a distance; none for any score"},
		{Name: "top", Type: "int", Default: "0", Doc: "links of each vertex at most, without FOR: a link is kept if it is among the likeliest of both its ends; 0 for any number"},
		scoring.SidesOption(scoring.PredictedSides),
	}
}

// PredictFor finds the likeliest links of a vertex that the graph does not have. The
// candidates are all vertices two edges away and, if the scorer reads vectors, the
// nearest vertices. For preferential_attachment they are all vertices with edges,
// for l3 the ends of paths of three edges. A pair with a heuristic score of 0 is
// left out, so that a vertex without edges has links only by a scorer of vectors.
func (s *Service) PredictFor(ctx context.Context, req PredictForRequest) (PredictForResult, error) {
	all, err := predict.Answer(ctx, s.db, req.links())
	if err != nil {
		return PredictForResult{}, err
	}
	vertices := lists.Map(all.Links, func(l PredictedPair) PredictedVertex { return PredictedVertex{l.Target, l.Score} })
	return PredictForResult{vertices, all.Prediction}, nil
}

// Predict finds the likeliest links that a graph does not have, among the
// candidates of PredictFor for all vertices.
func (s *Service) Predict(ctx context.Context, req PredictRequest) (PredictResult, error) {
	return predict.Answer(ctx, s.db, linksRequest{PredictRequest: req})
}

// linksFrom converts the request of either method.
func linksFrom(request any) (linksRequest, bool) {
	switch r := request.(type) {
	case PredictRequest:
		return linksRequest{PredictRequest: r}, true
	case PredictForRequest:
		return r.links(), true
	}
	return linksRequest{}, false
}

func (r PredictForRequest) links() linksRequest {
	all := PredictRequest{K: r.K, Graph: r.Graph, With: r.With, Where: r.Where, Attributes: r.Attributes, Near: r.Near, Threshold: r.Threshold, Sides: r.Sides, AsOf: r.AsOf}
	if r.Near == 0 {
		all.Near = max(DefaultNear, r.K)
	}
	return linksRequest{PredictRequest: all, one: true, vertex: r.Vertex, orderBy: r.OrderBy, descending: r.Descending}
}

// linkedToPredict is the reason why a condition of PREDICT cannot use linked.
const linkedToPredict = "links that the graph has are left out in any case"

func bindPredict(b *engine.Binder, s *parser.Predict) (req linksRequest) {
	req.K = b.Size(fault.Number, s.Count)
	of := req.K // the links of each vertex that is named
	if s.For == nil && s.Each == nil {
		of = 0
	}
	if req.one = s.For != nil; req.one {
		req.vertex = b.VertexKey(fault.Vertex, s.For)
	}
	req.orderBy, req.descending = engine.Order(b, s.Order)
	req.Graph = b.MarkGraph(s.Graph, s)
	req.With = scorers(b, s.Scorer)[0]
	set := b.Settings("PREDICT", predictOptions(), s.Options)
	if req.Near = scoring.Near(b, set); of > 0 && req.Near == 0 {
		req.Near = max(DefaultNear, of)
	}
	if x, given := set["threshold"].(float64); given {
		req.Threshold = &x
	}
	if _, given := set["top"]; given && of > 0 {
		b.Fail(fault.OfOption("top", "has no meaning with FOR, where the number after PREDICT is that of the vertex"))
	}
	req.Top, req.Sides = set.Size("top"), scoring.SidesIn(set.Text("sides"))
	if s.AsOf != nil {
		req.AsOf = asOf(b, req, s)
	}
	if s.Where != nil {
		// The condition reads attributes of the graph, which may be known only from an
		// embedding.
		condition := conditions.Compile(b.Values, s.Where, scoredGraph(b, req), linkedToPredict)
		req.Where, req.Attributes, req.condition = condition.Admits, condition.Attributes, s.Where.String()
	}
	return req
}

// asOf returns the time of AS OF in the unit of the graph.
func asOf(b *engine.Binder, req linksRequest, s *parser.Predict) *int64 {
	value := b.Value(fault.Before, s.AsOf)
	if number, ok := value.(int64); ok {
		return &number
	}
	text, ok := value.(string)
	t, dated, parsed := format.ParseTime(text)
	if !ok || !parsed {
		b.Fail(bind.Unexpected(fault.Before, value, "an integer", "a date such as '2006-01-02' or '2006-01-02T15:04:05Z'"))
	}
	if g := scoredGraph(b, req); dated && g.Timed && g.Times == format.TimeNumbers {
		b.Fail(fault.New(fault.Before, "%s is a date, and the times of graph %s are numbers", fault.QuoteKey(text), fault.Name(g.Name)).
			WithRemedy("write a number in the same unit"))
	}
	return &t
}

// scoredGraph is the graph of a scorer, which a request need not name.
func scoredGraph(b *engine.Binder, req linksRequest) (g storage.GraphInfo) {
	found, err := findScorers(b.Call, req.Graph, []catalogue.Scorer{req.With})
	b.Fail(err)
	if err == nil {
		g = found.graph
	}
	return g
}

// checkAsOf refuses a graph without times, and vectors, which have seen later edges.
func checkAsOf(p *linksEntry) error {
	switch e := p.scorers[0].embedding; {
	case p.asOf == nil:
	case !p.graph.Timed:
		return fault.New(fault.Before, "the edges of graph %s have no times", fault.Name(p.graph.Name))
	case e != nil:
		return fault.New(fault.Scorer(0), "embedding %s has seen the edges after that time", fault.Name(e.Info.Name)).
			WithRemedy("use a scorer of the graph, or CREATE GRAPH … AS SUBGRAPH of the earlier edges and EMBED it")
	}
	return nil
}

func resolvePredict(c *engine.Call, req linksRequest) (*linksEntry, error) {
	if req.K < 1 {
		return nil, fault.New(fault.Number, "the number of links is %d, and must be at least 1", req.K)
	}
	if req.Top < 0 {
		return nil, fault.OfOption("top", "is %d, and must not be negative", req.Top)
	}
	if x := req.Threshold; x != nil && math.IsNaN(*x) {
		return nil, fault.OfOption("threshold", "is %v, and must be a number", *x)
	}
	scorers, err := findScorers(c, req.Graph, []catalogue.Scorer{req.With})
	if err != nil {
		return nil, err
	}
	p := &linksEntry{scorerEntries: scorers, linkSearch: linkSearch{k: req.K, top: req.Top, threshold: req.Threshold, sides: req.Sides}}
	p.asOf = req.AsOf
	if err := cmp.Or(checkAsOf(p), scoring.CheckSides(p.graph, p.sides, req.With)); err != nil {
		return nil, err
	}
	if e := scorers.scorers[0].embedding; e != nil && req.Near >= 0 {
		if p.near = req.Near; p.near == 0 {
			p.near = DefaultNear
		}
		p.metric = evaluate.NearestBy(req.With.Name)
		if p.index, _, err = search.IndexFor(c, e.Info, p.metric); err != nil {
			return nil, err
		}
	}
	if err := engine.CheckColumn(p.graph, req.orderBy, engine.PartOrder); err != nil {
		return nil, err
	}
	if req.one {
		if err := c.CheckVertex(p.graph, req.vertex, fault.Vertex); err != nil {
			return nil, err
		}
	}
	p.inFile = canPredictFile(c, req, p)
	return p, c.CheckRows(req.K)
}

func planLinks(req linksRequest, p *linksEntry, of string) *plan.Plan {
	likelier := "highest"
	if !link.NewScoring(req.With.Name, nil).HigherIsLikelier {
		likelier = "lowest"
	}
	inputs := session.AttributePlans(p.graph, engine.WithColumn(req.Attributes, req.orderBy))
	if req.condition != "" {
		inputs = append([]*plan.Plan{plan.Step("filter", req.condition)}, inputs...)
	}
	kept := ""
	if p.asOf != nil {
		kept = fmt.Sprintf(", from edges before the time %d", *p.asOf)
	}
	if p.sides != "" {
		kept += ", between the sides by " + fault.Name(p.sides)
	}
	if p.threshold != nil {
		kept += fmt.Sprintf(", threshold %v", *p.threshold)
	}
	if p.top > 0 {
		kept += fmt.Sprintf(", among the %d likeliest of both ends", p.top)
	}
	if req.orderBy != "" {
		kept += ", then " + engine.OrderText(req.orderBy, req.descending)
	}
	without := ", without an edge"
	if p.inFile {
		without += "; the edges are read in the file, and the graph is loaded if they are many"
	}
	return plan.Result("links", fmt.Sprintf("%d%s by %s, the %s score first, ties by vertex%s", p.k, of, req.With, likelier, kept),
		plan.Measured(plan.Score, "candidates", p.candidates(req.With, req.one)+without, append(inputs, p.inputs()...)...))
}

// candidates describes which pairs are scored.
func (p *linkSearch) candidates(with catalogue.Scorer, one bool) string {
	switch {
	case with.Name == "preferential_attachment":
		return "all pairs of vertices with edges, by the product of their degrees"
	case with.Name == "l3" || p.sides != "" && p.near == 0:
		return "vertices that a path of three edges leads to"
	case p.near > 0:
		how := "by a scan of all vectors each"
		if one {
			how = "by a scan of all vectors"
		}
		if p.index != nil {
			how = "by an index, " + entries.SettingsText(p.index.Parameters)
		}
		apart := "vertices two edges apart"
		if p.sides != "" {
			apart = "vertices that a path of three edges leads to"
		}
		return fmt.Sprintf("%s and the %d nearest by %s, %s", apart, p.near, p.metric, how)
	}
	return "vertices two edges apart"
}
