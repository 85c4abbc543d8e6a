package links

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	embeddings "heavytail/embedding"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/job"
	"heavytail/query/internal/scoring"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// DefaultK is the number of links that Materialize stores for each vertex: more than
// most readers ask for, so that enough are left when some of them have become edges.
const DefaultK = 50

// MaterializeRequest asks to store the likeliest links of every vertex.
type MaterializeRequest struct {
	Graph string
	With  catalogue.Scorer
	K     int // number of links per vertex; 0 is DefaultK
	// Near is as in PredictRequest; 0 is DefaultNear or K, whichever is more.
	Near      int
	Direction string // as in PredictRequest
	Sides     string // as in PredictRequest; where it is not empty, all links are computed each time
}

// MaterializeResult is the answer of Materialize.
type MaterializeResult struct {
	storage.PredictionInfo
	Computed int           `json:"computed"` // vertices whose links were computed; all other links are as before
	Capped   int64         `json:"capped"`   // as in PredictResult; where it is not 0, all links are computed each time
	Reason   string        `json:"reason"`   // why these vertices, or all
	Notices  []rows.Notice `json:"notices,omitempty"`
}

// kindMaterialize is the statement, and predictionsTarget begins the target of its job.
const (
	kindMaterialize   = "MATERIALIZE PREDICTIONS"
	predictionsTarget = "predictions "
)

type materializeEntry struct {
	*prediction
	with    []storage.Setting // the scorer, and the settings of the search for candidates
	renewal renewal
}

// scorer is the scorer with the name that its embedding has in the catalogue.
func (m *materializeEntry) scorer() catalogue.Scorer { return m.scorers[0].Scorer }

// renewal says which links must be computed, if predictions of the same kind were
// stored before.
type renewal struct {
	reason  string                  // why these links are computed, or all
	made    time.Time               // when the embedding or model that the scorer reads was made
	old     *storage.PredictionInfo // the stored predictions; nil if the links of all vertices are computed
	changed []uint32                // the vertices whose edges changed since, ascending
}

var materialize = &engine.Statement[*parser.Materialize, MaterializeRequest, *materializeEntry, MaterializeResult]{
	Help: help.Statement{
		Statement: kindMaterialize,
		Summary:   "stores the likeliest links of every vertex, so that PREDICT without WITH answers from the file",
		Detail:    "It answers in a fraction of a millisecond. Repeated with a scorer that reads no vectors, it recomputes only the vertices that changes of the graph affect",
		Words:     "cache precompute batch recommendations serve",
		Columns:   "graph, scorer, top, vertices, links, computed, seconds; in the background those of SHOW JOBS",
	},
	Schema:  materializeSchema,
	Bind:    bindMaterialize,
	Resolve: resolveMaterialize,
	Plan: func(req MaterializeRequest, m *materializeEntry) *plan.Plan {
		which := "of all vertices"
		if m.renewal.old != nil {
			which = fmt.Sprintf("of the vertices within %s of the %d that have changed, of %d",
				fault.Count(int64(max(m.radius(), 0)), "edge"), len(m.renewal.changed), m.graph.Vertices)
		}
		return plan.Result("predictions", fmt.Sprintf("by %s, the %d likeliest of each vertex", m.scorer(), m.K),
			plan.Measured(plan.Score, "candidates", which+": "+m.candidates()+", without an edge", m.inputs()...))
	},
	Run: runMaterialize,
	Table: func(_ MaterializeRequest, r MaterializeResult) [][]rows.Value {
		return [][]rows.Value{{r.Graph, r.Scorer, int64(r.K), int64(r.Vertices), r.Links, int64(r.Computed), r.Seconds}}
	},
	Job: func(_ *engine.Call, req MaterializeRequest, found *materializeEntry) (job.Spec, error) {
		return found.spec(req, found.graph), nil
	},
}

// Materialize stores the answer of Predict for every vertex, so that a program
// can read it from the file without the graph or an embedding in memory. If the same
// predictions were stored before, it computes only the links that changes of the
// graph can have affected, with the same result: for heuristics, and for models of
// heuristics, the links of vertices within three edges of a change at most. For scorers that
// read vectors, it computes all links if anything has changed.
func (s *Service) Materialize(ctx context.Context, req MaterializeRequest) (MaterializeResult, error) {
	return materialize.Answer(ctx, s.db, req)
}

