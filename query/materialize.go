package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/embedding/link"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// This file is MATERIALIZE PREDICTIONS.

// DefaultTop is how many links of each vertex are stored: as many as anybody looks
// through, so that some are left when others have become edges.
const DefaultTop = 50

// MaterializeRequest asks for the likeliest links of every vertex to be stored.
type MaterializeRequest struct {
	Graph string
	With  Scorer
	Top   int // links of a vertex; 0 is DefaultTop
	// Near is as in PredictForRequest; 0 is DefaultNear or Top, whichever is more.
	Near int
}

// PredictionInfo describes predictions that are stored.
type PredictionInfo = storage.PredictionInfo

// MaterializeResult is the answer of Materialize.
type MaterializeResult struct {
	PredictionInfo
	Computed int // vertices whose links were computed; those of the others are as before
	Notices  []Notice
}

// Materialize stores what PredictFor answers for every vertex, so that a program
// answers it from the file with neither the graph nor an embedding in memory. Where
// the same was stored before, it computes the links of those vertices only that
// changes of the graph can have reached, with the same result: by heuristics, and by
// models of heuristics, those within two edges of a change. By what reads vectors it
// computes all where anything has changed.
func (db *DB) Materialize(ctx context.Context, req MaterializeRequest) (MaterializeResult, error) {
	c, err := db.begin(ctx, kindMaterialize)
	if err != nil {
		return MaterializeResult{}, err
	}
	defer c.end()
	result, err := c.materialize(req)
	return result, c.wrap(err)
}

// StartMaterialize is Materialize in the background, as StartEmbed is Embed.
func (db *DB) StartMaterialize(ctx context.Context, req MaterializeRequest) (storage.JobInfo, error) {
	return db.start(ctx, kindMaterialize, func(c *call) (jobOperation, error) {
		found, err := c.resolveMaterialize(req)
		return &materializeOp{req: req, found: found}, err
	})
}

// kindMaterialize is the statement, and predictionsTarget begins the target of its job.
const (
	kindMaterialize   = "MATERIALIZE PREDICTIONS"
	predictionsTarget = "predictions "
)

// materializing is a request whose names are resolved.
type materializing struct {
	*prediction
	top  int
	made time.Time         // when what the scorer reads was made
	with []storage.Setting // the scorer and what finds candidates
	old  *PredictionInfo   // what was stored before in the same way; nil for nothing
	all  []uint32          // vertices whose links are computed, ascending
	full bool              // all of them
}

// resolveMaterialize checks a request, finds what it names, and which vertices are to
// be computed.
func (c *call) resolveMaterialize(req MaterializeRequest) (*materializing, error) {
	if err := c.writable(); err != nil {
		return nil, err
	}
	if req.Top == 0 {
		req.Top = DefaultTop
	}
	if req.Top < 1 || req.Top > storage.MaxPredicted {
		return nil, mistake(partOption("top"), "option top is %d, and must be from 1 to %d", req.Top, storage.MaxPredicted)
	}
	if req.Near == 0 {
		req.Near = max(DefaultNear, req.Top)
	}
	m := &materializing{top: req.Top}
	var err error
	if m.prediction, err = c.resolvePredict(PredictRequest{N: 1, Graph: req.Graph, With: req.With, Near: req.Near}); err != nil {
		return nil, err
	}
	m.count = req.Top
	m.with = []storage.Setting{
		{Name: "scorer", Value: req.With.Name}, {Name: "embedding", Value: req.With.Embedding}, {Name: "model", Value: req.With.Model},
		{Name: "near", Value: fmt.Sprint(req.Near)},
	}
	if m.made, err = c.madeOf(req.With); err != nil {
		return nil, err
	}
	return m, c.reached(m, req)
}

// madeOf returns when what a scorer reads was made; zero where it reads the graph
// alone. A model that reads an embedding changes with either.
func (c *call) madeOf(w Scorer) (time.Time, error) {
	embedding, made := w.Embedding, time.Time{}
	if w.Model != "" {
		info, err := c.modelInfo(w.Model, partScorer(0))
		if err != nil {
			return made, err
		}
		embedding, made = info.Embedding, info.Created
	}
	if embedding == "" {
		return made, nil
	}
	info, err := c.embeddingInfo(embedding, partScorer(0))
	if info.Created.After(made) {
		made = info.Created
	}
	return made, err
}

// reached finds the vertices whose links may be others than those that are stored.
func (c *call) reached(m *materializing, req MaterializeRequest) error {
	m.full = true
	list, err := c.db.store.Predictions(c.ctx)
	if err != nil && !errors.Is(err, storage.ErrCorrupt) {
		return err
	}
	scorer := req.With.String()
	at := slices.IndexFunc(list, func(p PredictionInfo) bool { return p.GraphID == m.graph.Info.ID && p.Scorer == scorer })
	if at < 0 {
		return nil
	}
	old := list[at]
	if old.Top != m.top || !slices.Equal(old.Options, m.with) || !old.Made.Equal(m.made) || old.Vertices == 0 {
		return nil
	}
	changes, err := c.db.store.Changes(c.ctx, m.graph.Info.Name, old.GraphVersion)
	if err != nil {
		return err
	}
	radius := m.radius(req.With)
	switch {
	case changes.To != m.graph.Info.Version || changes.All:
		return nil
	case changes.EdgesChanged && radius < 0:
		return nil
	}
	m.old, m.full = &old, false
	m.all = within(m.graph.Graph, changes.Touched, radius)
	return nil
}

