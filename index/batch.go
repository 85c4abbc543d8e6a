package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"heavytail/index/internal/base"
	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

const (
	// Up to batchFew queries are answered by scans: a tile of products always has room for 32
	// queries, and takes as long as some ten scans that share a pass over the vectors.
	batchFew = 10
	// batchMost is how many queries are multiplied with the vectors at a time:
	// enough that reading the vectors is negligible next to the products, and
	// few enough that the packed queries stay in the second-level cache.
	batchMost = 1024
)

// SearchBatch answers each row of queries as Search does, with identical hits.
// opts.Filter applies to every query, and opts.FilterOf to its own. Errors are those of Search, or
// ErrDimension for a malformed matrix. [Exact.Batches] is for many calls.
//
// Up to ten queries are scans that share a pass over the vectors. Of more, products of tiles of
// 12 vectors with 32 queries select the pairs that may be
// among the nearest; only these are scored as Search scores them; see batch.
// The cost is one multiply-add per query and value, in tiles that stay in the
// caches, and 8·k bytes for each of 1,024 queries, with few queries up to workers times as
// many. With AVX-512 VNNI and at least 256 queries, products of bytes decide
// most pairs first: that takes a quarter to a half of the time, and 1 byte for each value of the
// vectors (batchbytes.go). Without it, under L2, projections take their place if there are
// more than 1,024 queries and they pay (batchprojection.go).
func (x *Exact) SearchBatch(ctx context.Context, queries *vec.Matrix, k int, opts SearchOptions) ([][]Hit, error) {
	return x.Batches().Search(ctx, queries, k, opts)
}

// Batches answers one batch of queries after another. It keeps the groups of equal vectors
// (equal.go) and the bytes of the vectors, which the first batch of at least 256 queries makes, or
// their projections, if there are no bytes and more than 1,024 queries.
// It belongs to one goroutine.
type Batches struct {
	x     *Exact
	over  *Exact     // the searched vectors: those of x, or one of each group
	equal *equalRows // nil before they are made, and where most vectors differ
	sieve rowSieve   // bytes or projections; nil before they are made, and where they do not pay

	grouped, made, projected bool
	forced                   forcedRows // for tests of Nearest
	asked                    int        // queries so far
	saved                    int        // batches of the sieve in which it paid, less those in which it did not
}

// Batches returns a Batches, which answers batches of queries over the vectors.
func (x *Exact) Batches() *Batches { return &Batches{x: x, over: x} }

// BatchesBytes is the most memory that [Batches] of so many vectors keep: the groups of equal
// vectors with a copy of half of the vectors, and one byte for each element of these.
func BatchesBytes(vectors, dim int) int64 { return int64(vectors) * (32 + int64(5*dim+1)/2) }

// Bytes is the memory that batches of many queries will keep. It finds the vectors that are equal,
// which takes [GroupingBytes], and which the first batch need not find any more.
func (all *Batches) Bytes(workers int) int64 {
	all.group(workers)
	rows, dim, kept := int64(all.x.m.Rows), int64(all.x.m.Dim), int64(0)
	if e := all.equal; e != nil {
		kept, rows = 8*rows+int64(len(e.first))*(12+4*dim), int64(len(e.first))
	}
	if bytesPay(all.x, SearchOptions{}) || projectionPays(all.x) {
		kept += rows * (dim + 32)
	}
	return kept
}

// GroupingBytes is the memory in which [Batches.Bytes] finds equal ones of so many vectors.
func GroupingBytes(vectors int) int64 { return 30 * int64(vectors) }

// group finds the vectors that are equal.
func (all *Batches) group(workers int) {
	if !all.grouped {
		all.grouped, all.equal = true, newEqualRows(all.x, workers)
	}
}

