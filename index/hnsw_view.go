package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// View is a stored index that is searched where it lies: it reads the lists and vectors
// that a search visits, and nothing else. Its answers are those of the [HNSW] that
// [ReadHNSW] returns for the same stream and vectors, to the last bit. Each search costs
// many times as much as in memory, but the first one need not wait for loading. A search
// that would read more vectors than [ViewBudget] gives up, because a scan is cheaper.
//
// Every vector is verified by its checksum in the stream, and all else by the checksums of
// its pages.
//
// A View belongs to one goroutine. It takes one bit per vertex, and workspace.
type View struct {
	source Source
	pages  *pageCache
	whole  bool // checksums of vectors are read in whole blocks of the verified stream
	row    func(v uint32, row []float32) error
	head   streamHead
	budget int // vectors that a search may compare
	search *searcher
	err    error // the first error of a read; after it nothing more is read

	four  [4]byte   // a checksum as it is stored
	bytes []byte    // a list as it is stored
	list  []uint32  // a list
	pairs []edge    // the detours of a vertex
	rows  []float32 // vectors that are scored together
}

// Source is a stored index. Both readers have the same bytes.
type Source struct {
	Stream   io.ReaderAt // verifies what it reads, or knows that it is sound
	Raw      io.ReaderAt // need not verify anything, and should take little for a few bytes; nil is Stream
	Size     int64       // bytes
	Compared []uint32    // [Recall.Compared]; none if it is not known
}

// NewView opens a stored index. row must fill its second argument with the
// vector of a vertex; its errors end a search and are returned unchanged, as are those of
// source. A stream that is no index is [ErrFormat]. Vectors of other values or of dimension 0 are [ErrMismatch], here or
// when a search reads them.
func NewView(source Source, dim, vertices int, row func(v uint32, row []float32) error) (*View, error) {
	size := source.Size
	b := make([]byte, headSize)
	if _, err := source.Stream.ReadAt(b, 0); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("view: %w", damaged("%d bytes", size))
	} else if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	head, err := decodeHead(b)
	if err == nil && head.size() != size {
		err = damaged("%d bytes instead of %d", size, head.size())
	}
	if err == nil && (int64(head.dim) != int64(dim) || int64(head.vertices) != int64(vertices) || dim == 0) {
		err = fmt.Errorf("the index is of %d × %d vectors, not of %d × %d: %w", head.vertices, head.dim, vertices, dim, ErrMismatch)
	}
	if err != nil {
		return nil, fmt.Errorf("view: %w", err)
	}
	// The parameters without links and vectors, which the searcher gets from v.
	h := emptyHNSW(&Exact{m: &vec.Matrix{Rows: vertices, Dim: dim}, metric: head.metric}, head.opts)
	h.entry, h.live = head.entry, int(head.live)
	if head.height != absent {
		h.height = int(head.height)
	}
	if source.Raw == nil {
		source.Raw = source.Stream
	}
	v := &View{source: source, row: row, head: head, budget: ViewBudget(h.live, source.Compared), search: newSearcher(h)}
	v.pages = &pageCache{raw: source.Raw, stream: source.Stream, end: head.pagesAt()}
	v.whole = 4*int64(head.vertices) <= streamBlock*int64(head.opts.Ef)
	v.search.view, v.search.seen = v, make([]uint64, (vertices+63)/64)
	return v, nil
}

// Metric returns the metric of the index.
func (v *View) Metric() Metric { return v.head.metric }

// Live returns the number of vertices that are not deleted.
func (v *View) Live() int { return int(v.head.live) }

// Find is [HNSW.Find], except that where a scan of all vectors is cheaper, Answer.Exact has
// the reason and there are no hits: the caller has to scan.
func (v *View) Find(ctx context.Context, query []float32, k int, opts SearchOptions) (Answer, error) {
	v.err = nil
	return v.search.find(ctx, query, k, opts)
}

// Within is [HNSW.Within], with the same exception as Find.
func (v *View) Within(ctx context.Context, query []float32, radius float64, opts SearchOptions) (Answer, error) {
	v.err = nil
	return v.search.within(ctx, query, radius, opts)
}

// read returns bytes of the stream, which the next read overwrites, or nil after an error.
func (v *View) read(at int64, size int) []byte {
	if v.err != nil {
		return nil
	}
	if cap(v.bytes) < size {
		v.bytes = make([]byte, size)
	}
	b := v.bytes[:size]
	if err := v.pages.read(b, at); err != nil {
		v.fail(err)
		return nil
	}
	return b
}

