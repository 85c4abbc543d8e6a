package measures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/lists"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// This file has the measures of COMPUTE by the names that requests use.

// Measure describes a measure of vertices, which COMPUTE computes.
type Measure struct {
	Name    string       `json:"name"`
	Summary string       `json:"summary"` // one line
	Words   string       `json:"-"`       // further words by which a search finds it
	Type    storage.Type `json:"type"`    // type of the values: Integer or Float
	Weights string       `json:"weights"` // meaning of the weights; empty if the measure does not use them
	From    bool         `json:"from"`    // it accepts vertices to start from
	// Directed says what the measure does with the direction of the edges of a directed graph; empty if it
	// reads the undirected view.
	Directed string        `json:"directed"`
	Options  []option.Info `json:"options"`

	schema   option.Schema[options]
	defaults options
	weak     bool // what Directed says is that of the undirected view

	// bytes is the memory of the computation without the graph: what is in use at a time, and all
	// that is allocated, or farMore.
	bytes func(on measuredOn) (used, all int64)
	run   func(m measuring) (measured, error)
	// saved is the most bytes of each vertex in a checkpoint, 0 if run saves none. If it does, it
	// returns soon after its context ends.
	saved  int64
	atOnce int64 // number of sources of which one search computes the paths, where run saves checkpoints
	// seconds estimates the time of run, and the number of sources from which it computes
	// paths, 0 if it computes none.
	seconds func(m measuring, e algorithms.Estimator) (seconds float64, sources int, err error)
}

type measuring struct {
	context.Context
	algorithms.Work
	embedding.Checkpoints
	options
	g    *csr.Graph
	d    *csr.Directed // nil of an undirected graph; then g is its undirected view
	from []uint32
}

// along is the directed graph, in the direction that the options say; nil of an undirected one.
func (m measuring) along() *csr.Directed {
	if m.d == nil || !m.reversed {
		return m.d
	}
	return m.d.Reversed()
}

// measuredOn is what the memory of a measure depends on.
type measuredOn struct {
	options
	n, m     int64 // vertices and edges of the graph
	workers  int64
	weighted bool // the graph has weights
	directed bool
}

// measured has the values of a measure: integers or floats.
type measured struct {
	integers []int64
	scores   algorithms.Scores
	notices  []string
}

// options are the options of all measures.
type options struct {
	damping, tolerance, alpha, resolution float64

	useWeights, normalized, labels, cpm bool
	reversed                            bool // against the usual direction of the measure
	sources, iterations                 int
	seed                                uint64
}

// The options that several measures share.

func weightedOption(doc string) option.Field[options] {
	return option.Bool("weighted", doc, func(o *options) *bool { return &o.useWeights })
}

func tiesOption() option.Field[options] {
	return weightedOption("use the weights of the edges, if there are any")
}

func toleranceOption(doc string) option.Field[options] {
	return above0(option.Float("tolerance", doc, func(o *options) *float64 { return &o.tolerance }))
}

func seedOption() option.Field[options] {
	return option.Seed("the same seed gives the same values", func(o *options) *uint64 { return &o.seed })
}

// directionOption has the usual direction of a measure first.
func directionOption(doc, usual, other string) option.Field[options] {
	return option.Either("direction", "in a directed graph: "+doc, usual, other, func(o *options) *bool { return &o.reversed })
}

func above0(f option.Field[options]) option.Field[options] {
	return f.Where("above 0", func(v any) bool { return v != any(int64(0)) && v != any(0.0) && notNegative(v) })
}

func atLeast0(f option.Field[options]) option.Field[options] {
	return f.Where("at least 0", notNegative)
}

func notNegative(v any) bool {
	x, _ := v.(float64)
	n, _ := v.(int64)
	return x >= 0 && n >= 0
}

// What weights mean.
const (
	tieWeights    = "strength of a tie"
	lengthWeights = "length of an edge"
)

