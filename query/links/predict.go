package links

import (
	"context"
	"iter"

	"heavytail/embedding/option"
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
	"heavytail/storage"
	"heavytail/storage/format"
)

var predict = &engine.Statement[*parser.Predict, PredictRequest, *prediction, PredictResult]{
	Help: help.Statement{
		Statement: "PREDICT",
		Summary:   "finds the likeliest links that the graph does not have, of one vertex, of every vertex or of the graph",
		Detail:    "The likeliest is first. Candidates are vertices two edges apart and, for scorers of vectors, the nearest vertices of each vertex; for preferential_attachment all vertices, for l3 the ends of paths of three edges. WHERE must hold for the other vertex, or without FOR for both; with FOR vertex, ORDER BY may use what vertices have as well, and sorts the n vertices that were found. FOR ALL finds the n likeliest of every vertex, in the order of the graph, with the limits of MATERIALIZE PREDICTIONS; FOR FILE finds those of the vertices whose keys a file lists, one per line, in the order of the file, and leaves out keys that the graph does not have. AS OF predicts from the edges before a time only, and a notice says how many of the links the graph has by now. Without WITH it answers from the predictions that MATERIALIZE PREDICTIONS has stored; FROM names the scorer if several are stored",
		Words:     "link prediction recommend recommendation missing links friends suggestion forecast future candidates",
		Columns:   "with FOR vertex: vertex, score; with FOR ALL or FILE: source, rank, target, score; without: source, target, score",
	},
	Schema:  predictSchema,
	Bind:    bindPredict,
	Resolve: resolvePrediction,
	Plan:    func(_ PredictRequest, p *prediction) *plan.Plan { return p.plan() },
	Run:     runPredict,
	Empty: func(_ PredictRequest, p *prediction) (r PredictResult) {
		if p.Each {
			r.stream = new(engine.Stream[PredictedLink])
		}
		return r
	},
	Rows:  predictedRows,
	Reads: true,
}

func predictSchema() option.Schema[PredictRequest] {
	return append(option.Schema[PredictRequest]{
		scoring.NearField("for scorers of vectors: number of nearest vertices of each vertex that are candidates as well; with FOR at least n by default, and 0 takes none", func(r *PredictRequest) *int { return &r.Near }),
		thresholdField("least score of a link, or the largest where the scorer is a distance; none for any score", func(r *PredictRequest) **float64 { return &r.Threshold }),
		scoring.DirectionField("links are edges from a source to a target, predicted along the edges, and may be the way back of an edge; not for models and with sides, whose default is both", func(r *PredictRequest) *string { return &r.Direction }),
		option.Int("top", "links of each vertex at most, without FOR: a link is kept if it is among the likeliest of both its ends, or of its source where it has a direction; 0 for any number", func(r *PredictRequest) *int { return &r.Top }).NotNegative().Rule(PredictRequest.topOfGraph),
		scoring.SidesField(scoring.PredictedSides, func(r *PredictRequest) *string { return &r.Sides }),
		baseRateField("is the score", func(r *PredictRequest) *float64 { return &r.BaseRate }),
	}, search.EachFields(func(r PredictRequest) bool { return r.Each }, func(r *PredictRequest) *int64 { return &r.First }, func(r *PredictRequest) **int64 { return &r.Count })...)
}

func (req PredictRequest) topOfGraph() error {
	if req.Top > 0 && !req.ofGraph() {
		return fault.Rule("has no meaning with FOR, where the number after PREDICT is that of the vertex")
	}
	return nil
}

// Predict finds the likeliest links that a graph does not have. The
// candidates of a vertex are all vertices two edges away and, if the scorer reads vectors, the
// nearest vertices. For preferential_attachment they are all vertices with edges,
// for l3 the ends of paths of three edges. A pair with a heuristic score of 0 is
// left out, so that a vertex without edges has links only by a scorer of vectors. The links of many
// vertices are all in memory at the end; EachPredict iterates over them.
func (s *Service) Predict(ctx context.Context, req PredictRequest) (PredictResult, error) {
	r, err := predict.Answer(ctx, s.db, req)
	if r.stream != nil {
		r.Links, err = r.stream.Collect()
		r.Notices, r.stream = r.stream.Call.Notices, nil
	}
	return r, err
}

