package links

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
)

// PredictEachRequest asks for the likeliest links of each of many vertices.
type PredictEachRequest struct {
	K     int    // how many links of each vertex; at least 1
	Graph string // as in ScoreRequest
	With  catalogue.Scorer
	// Path is as in vectors.NearestForRequest: a file of keys, or "" for every vertex.
	Path string
	// Where decides which vertices may be in the result, as in vectors.NearestRequest; nil admits
	// all. It is called from several goroutines at a time.
	Where      func(where.Candidate) bool
	Attributes []string // that Where reads
	// Near, Threshold, Sides and AsOf are as in PredictForRequest.
	Near      int
	Threshold *float64
	Sides     string
	AsOf      *int64
	// First and Count are as in vectors.NearestForRequest.
	First int64
	Count *int64
}

// PredictedRow is one of the likeliest links of a vertex.
type PredictedRow struct {
	Source string `json:"source"` // the vertex that was asked for
	Rank   int    `json:"rank"`   // 1 is the likeliest
	PredictedVertex
}

type eachLinks struct {
	linksRequest
	path string
	some engine.RowRange
}

var predictEach = &engine.Statement[*parser.Predict, eachLinks, *linksEntry, *engine.Stream[PredictedRow]]{
	Help: predictHelp(), Options: predictOptions,
	When: func(s *parser.Predict) bool { return s.Each != nil },
	Bind: func(b *engine.Binder, s *parser.Predict) eachLinks {
		path := search.KeysFile(b, *s.Each)
		return eachLinks{bindPredict(b, s), path, engine.RangeIn(b.Settings("PREDICT", predictOptions(), s.Options))}
	},
	From: eachLinksFrom,
	Resolve: func(c *engine.Call, req eachLinks) (*linksEntry, error) {
		if err := cmp.Or(req.some.Check(), search.CheckKeys(c, req.path)); err != nil {
			return nil, err
		}
		return resolvePredict(c, req.linksRequest)
	},
	Plan: func(req eachLinks, p *linksEntry) *plan.Plan {
		return planLinks(req.linksRequest, p, " of "+eachText(req.path)+req.some.String()+", streamed in their order,")
	},
	Run: func(c *engine.Call, req eachLinks, found *linksEntry) (*engine.Stream[PredictedRow], error) {
		p, err := loadPrediction(c, req.linksRequest, found)
		if err != nil {
			return nil, err
		}
		p.each = true
		return engine.StreamOf(c, func(f func(PredictedRow) error) error { return eachPrediction(c, req, p, f) }), nil
	},
	Rows: func(req eachLinks, answer *engine.Stream[PredictedRow]) *rows.Rows {
		return predictedRows(req, answer).Continued(req.some.First > 0)
	},
	Reads: true,
}

// EachPredict iterates over the likeliest links of each vertex that the graph does not have.
// Vertices come in the order of the graph or of the file, and their links, the likeliest
// first, are those that PredictFor finds, with the limit on paths that Materialize has
// (see Prediction.Capped). They are computed in batches on all workers; the memory does
// not depend on the number of vertices that are asked for. An error is yielded last, with an
// empty row. The call begins when the iteration begins.
func (s *Service) EachPredict(ctx context.Context, req PredictEachRequest) iter.Seq2[PredictedRow, error] {
	return engine.Iterate(func() (*engine.Stream[PredictedRow], error) {
		all, _ := eachLinksFrom(req)
		return predictEach.Answer(ctx, s.db, all)
	})
}

// eachLinksFrom converts the request of the typed method.
func eachLinksFrom(request any) (eachLinks, bool) {
	r, ok := request.(PredictEachRequest)
	of := PredictForRequest{K: r.K, Graph: r.Graph, With: r.With, Where: r.Where, Attributes: r.Attributes, Near: r.Near, Threshold: r.Threshold, Sides: r.Sides, AsOf: r.AsOf}
	return eachLinks{linksRequest{PredictRequest: of.links().PredictRequest}, r.Path, engine.RowRange{First: r.First, Count: r.Count}}, ok
}

// eachText describes the vertices of a statement.
func eachText(path string) string {
	if path == "" {
		return "every vertex"
	}
	return "the vertices of " + fault.Quote(session.InputName(path))
}