func localList() []Measure {
	return []Measure{
		{Name: "degree", Words: "hubs connections centrality", Summary: "number of neighbours", Type: storage.Integer, bytes: perVertex(8), seconds: takes(algorithms.Estimator.Visit),
			run: func(m measuring) (measured, error) { return measured{integers: algorithms.Degree(m.g)}, nil }},
		{Name: "strength", Words: "weighted degree", defaults: options{useWeights: true}, Summary: "sum of the weights of the edges", Type: storage.Float, Weights: tieWeights, bytes: perVertex(8), seconds: takes(algorithms.Estimator.Visit),
			run: func(m measuring) (measured, error) {
				values, err := algorithms.Strength(m.g, m.Work)
				return measured{scores: algorithms.Scores{Values: values}}, err
			}},
		{Name: "triangles", Words: "triads motifs cycles", Summary: "number of triangles through the vertex", Type: storage.Integer, bytes: triangleBytes, seconds: takes(algorithms.Estimator.Triangles),
			run: func(m measuring) (measured, error) {
				values, err := algorithms.Triangles(m, m.g, m.Work)
				return measured{integers: values}, err
			}},
		{Name: "clustering", Words: "transitivity local coefficient", Summary: "fraction of the pairs of neighbours that are adjacent, 0 for degrees below 2", Type: storage.Float, bytes: triangleBytes, seconds: takes(algorithms.Estimator.Triangles),
			run: func(m measuring) (measured, error) {
				values, err := algorithms.LocalClustering(m, m.g, m.Work)
				return measured{scores: algorithms.Scores{Values: values}}, err
			}},
		{Name: "core", Words: "kcore k-core coreness dense shell degeneracy", Summary: "largest k for which the vertex is in a subgraph of degrees of at least k (k-core)", Type: storage.Integer, bytes: perVertex(28), seconds: takes(algorithms.Estimator.Cores),
			run: func(m measuring) (measured, error) { return measured{integers: algorithms.Cores(m.g)}, nil }},
	}
}

func spectralList() []Measure {
	return []Measure{
		{Name: "pagerank", Words: "centrality important importance influential ranking personalized random walk central", Summary: "probability that a random walk with restarts is at the vertex; FROM names the vertices at which it starts, otherwise all", Type: storage.Float, Weights: tieWeights, From: true,
			defaults: options{damping: 0.85, tolerance: 1e-12, useWeights: true},
			schema: option.Schema[options]{
				above0(option.Float("damping", "probability of following an edge, above 0 and below 1", func(o *options) *float64 { return &o.damping })),
				toleranceOption("largest residual; the sum of all errors is at most tolerance/(1-damping)"),
				tiesOption(),
				directionOption("a walk follows edges to their targets, so that in-edges make a vertex important; or to their sources", "in", "out"),
			}, bytes: tiled(1, perVertexOr(64, 104)), Directed: "walks along the edges",
			seconds: func(m measuring, e algorithms.Estimator) (float64, int, error) {
				seconds, err := e.PageRank(m, m.damping, m.tolerance)
				return seconds, 0, err
			},
			run: func(m measuring) (measured, error) {
				opts := algorithms.PageRankOptions{Work: m.Work, Damping: m.damping, From: m.from, Unweighted: !m.useWeights, Tolerance: m.tolerance}
				if m.d != nil {
					return ofScores(algorithms.DirectedPageRank(m, m.along(), opts))
				}
				return ofScores(algorithms.PageRank(m, m.g, opts))
			}},
		{Name: "eigenvector", Words: "centrality influential central", Summary: "eigenvector of the largest eigenvalue of the adjacency matrix, with the norm 1; 0 outside of its component", Type: storage.Float, Weights: tieWeights,
			defaults: options{tolerance: 1e-10, useWeights: true},
			schema:   option.Schema[options]{toleranceOption("largest residual, relative to the eigenvalue"), tiesOption()}, bytes: tiled(1, perVertex(170)), seconds: takes(algorithms.Estimator.Eigenvector),
			run: func(m measuring) (measured, error) {
				return ofScores(algorithms.Eigenvector(m, m.g, algorithms.EigenvectorOptions{Work: m.Work, Unweighted: !m.useWeights, Tolerance: m.tolerance}))
			}},
		{Name: "katz", Words: "centrality bonacich", Summary: "number of walks that end at the vertex, weighted alpha for each edge of the walk; the vector has the norm 1", Type: storage.Float, Weights: tieWeights,
			defaults: options{useWeights: true},
			schema: option.Schema[options]{
				atLeast0(option.Float("alpha", "what the weight of each edge of a walk is multiplied by, below the inverse of the largest eigenvalue; 0 means half of that inverse", func(o *options) *float64 { return &o.alpha })),
				tiesOption(),
				directionOption("walks that end at the vertex, or that begin there", "in", "out"),
			}, bytes: tiled(1, perVertex(170)), seconds: takes(algorithms.Estimator.Katz), Directed: "walks along the edges",
			run: func(m measuring) (measured, error) {
				opts := algorithms.KatzOptions{Work: m.Work, Alpha: m.alpha, Unweighted: !m.useWeights}
				if m.d != nil {
					return ofScores(algorithms.DirectedKatz(m, m.along(), opts))
				}
				return ofScores(algorithms.Katz(m, m.g, opts))
			}},
	}
}