// EachPredict iterates over the links of each of many vertices, with or without Each in the request.
// Vertices come in the order of the graph or of the file, and their links, the likeliest
// first, are those that Predict finds for each, with the limit on paths that Materialize has
// (see PredictResult.Capped). They are computed in batches on all workers; the memory does
// not depend on the number of vertices that are asked for. Of stored links the graph is loaded, for
// its keys and its edges; if the predictions are replaced meanwhile, the iteration ends with
// storage.ErrConflict. An error is yielded last, with an empty row. The call begins when the
// iteration begins.
func (s *Service) EachPredict(ctx context.Context, req PredictRequest) iter.Seq2[PredictedLink, error] {
	req.Each = true
	return engine.Iterate(func() (*engine.Stream[PredictedLink], error) {
		r, err := predict.Answer(ctx, s.db, req)
		return r.stream, err
	})
}

// linkedToPredict is the reason why a condition of PREDICT cannot use linked.
const linkedToPredict = "links that the graph has are left out in any case"

func bindPredict(b *engine.Binder, s *parser.Predict) (req PredictRequest) {
	req.K = b.Size(fault.Number, s.Count)
	if s.For != nil {
		req.Vertex = b.VertexKey(fault.Vertex, s.For)
	}
	if req.Each = s.Each != nil; req.Each {
		req.Path = search.KeysFile(b, *s.Each)
	}
	req.Graph = b.MarkGraph(s.Graph, s)
	b.Mark(fault.Scorer(0), s)
	if s.Scorer != nil {
		req.With = scorers(b, *s.Scorer)[0]
	}
	if req.Stored = s.Stored; req.Stored {
		return req
	}
	engine.Bind(b, "PREDICT", predictSchema(), s.Options, &req)
	if s.AsOf != nil {
		req.AsOf = asOf(b, req, s)
	}
	if b.Tail.Where == nil && b.Tail.Order == nil {
		return req
	}
	graph := scoredGraph(b, req) // which may be known only from an embedding
	columns := []string{"source", "target", "vertex", "rank", "score"}
	if e := b.TakeWhere(graph, columns...); e != nil {
		condition := conditions.Compile(b.Values, e, graph, linkedToPredict)
		req.Where, req.Attributes, req.condition = condition.Admits, condition.Attributes, e.String()
	}
	if req.Vertex != "" {
		req.OrderBy, req.Descending = b.TakeOrder(graph, columns...)
	}
	return req
}