// Nearest answers with the vectors of some vertices as queries: for each vertex u, the k
// nearest v for which admits(u, v) holds, nearest first, as Search does. admits is called
// from several goroutines at a time. The vectors of the vertices are copied.
func (all *Batches) Nearest(ctx context.Context, vertices []uint32, k, workers int, admits func(u, v uint32) bool) ([][]Hit, error) {
	queries := vec.NewMatrix(len(vertices), all.x.m.Dim)
	for i, u := range vertices {
		copy(queries.Row(i), all.x.m.Row(int(u)))
	}
	return all.Search(ctx, queries, k, SearchOptions{
		Workers: workers, sieve: all.forced, vertices: vertices, FilterOf: func(i int, v uint32) bool { return admits(vertices[i], v) },
	})
}

// Search is [Exact.SearchBatch].
func (all *Batches) Search(ctx context.Context, queries *vec.Matrix, k int, opts SearchOptions) ([][]Hit, error) {
	x := all.x
	ctx = base.OrBackground(ctx)
	if k < 1 {
		return nil, fmt.Errorf("k = %d: %w", k, ErrK)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	if err := base.CheckShape(queries); err != nil {
		return nil, err
	}
	for i := range queries.Rows {
		if err := checkQuery(queries.Row(i), x.m.Dim); err != nil {
			return nil, fmt.Errorf("query %d: %w", i, err)
		}
	}
	answers := make([][]Hit, queries.Rows)
	if queries.Rows <= batchFew && opts.sieve == noneForced || x.m.Dim == 0 || x.m.Rows == 0 {
		for lo := 0; lo < queries.Rows; lo += batchFew {
			if err := x.searchFew(ctx, queries, lo, k, opts, answers[lo:min(lo+batchFew, queries.Rows)]); err != nil {
				return nil, err
			}
		}
		return answers, nil
	}
	if !all.made && (queries.Rows >= manyQueries || opts.sieve != noneForced) {
		all.made = true
		if all.group(opts.Workers); all.equal != nil {
			all.equal.collect(x)
			all.over = all.equal.distinct
		}
		if bytesPay(all.over, opts) && opts.sieve != projectionForced {
			all.sieve = newByteRows(ctx, all.over, opts.Workers)
		}
	}
	number, places := all.sorted(queries.Rows, opts.vertices)
	for lo := 0; lo < queries.Rows; lo += batchMost {
		hi := min(lo+batchMost, queries.Rows)
		part := &vec.Matrix{Rows: hi - lo, Dim: queries.Dim, Data: queries.Data[lo*queries.Dim : hi*queries.Dim]}
		if places != nil {
			part = vec.NewMatrix(hi-lo, queries.Dim)
			for i := range part.Rows {
				copy(part.Row(i), queries.Row(number[lo+i]))
			}
		}
		b := newBatch(all.over, part, k, opts)
		if b.number = number[lo:hi]; all.made {
			b.equal = all.equal
		}
		if bytes, ok := all.sieve.(*byteRows); ok {
			if b.order = bytes.order; places != nil {
				b.places = places[lo:hi]
			}
		}
		all.project(ctx, part.Rows, k, opts)
		if all.sieve != nil {
			b.sieve = all.sieve.ofQueries(part, opts.Workers)
		}
		if err := b.run(ctx, opts.Workers, answers); err != nil {
			return nil, err
		}
		if all.saved++; b.sieve == nil {
			all.saved -= 2
		}
		if all.saved < 0 {
			all.sieve, all.saved = nil, 0
		}
	}
	return answers, nil
}

// sorted returns the numbers of the queries, sorted by the places of their vertices, if these are known, and the places.
func (all *Batches) sorted(queries int, vertices []uint32) (number []int, places []uint32) {
	number = make([]int, queries)
	for i := range number {
		number[i] = i
	}
	bytes, ok := all.sieve.(*byteRows)
	if !ok || vertices == nil {
		return number, nil
	}
	place := func(i int) uint32 {
		v := vertices[i]
		if all.equal != nil {
			v = all.equal.group[v]
		}
		return bytes.places[v]
	}
	slices.SortStableFunc(number, func(i, j int) int { return cmp.Compare(place(i), place(j)) })
	for _, i := range number {
		places = append(places, place(i))
	}
	return number, places
}

// searchFew answers the queries from the first on by scans, which share a pass over the vectors.
func (x *Exact) searchFew(ctx context.Context, queries *vec.Matrix, first, k int, opts SearchOptions, answers [][]Hit) error {
	scans := make([]*Scan, len(answers))
	for i := range scans {
		one := opts
		if opts.FilterOf != nil {
			one.Filter = func(v uint32) bool { return (opts.Filter == nil || opts.Filter(v)) && opts.FilterOf(first+i, v) }
		}
		var err error
		if scans[i], err = x.newScan(queries.Row(first+i), k, one); err != nil {
			return err
		}
	}
	if err := x.scan(ctx, scans...); err != nil {
		return err
	}
	for i, s := range scans {
		answers[i] = s.Hits()
	}
	return nil
}

// project makes the projections of the vectors before another batch of queries, if there is no
// other sieve: they take as long as the answers of some hundred queries.
func (all *Batches) project(ctx context.Context, queries, k int, opts SearchOptions) {
	forced := opts.sieve == projectionForced && all.over.metric == L2
	many := all.asked >= batchMost && queries >= manyQueries && projectionPays(all.over)
	if all.asked += queries; !all.projected && all.sieve == nil && (many || forced) {
		all.projected = true
		if p := newProjectedRows(ctx, all.over, k, opts.Workers, forced); p != nil {
			all.sieve = p
		}
	}
}

// run answers the queries with up to a number of goroutines. Afterwards it has no sieve
// where that did not pay.
//
// Goroutines search for different queries before several search for the same: a search of all
// vectors scores about half as many pairs as two searches of half of them, because each begins
// without the keys of near vectors. A part has partPanels panels or more, if there are so many,
// so that reading the vectors stays negligible.
func (b *batch) run(ctx context.Context, most int, answers [][]Hit) error {
	workers, panels := b.x.workers(most), len(b.panels)/(vec.TileCols*b.x.m.Dim)
	size, parts, searches := divided(panels, workers)
	block := max(1, base.ScanRows(b.x.m.Dim)/vec.TileRows) * vec.TileRows
	blocks := (b.x.m.Rows + block - 1) / block
	pieces := make([]*batchWorker, parts*searches)
	next := make([]atomic.Int64, parts)
	vec.Parallel(len(pieces), 1, workers, func(i, _, _ int) {
		part := i % parts
		for ctx.Err() == nil {
			at := int(next[part].Add(1)) - 1
			if at >= blocks && (pieces[i] != nil || i >= parts) {
				return
			}
			if pieces[i] == nil {
				pieces[i] = newBatchWorker(b, part*size, min((part+1)*size, panels), block)
				if i < parts {
					pieces[i].begin()
				}
			}
			if at < blocks {
				// The block of the first query comes first, since vectors near to it are there.
				lo := (at + b.firstBlock(part*size*vec.TileCols, block)) % blocks * block
				pieces[i].rows(lo, min(lo+block, b.x.m.Rows))
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if !slices.ContainsFunc(pieces, func(w *batchWorker) bool { return w != nil && w.paid > 0 }) {
		b.sieve = nil
	}
	vec.Parallel(len(b.scores), 16, most, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			var all []candidate
			for at := i / (size * vec.TileCols); at < len(pieces); at += parts {
				if w := pieces[at]; w != nil {
					all = append(all, w.best[i-w.first].heap...)
				}
			}
			if b.equal != nil {
				all = b.spread(i, all)
			}
			answers[b.number[i]] = b.x.metric.hits(all, b.k)
		}
	})
	return nil
}

// divided returns the number of panels of a part, of parts, and of searches for the same queries at a
// time.
func divided(panels, workers int) (size, parts, searches int) {
	const (
		partPanels, partsEach = 4, 4 // parts for each goroutine, so that they end at about the same time
		mostPanels            = 32   // what is held for the queries stays in the cache of a core
	)
	size = min(panels, mostPanels)
	if workers > 1 {
		size = min(mostPanels, max(partPanels, (panels+partsEach*workers-1)/(partsEach*workers)))
	}
	parts = (panels + size - 1) / size
	return size, parts, (workers + parts - 1) / parts
}

// BatchBytes is the memory in which [Batches] answer so many queries, with the answers: the candidates
// of each search, the vectors of the queries and their panels.
func BatchBytes(queries, k, dim, workers int) int64 {
	at := min(queries, batchMost)
	_, _, searches := divided(max(1, (at+vec.TileCols-1)/vec.TileCols), max(1, workers))
	const candidate, hit = 8, 8
	return int64(at)*int64(k)*candidate*int64(searches) + int64(queries)*(hit*int64(k)+8*int64(dim))
}

// batchWorker holds the results and the workspace of one goroutine for the queries of some panels.
type batchWorker struct {
	b       *batch
	panel   int // the first
	first   int // its first query
	best    []top
	far     []float64         // of each query: what vectors are skipped beyond, as batch.farthest
	columns []float32         // of each query; +Inf for padding
	late    []uint32          // of each panel: the queries whose columns are of an earlier limit
	sieved  []vec.ColumnTerms // of each panel
	own     [][2]int          // of each panel: the vectors that begin searches first
	terms   []float32         // term of each vector of the block; +Inf for padding
	unit    []float32         // under Cosine the directions of the vectors of the block
	rest    []float32         // vectors at the end of the block, padded to 12
	tile    [vec.TileRows * vec.TileCols]float32
	mask    [vec.TileRows]uint32
	waiting []waitingPair
	blocks  int // searched so far
	pause   int // blocks that are to be searched without the sieve
	paid    int // blocks in which the sieve paid, less those in which it did not
}

func newBatchWorker(b *batch, panel, end, block int) *batchWorker {
	d, first := b.x.m.Dim, panel*vec.TileCols
	w := &batchWorker{
		b: b, panel: panel, first: first,
		best:    make([]top, min(end*vec.TileCols, len(b.scores))-first),
		columns: make([]float32, (end-panel)*vec.TileCols),
		late:    make([]uint32, end-panel),
		terms:   make([]float32, block),
		rest:    make([]float32, vec.TileRows*d),
	}
	w.far = make([]float64, len(w.best))
	for i := range w.columns {
		w.columns[i] = float32(math.Inf(1))
		if i < len(w.best) {
			w.far[i] = math.Inf(1)
			w.columns[i] = b.column(first+i, w.far[i])
		}
	}
	if b.sieve != nil {
		w.sieved = make([]vec.ColumnTerms, end-panel)
		for i := range w.columns {
			b.sieve.limit(&w.sieved[i/vec.TileCols], i%vec.TileCols, first+i, math.Inf(1))
		}
	}
	if b.places != nil {
		w.own = make([][2]int, end-panel)
		for p := range w.own {
			w.own[p] = b.ownRows(first + p*vec.TileCols)
		}
	}
	if b.x.metric == Cosine || b.order != nil {
		w.unit = make([]float32, block*d)
	}
	return w
}

// begin searches the own vectors of each panel. A limit of each query is guessed from estimates of their distances, so that
// few of them are scored. If k are found within it, their keys prove it; else the query is searched again
// without a limit.
func (w *batchWorker) begin() {
	if w.own == nil {
		return
	}
	const more = 2 // the query itself, and one that rounding moves beyond the limit
	k, estimates := w.b.k+more, w.b.sieve.(estimateSieve)
	room := make([]float64, k*vec.TileCols)
	for p, own := range w.own {
		queries := min(vec.TileCols, len(w.best)-p*vec.TileCols)
		var least [vec.TileCols][]float64
		var most, estimate [vec.TileCols]float64 // most of least
		for j := range least {
			least[j], most[j] = room[j*k:j*k:(j+1)*k], math.Inf(1)
		}
		w.ownTiles(p, own, func(r, rows int) {
			for i := range rows {
				estimates.estimate(&estimate, w.panel+p, r+i, (*[vec.TileCols]float32)(w.tile[i*vec.TileCols:]))
				for j, x := range estimate[:queries] {
					if x < most[j] {
						if least[j] = addLeast(least[j], x, k); len(least[j]) == k {
							most[j] = least[j][k-1]
						}
					}
				}
			}
		})
		for j, x := range most[:queries] {
			i := w.first + p*vec.TileCols + j
			most[j] = estimates.far(i, x)
			w.b.sieve.limit(&w.sieved[p], j, i, most[j])
		}
		w.ownTiles(p, own, func(r, rows int) { w.score(p, r, rows, w.there(p)) })
		failed := uint32(0)
		for j, guess := range most[:queries] {
			q := p*vec.TileCols + j
			if len(w.best[q].heap) < w.b.k || !(w.b.sieveFarthest(w.far[q]) <= guess) {
				failed |= 1 << j
				w.best[q].heap, w.far[q] = w.best[q].heap[:0], math.Inf(1)
				w.b.sieve.limit(&w.sieved[p], j, w.first+q, w.far[q])
			}
		}
		if failed != 0 {
			w.ownTiles(p, own, func(r, rows int) { w.score(p, r, rows, failed) })
		}
	}
}

// ownTiles calls f with the tiles of the own vectors of a panel that have near pairs.
func (w *batchWorker) ownTiles(p int, own [2]int, f func(r, rows int)) {
	for r := own[0]; r < own[1]; r += vec.TileRows {
		if w.b.sieve.near(&w.mask, &w.tile, r, w.panel+p, &w.sieved[p]) > 0 {
			f(r, min(vec.TileRows, w.b.x.m.Rows-r))
		}
	}
	w.flush()
}

// limit skips what is beyond a bound for the i-th query of w from now on. With a sieve, sift seldom needs the column.
func (w *batchWorker) limit(i int, far float64) {
	if !(far < w.far[i]) {
		return
	}
	w.far[i] = far
	if w.sieved == nil {
		w.columns[i] = w.b.column(w.first+i, far)
		return
	}
	p, j := i/vec.TileCols, i%vec.TileCols
	w.late[p] |= 1 << j
	w.b.sieve.limit(&w.sieved[p], j, w.first+i, w.b.sieveFarthest(far))
}

// offer adds a vector to the best of query q of w, if it is among the nearest, and sets a new limit then.
func (w *batchWorker) offer(q int, row uint32, key float32) {
	best, k := &w.best[q], w.b.k
	full := len(best.heap) == k
	if full && candidateOf(key, 0) > best.heap[0] {
		return
	}
	v, ok := w.b.admitted(w.first+q, row, func(v uint32) bool { return full && candidateOf(key, v) >= best.heap[0] })
	if !ok {
		return
	}
	if best.offer(candidateOf(key, v), k); len(best.heap) == k {
		w.limit(q, w.b.farthest(best.heap[0].key()))
	}
}

// there has the bits of the queries of the p-th panel without padding, which NaN lets through.
func (w *batchWorker) there(p int) uint32 {
	if count := len(w.best) - p*vec.TileCols; count < vec.TileCols {
		return 1<<count - 1
	}
	return math.MaxUint32
}

// rows searches a block of vectors.
func (w *batchWorker) rows(lo, hi int) {
	m := w.b.x.m
	var rows []float32 // prepared for the first tile that needs them
	whole := (hi - lo) / vec.TileRows * vec.TileRows
	few := screen.Few(m.Dim)
	if w.own != nil {
		few *= 3 // the limits are low already, so that few tiles have as many pairs, for which the block is not prepared
	}
	tiles, left := 0, 0 // by the sieve, and of these the ones with many pairs left
	sifts := w.sieved != nil && w.pause == 0
	for p := range len(w.columns) / vec.TileCols {
		panel := w.b.panel(w.panel + p)
		for r := 0; r < hi-lo; r += vec.TileRows {
			if w.own != nil && lo+r >= w.own[p][0] && lo+r < w.own[p][1] {
				continue
			}
			if sifts {
				near := w.b.sieve.near(&w.mask, &w.tile, lo+r, w.panel+p, &w.sieved[p])
				tiles++
				switch {
				case near == 0:
					continue
				case near <= few:
					w.score(p, lo+r, min(vec.TileRows, hi-lo-r), w.there(p))
					continue
				}
				left++
			}
			if rows == nil {
				rows = w.prepare(lo, hi)
				clear(w.rest[copy(w.rest, rows[whole*m.Dim:]):])
			}
			a := w.rest
			if r < whole {
				a = rows[r*m.Dim:]
			}
			vec.Tile(&w.tile, m.Dim, a, m.Dim, 1, panel)
			w.sift(p, lo+r, min(vec.TileRows, hi-lo-r), (*[vec.TileRows]float32)(w.terms[r:]))
		}
		w.flush()
	}
	// A tile of a sieve takes up to a quarter of the time of the one that it saves. In the first
	// block no vector has been found yet, so that all are left, and until many were searched, the
	// nearest so far may be much farther away than the nearest. So a sieve that does not pay is
	// tried again, after 1, 3 and then 7 blocks each.
	const mostPause = 7
	switch {
	case !sifts:
		w.pause = max(0, w.pause-1)
	case 2*left > tiles:
		w.pause = min(w.blocks, mostPause)
		w.paid--
	default:
		w.paid++
	}
	w.blocks++
}

// prepare sets the terms of the vectors of a block, and returns what the queries are multiplied
// with: the vectors or their directions.
func (w *batchWorker) prepare(lo, hi int) []float32 {
	x, d := w.b.x, w.b.x.m.Dim
	for i := range w.terms {
		if w.terms[i] = float32(math.Inf(1)); lo+i >= hi {
			continue
		}
		v := int(w.b.row(lo + i))
		row := x.m.Row(v)
		if x.metric == Cosine {
			inverse, unit := float32(x.inverse[v]), w.unit[i*d:][:d]
			if w.terms[i] = 0; inverse != inverse {
				w.terms[i], inverse = inverse, 0
			}
			clear(unit)
			vec.Axpy(inverse, row, unit)
			continue
		}
		off := 1 - screen.Gamma(d+16)
		if x.metric == Dot {
			off = 1 + 2*screen.Gamma(d+16)
		}
		w.terms[i] = screen.RoundDown(w.b.term(float64(vec.Dot(row, row)) * off))
		if w.unit != nil {
			copy(w.unit[i*d:], row)
		}
	}
	if w.unit != nil {
		return w.unit[:(hi-lo)*d]
	}
	return x.m.Data[lo*d : hi*d]
}

// sift scores those pairs of a tile that may be among the nearest: the p-th panel of w and
// vectors from the first on.
func (w *batchWorker) sift(p, first, rows int, terms *[vec.TileRows]float32) {
	for ; w.late[p] != 0; w.late[p] &= w.late[p] - 1 {
		q := p*vec.TileCols + bits.TrailingZeros32(w.late[p])
		w.columns[q] = w.b.column(w.first+q, w.far[q])
	}
	columns := (*[vec.TileCols]float32)(w.columns[p*vec.TileCols:])
	if vec.TileWithin(&w.mask, &w.tile, terms, columns, 0) {
		w.score(p, first, rows, w.there(p))
	}
}

// score scores the pairs of a tile in the mask: some queries of the p-th panel of w and vectors from the first on. It begins
// to load the vectors, and scores them once there are some, so that they are in the cache by then.
func (w *batchWorker) score(p, first, rows int, there uint32) {
	for i, near := range w.mask[:rows] {
		if near &= there; near == 0 {
			continue
		}
		row := w.b.row(first + i)
		vec.FetchRow(w.b.x.m.Row(int(row)))
		for ; near != 0; near &= near - 1 {
			w.waiting = append(w.waiting, waitingPair{p*vec.TileCols + bits.TrailingZeros32(near), row})
		}
	}
	if len(w.waiting) >= fewWaiting {
		w.flush()
	}
}

// flush scores the pairs that wait.
func (w *batchWorker) flush() {
	for _, pair := range w.waiting {
		w.offer(pair.query, pair.row, w.b.scores[w.first+pair.query].one(pair.row))
	}
	w.waiting = w.waiting[:0]
}

// waitingPair is a query of a batchWorker and a vector.
type waitingPair struct {
	query int
	row   uint32
}

// fewWaiting is how many pairs wait at least: with more, limits would be older.
const fewWaiting = 8