func pathList() []Measure {
	schema := option.Schema[options]{
		weightedOption("take the weights as lengths of the edges; otherwise each has the length 1"),
		option.Bool("normalized", "divide by the largest possible value, so that values are from 0 to 1", func(o *options) *bool { return &o.normalized }),
		atLeast0(option.Int("sources", "vertices from which paths are computed: fewer than all give estimates with a bound of the error; 0 means all if that takes up to a minute of one core, and otherwise as many as take about a quarter of a minute, but at least 50. Betweenness without weights takes twice as long, because it also draws random paths that bound its error", func(o *options) *int { return &o.sources })),
		seedOption(),
	}
	near := directionOption("distances to the vertex, or from it", "in", "out")
	return []Measure{
		{Name: "closeness", Words: "closeness centrality distance central", Summary: "closeness: (reached vertices)² / ((all others) · (sum of the distances)); exact", Type: storage.Float, Weights: lengthWeights, schema: option.Schema[options]{schema[0], near}, Directed: "paths along the edges", bytes: closenessBytes, saved: 16 * algorithms.Slots, atOnce: 64,
			seconds: func(m measuring, e algorithms.Estimator) (float64, int, error) {
				paths := m.paths()
				paths.Sources = max(1, m.g.Vertices())
				return e.Harmonic(m, paths)
			},
			run: func(m measuring) (measured, error) {
				if m.d != nil {
					return ofPaths(algorithms.DirectedCloseness(m, m.along(), m.paths()))
				}
				return ofPaths(algorithms.Closeness(m, m.g, m.paths()))
			}},
		{Name: "harmonic", Words: "closeness centrality distance central", Summary: "harmonic closeness: sum of 1/distance to all other vertices", Type: storage.Float, Weights: lengthWeights, schema: append(slices.Clip(schema), near), Directed: "paths along the edges", bytes: harmonicBytes, saved: 8 * algorithms.Slots, atOnce: 64,
			seconds: func(m measuring, e algorithms.Estimator) (float64, int, error) { return e.Harmonic(m, m.paths()) },
			run: func(m measuring) (measured, error) {
				if m.d != nil {
					return ofPaths(algorithms.DirectedHarmonic(m, m.along(), m.paths()))
				}
				return ofPaths(algorithms.Harmonic(m, m.g, m.paths()))
			}},
		{Name: "betweenness", Words: "centrality bridges brokers shortest paths brandes central", Summary: "sum over all pairs of the fraction of their shortest paths that pass through the vertex", Type: storage.Float, Weights: lengthWeights, schema: schema, Directed: "paths along the edges, of ordered pairs", bytes: betweennessBytes, saved: 8 * algorithms.Slots, atOnce: 1,
			seconds: func(m measuring, e algorithms.Estimator) (float64, int, error) { return e.Betweenness(m, m.paths()) },
			run: func(m measuring) (measured, error) {
				if m.d != nil {
					return ofPaths(algorithms.DirectedBetweenness(m, m.d, m.paths()))
				}
				return ofPaths(algorithms.Betweenness(m, m.g, m.paths()))
			}},
		{Name: "eccentricity", Words: "diameter radius centre center farthest", Summary: "number of edges to the farthest vertex of the component; the largest in a component is its diameter, the smallest its radius", Type: storage.Integer, bytes: eccentricityBytes, saved: 16, atOnce: 64, Directed: "paths along the edges",
			schema: option.Schema[options]{directionOption("the farthest vertex that the vertex reaches, or that reaches it", "out", "in")},
			seconds: func(m measuring, e algorithms.Estimator) (seconds float64, sources int, err error) {
				if m.d != nil {
					seconds, err = e.DirectedEccentricity(m)
				} else {
					seconds, err = e.Eccentricity(m)
				}
				return seconds, 0, err
			},
			run: func(m measuring) (measured, error) {
				opts := algorithms.EccentricityOptions{Work: m.Work, Checkpoints: m.Checkpoints}
				if m.d != nil {
					values, err := algorithms.DirectedEccentricity(m, m.along(), opts)
					return measured{integers: values}, err
				}
				values, err := algorithms.Eccentricity(m, m.g, opts)
				return measured{integers: values}, err
			}},
	}
}

