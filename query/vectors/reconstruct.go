package vectors

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/index"
	"heavytail/index/pairs"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/internal/sweep"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/vec"
)

// ReconstructRequest asks for the graph that joins all pairs of vertices
// within a distance in an embedding.
type ReconstructRequest struct {
	Embedding string
	// Radius is the largest distance of an edge.
	Radius float64
	// Epsilon, if not 0, is used instead of Radius: the lowest edge
	// probability 1/(1+e^distance) of an edge, above 0 and at most 0.5.
	Epsilon float64
	// Auto looks for the radius that is best by the criterion, among those that give
	// a plausible number of edges (evaluate.Plausible); Radius and Epsilon are then
	// 0. Where there is none a notice says so.
	Auto      bool
	Grid      evaluate.Grid      // which radii Auto tries
	Points    int                // number of radii; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // the measure by which Auto chooses
	// Graph names a new graph to store the reconstruction in, with the same
	// vertex keys; empty stores none.
	Graph string
	// File is an edge list to write the reconstruction to; empty writes none.
	// An existing file is an error, unless Overwrite is set.
	File      string
	Overwrite bool
	// First and Count, with File and without Auto, write only the edges from some vertices
	// to those behind them: Count vertices from the number First on, nil for all that
	// follow. Files of consecutive vertices have the lines of the file of all. Nothing is
	// measured: the point has the number of the written edges, and NaN.
	First int64
	Count *int64

	laws    bool // fit a power law to the degrees of every point
	bestLaw bool // fit a power law to the degrees of the best point

	threshold string // text of the threshold, for the plan
	all       bool   // the table has every point, not only the best
}

// ReconstructResult is the answer of Reconstruct.
type ReconstructResult struct {
	// Points are the measured reconstructions, by ascending radius: one
	// point, or with Auto all that were tried.
	Points []evaluate.ReconstructionPoint `json:"points"`
	// Best is the index in Points of the reconstruction that was asked for.
	Best int `json:"best"`
	// Null is the null of the rows: the figures of vectors of the same lengths in random
	// directions, at the radius, or with Auto at their own best radius. It is nil if nothing
	// was measured.
	Null *evaluate.ReconstructionPoint `json:"null,omitempty"`
	// Graph describes the stored graph; it is zero if none was stored.
	Graph   storage.GraphInfo `json:"graph"`
	Notices []rows.Notice     `json:"notices,omitempty"`
}

var reconstruct = &engine.Statement[*parser.Reconstruct, ReconstructRequest, swept, ReconstructResult]{
	Help: help.Statement{
		Statement: "RECONSTRUCT",
		Summary:   "builds a graph that joins all pairs of vertices within a distance, and compares it with the original graph",
		Detail:    sweep.Reading,
		Words:     "reconstruction decode graph from embedding threshold",
		Columns:   sweep.Columns,
	},
	Schema:  reconstructSchema,
	Bind:    bindReconstruct,
	Resolve: resolveReconstruct,
	Plan:    planReconstruct,
	Run:     runReconstruct,
	Table: func(req ReconstructRequest, r ReconstructResult) [][]rows.Value {
		return sweep.Rows(r.Points, r.Best, r.Null, req.all, sweep.PointRow)
	},
	Reads: true, // except with INTO GRAPH
}

func reconstructSchema() option.Schema[ReconstructRequest] {
	type request = ReconstructRequest
	tried := sweep.Fields("AUTO", func(r *request) *evaluate.Grid { return &r.Grid }, func(r *request) *int { return &r.Points },
		func(r *request) *evaluate.Criterion { return &r.Criterion }, func(r *request) *bool { return &r.all })
	some := engine.RangeFields("vertex", "vertices", func(r *request) *int64 { return &r.First }, func(r *request) **int64 { return &r.Count }).
		About("with INTO FILE, to write only the edges from some vertices to later ones, without measures: ")
	some[0] = some[0].Rule(func(r request) error {
		if !r.rows().All() && (r.Auto || r.File == "") {
			return fault.Rule("and count need a file and a radius or epsilon: a part of the edges cannot be measured")
		}
		return nil
	})
	written := append(option.Schema[request]{engine.OverwriteField(func(r *request) *bool { return &r.Overwrite })}, some...)
	return append(tried.With("AUTO", func(r request) bool { return r.Auto }), written.With("INTO FILE", func(r request) bool { return r.File != "" })...)
}

// rows are the vertices whose edges are written.
func (req ReconstructRequest) rows() engine.RowRange {
	return engine.RowRange{First: req.First, Count: req.Count}
}