// asOf returns the time of AS OF in the unit of the graph.
func asOf(b *engine.Binder, req PredictRequest, s *parser.Predict) *int64 {
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
func scoredGraph(b *engine.Binder, req PredictRequest) (g storage.GraphInfo) {
	found, err := findScorers(b.Call, req.Graph, []catalogue.Scorer{req.With})
	b.Fail(err)
	if err == nil {
		g = found.graph
	}
	return g
}

func runPredict(c *engine.Call, _ PredictRequest, p *prediction) (r PredictResult, err error) {
	switch {
	case p.Each && p.Stored:
		r.stream, err = eachStored(c, p)
	case p.Each:
		r.stream, err = eachComputed(c, p)
	case p.Stored:
		stored, err := storedOf(c, p.Graph, p.Vertex, p.With, p.K)
		if err != nil {
			return r, err
		}
		r.Stored = &StoredLinks{stored.PredictionInfo, stored.Behind, stored.New, stored.Changed}
		r.Links = make([]PredictedLink, len(stored.Links))
		for i, l := range stored.Links {
			r.Links[i] = PredictedLink{Pair{p.Vertex, l.Key}, i + 1, l.Score}
		}
		r.Notices = c.Notices
	default:
		return predictOnce(c, p)
	}
	return r, err
}

func predictedRows(req PredictRequest, r PredictResult) *rows.Rows {
	switch {
	case r.stream != nil:
		return r.stream.Rows([]string{"source", "rank", "target", "score"}, func(l PredictedLink) []rows.Value {
			return []rows.Value{l.Source, int64(l.Rank), l.Target, l.Score}
		}).Continued(req.First > 0)
	case req.Vertex != "":
		return cells.RowsOf([]string{"vertex", "score"}, lists.Map(r.Links, func(l PredictedLink) []rows.Value { return []rows.Value{l.Target, l.Score} }))
	}
	return cells.RowsOf([]string{"source", "target", "score"}, lists.Map(r.Links, func(l PredictedLink) []rows.Value { return []rows.Value{l.Source, l.Target, l.Score} }))
}

// eachLinks are the links of each of many vertices, in batches.
type eachLinks struct {
	*prediction
	graph *session.Graph
	rows  int    // vertices from this one on are left out
	verb  string // what Progress says
	size  int    // of a batch
	// of returns the links of the vertices of a batch, the likeliest first.
	of func(vertices []uint32) ([][]storage.PredictedLink, error)
}

// each calls f with the links of all vertices.
func (e eachLinks) each(c *engine.Call, f func(PredictedLink) error) error {
	queries := search.QueryVertices{Call: c, Graph: e.graph, Path: e.Path, Range: e.some(), Rows: e.rows, Verb: e.verb}
	err := queries.Batches(e.size, func(vertices []uint32) error {
		lists, err := e.of(vertices)
		if err != nil {
			return err
		}
		for i, u := range vertices {
			source := e.graph.Key(u)
			for rank, l := range lists[i][:min(e.K, len(lists[i]))] {
				if err := f(PredictedLink{Pair{source, e.graph.Key(l.Vertex)}, rank + 1, l.Score}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil {
		queries.Note()
	}
	return err
}

func eachStored(c *engine.Call, p *prediction) (*engine.Stream[PredictedLink], error) {
	info, err := storedPredictions(c, p.graph, p.With)
	if err != nil {
		return nil, err
	}
	now := &loadedScoring{}
	if err := now.load(c, p.graph.Name, info.Directed, fault.Graph); err != nil {
		return nil, err
	}
	graph := now.graph
	behind, err := entries.Behind(c, info.Graph, info.GraphVersion)
	if err != nil {
		return nil, err
	}
	return engine.StreamOf(c, func(f func(PredictedLink) error) error {
		e := eachLinks{p, graph, graph.Graph.Vertices(), "reading", predictBlock, func(vertices []uint32) ([][]storage.PredictedLink, error) {
			return c.DB.Store.PredictedLists(c.Ctx, graph.Snapshot, info, now.hasEdge, vertices)
		}}
		if err := e.each(c, f); err != nil {
			return err
		}
		return noteStored(c, p.K, p.With, info, behind)
	}), nil
}

func eachComputed(c *engine.Call, found *prediction) (*engine.Stream[PredictedLink], error) {
	p, err := load(c, found, around{})
	if err != nil {
		return nil, err
	}
	return engine.StreamOf(c, func(f func(PredictedLink) error) error {
		earlier, err := replay(c, p)
		if err != nil {
			return err
		}
		defer earlier()
		predictor, release, err := predictor(c, p, true)
		if err != nil {
			return err
		}
		defer release()
		const linkBytes, most = 64, 1024 // vertices, so that the first links come soon
		each := linkBytes * min(int64(p.K), int64(p.graph.Graph.Vertices()))
		size := search.BatchOf(most, func(size int) int64 { return each * int64(size) })
		free, err := c.DB.Cache.ReserveWork(each*int64(size), "the likeliest links of "+fault.Count(int64(size), "vertex"))
		if err != nil {
			return err
		}
		defer free()
		near, err := nearAll(c, p)
		if err != nil {
			return err
		}
		stop := c.Watch.Start(plan.Score)
		capped, shown := int64(0), linksShown{loaded: p}
		e := eachLinks{found, p.graph, min(int(p.Scorers[0].Rows), p.graph.Graph.Vertices()), "predicting", size, func(vertices []uint32) ([][]storage.PredictedLink, error) {
			lists, err := likeliest(c, p, predictor, near, vertices)
			for i, u := range vertices {
				if predictor.Many(u) {
					capped++
				}
				for _, l := range lists[i] {
					shown.count(u, l.Vertex)
				}
			}
			return lists, err
		}}
		if err := e.each(c, f); err != nil {
			return err
		}
		stop(shown.all, "")
		noteMany(c, capped, predictor)
		scoring.NoteBipartite(c, p.graph, p.Sides, p.With)
		noteShown(c, shown)
		return nil
	}), nil
}