func groupList() []Measure {
	return []Measure{
		{Name: "component", Words: "connected components connectivity wcc weakly islands", Summary: "connected component, numbered from 0 by descending size", Type: storage.Integer, Directed: "weak: ways lead along edges and against them", weak: true, bytes: perVertex(16), seconds: takes(algorithms.Estimator.Components),
			run: func(m measuring) (measured, error) { return componentsOf(m.g.Components(), "component") }},
		{Name: "strong_component", Words: "scc strongly connected components cycles mutual reach", Summary: "strong component, whose vertices reach each other along the edges, numbered from 0 by descending size; in an undirected graph the connected component", Type: storage.Integer, Directed: "paths along the edges", bytes: perVertex(36), seconds: takes(algorithms.Estimator.Components),
			run: func(m measuring) (measured, error) {
				if m.d == nil {
					return componentsOf(m.g.Components(), "component")
				}
				return componentsOf(m.d.StrongComponents(), "strong component")
			}},
		{Name: "community", Words: "communities louvain leiden modularity clusters clustering groups partition cpm label propagation detection", Summary: "community, numbered from 0 by descending size", Type: storage.Integer, Weights: tieWeights,
			defaults: options{resolution: 1, iterations: 4, useWeights: true},
			schema: option.Schema[options]{
				option.Either("method", "leiden finds better communities; labels is label propagation, whose communities need not be connected", "leiden", "labels", func(o *options) *bool { return &o.labels }),
				option.Either("quality", "what leiden maximises: modularity, or the constant Potts model", "modularity", "cpm", func(o *options) *bool { return &o.cpm }),
				above0(option.Float("resolution", "resolution of the quality, above 0: larger values give more and smaller communities; of cpm it is a weight for each pair of vertices, so that it is multiplied where the weights are", func(o *options) *float64 { return &o.resolution })),
				above0(option.Int("iterations", "largest number of runs of leiden, each of which begins with the communities of the one before; a run that adds less than 0.0002 of the weight of the edges to the quality is the last", func(o *options) *int { return &o.iterations })),
				tiesOption(), seedOption(),
			}, Directed: "leiden maximises directed modularity, whose expected edges are the product of out- and in-degrees", bytes: communityBytes, seconds: communitySeconds,
			run: runCommunity},
	}
}

func componentsOf(c *csr.Components, what string) (measured, error) {
	return measured{integers: wide(c.Label), notices: []string{fault.Count(int64(c.Count()), what)}}, nil
}

func perVertex(bytes int64) func(measuredOn) (used, all int64) {
	return func(on measuredOn) (used, all int64) { return bytes * on.n, bytes * on.n }
}

// perVertexOr is perVertex with other bytes for a directed graph.
func perVertexOr(undirected, directed int64) func(measuredOn) (used, all int64) {
	return func(on measuredOn) (used, all int64) {
		if on.directed {
			return perVertex(directed)(on)
		}
		return perVertex(undirected)(on)
	}
}