// Reconstruct measures how well an embedding reconstructs its graph, and stores
// or writes the reconstruction if asked to. It measures the distance of every
// pair of vertices. It takes memory for the vectors, and for the edges only if
// they are stored as a graph.
func (s *Service) Reconstruct(ctx context.Context, req ReconstructRequest) (ReconstructResult, error) {
	return reconstruct.Answer(ctx, s.db, req)
}

func bindReconstruct(b *engine.Binder, s *parser.Reconstruct) (req ReconstructRequest) {
	req.Embedding = b.Name(fault.Embedding, s.Embedding)
	req.Auto, req.threshold = s.Threshold.Kind == parser.Auto, fmt.Sprint(s.Threshold)
	req.Radius, req.Epsilon = threshold(b, s.Threshold)
	req.Graph = b.NameOrNone(fault.Into, s.Graph)
	req.File = b.TextOrNone(fault.Into, s.File)
	engine.Bind(b, parser.Heading(s), reconstructSchema(), s.Options, &req)
	return req
}

// sweep is a ReconstructRequest whose names are resolved.
type swept struct {
	entry  session.Entry
	radius float64 // unless the request says Auto
}

func resolveReconstruct(c *engine.Call, req ReconstructRequest) (found swept, err error) {
	if req.Graph != "" && req.File != "" {
		return found, fault.New(fault.Into, "a graph and a file are both given for the reconstruction; only one is possible")
	}
	if req.Auto {
		if req.Epsilon != 0 || req.Radius != 0 {
			return found, fault.New(fault.Threshold, "a threshold is given together with AUTO, which searches for one")
		}
	} else {
		if req.Grid != 0 || req.Points != 0 || req.Criterion != 0 {
			return found, fault.New(fault.Threshold, "the options grid, points and criterion need AUTO")
		}
		if found.radius, err = resolveThreshold(req.Radius, req.Epsilon, index.L2); err != nil {
			return found, err
		}
	}
	if req.Graph != "" {
		if err := engine.CheckNewGraph(c, req.Graph, fault.Into); err != nil {
			return found, err
		}
	}
	if req.File != "" {
		if err := cmp.Or(c.CheckOutput(req.File, req.Overwrite, fault.Into), session.CheckEnding(req.File, session.ListEndings)); err != nil {
			return found, err
		}
	}
	found.entry, err = c.Entry(req.Embedding, fault.Embedding)
	return found, err
}

func planReconstruct(req ReconstructRequest, found swept) *plan.Plan {
	radii := fmt.Sprintf("distance at most %.6g (%s)", found.radius, req.threshold)
	if req.Auto {
		radii = radiiText(req.Grid, req.Criterion)
	}
	join := found.plan(radii)
	measures := "degree correlations, precision and recall"
	switch {
	case !req.rows().All():
		return plan.Result("edges", "of some vertices, not measured", plan.Measured(plan.Write, "edge list", "to "+fault.Quote(req.File), join))
	case req.Graph != "":
		return plan.Result("reconstruction", measures, plan.Measured(plan.Store, "store", "graph "+fault.Name(req.Graph), join))
	case req.File != "":
		return plan.Result("reconstruction", measures, plan.Measured(plan.Write, "edge list", "to "+fault.Quote(req.File), join))
	}
	return plan.Result("reconstruction", measures, join)
}

// plan is the step that compares all pairs of vectors.
func (s swept) plan(radii string) *plan.Plan {
	return plan.Measured(plan.Join, "exact join", radii, s.entry.Plan(), session.GraphPlan(s.entry.Graph))
}

func runReconstruct(c *engine.Call, req ReconstructRequest, found swept) (ReconstructResult, error) {
	space, err := search.SettledSpace(c, req.Embedding)
	if err != nil {
		return ReconstructResult{}, err
	}
	r := &reconstruction{space: space, radius: found.radius}
	if !req.rows().All() {
		return reconstructSome(c, req, r)
	}
	if r.graph, err = original(c, r.space); err != nil {
		return ReconstructResult{}, err
	}
	result, err := measureReconstruction(c, req, r)
	if err != nil {
		return ReconstructResult{}, err
	}
	best := result.Points[result.Best]
	if math.IsNaN(best.Pearson) {
		c.Notice("the degrees of the graph or of its reconstruction are all equal, so they have no correlation")
	}
	switch {
	case req.Graph != "":
		result.Graph, err = storeReconstruction(c, req, r, best)
	case req.File != "":
		_, err = writeReconstruction(c, req, r, best.Radius, 0, r.space.Matrix.Rows)
	}
	result.Notices = c.Notices
	return result, err
}

