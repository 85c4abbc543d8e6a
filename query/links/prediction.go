package links

import (
	"cmp"
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
)

// DefaultNear is the number of nearest vertices that are candidates for the links
// of a vertex, in addition to the vertices two edges away. On ego-facebook,
// ca-GrQc and CollegeMsg the ends of most held-out links are two edges apart; the
// nearest vertices matter for vertices with few edges or none, which have hardly
// any other candidates.
const DefaultNear = evaluate.DefaultRankNear

// PredictRequest asks for the likeliest links that a graph does not have: those of one vertex, those
// of each of many vertices, or those of the whole graph. They are computed, or read from what
// Materialize has stored.
type PredictRequest struct {
	K int // how many links: of the vertex, of each vertex, or of the graph; at least 1
	// Vertex is the key of the vertex whose links are asked for. Empty, without Each, means the
	// links between any two vertices.
	Vertex string
	// Each asks for the links of each vertex whose key the file Path lists, as in
	// vectors.NearestRequest, or of every vertex if Path is empty.
	Each bool
	Path string
	// First and Count choose some of them with Each, as in vectors.NearestRequest.
	First int64
	Count *int64

	Graph string // as in ScoreRequest
	// With scores the links. With Stored it may be empty if the graph has predictions by only one
	// scorer.
	With catalogue.Scorer
	// Stored asks for the links that Materialize has stored, of Vertex or of Each. They are read
	// from the file in tens of microseconds for one vertex: its links, and the blocks of the graph
	// that can have an edge to an answer or the key of an answer. Vertices to which the vertex has
	// an edge by now, and deleted vertices, are left out. The following fields must be zero.
	Stored bool

	// Where decides which vertices may be in the result, as in vectors.NearestRequest; nil
	// admits all. In the links of the graph it must hold for both ends. It is called from several
	// goroutines at a time.
	Where      func(where.Candidate) bool
	Attributes []string // that Where reads
	// OrderBy is an attribute, or degree or key, by which the links of one vertex that were found
	// are sorted, as in vectors.NearestRequest; empty is the likeliest first.
	OrderBy    string
	Descending bool
	// Near is the number of nearest vertices without an edge to a vertex that are its
	// candidates as well, if With reads vectors; 0 means DefaultNear, or for the links of a vertex
	// K if that is more, and a negative number means none. Without an index each vertex takes a scan
	// of all vectors.
	Near int
	// Threshold is the least score of a link, or the largest where the scorer is a
	// distance; nil for none.
	Threshold *float64
	// Top is the number of links of a vertex in the links of the graph: a link counts only if it
	// is among the Top likeliest of both its ends, or if it has a direction of Source. 0 is any number.
	Top int
	// Sides, in a bipartite graph, asks for links between its two sides only: "auto", or
	// an attribute with two values. Empty is all links.
	Sides string
	// Direction is that of links in a directed graph: "out", the default, predicts edges from Source to Target along the edges
	// of the graph, as link.NewPredictorAlong does, which may be the ways back of others; "both" predicts links of the
	// undirected view, and is the default where With is a model, which has been trained on it.
	Direction string
	BaseRate  float64 // as in ScoreRequest
	// AsOf predicts from the edges whose time is before one, in the unit of the times of the
	// graph (of dates seconds since 1970), and from those without a time; nil predicts from
	// all. Scorers of embeddings, which have seen later edges, are refused.
	AsOf *int64

	condition string // the text of Where, for the plan
}

// PredictedLink is a link that the graph does not have, with its score.
type PredictedLink struct {
	Pair          // Source is the vertex whose links were asked for; of a graph without a direction it came into the graph before Target
	Rank  int     `json:"rank"` // 1 is the first of Source, or of the graph
	Score float64 `json:"score"`
}

// PredictResult is the answer of Predict: the likeliest link first, ties in the order in which the
// vertices came into the graph, or in the order of OrderBy, ties the likeliest first; of many vertices in the order of the graph
// or of the file.
type PredictResult struct {
	Links      []PredictedLink `json:"links"`
	Candidates int64           `json:"candidates"` // number of scored pairs; with Top most of them twice
	// Capped is the number of vertices from which only a few paths were followed, since
	// they have very many: see [link.Predictor.Many]. It is 0 with one vertex.
	Capped int64 `json:"capped"`
	// Became is the number of predicted links that the graph has by now, with AsOf.
	Became int `json:"became"`
	// Embedding is the embedding that the scorer reads, and Index the index that found
	// the nearest vertices; nil if there is none.
	Embedding *catalogue.EmbeddingState `json:"embedding,omitempty"`
	Index     *storage.IndexInfo        `json:"index,omitempty"`
	Stored    *StoredLinks              `json:"stored,omitempty"` // nil if the links were computed
	Notices   []rows.Notice             `json:"notices,omitempty"`

	stream *engine.Stream[PredictedLink] // of many vertices, in place of the other fields
}