// tiled adds the tiles of some matrices of the graph.
func tiled(matrices int64, bytes func(measuredOn) (used, all int64)) func(measuredOn) (used, all int64) {
	return func(on measuredOn) (used, all int64) {
		used, all = bytes(on)
		arcs := 2 * on.m
		if on.directed {
			arcs = on.m
		}
		tiles := matrices * algorithms.TileBytes(on.n, arcs, on.usesWeights())
		return used + tiles, all + tiles
	}
}

func triangleBytes(on measuredOn) (used, all int64) {
	bytes := 4*on.m + 44*on.n
	return bytes, bytes
}

// pathBytes is the memory of a measure of paths that computes those of several sources at a time: 8
// bytes of each vertex for each sum, 4 for the sources, 20 for the components if they decide how many
// sources there are, and what each worker takes, of whom there are at most as many as sums.
func (on measuredOn) pathBytes(at, each int64) (bytes, workers int64) {
	sums, chosen := int64(algorithms.Slots), int64(4)
	if sources := int64(on.sources); sources > 0 {
		sums = min(sums, (sources+at-1)/at)
	} else {
		chosen += 20
	}
	workers = min(on.workers, sums)
	return (8*sums + chosen + each*workers) * on.n, workers
}

// usesWeights reports whether the measure uses weights of the graph.
func (on measuredOn) usesWeights() bool { return on.weighted && on.useWeights }

// harmonicBytes counts 40 bytes of each vertex and worker: three sets of 64 bits, two lists and a gain.
// By lengths they are a distance, a list, a mark, a parent, and a queue of some two ends of paths, 16 bytes each;
// and all share the lengths, 8 bytes at each end of an edge.
func harmonicBytes(on measuredOn) (used, all int64) {
	if on.usesWeights() {
		used, _ = on.pathBytes(1, 49)
		used += 16 * on.m
	} else {
		used, _ = on.pathBytes(64, 40)
	}
	return used, used
}

// closenessBytes is harmonicBytes and, in a directed graph, as many sums and gains for the vertices that
// are reached.
func closenessBytes(on measuredOn) (used, all int64) {
	used, _ = harmonicBytes(on)
	if on.directed {
		used += 8 * (algorithms.Slots + on.workers) * on.n
	}
	return used, used
}

// betweennessBytes counts 24 bytes of each vertex and worker: a distance, a list, and two numbers; by
// lengths those of harmonicBytes and two numbers. When only one sum is left, the paths that bound the
// error take 32, and as much for each worker.
func betweennessBytes(on measuredOn) (used, all int64) {
	if on.usesWeights() {
		used, _ = on.pathBytes(1, 65)
		used += 16 * on.m
		return used, used
	}
	used, workers := on.pathBytes(1, 24)
	return used, used + (32+32*workers)*on.n
}

// communityBytes is 20 bytes of each vertex for the communities and masses of the graph, 40 for a
// refinement, and 20 for the queue and the groups; and 12 for each arc of the present level and of the
// next one. How many arcs a level has is known only when it is made: in a random graph
// about as many as the level before, which is counted, and far fewer where communities are clear: of
// small worlds and of small components less than half is taken. Each round leaves garbage.
func communityBytes(on measuredOn) (used, all int64) {
	used = 80*on.n + 48*on.m
	if on.directed { // the undirected view, and masses of both directions
		used += 40*on.n + 24*on.m
	}
	return used, farMore
}

// eccentricityBytes is that of algorithms.Eccentricity, and in a directed graph of its sums.
func eccentricityBytes(on measuredOn) (used, all int64) {
	used = algorithms.DiameterBytes * on.n
	if on.directed {
		used, _ = on.pathBytes(64, 32)
	}
	return used, used
}

// farMore is all that a measure allocates which leaves garbage.
const farMore = math.MaxInt64 / 2

func ofScores(s algorithms.Scores, err error) (measured, error) { return measured{scores: s}, err }