// radius is how many edges a change is away at most from a vertex whose links it can
// change; −1 is any number. What changed are the vertices with other edges. Of a sum
// over common neighbours by their degrees, a summand is of one that changed or of one
// whose edge to the vertex, or to the other end, did; so that one that changed is a
// neighbour. Where the degree of the other end counts, or a path of three edges, it is
// two edges away.
func (m *materializing) radius(w Scorer) int {
	switch {
	case len(m.spaces) > 0, w.Name == "preferential_attachment":
		return -1
	case w.Name == "common_neighbors", w.Name == "adamic_adar", w.Name == "resource_allocation":
		return 1
	}
	return max(2, link.KatzLength-1)
}

// within lists the vertices at most so many edges from some, ascending.
func within(g *csr.Graph, from []uint32, radius int) []uint32 {
	seen := make([]bool, g.Vertices())
	list := make([]uint32, 0, len(from))
	for _, v := range from {
		seen[v] = true
		list = append(list, v)
	}
	for begin := 0; radius > 0; radius-- {
		end := len(list)
		for _, u := range list[begin:end] {
			for _, v := range g.Neighbors(u) {
				if !seen[v] {
					seen[v] = true
					list = append(list, v)
				}
			}
		}
		begin = end
	}
	slices.Sort(list)
	return list
}

// spec is the job that stores predictions.
func (m *materializing) spec(req MaterializeRequest) jobSpec {
	text := parser.Materialize{Scorer: scorerNode(req.With), Graph: parser.Ident{Name: m.graph.Info.Name}, Options: []parser.Option{option("top", int64(m.top))}}
	if req.Near != 0 {
		text.Options = append(text.Options, option("near", int64(max(req.Near, 0))))
	}
	n := int64(m.graph.Graph.Vertices())
	return jobSpec{
		kind: kindMaterialize, text: text.String(), target: predictionsTarget + req.With.String() + " of " + m.graph.Info.Name,
		graph: m.graph.Info, options: m.with, memory: 12*n + 64*int64(m.top)*predictBlock, purpose: "predicting links of graph " + name(m.graph.Info.Name),
	}
}

// scorerNode writes a scorer in the language.
func scorerNode(w Scorer) parser.Scorer {
	n := parser.Scorer{Name: parser.Ident{Name: w.Name}}
	switch {
	case w.Model != "":
		n.Name.Name, n.Of = modelScorer, &parser.Ident{Name: w.Model}
	case w.Embedding != "":
		n.Of = &parser.Ident{Name: w.Embedding}
	}
	return n
}

// predictBlock is how many vertices are computed between two writes: enough to keep
// all workers busy, and few enough for their links to be small beside the graph.
const predictBlock = 1024

func (c *call) materialize(req MaterializeRequest) (MaterializeResult, error) {
	m, err := c.resolveMaterialize(req)
	if err != nil {
		return MaterializeResult{}, err
	}
	var result MaterializeResult
	err = c.asJob(m.spec(req), func(embeddings.Checkpoints) (err error) {
		result, err = c.storePredictions(req, m)
		return err
	})
	result.Notices = c.notices
	return result, err
}

// storePredictions computes predictions and stores them.
func (c *call) storePredictions(req MaterializeRequest, m *materializing) (MaterializeResult, error) {
	predictor, release, err := c.predictor(m.prediction)
	if err != nil {
		return MaterializeResult{}, err
	}
	defer release()
	near, err := c.nearAll(m.prediction)
	if err != nil {
		return MaterializeResult{}, err
	}
	info := PredictionInfo{Scorer: req.With.String(), Top: m.top, Options: m.with, Made: m.made}
	if !m.full && m.old.GraphVersion == m.graph.Info.Version {
		return MaterializeResult{PredictionInfo: *m.old}, nil // nothing has changed
	}
	stop := c.watch.start(stepScore)
	n := m.graph.Graph.Vertices()
	computed := 0
	info, err = c.db.store.PutPredictions(c.ctx, m.graph.Snapshot, info, func(w *storage.PredictionWriter) error {
		for lo := 0; lo < n; lo += predictBlock {
			hi := min(n, lo+predictBlock)
			lists, some, err := c.predictBlock(m, predictor, near, lo, hi)
			if err != nil {
				return err
			}
			for v := lo; v < hi && err == nil; v++ {
				if some[v-lo] {
					computed++
					err = w.Add(lists[v-lo])
				} else {
					err = w.Keep()
				}
			}
			if err != nil {
				return err
			}
			c.meter.update("predicting", int64(hi), int64(n))
		}
		return nil
	})
	if err != nil {
		return MaterializeResult{}, err
	}
	stop(int64(computed), "")
	c.jobResult("%d links of %d vertices, %d of them computed", info.Links, info.Vertices, computed)
	return MaterializeResult{PredictionInfo: info, Computed: computed}, nil
}

// predictBlock computes the links of those vertices from lo to hi that are to be
// computed.
func (c *call) predictBlock(m *materializing, predictor *link.Predictor, near func(u uint32) ([]uint32, error), lo, hi int) ([][]storage.PredictedLink, []bool, error) {
	lists, some, faults := make([][]storage.PredictedLink, hi-lo), make([]bool, hi-lo), make([]error, hi-lo)
	vec.Parallel(hi-lo, 8, c.workers(), func(_, from, to int) {
		for i := from; i < to; i++ {
			u := uint32(lo + i)
			if _, reached := slices.BinarySearch(m.all, u); !m.full && !reached {
				continue
			}
			some[i] = true
			if u >= m.scorers[0].rows {
				continue // newer than the vectors
			}
			var also []uint32
			if near != nil {
				if also, faults[i] = near(u); faults[i] != nil {
					return
				}
			}
			links, _, err := predictor.For(c.ctx, u, also, m.top)
			faults[i] = err
			for _, l := range links {
				lists[i] = append(lists[i], storage.PredictedLink{Vertex: l.V, Score: l.Score})
			}
		}
	})
	return lists, some, errors.Join(c.ctx.Err(), errors.Join(faults...))
}