// StartMaterialize is Materialize in the background, as vectors.Service.StartEmbed is Embed.
func (s *Service) StartMaterialize(ctx context.Context, req MaterializeRequest) (storage.JobInfo, error) {
	return materialize.Start(ctx, s.db, req)
}

func materializeSchema() option.Schema[MaterializeRequest] {
	return option.Schema[MaterializeRequest]{
		option.Int("top", "number of links stored for each vertex", func(r *MaterializeRequest) *int { return &r.K }).OrElse(DefaultK).Between(1, storage.MaxPredicted),
		scoring.NearField("for scorers of vectors: number of nearest vertices of each vertex that are candidates as well; at least top by default, and 0 takes none", func(r *MaterializeRequest) *int { return &r.Near }),
		scoring.DirectionField("the links of a vertex are edges from it, predicted along the edges; not for models and with sides, whose default is both", func(r *MaterializeRequest) *string { return &r.Direction }),
		scoring.SidesField(scoring.PredictedSides, func(r *MaterializeRequest) *string { return &r.Sides }),
	}
}

func bindMaterialize(b *engine.Binder, s *parser.Materialize) MaterializeRequest {
	b.Background = s.Background
	req := MaterializeRequest{Graph: b.Name(fault.Graph, s.Graph), With: scorers(b, s.Scorer)[0]}
	engine.Bind(b, kindMaterialize, materializeSchema(), s.Options, &req)
	return req
}

func resolveMaterialize(c *engine.Call, req MaterializeRequest) (*materializeEntry, error) {
	k, near := cmp.Or(req.K, DefaultK), req.Near
	if err := checkScorer(req.With, fault.Scorer(0)); err != nil {
		return nil, err
	}
	if req.With.Embedding != "" {
		e, err := c.Present(req.With.Embedding, fault.Scorer(0)) // past generations end, and predictions by them would stay
		if err != nil {
			return nil, err
		}
		req.With.Embedding = e.Info.Name
	}
	near = cmp.Or(near, max(DefaultNear, k))
	found, err := resolvePrediction(c, PredictRequest{K: 1, Graph: req.Graph, With: req.With, Near: near, Sides: req.Sides, Direction: req.Direction})
	if err != nil {
		return nil, err
	}
	found.K = k
	m := &materializeEntry{prediction: found, with: []storage.Setting{
		{Name: "scorer", Value: req.With.Name}, {Name: "embedding", Value: req.With.Embedding}, {Name: "model", Value: req.With.Model},
		{Name: "near", Value: fmt.Sprint(near)},
	}}
	if found.along {
		m.with = append(m.with, storage.Setting{Name: scoring.DirectionOption, Value: scoring.DirectionOut})
	}
	if req.Sides != "" {
		m.with = append(m.with, storage.Setting{Name: scoring.SidesOption, Value: req.Sides})
	}
	made := m.scorers[0].model.Created
	for _, e := range m.scorers[0].embeddings {
		if e.Info.Created.After(made) {
			made = e.Info.Created
		}
	}
	m.renewal, err = findRenewal(c, m, m.graph, made)
	return m, err
}

// renewal finds the links that must be computed for a version of the graph; made is
// the time at which the embedding or model that the scorer reads was made.
func findRenewal(c *engine.Call, m *materializeEntry, graph storage.GraphInfo, made time.Time) (renewal, error) {
	all := func(reason string) (renewal, error) { return renewal{reason: reason, made: made}, nil }
	list, err := c.DB.Store.Predictions(c.Ctx)
	if engine.NotDamage(err) != nil {
		return renewal{}, err
	}
	scorer := m.scorers[0].String()
	at := slices.IndexFunc(list, func(p storage.PredictionInfo) bool { return p.GraphID == graph.ID && p.Scorer == scorer })
	if at < 0 {
		return all("none were stored")
	}
	old := list[at]
	switch {
	case m.Sides != "":
		return all("the links are between two sides")
	case engine.ValueOf(old.Options, cappedSetting) != "":
		return all(reasonCapped)
	case old.K != m.K || !slices.Equal(old.Options, m.with):
		return all("they were stored with other options")
	case !old.Made.Equal(made):
		return all("the embedding or model is newer")
	case old.Vertices == 0:
		return all("the graph had no vertices")
	}
	changes, err := c.DB.Store.Changes(c.Ctx, graph.Name, old.GraphVersion)
	if err != nil {
		return renewal{}, err
	}
	r := renewal{made: made, old: &old, changed: changes.Touched}
	switch {
	case changes.To != graph.Version || changes.All:
		return all("the change log does not say which vertices changed")
	case !changes.EdgesChanged:
		r.reason = "no edge changed"
	case m.radius() < 0:
		return all(fmt.Sprintf("edges changed, and by %s every vertex can be affected", scorer))
	default:
		r.reason = fmt.Sprintf("within %s of %s", fault.Count(int64(m.radius()), "edge"), fault.Count(int64(len(r.changed)), "changed vertex"))
	}
	return r, nil
}