// reconstructSome writes the edges from some vertices.
func reconstructSome(c *engine.Call, req ReconstructRequest, r *reconstruction) (ReconstructResult, error) {
	first, end := req.rows().Of(int64(r.space.Matrix.Rows))
	edges, err := writeReconstruction(c, req, r, r.radius, int(first), int(end))
	nan := math.NaN()
	point := evaluate.ReconstructionPoint{
		Epsilon: cmp.Or(req.Epsilon, index.RadiusToEpsilon(r.radius)), Radius: r.radius, Edges: edges,
		Pearson: nan, Spearman: nan, Kendall: nan, Precision: nan, Recall: nan, F1: nan, H3: nan,
	}
	return ReconstructResult{Points: []evaluate.ReconstructionPoint{point}, Notices: c.Notices}, err
}

type reconstruction struct {
	space  *session.Space
	graph  *csr.Graph // the original, on the vertices that have a vector
	radius float64    // unless the request says Auto
}

// original returns the graph on the vertices that have a vector, so that it can
// be compared with the reconstruction vertex by vertex.
func original(c *engine.Call, s *session.Space) (*csr.Graph, error) {
	g := s.Graph.Graph
	if g.Vertices() <= s.Matrix.Rows {
		return g, nil
	}
	c.Notice("left out: %s newer than embedding %s", fault.Count(int64(g.Vertices()-s.Matrix.Rows), "vertex"), fault.Name(s.Info.Name))
	var old *csr.Graph
	if err := c.Await(func() {
		first := make([]uint32, s.Matrix.Rows)
		for v := range first {
			first[v] = uint32(v)
		}
		old = g.Induced(first)
	}); err != nil {
		return nil, err
	}
	return old, nil
}

// measure compares the reconstruction with the original, at one radius or at
// those that AUTO tries.
func measureReconstruction(c *engine.Call, req ReconstructRequest, r *reconstruction) (ReconstructResult, error) {
	opts := evaluate.ReconstructOptions{
		Grid: req.Grid, Points: req.Points, Criterion: req.Criterion, PowerLaw: req.laws, BestLaw: req.bestLaw,
		Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
		MaxBytes: sweep.Bytes(c),
	}
	rows, m := int64(r.space.Matrix.Rows), r.space.Matrix
	bytes := evaluate.ReconstructAtBytes(m.Rows, m.Dim, r.graph.Edges())
	if req.Auto {
		bytes = evaluate.ReconstructBytes(m.Rows, m.Dim, r.graph.Edges(), opts)
	}
	bytes += evaluate.RandomDirectionsBytes(m.Rows, m.Dim)
	release, err := c.DB.Cache.ReserveWork(bytes, "measuring the reconstruction")
	if err != nil {
		return ReconstructResult{}, err
	}
	defer release()
	stop := c.Watch.Start(plan.Join)
	var result ReconstructResult
	if req.Auto {
		result.Best, result.Points, err = evaluate.ReconstructSweep(c.Ctx, r.graph, r.space.Matrix, opts)
	} else {
		result.Points = make([]evaluate.ReconstructionPoint, 1)
		result.Points[0], err = evaluate.ReconstructAt(c.Ctx, r.graph, r.space.Matrix, r.radius, opts)
	}
	if err != nil {
		return ReconstructResult{}, err
	}
	if req.Epsilon != 0 {
		result.Points[0].Epsilon = req.Epsilon // as given, not converted to a radius and back, which rounds twice
	}
	null, err := nullOf(c, req, r, opts)
	if err != nil {
		return ReconstructResult{}, err
	}
	result.Null = &null
	if best := result.Points[result.Best]; req.Auto && req.Criterion == evaluate.ByKS && math.IsNaN(req.Criterion.Value(best)) {
		c.Notice("no reconstruction has a power law over at least %d vertices with %d different degrees that span a factor of %d, so f1 decides", evaluate.LeastTail, evaluate.LeastDegrees, evaluate.LeastSpan)
	}
	switch best, original := result.Points[result.Best].Edges, r.graph.Edges(); {
	case !req.Auto:
	case !evaluate.Plausible(r.graph, best):
		c.Notice("%s", sweep.Implausible(best, original))
	case original == 0 && best > 0:
		c.Notice("the best reconstruction has %s, and the graph has none", fault.Count(best, "edge"))
	case float64(best) > evaluate.MostEdges*float64(original):
		c.Notice("the best reconstruction has %.0f times the %s of the graph", float64(best)/float64(original), fault.Count(original, "edge"))
	}
	stop(int64(len(result.Points)), fmt.Sprintf("%d pairs of vectors compared", rows*(rows-1)/2))
	return result, nil
}