func eachPrediction(c *engine.Call, req eachLinks, p *prediction, f func(PredictedRow) error) error {
	earlier, err := replay(c, p)
	if err != nil {
		return err
	}
	defer earlier()
	predictor, release, err := predictor(c, p)
	if err != nil {
		return err
	}
	defer release()
	const linkBytes = 64
	each := linkBytes * min(int64(p.k), int64(p.graph.Graph.Vertices()))
	size := search.BatchOf(func(size int) int64 { return each * int64(size) })
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
	rows := min(int(p.Scorers[0].Rows), p.graph.Graph.Vertices())
	queries := search.QueryVertices{Call: c, Graph: p.graph, Path: req.path, Range: req.some, Rows: rows, Verb: "predicting"}
	capped, shown := int64(0), linksShown{prediction: p}
	err = queries.Batches(size, func(vertices []uint32) error {
		lists, err := likeliest(c, p, predictor, near, vertices)
		if err != nil {
			return err
		}
		for i, u := range vertices {
			if predictor.Many(u) {
				capped++
			}
			source := p.graph.Key(u)
			for rank, l := range lists[i] {
				shown.count(l)
				if err := f(PredictedRow{source, rank + 1, PredictedVertex{p.graph.Key(l.V), l.Score}}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	stop(shown.all, "")
	queries.Note()
	noteMany(c, capped, predictor)
	scoring.NoteBipartite(c, p.graph, p.linkSearch.sides, req.With)
	noteShown(c, shown)
	return nil
}

func predictedRows[Q any](_ Q, answer *engine.Stream[PredictedRow]) *rows.Rows {
	return answer.Rows([]string{"source", "rank", "target", "score"}, func(r PredictedRow) []rows.Value {
		return []rows.Value{r.Source, int64(r.Rank), r.Vertex, r.Score}
	})
}

// PredictedEachRequest asks for the stored predictions of many vertices.
type PredictedEachRequest struct {
	K     int              // number of links of each vertex; at least 1
	Graph string           // as in PredictedRequest
	With  catalogue.Scorer // as in PredictedRequest
	Path  string           // as in PredictEachRequest
}

var predictedEach = &engine.Statement[*parser.Predicted, PredictedEachRequest, storedEntry, *engine.Stream[PredictedRow]]{
	Help: predictHelp(), Options: predictOptions,
	When: func(s *parser.Predicted) bool { return s.Each != nil },
	Bind: func(b *engine.Binder, s *parser.Predicted) PredictedEachRequest {
		path, one := search.KeysFile(b, *s.Each), bindStored(b, s)
		return PredictedEachRequest{Path: path, K: one.K, Graph: one.Graph, With: one.With}
	},
	Resolve: func(c *engine.Call, req PredictedEachRequest) (found storedEntry, err error) {
		if err := search.CheckKeys(c, req.Path); err != nil {
			return found, err
		}
		return resolvePredicted(c, PredictedRequest{K: req.K, Graph: req.Graph, With: req.With})
	},
	Plan: func(req PredictedEachRequest, found storedEntry) *plan.Plan {
		return plan.Result("links", fmt.Sprintf("%d of %s, the likeliest first, streamed in the order of the vertices", req.K, eachText(req.Path)),
			plan.Step("predictions", fmt.Sprintf("of graph %s by %s, from the file", fault.Name(found.graph.Name), found.with)), session.GraphPlan(found.graph))
	},
	Run:   runPredictedEach,
	Rows:  predictedRows[PredictedEachRequest],
	Reads: true,
}

// EachPredicted iterates over the links that Materialize has stored for each vertex, as
// Predicted gives them for one. Vertices come in the order of the graph or of the file. The
// graph is loaded, for its keys and its edges. If the predictions are replaced meanwhile, the
// iteration ends with storage.ErrConflict. An error is yielded last, with an empty row.
func (s *Service) EachPredicted(ctx context.Context, req PredictedEachRequest) iter.Seq2[PredictedRow, error] {
	return engine.Iterate(func() (*engine.Stream[PredictedRow], error) { return predictedEach.Answer(ctx, s.db, req) })
}

func runPredictedEach(c *engine.Call, req PredictedEachRequest, found storedEntry) (*engine.Stream[PredictedRow], error) {
	info, err := storedPredictions(c, found)
	if err != nil {
		return nil, err
	}
	graph, err := c.Graph(found.graph.Name, fault.Graph)
	if err != nil {
		return nil, err
	}
	behind, err := entries.Behind(c, info.Graph, info.GraphVersion)
	if err != nil {
		return nil, err
	}
	return engine.StreamOf(c, func(f func(PredictedRow) error) error {
		queries := search.QueryVertices{Call: c, Graph: graph, Path: req.Path, Rows: graph.Graph.Vertices(), Verb: "reading"}
		err := queries.Batches(predictBlock, func(vertices []uint32) error {
			lists, err := c.DB.Store.PredictedLists(c.Ctx, graph.Snapshot, info, vertices)
			if err != nil {
				return err
			}
			for i, u := range vertices {
				source := graph.Key(u)
				for rank, l := range lists[i][:min(req.K, len(lists[i]))] {
					if err := f(PredictedRow{source, rank + 1, PredictedVertex{graph.Key(l.Vertex), l.Score}}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		queries.Note()
		return noteStored(c, req.K, found.with, info, behind)
	}), nil
}
