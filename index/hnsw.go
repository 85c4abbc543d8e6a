package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"heavytail/index/internal/base"
)

// HNSW is a hierarchical navigable small world graph over the vectors in the rows of a matrix
// (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor
// search using hierarchical navigable small world graphs", TPAMI 2020). A search
// walks through the graph towards the query and measures a few hundred or thousand
// vectors instead of all; it may miss some of the nearest. [HNSW.Recall]
// measures how many it finds.
//
// # Structure
//
// The index holds links and no vectors. Every vertex has a level, drawn from
// its number and the seed; level l holds about n/Mˡ vertices. A vertex has up
// to M links on each upper level and up to 2M on level 0, all in flat arrays:
// 8M+5 bytes per vertex, and 4M more for one vertex in M; 141 bytes at M = 16.
//
// Of equal vectors only the first is in the graph; the others are its twins
// and are found with it. If they were linked to each other, they would fill
// each other's lists and be cut off from the rest. Where clusters are so far
// apart that no link connects them, bridges do, so that every vertex can be
// reached from the entry: a search with ef ≥ n finds what [Exact] finds.
// Sometimes links reach a vertex but a search for its vector ends before it,
// as among many small clusters at equal distances; then a bridge leads to it
// from where the search ends. A search with ef ≥ 16 for the vector of a vertex
// finds that vertex, or ef others that are equally near. Under Dot, where the
// nearest vertices of a vector may be far from its own vertex, this guarantees
// nothing about the nearest.
//
// An HNSW never changes, and is safe for concurrent use as long as nobody writes
// the matrix; [HNSW.Apply] makes a changed copy. The same vectors, options and
// seed give the same links with any number of workers.
//
// # Parameters
//
//	M               links, 16: 8 to 12 suffice for spectral embeddings of few
//	                dimensions, 24 to 48 for high recall in many dimensions
//	EfConstruction  candidates that links are chosen from, 100: where searches find
//	                them, the cost of a build is about proportional to it
//	Ef              candidates that a search keeps, 64: its time is about
//	                proportional to it, and recall grows with it
type HNSW struct {
	exact *Exact
	opts  HNSWOptions // Workers and Progress are zero

	levels  []uint8  // by vertex; absent or twin
	base    []uint32 // links of level 0, 2M per vertex; lists are padded with none
	upper   []uint32 // links of upper levels, M per vertex and level
	upperAt []uint32 // index in upper of the first list of a vertex that has one

	entry  uint32 // where searches begin: a vertex of the highest level
	height int    // the highest level, −1 without vertices
	live   int    // vertices that may be results
	detours

	searchers sync.Pool // of *searcher
}

const (
	none     = math.MaxUint32 // in place of a link
	maxLevel = 31

	// In place of a level:
	absent = 255 // deleted
	twin   = 254 // equal to a vertex of the graph, which lists it in twins
)

var _ Index = (*HNSW)(nil)

// HNSWOptions are the parameters of an index. Zero fields take the defaults.
type HNSWOptions struct {
	M              int    // links of a vertex, 2 to 100; 0 means 16
	EfConstruction int    // candidates that links are chosen from, at most 10,000; 0 means 100
	Ef             int    // candidates that a search keeps by default; 0 means 64
	Seed           uint64 // of the levels

	Workers int  // number of goroutines of a build, 0 means GOMAXPROCS
	search  bool // for tests: links come from searches only

	// Progress, if not nil, receives how many vertices are done, from one goroutine at a
	// time: with the stage "linking", and then in turns "checking", a search for each
	// vertex, and "relinking" those that were not found.
	Progress func(stage string, done, total int64)
}

// Limits of the options.
const (
	minM, maxM            = 2, 100
	maxEfConstruction     = 10_000
	defaultM              = 16
	defaultEf             = 64
	defaultEfConstruction = 100
)

// Validate returns ErrOption if an option is outside its limits.
func (o HNSWOptions) Validate() error {
	_, err := o.withDefaults()
	return err
}

// Bytes estimates the memory that building an index of n vectors takes: the links, and the larger of what
// a scan takes and what the ways of searches take.
func (o HNSWOptions) Bytes(n, dim int) int64 {
	const ways = 400
	m := cmp.Or(o.M, defaultM)
	return int64(n) * int64(8*m+4*m/max(1, m-1)+5+32+max(8*m+dim+40, ways))
}

// withDefaults fills in defaults and checks the limits: ErrOption.
func (o HNSWOptions) withDefaults() (HNSWOptions, error) {
	o.M = cmp.Or(o.M, defaultM)
	o.EfConstruction = cmp.Or(o.EfConstruction, defaultEfConstruction)
	o.Ef = cmp.Or(o.Ef, defaultEf)
	switch {
	case o.M < minM || o.M > maxM:
		return o, fmt.Errorf("m is %d; it must be between %d and %d: %w", o.M, minM, maxM, ErrOption)
	case o.EfConstruction < 1 || o.EfConstruction > maxEfConstruction:
		return o, fmt.Errorf("ef_construction is %d; it must be between 1 and %d: %w", o.EfConstruction, maxEfConstruction, ErrOption)
	case o.Workers < 0:
		return o, base.NotNegative("number of workers", o.Workers)
	case o.Ef < 1 || int64(o.Ef) > math.MaxUint32:
		return o, fmt.Errorf("ef is %d; it must be at least 1: %w", o.Ef, ErrOption)
	}
	return o, nil
}

// Len returns the number of vectors of the matrix, including those of deleted
// vertices.
func (h *HNSW) Len() int { return len(h.levels) }

// Live returns the number of vertices that are not deleted.
func (h *HNSW) Live() int { return h.live }

// Dim returns the dimension of the vectors.
func (h *HNSW) Dim() int { return h.exact.Dim() }

// Metric returns the metric of the index.
func (h *HNSW) Metric() Metric { return h.exact.Metric() }

// Options returns the parameters, with defaults filled in.
func (h *HNSW) Options() HNSWOptions { return h.opts }

// Bytes returns the memory of the index, without the matrix.
func (h *HNSW) Bytes() int64 {
	return int64(len(h.levels)) + 4*int64(len(h.base)+len(h.upper)+len(h.upperAt)) + h.detours.bytes()
}

// links returns the list of a vertex on a level, padded with none.
func (h *HNSW) links(level int, v uint32) []uint32 {
	if level == 0 {
		width := 2 * h.opts.M
		return h.base[int(v)*width : (int(v)+1)*width]
	}
	at := (int(h.upperAt[v]) + level - 1) * h.opts.M
	return h.upper[at : at+h.opts.M]
}

// used returns the links of a list without its padding.
func used(list []uint32) []uint32 {
	if end := slices.Index(list, none); end >= 0 {
		return list[:end]
	}
	return list
}

// fill sets a list to links, at most as many as fit, and pads it.
func fill(list, links []uint32) {
	for i := copy(list, links); i < len(list); i++ {
		list[i] = none
	}
}

// inGraph reports whether a vertex has lists.
func (h *HNSW) inGraph(v uint32) bool { return h.levels[v] <= maxLevel }
