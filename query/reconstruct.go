package query

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"

	"heavytail/embedding/evaluate"
	"heavytail/index"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// ReconstructRequest asks for the graph of all pairs of vertices that an
// embedding puts near to each other.
type ReconstructRequest struct {
	Embedding string
	// Radius is the largest distance of an edge.
	Radius float64
	// Epsilon, if not 0, says it instead by the least edge probability
	// 1/(1+e^distance): above 0, at most 0.5.
	Epsilon float64
	// Auto looks for the radius that is best by the criterion; Radius and
	// Epsilon are then 0.
	Auto      bool
	Grid      evaluate.Grid      // which radii Auto tries
	Points    int                // how many; 0 is the default of evaluate.ReconstructOptions
	Criterion evaluate.Criterion // what is best to Auto
	// Graph names a new graph to store the reconstruction in, with the same
	// vertex keys; empty stores none.
	Graph string
	// File is an edge list to write the reconstruction to; empty writes none. A
	// file that exists is refused, unless Overwrite is set.
	File      string
	Overwrite bool

	laws    bool // fit a power law to the degrees of every point
	bestLaw bool // fit one to those of the best
}

// ReconstructResult is the answer of Reconstruct.
type ReconstructResult struct {
	// Points are what was measured, by ascending radius: one point, or with
	// Auto all that were tried.
	Points []evaluate.ReconstructionPoint
	// Best is the index in Points of the reconstruction that was asked for.
	Best int
	// Graph describes the graph that was stored; it is zero where none was.
	Graph   storage.GraphInfo
	Notices []Notice
}

// Reconstruct measures how well an embedding gives back its graph, and stores
// or writes the reconstruction if asked to. It measures the distance of every
// pair of vertices, and takes memory for the vectors, and for the edges only
// where they are stored.
func (db *DB) Reconstruct(ctx context.Context, req ReconstructRequest) (ReconstructResult, error) {
	c, err := db.begin(ctx, "RECONSTRUCT")
	if err != nil {
		return ReconstructResult{}, err
	}
	defer c.end()
	result, err := c.reconstruct(req)
	return result, c.wrap(err)
}

// reconstruction is a request whose names are resolved.
type reconstruction struct {
	space  *space
	graph  *csr.Graph // the original, on the vertices that have a vector
	radius float64    // unless the request says Auto
}

// resolveReconstruct checks a request and finds what it names.
func (c *call) resolveReconstruct(req ReconstructRequest) (*reconstruction, error) {
	if req.Graph != "" && req.File != "" {
		return nil, mistake(partInto, "both a graph and a file take the reconstruction")
	}
	if req.Points < 0 || req.Points > maxPoints {
		return nil, mistake(partOption("points"), "points is %d, and must be from 0 to %d", req.Points, maxPoints)
	}
	r := &reconstruction{}
	var err error
	if req.Auto {
		if req.Epsilon != 0 || req.Radius != 0 {
			return nil, mistake(partThreshold, "a threshold is named, and left to be found too")
		}
	} else {
		if req.Grid != 0 || req.Points != 0 || req.Criterion != 0 {
			return nil, mistake(partThreshold, "the options grid, points and criterion need AUTO")
		}
		if r.radius, err = resolveThreshold(req.Radius, req.Epsilon, index.L2); err != nil {
			return nil, err
		}
	}
	if req.Graph != "" {
		if err := c.checkNewGraph(req.Graph, partInto); err != nil {
			return nil, err
		}
	}
	if req.File != "" {
		if err := c.checkOutput(req.File, req.Overwrite, partInto); err != nil {
			return nil, err
		}
	}
	err = c.settled(func() (err error) {
		r.space, err = c.space(req.Embedding, partEmbedding)
		return err
	})
	return r, err
}

// original returns the graph on the vertices that have a vector, so that it can
// be compared with the reconstruction vertex by vertex.
func (c *call) original(s *space) (*csr.Graph, error) {
	g := s.graph.Graph
	if g.Vertices() <= s.matrix.Rows {
		return g, nil
	}
	c.notice("left out: %s newer than embedding %s", count(int64(g.Vertices()-s.matrix.Rows), "vertex"), name(s.info.Name))
	var old *csr.Graph
	err := c.await(func() {
		first := make([]uint32, s.matrix.Rows)
		for v := range first {
			first[v] = uint32(v)
		}
		old = g.Induced(first)
	})
	return old, err
}

func (c *call) reconstruct(req ReconstructRequest) (ReconstructResult, error) {
	r, err := c.resolveReconstruct(req)
	if err != nil {
		return ReconstructResult{}, err
	}
	if r.graph, err = c.original(r.space); err != nil {
		return ReconstructResult{}, err
	}
	result, err := c.measure(req, r)
	if err != nil {
		return ReconstructResult{}, err
	}
	best := result.Points[result.Best]
	if math.IsNaN(best.Pearson) {
		c.notice("the degrees of the graph or of its reconstruction are all equal, so they have no correlation")
	}
	switch {
	case req.Graph != "":
		result.Graph, err = c.storeReconstruction(req, r, best)
	case req.File != "":
		err = c.writeReconstruction(req, r, best)
	}
	result.Notices = c.notices
	return result, err
}