// streamBlock is about how many bytes a store verifies at once: at their first use they take as
// long as some sixteen pages. A search scores some sixteen vectors per candidate, which may be
// any, so where the checksums of all vectors have fewer blocks than a search has candidates, it
// takes less to read them block by block.
const streamBlock = 64 << 10

// sum returns the checksum of a vector, or 0 after an error.
func (v *View) sum(u uint32) uint32 {
	at, b := v.head.sumsAt()+4*int64(u), v.four[:]
	if !v.whole {
		b = v.read(at, 4)
	} else if n, err := v.source.Stream.ReadAt(b, at); n < len(b) {
		v.fail(err)
		return 0
	}
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// fail ends the search with an error.
func (v *View) fail(err error) {
	if errors.Is(err, io.EOF) {
		err = damaged("truncated")
	}
	if v.err == nil {
		v.err = fmt.Errorf("view: %w", err)
	}
}

// links returns the list of a vertex on a level without padding, until the next call;
// an empty one after an error.
func (v *View) links(level int, vertex uint32) []uint32 {
	width := 2 * v.head.opts.M
	at := v.head.baseAt() + 4*int64(width)*int64(vertex)
	if level > 0 {
		b := v.read(v.head.placesAt()+4*int64(vertex), 4)
		if b == nil {
			return nil
		}
		list := uint64(binary.LittleEndian.Uint32(b)) + uint64(level) - 1
		if list >= uint64(v.head.lists) {
			v.fail(damaged("list %d of %d", list, v.head.lists))
			return nil
		}
		width = v.head.opts.M
		at = v.head.upperAt() + 4*int64(width)*int64(list)
	}
	b := v.read(at, 4*width)
	v.list = v.list[:0]
	for ; len(b) > 0; b = b[4:] {
		u := binary.LittleEndian.Uint32(b)
		if u == none {
			break
		}
		if u >= v.head.vertices {
			v.fail(damaged("link to vertex %d of %d", u, v.head.vertices))
			return nil
		}
		v.list = append(v.list, u)
	}
	return v.list
}

// edges returns the detours of a vertex from a sorted section of count edges, until the
// next call.
func (v *View) edges(section int64, count, vertex uint32) []edge {
	v.pairs = v.pairs[:0]
	at := func(i uint32) (e edge, ok bool) {
		b := v.read(section+8*int64(i), 8)
		if b == nil {
			return e, false
		}
		e = edge{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
		if e.from >= v.head.vertices || e.to >= v.head.vertices {
			v.fail(damaged("detour from vertex %d to %d of %d", e.from, e.to, v.head.vertices))
			return e, false
		}
		return e, true
	}
	lo, hi := uint32(0), count
	for lo < hi {
		mid := lo + (hi-lo)/2
		e, ok := at(mid)
		if !ok {
			return nil
		}
		if e.from < vertex {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < count; lo++ {
		e, ok := at(lo)
		if !ok || e.from != vertex {
			break
		}
		v.pairs = append(v.pairs, e)
	}
	return v.pairs
}

// score sets keys[i] to the key of vertex ids[i], or to 0 after an error.
func (v *View) score(s *scorer, keys []float32, ids []uint32) {
	clear(keys[:len(ids)])
	dim := int(v.head.dim)
	if need := len(ids) * dim; len(v.rows) < need {
		v.rows = make([]float32, need)
	}
	for i, u := range ids {
		row := v.rows[i*dim : (i+1)*dim]
		sum := v.sum(u)
		if v.err != nil {
			return
		}
		if err := v.row(u, row); err != nil {
			v.fail(err)
			return
		}
		if rowSum(row) != sum || !finiteRow(row) {
			v.fail(fmt.Errorf("the vector of vertex %d is another: %w", u, ErrMismatch))
			return
		}
	}
	if len(ids) == 0 {
		return
	}
	rows := v.rows[:len(ids)*dim]
	s.raw(keys[:len(ids)], rows)
	for i := range ids {
		row, inverse := rows[i*dim:(i+1)*dim], 0.0
		if v.head.metric == Cosine {
			inverse = inverseNorm(row)
		}
		keys[i] = s.keyOf(keys[i], row, inverse)
	}
}

// finiteRow reports whether all values are finite.
func finiteRow(row []float32) bool {
	for _, x := range row {
		if !base.Finite(x) {
			return false
		}
	}
	return true
}