// nullOf measures the same lengths in random directions, in the same way.
func nullOf(c *engine.Call, req ReconstructRequest, r *reconstruction, opts evaluate.ReconstructOptions) (null evaluate.ReconstructionPoint, err error) {
	if opts = sweep.ForNull(c, opts); req.Auto {
		return evaluate.ReconstructNull(c.Ctx, r.graph, r.space.Matrix, opts)
	}
	return evaluate.ReconstructNullAt(c.Ctx, r.graph, r.space.Matrix, r.radius, opts)
}

// storeReconstruction makes a graph of all pairs within the radius.
func storeReconstruction(c *engine.Call, req ReconstructRequest, r *reconstruction, at evaluate.ReconstructionPoint) (storage.GraphInfo, error) {
	// In memory each edge is listed once, with its smaller vertex, and then twice
	// in the graph.
	rows := int64(r.space.Matrix.Rows)
	release, err := c.DB.Cache.Reserve(4*at.Edges+8*at.Edges+16*rows, "the reconstructed graph")
	if err != nil {
		return storage.GraphInfo{}, err
	}
	defer release()
	g, err := joinGraph(c, r.space.Matrix, at)
	if err != nil {
		return storage.GraphInfo{}, err
	}
	stop := c.Watch.Start(plan.Store)
	source := fmt.Sprintf("reconstruction of %s, generation %d, at epsilon %v", r.space.Info.Name, r.space.Info.Generation, at.Epsilon)
	info, err := c.DB.Store.PutGraph(c.Ctx, req.Graph, storage.PutGraphRequest{Graph: g, Keys: r.space.Graph.Key, Source: source, Progress: c.Meter.Update})
	stop(at.Edges, "")
	return info, engine.NameMistake(err, fault.Into)
}

// joinGraph builds the graph of all pairs within the radius of a point.
func joinGraph(c *engine.Call, m *vec.Matrix, at evaluate.ReconstructionPoint) (*csr.Graph, error) {
	upper := make([]uint32, 0, at.Edges) // for each vertex, its neighbours above it
	starts := make([]int64, 1, m.Rows+1) // position in upper where the neighbours of each vertex start
	degrees := make([]int64, m.Rows+1)   // the degree of v is at v+1, so that the prefix sums are offsets
	opts := pairs.Options{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
	err := pairs.Join(c.Ctx, m, at.Radius, opts, func(u uint32, above []uint32) error {
		upper = append(upper, above...)
		starts = append(starts, int64(len(upper)))
		degrees[u+1] += int64(len(above))
		for _, v := range above {
			degrees[v+1]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for v := range m.Rows {
		degrees[v+1] += degrees[v]
	}
	g := &csr.Graph{Offsets: degrees, Targets: make([]uint32, degrees[m.Rows])}
	next := append([]int64(nil), degrees[:m.Rows]...)
	// Vertices are processed in ascending order. When v is processed, its row
	// already has all smaller neighbours, in ascending order.
	for u := range m.Rows {
		above := upper[starts[u]:starts[u+1]]
		copy(g.Targets[next[u]:], above)
		for _, v := range above {
			g.Targets[next[v]] = uint32(u)
			next[v]++
		}
	}
	return g, nil
}

// writeReconstruction writes all pairs within the radius whose first vertex is from first
// to end as an edge list, and returns how many there are.
func writeReconstruction(c *engine.Call, req ReconstructRequest, r *reconstruction, radius float64, first, end int) (edges int64, err error) {
	stop := c.Watch.Start(plan.Write)
	m := r.space.Matrix
	err = c.WriteFile(req.File, req.Overwrite, func(w io.Writer) error {
		var failed error
		pairs := func(yield func(uint32, uint32) bool) {
			opts := pairs.Options{Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
			err := pairs.JoinRange(c.Ctx, m, radius, first, end, opts, func(u uint32, above []uint32) error {
				for _, v := range above {
					if !yield(u, v) {
						return engine.ErrStopped
					}
				}
				edges += int64(len(above))
				return nil
			})
			if err != engine.ErrStopped {
				failed = err
			}
		}
		err := rowtext.WriteEdgeList(c.Ctx, w, m.Rows, r.space.Graph.AppendKey, pairs)
		return cmp.Or(failed, err)
	})
	stop(edges, "")
	return edges, err
}

// radiiText describes the radii that a sweep tries.
func radiiText(grid evaluate.Grid, criterion evaluate.Criterion) string {
	text := "quantiles of the distances"
	if grid == evaluate.Paper {
		text = "epsilon from 0.01 to 0.50"
	}
	return fmt.Sprintf("%s, the best by %s", text, sweep.Criteria()[criterion])
}