// radius is the largest distance in edges between a changed vertex, which is one whose
// edges changed, and a vertex whose links the change can affect; −1 means any distance.
//
// Let u be farther than this from every changed vertex in the graph as it is now. Then it
// was so before: on a path from u to a changed vertex, the edges up to the first changed
// vertex have an end that has not changed, and are in both graphs. So the vertices within
// the radius of u, and their edges, are the same in both. The links of u depend on nothing
// else, to the last bit of their scores:
//   - The candidates of all scorers but l3 are the neighbours of neighbours of u. A sum over
//     common neighbours, weighted by their degrees, reads the edges of u and of its
//     neighbours: the radius is 1.
//   - If the score also depends on the degree of the candidate, or on paths of three edges
//     to it, the edges of vertices two edges from u are read: the radius is 2.
//   - The candidates of l3 are the ends of paths of three edges. The degrees of u and of the
//     candidate decide from which of the two the sum begins, and with it the last bit: the
//     radius is 3. So it is for models of heuristics, whose candidates are the likeliest by l3 +
//     resource_allocation. Whether a path joins two vertices depends on edges at any distance.
//
// A score by the times of edges depends on the earliest and the latest edge of the graph.
//
// Ties are broken by vertex, and vertices keep their order when others are added or deleted.
func (m *materializeEntry) radius() int {
	w := m.scorers[0]
	switch {
	case len(w.embeddings) > 0, w.Name == "preferential_attachment", w.needsTimes(), slices.ContainsFunc(w.model.Terms, link.FarReaching):
		return -1
	case link.TwoSteps(w.Name):
		return 1
	case w.Name == "l3", w.Model != "":
		return 3
	}
	return max(2, link.KatzLength-1)
}

// spec is the job that stores predictions. Its memory is 36 bytes of each vertex for their places,
// the links that are computed, and the writing of all links. That of the predictor is reserved
// beside it.
func (m *materializeEntry) spec(req MaterializeRequest, graph storage.GraphInfo) job.Spec {
	n := int64(graph.Vertices)
	req.K = m.K
	text := parser.Materialize{Scorer: catalogue.ScorerNode(m.scorer()), Graph: parser.Ident{Name: graph.Name}, Options: engine.Given(materializeSchema(), req)}
	return job.Spec{
		Kind: kindMaterialize, Text: parser.Text(&text), Target: predictionsTarget + m.scorer().String() + " of " + graph.Name,
		Graph: graph, Options: m.with, Memory: 36*n + predictedBytes(m.K) + session.StoringBytes(12*n*int64(m.K)), Purpose: "predicting links of graph " + fault.Name(graph.Name),
	}
}

// predictedBytes is the memory of the blocks, with k links of each vertex: 16 bytes as the predictor
// returns them, and 16 as they are stored.
func predictedBytes(k int) int64 { return 2 * 32 * int64(k) * predictBlock }

// reasonCapped is why all links are computed each time where only a few paths were followed from some
// vertices.
const reasonCapped = "only a few paths are followed from some vertices, and which ones depends on the whole graph"

// materializing is a MaterializeRequest whose graph and scorer are loaded.
type materializing struct {
	*loaded
	renewal
	reached []uint32 // the vertices whose links are computed, ascending, if predictions were stored before
}