// prediction is a PredictRequest whose names are resolved.
type prediction struct {
	PredictRequest
	*scorerEntries
	nearest nearest
	inFile  bool // the links are predicted from the file, if the vertex has few edges
}

// nearest are the vertices by their vectors that are candidates of each vertex.
type nearest struct {
	n      int                // 0 for none
	metric index.Metric       // by which they are the nearest
	index  *storage.IndexInfo // that finds them; nil for a scan
}

// ofGraph reports whether the links are those of the graph.
func (req PredictRequest) ofGraph() bool { return req.Vertex == "" && !req.Each }

// check refuses what contradicts itself.
func (req PredictRequest) check() error {
	switch x := req.Threshold; {
	case req.K < 1:
		return fault.New(fault.Number, "the number of links is %d, and must be at least 1", req.K)
	case req.Vertex != "" && req.Each, req.Path != "" && !req.Each:
		return fault.New(fault.Vertex, "both the links of one vertex and those of each of a file are asked for")
	case req.Stored && req.ofGraph():
		return fault.New(fault.Vertex, "the links of each vertex are stored, and none is named")
	case req.Stored && (req.Where != nil || req.OrderBy != "" || req.Near != 0 || x != nil || req.Top != 0 || req.Sides != "" || req.Direction != "" || req.BaseRate != 0 || req.AsOf != nil):
		return fault.New(fault.Statement, "stored links are read as they are, without a condition, an order and options")
	case !req.Each && !req.some().All():
		return engine.NotOfMany()
	case req.OrderBy != "" && req.Vertex == "":
		return fault.New(engine.PartOrder, "only the links of one vertex can be sorted")
	}
	return nil
}

func (req PredictRequest) some() engine.RowRange {
	return engine.RowRange{First: req.First, Count: req.Count}
}

func resolvePrediction(c *engine.Call, req PredictRequest) (*prediction, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	if err := search.CheckKeys(c, req.Path); err != nil {
		return nil, err
	}
	if req.Stored {
		graph, with, err := resolveStored(c, req.Graph, req.With)
		req.Graph, req.With = graph.Name, with
		return &prediction{PredictRequest: req, scorerEntries: &scorerEntries{graph: graph}}, cmp.Or(err, c.CheckRows(req.K))
	}
	scorers, err := findScorers(c, req.Graph, []catalogue.Scorer{req.With})
	if err != nil {
		return nil, err
	}
	p := &prediction{PredictRequest: req, scorerEntries: scorers}
	if err := cmp.Or(p.setDirection(), p.atBaseRate(p.BaseRate), checkAsOf(p), scoring.CheckSides(p.graph, p.Sides, req.With)); err != nil {
		return nil, err
	}
	if e := scorers.scorers[0].embedding(); e != nil && req.Near >= 0 {
		p.nearest = nearest{n: cmp.Or(req.Near, DefaultNear), metric: evaluate.NearestBy(req.With.Name)}
		if req.Near == 0 && !req.ofGraph() {
			p.nearest.n = max(DefaultNear, req.K)
		}
		if p.nearest.index, _, err = search.IndexFor(c, e.Info, p.nearest.metric, req.Vertex == ""); err != nil {
			return nil, err
		}
	}
	if err := engine.CheckColumn(p.graph, req.OrderBy, engine.PartOrder); err != nil {
		return nil, err
	}
	if req.Vertex != "" {
		if err := c.CheckVertex(p.graph, req.Vertex, fault.Vertex); err != nil {
			return nil, err
		}
	}
	p.inFile = p.fitsFile(c)
	return p, c.CheckRows(req.K)
}

// setDirection sets the direction of the links, and refuses what has none.
func (p *prediction) setDirection() (err error) {
	models := ""
	if p.With.Model != "" {
		models = "model " + fault.Name(p.With.Model) + " has been trained on the undirected view"
	}
	p.along, err = scoring.LinksAlong(p.graph, p.Direction, models, p.Sides)
	return err
}

// checkAsOf refuses a graph without times, and vectors, which have seen later edges.
func checkAsOf(p *prediction) error {
	switch e := p.scorers[0].embedding(); {
	case p.AsOf == nil:
	case !p.graph.Timed:
		return fault.New(fault.Before, "the edges of graph %s have no times", fault.Name(p.graph.Name))
	case e != nil:
		return fault.New(fault.Scorer(0), "embedding %s has seen the edges after that time", fault.Name(e.Info.Name)).
			WithRemedy("use a scorer of the graph, or CREATE GRAPH … AS SUBGRAPH of the earlier edges and EMBED it")
	}
	return nil
}