// measure compares the reconstruction with the original, at one radius or at
// those that AUTO tries.
func (c *call) measure(req ReconstructRequest, r *reconstruction) (ReconstructResult, error) {
	opts := evaluate.ReconstructOptions{
		Grid: req.Grid, Points: req.Points, Criterion: req.Criterion, PowerLaw: req.laws, BestLaw: req.bestLaw,
		Workers: c.db.opts.Workers, Progress: c.meter.update,
		MaxBytes: c.sweepBytes(),
	}
	rows := int64(r.space.matrix.Rows)
	// Two lists of degrees and their ranks; and with AUTO the counts of a pass,
	// 4 bytes per vertex and radius, of at most twice as many radii as points.
	bytes := 32 * rows
	if req.Auto {
		bytes += min(opts.MaxBytes, 8*rows*int64(max(req.Points, 128)))
	}
	release, err := c.db.cache.reserve(bytes, "measuring the reconstruction")
	if err != nil {
		return ReconstructResult{}, err
	}
	defer release()
	stop := c.watch.start(stepJoin)
	var result ReconstructResult
	if req.Auto {
		result.Best, result.Points, err = evaluate.ReconstructSweep(c.ctx, r.graph, r.space.matrix, opts)
	} else {
		result.Points = make([]evaluate.ReconstructionPoint, 1)
		result.Points[0], err = evaluate.ReconstructAt(c.ctx, r.graph, r.space.matrix, r.radius, opts)
	}
	if err != nil {
		return ReconstructResult{}, err
	}
	if req.Epsilon != 0 {
		result.Points[0].Epsilon = req.Epsilon // not its image after two roundings
	}
	if best := result.Points[result.Best]; req.Auto && req.Criterion == evaluate.ByKS && math.IsNaN(req.Criterion.Value(best)) {
		c.notice("no reconstruction has a power law over %d vertices of %d different degrees that span a factor of %d, and f1 decides", evaluate.LeastTail, evaluate.LeastDegrees, evaluate.LeastSpan)
	}
	stop(int64(len(result.Points)), fmt.Sprintf("%d pairs of vectors compared", rows*(rows-1)/2))
	return result, nil
}

// sweepBytes is what the counts of one pass over all pairs may take.
func (c *call) sweepBytes() int64 { return min(1<<30, max(1<<20, c.db.opts.MemoryLimit/8)) }

// storeReconstruction makes a graph of all pairs within the radius.
func (c *call) storeReconstruction(req ReconstructRequest, r *reconstruction, at evaluate.ReconstructionPoint) (storage.GraphInfo, error) {
	// Each edge is held once by its smaller vertex, then twice in the graph.
	rows := int64(r.space.matrix.Rows)
	release, err := c.db.cache.reserve(4*at.Edges+8*at.Edges+16*rows, "the reconstructed graph")
	if err != nil {
		return storage.GraphInfo{}, err
	}
	defer release()
	g, err := c.joinGraph(r.space.matrix, at)
	if err != nil {
		return storage.GraphInfo{}, err
	}
	stop := c.watch.start(stepStore)
	source := fmt.Sprintf("reconstruction of %s, generation %d, at epsilon %v", r.space.info.Name, r.space.info.Generation, at.Epsilon)
	info, err := c.db.store.PutGraph(c.ctx, req.Graph, storage.PutGraphRequest{Graph: g, Keys: r.space.graph.Key, Source: source, Progress: c.meter.update})
	stop(at.Edges, "")
	return info, nameMistake(err, partInto)
}

// joinGraph builds the graph of all pairs within the radius of a point.
func (c *call) joinGraph(m *vec.Matrix, at evaluate.ReconstructionPoint) (*csr.Graph, error) {
	upper := make([]uint32, 0, at.Edges) // for each vertex, its neighbours above it
	starts := make([]int64, 1, m.Rows+1) // where those of each vertex start
	degrees := make([]int64, m.Rows+1)   // at v+1, so that their sums are offsets
	opts := index.JoinOptions{Workers: c.db.opts.Workers, Progress: c.meter.update}
	err := index.Join(c.ctx, m, at.Radius, opts, func(u uint32, above []uint32) error {
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
	// Vertices in ascending order: when the turn of v comes, all its neighbours
	// below it have entered its row, in ascending order.
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

// writeReconstruction writes all pairs within the radius as an edge list.
func (c *call) writeReconstruction(req ReconstructRequest, r *reconstruction, at evaluate.ReconstructionPoint) error {
	stop := c.watch.start(stepWrite)
	m := r.space.matrix
	err := c.writeFile(req.File, req.Overwrite, func(w io.Writer) error {
		edges, failed := joinEdges(c.ctx, m, at.Radius, index.JoinOptions{Workers: c.db.opts.Workers, Progress: c.meter.update})
		err := format.WriteEdgeList(c.ctx, w, m.Rows, r.space.graph.AppendKey, edges)
		if *failed != nil {
			return *failed
		}
		return err
	})
	stop(at.Edges, "")
	return err
}

// joinEdges is index.Join as a sequence; failed is its error when the sequence
// has ended.
func joinEdges(ctx context.Context, m *vec.Matrix, radius float64, opts index.JoinOptions) (edges iter.Seq2[uint32, uint32], failed *error) {
	failed = new(error)
	return func(yield func(uint32, uint32) bool) {
		err := index.Join(ctx, m, radius, opts, func(u uint32, above []uint32) error {
			for _, v := range above {
				if !yield(u, v) {
					return errStopped
				}
			}
			return nil
		})
		if err != errStopped {
			*failed = err
		}
	}, failed
}

// maxPoints bounds the radii of a sweep: each takes 4 bytes per vertex, and
// beyond some hundreds the best hardly moves.
const maxPoints = 10_000