func runMaterialize(c *engine.Call, req MaterializeRequest, found *materializeEntry) (MaterializeResult, error) {
	p, err := load(c, found.prediction, around{})
	if err != nil {
		return MaterializeResult{}, err
	}
	m := &materializing{loaded: p}
	if m.renewal, err = findRenewal(c, found, p.graph.Info, p.made()); err != nil {
		return MaterializeResult{}, err
	}
	predictor, release, err := predictor(c, p, false)
	if err != nil {
		return MaterializeResult{}, err
	}
	defer release()
	info := storage.PredictionInfo{Scorer: found.scorer().String(), K: m.K, Directed: found.along, Options: found.with, Made: m.made}
	capped := noteCapped(c, predictor)
	scoring.NoteBipartite(c, p.graph, p.Sides, req.With)
	if capped > 0 {
		// Which vertices are capped depends on the whole graph. With the additional setting a
		// later run does not take these links for its own.
		info.Options = cappedOptions(found.with, capped)
		m.old, m.reason = nil, reasonCapped
	}
	if m.old != nil {
		m.reached = within(p.graph.Graph, m.changed, found.radius())
	}
	result, err := engine.InJob(c, found.spec(req, p.graph.Info), func(embeddings.Checkpoints) (MaterializeResult, error) {
		return storePredictions(c, m, predictor, info)
	})
	result.Capped, result.Reason, result.Notices = capped, m.reason, c.Notices
	return result, err
}

func cappedOptions(with []storage.Setting, capped int64) []storage.Setting {
	return append(slices.Clone(with), storage.Setting{Name: cappedSetting, Value: fmt.Sprint(capped)})
}

// within lists the vertices at most radius edges away from any of the given ones, ascending.
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

func storePredictions(c *engine.Call, m *materializing, predictor *link.Predictor, info storage.PredictionInfo) (MaterializeResult, error) {
	near, err := nearAll(c, m.loaded)
	if err != nil {
		return MaterializeResult{}, err
	}
	if m.old != nil && m.old.GraphVersion == m.graph.Info.Version {
		return MaterializeResult{PredictionInfo: *m.old}, nil // nothing has changed
	}
	stop := c.Watch.Start(plan.Score)
	n := m.graph.Graph.Vertices()
	computed := 0
	info, err = c.DB.Store.PutPredictions(c.Ctx, m.graph.Snapshot, info, func(w *storage.PredictionWriter) error {
		return predictBlocks(c, m, predictor, near, n, func(b predictedBlock) error {
			for i, links := range b.lists {
				var err error
				if b.some[i] {
					computed++
					err = w.Add(links)
				} else {
					err = w.Copy()
				}
				if err != nil {
					return err
				}
			}
			c.Meter.Update("predicting", int64(b.end), int64(n))
			return nil
		})
	})
	if err != nil {
		return MaterializeResult{}, err
	}
	stop(int64(computed), "")
	c.Job.Result("%d links of %d vertices, %d of them computed", info.Links, info.Vertices, computed)
	return MaterializeResult{PredictionInfo: info, Computed: computed}, nil
}

// predictedBlock has the links of consecutive vertices before end, and which were computed.
type predictedBlock struct {
	end   int
	lists [][]storage.PredictedLink
	some  []bool
	err   error
}

// predictBlocks computes the links of those of n vertices that need it, and calls take
// with each block of them, in order, while it computes the next one.
func predictBlocks(c *engine.Call, m *materializing, predictor *link.Predictor, near link.Near, n int, take func(predictedBlock) error) error {
	blocks, stop := make(chan predictedBlock), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(blocks)
		for lo, ok := 0, true; lo < n && ok; lo += predictBlock {
			b := predictOneBlock(c, m, predictor, near, lo, min(n, lo+predictBlock))
			select {
			case blocks <- b:
				ok = b.err == nil
			case <-stop:
				return
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for b := range blocks {
		err := b.err
		if err == nil {
			err = take(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func predictOneBlock(c *engine.Call, m *materializing, predictor *link.Predictor, near link.Near, lo, hi int) predictedBlock {
	b := predictedBlock{end: hi, lists: make([][]storage.PredictedLink, hi-lo), some: make([]bool, hi-lo)}
	var vertices []uint32 // that need it and are not newer than the vectors
	for u := uint32(lo); u < uint32(hi); u++ {
		if _, reached := slices.BinarySearch(m.reached, u); m.old != nil && !reached {
			continue
		}
		b.some[u-uint32(lo)] = true
		if u < m.Scorers[0].Rows {
			vertices = append(vertices, u)
		}
	}
	lists, err := likeliest(c, m.loaded, predictor, near, vertices)
	for i, u := range vertices {
		b.lists[u-uint32(lo)] = lists[i]
	}
	b.err = err
	return b
}