// whom describes the vertices whose links are asked for.
func (req PredictRequest) whom() string {
	switch {
	case req.Vertex != "":
		return " of vertex " + fault.QuoteKey(req.Vertex)
	case !req.Each:
		return ""
	case req.Path == "":
		return " of every vertex" + req.some().String()
	}
	return " of the vertices of " + fault.Quote(session.InputName(req.Path)) + req.some().String()
}

// plan is the plan of a request.
func (p *prediction) plan() *plan.Plan {
	if p.Stored {
		read := plan.Step("predictions", fmt.Sprintf("of graph %s by %s, from the file", fault.Name(p.graph.Name), p.With))
		if p.Each {
			return plan.Result("links", fmt.Sprintf("%d%s, the likeliest first, streamed in the order of the vertices", p.K, p.whom()), read, session.GraphPlan(p.graph))
		}
		return plan.Result("links", fmt.Sprintf("%d%s, the likeliest first", p.K, p.whom()), read)
	}
	likelier := "highest"
	if !link.NewScoring(p.With.Name, nil).HigherIsLikelier {
		likelier = "lowest"
	}
	inputs := session.AttributePlans(p.graph, engine.WithColumn(p.Attributes, p.OrderBy))
	if p.condition != "" {
		inputs = append([]*plan.Plan{plan.Step("filter", p.condition)}, inputs...)
	}
	of, kept := p.whom(), ""
	if p.Each {
		of += ", streamed in their order,"
	}
	if p.AsOf != nil {
		kept = fmt.Sprintf(", from edges before the time %d", *p.AsOf)
	}
	if p.along {
		kept += ", along the edges"
	}
	if p.Sides != "" {
		kept += ", between the sides by " + fault.Name(p.Sides)
	}
	if p.Threshold != nil {
		kept += fmt.Sprintf(", threshold %v", *p.Threshold)
	}
	if p.Top > 0 {
		kept += fmt.Sprintf(", among the %d likeliest of %s", p.Top, map[bool]string{false: "both ends", true: "the source"}[p.along])
	}
	if p.OrderBy != "" {
		kept += ", then " + engine.OrderText(p.OrderBy, p.Descending)
	}
	without := ", without an edge"
	if p.inFile {
		without += "; the edges are read in the file, and the graph is loaded if they are many"
	}
	return plan.Result("links", fmt.Sprintf("%d%s by %s, the %s score first, ties by vertex%s", p.K, of, p.With, likelier, kept),
		plan.Measured(plan.Score, "candidates", p.candidates()+without, append(inputs, p.inputs()...)...))
}

// candidates describes which pairs are scored.
func (p *prediction) candidates() string {
	switch {
	case p.With.Name == byDegrees:
		return "all pairs of vertices with edges, by the product of their degrees"
	case p.With.Name == "l3" || p.Sides != "" && p.nearest.n == 0 && p.With.Model == "":
		return "vertices that a path of three edges leads to"
	case p.nearest.n == 0 && p.With.Model == "":
		return "vertices two edges apart"
	}
	likeliest := fmt.Sprintf("the %d likeliest by l3 + resource_allocation", max(link.LeastCandidates, 10*p.K))
	if p.nearest.n == 0 {
		return likeliest
	}
	how := "by a scan of all vectors"
	if p.nearest.index != nil {
		how = "by an index, " + entries.SettingsText(p.nearest.index.Parameters)
	} else if p.Vertex == "" {
		how += " each"
	}
	apart := "vertices two edges apart"
	if p.With.Model != "" {
		apart = likeliest
	} else if p.Sides != "" {
		apart = "vertices that a path of three edges leads to"
	}
	return fmt.Sprintf("%s and the %d nearest by %s, %s", apart, p.nearest.n, p.nearest.metric, how)
}

// byDegrees is the scorer whose candidates are all vertices.
const byDegrees = "preferential_attachment"

// fitsFile reports whether links can be predicted from the file: those of one vertex
// by a scorer that reads only degrees and the edges within two steps of it, or vectors, without a
// condition, in a graph that is not in memory.
func (p *prediction) fitsFile(c *engine.Call) bool {
	with := p.scorers[0]
	switch {
	case p.Vertex == "", with.Model != "", p.Where != nil, p.OrderBy != "", p.Sides != "", p.AsOf != nil, !c.PartsPay(p.graph):
		return false
	case with.embedding() != nil:
		return search.CanScanFile(c, p.nearest.search(*with.embedding(), p.Vertex))
	}
	return link.RowSteps(with.Name) > 0 || with.Name == byDegrees
}

// search is the search for the vertices nearest to a vertex; whoever runs it leaves out those that it has an edge to.
func (n nearest) search(e session.Entry, vertex string) search.Search {
	return search.Search{Entry: e, Index: n.index, Question: search.Question{
		Embedding: e.Info.Name, Vertices: []string{vertex}, Metric: n.metric, Scope: search.Scope{K: n.n},
	}}
}