// takes makes the estimate of a measure whose time depends only on the graph.
func takes(f func(algorithms.Estimator, context.Context) (float64, error)) func(measuring, algorithms.Estimator) (float64, int, error) {
	return func(m measuring, e algorithms.Estimator) (float64, int, error) {
		seconds, err := f(e, m)
		return seconds, 0, err
	}
}

func communitySeconds(m measuring, e algorithms.Estimator) (seconds float64, sources int, err error) {
	if m.labels {
		seconds, err = e.LabelPropagation(m)
	} else {
		seconds, err = e.Leiden(m, m.iterations)
	}
	return seconds, 0, err
}

// ofPaths returns the values of a measure of paths, with a notice of the error
// bound if they are estimates.
func ofPaths(s algorithms.Scores, err error) (measured, error) {
	m := measured{scores: s}
	if s.Error > 0 {
		m.notices = append(m.notices, fmt.Sprintf("estimates from %s of %d: with a probability of 0.99 no value is off by more than %.3g; sources := %d gives exact values",
			fault.Count(int64(s.Sources), "vertex"), len(s.Values), s.Error, len(s.Values)))
	}
	return m, err
}

func (m measuring) paths() algorithms.DistanceOptions {
	return algorithms.DistanceOptions{Work: m.Work, Checkpoints: m.Checkpoints, Weighted: m.useWeights, Normalized: m.normalized, Sources: m.sources, Seed: m.seed}
}

func runCommunity(m measuring) (measured, error) {
	var c algorithms.Communities
	var err error
	if m.labels {
		c, err = algorithms.LabelPropagation(m, m.g, algorithms.LabelOptions{Work: m.Work, Unweighted: !m.useWeights, Seed: m.seed})
	} else {
		opts := algorithms.LeidenOptions{
			Work: m.Work, Resolution: m.resolution, CPM: m.cpm,
			Unweighted: !m.useWeights, Iterations: m.iterations, Seed: m.seed,
		}
		if m.d != nil {
			c, err = algorithms.DirectedLeiden(m, m.d, opts)
		} else {
			c, err = algorithms.Leiden(m, m.g, opts)
		}
	}
	if err != nil {
		return measured{}, err
	}
	text := fault.Count(int64(len(c.Sizes)), "community")
	if !math.IsNaN(c.Modularity) {
		text += fmt.Sprintf(", modularity %.4f", math.Round(1e4*c.Modularity)/1e4+0) // + 0 makes 0 of −0
		if r := m.resolution; r != 1 && !m.labels && !m.cpm {
			text += fmt.Sprintf(" with resolution %v", r)
		}
	}
	return measured{integers: wide(c.Label), notices: []string{text}}, nil
}

func wide(labels []uint32) []int64 {
	return lists.Map(labels, func(l uint32) int64 { return int64(l) })
}

func (m measured) value(v int) storage.Value {
	if m.integers != nil {
		return storage.IntegerValue(m.integers[v])
	}
	return storage.FloatValue(m.scores.Values[v])
}

// bind returns the given options of the measure, and the defaults of the rest.
func (m Measure) bind(given []option.Given) (options, error) {
	o := m.defaults
	err := m.schema.Bind("measure "+m.Name, given, &o)
	return o, bind.Mistake(err)
}

// measureMistake returns the Error for an option of a measure whose value is out of
// range, and for a graph on which it has no values or does not converge.
func measureMistake(m Measure, err error) error {
	var option *algorithms.OptionError
	switch {
	case errors.As(err, &option):
		return fault.New(fault.Option(option.Option), "option %v", option).WithErr(errors.Join(fault.ErrInvalid, err))
	case errors.Is(err, algorithms.ErrEdges):
		return fault.New(fault.Graph, "the graph has no edges, and %s needs one", m.Name).WithErr(errors.Join(fault.ErrInvalid, err))
	case errors.Is(err, algorithms.ErrConverge) && m.defaults.tolerance > 0:
		return fault.New(fault.Graph, "%v", err).WithOption("to accept a larger residual", toleranceOption("").Name, "").WithErr(err)
	}
	return err
}
