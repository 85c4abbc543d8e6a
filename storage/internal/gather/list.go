package gather

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/excerpt"
	"heavytail/storage/internal/fault"
)

// Options configure a List.
type Options struct {
	Repeated     Repeated
	Join         string // between the values of a repeated vertex; "" keeps the last value
	Limit        int64  // memory of the import in bytes; 0 means the default, and less than LeastLimit means LeastLimit
	EdgeRoom     int64  // bytes of the buffer of edges, for tests; 0 means a quarter of the limit
	Dir, Pattern string // of temporary files, for os.CreateTemp

	Directed bool // edges have a source and a target
	Auto     bool // the text decides instead, if it says what its edges are
	Both     bool // in a directed graph: each edge has both directions
}

// List is everything that an import reads. The memory for edges is bounded (see edgeBuffer); vertices
// take about 60 bytes each, and their keys.
type List struct {
	Edges     int64     // that were read, without a header; two for an edge of both directions
	SelfLoops int64     // self-loops, which are dropped
	Times     Times     // what the timestamps have in common
	Columns   []*Column // attributes of the vertices
	Directed  bool      // edges have a source and a target

	auto  bool  // the text decides whether they have
	both  bool  // each edge of a directed graph has both directions
	undir int64 // edges that both holds for

	EdgeColumns    []*Column // attributes of the edges; values are by row
	rowEnds        []uint64  // of the edge of each row of values: the source in the upper half, the target in the lower
	edgeAttributes names     // of the columns
	firstRows      int       // rows of the first edge

	attributes names           // of the columns
	names      *block.Interner // vertices by key; after End only the keys
	ended      bool            // nothing grows any more
	declared   declared
	ctx        context.Context // of the read
	buffer     *edgeBuffer
	known      atomic.Pointer[block.Lookup] // the numbers of vertices that find finds
	join       string

	limit    int64
	next     int   // number of vertices at which memory is counted again
	nextBlob int   // bytes of keys at which it is
	unseen   int64 // bytes of values since it was counted

	number []uint32 // of each vertex of the edges in the buffer; nil where they keep theirs

	// Edge lists are often sorted by source: remembering the last one saves a search.
	lastKey []byte
	last    uint32

	// The first edge may turn out to be a header. Its vertices are then numbered by their order in
	// the rest of the input.
	header     uint32    // vertices that the first edge named
	firstLoop  bool      // it is a self-loop
	rounded    int64     // weights that are whole numbers and that single precision changed
	ends       [2]string // names of the columns of the two ends
	headerSeen [2]int64  // number of vertices that the rest named before each of them; -1 if the rest does not name it
}

// NewList returns an empty list, which must be closed. ctx cancels the reading.
func NewList(ctx context.Context, o Options) *List {
	limit := limitOf(o.Limit)
	room := limit / 4
	if o.EdgeRoom > 0 {
		room = o.EdgeRoom
	}
	temp := func() (tempFile, error) { return newTempFile(o.Dir, o.Pattern) }
	buffer := newEdgeBuffer(o.Repeated, room, temp)
	buffer.directed = o.Directed
	l := &List{
		names: block.NewInterner(), ctx: ctx, join: o.Join, limit: limit, headerSeen: [2]int64{-1, -1},
		buffer: buffer, Directed: o.Directed, auto: o.Auto, both: o.Both,
		attributes: names{check: block.Attribute.Validate}, edgeAttributes: names{check: block.Attribute.ValidateEdge},
	}
	l.known.Store(l.names.Lookup())
	return l
}

// Close removes the temporary files.
func (l *List) Close() { l.buffer.close() }

// BatchBytes is the most that one transaction of the import is to write.
func (l *List) BatchBytes() int { return int(l.limit / batchPart) }

// Handler returns the functions that a reader calls with the edges and vertices that it reads.
func (l *List) Handler() format.Handler {
	h := format.Handler{Edge: l.addEdge, Edges: l.addEdges, Find: l.find, EdgeColumns: l.addEdgeColumns, Columns: l.addColumns, Vertex: l.addVertex}
	if l.auto || l.Directed {
		h.Direction = l.direct
	}
	return h
}

// direct takes what the text says of its edges, before the first of them.
func (l *List) direct(directed bool) error {
	if l.auto {
		l.Directed, l.buffer.directed = directed, directed
	}
	l.both = l.both || !directed
	return nil
}

// End must be called after everything was read. It removes the first edge if that was a header, and
// joins the values of repeated vertices.
// It corrects in read what only the end shows: whether the first edge was one.
func (l *List) End(ctx context.Context, read *format.ReadStats) error {
	l.ends = read.Ends
	if read.CountsHeader && int64(l.restNames()) > read.DeclaredVertices {
		read.IsEdge()
	}
	only := l.header > 0 && l.headerSeen == [2]int64{-1, -1}
	if rowtext.TakeHeader(read, only, int64(l.restNames())) || read.CountsHeader {
		if err := l.dropHeader(ctx); err != nil {
			return err
		}
	}
	for _, c := range slices.Concat(l.Columns, l.EdgeColumns) {
		if err := c.joinAll(ctx, l.names.Keys.At); err != nil {
			return err
		}
	}
	l.names, l.ended = &block.Interner{Keys: l.names.Keys}, true // the rest of it is no longer needed
	return nil
}

// RepeatedValues returns the number of values that differ from an earlier value of the same vertex.
func (l *List) RepeatedValues() int64 { return repeated(l.Columns) }

func repeated(columns []*Column) (n int64) {
	for _, c := range columns {
		n += c.repeated
	}
	return n
}

// Remarks returns what the list renamed or chose, in a fixed order, once its values are filled in.
func (l *List) Remarks() (list []format.Remark) {
	for _, n := range []names{l.attributes, l.edgeAttributes} {
		if n.renamed.Count > 0 {
			list = append(list, n.renamed)
		}
	}
	if l.undir > 0 {
		list = append(list, format.Remark{What: "edges without a direction, taken in both directions", Count: l.undir})
	}
	if n := repeated(l.EdgeColumns); n > 0 {
		list = append(list, format.Remark{What: "values replaced by a later value of the same edge", Count: n, Remedy: "repeated := 'first' keeps the first"})
	}
	if l.rounded > 0 {
		list = append(list, format.Remark{What: "whole weights above 16,777,216 rounded to seven digits", Count: l.rounded})
	}
	missing := format.Remark{What: format.MissingValues, Remedy: format.MissingRemedy}
	texts := format.Remark{What: "attributes kept as texts although nearly all their values are numbers"}
	for _, c := range slices.Concat(l.Columns, l.EdgeColumns) {
		if c.spoiler != "" {
			const most = 5
			if texts.Count++; len(texts.Names) < most {
				texts.Names = append(texts.Names, excerpt.Name([]byte(c.Name))+" because of "+excerpt.Of([]byte(c.spoiler)))
			}
		}
		missing.Count += c.missing.count
		for _, word := range c.missing.words {
			const most = 5
			if len(missing.Names) < most && !slices.Contains(missing.Names, word) {
				missing.Names = append(missing.Names, word)
			}
		}
	}
	if missing.Count > 0 {
		list = append(list, missing)
	}
	if texts.Count > 0 {
		list = append(list, texts)
	}
	return append(list, l.doubtKeys()...)
}

// doubtKeys remarks the vertices whose keys are words for missing values, since all edges whose missing
// end a program has written as NaN meet in one vertex; those whose keys have letters that are not seen,
// which another key without them looks like; and those that are called as the columns of the ends.
func (l *List) doubtKeys() (list []format.Remark) {
	words := format.Remark{What: "vertices whose keys are words for missing values"}
	unseen := format.Remark{What: "vertices whose keys have blanks at an end or characters that are not seen"}
	named := format.Remark{What: "vertices that are called as the columns of the ends", Remedy: "a file put together from several repeats its header"}
	count := func(r *format.Remark, name string) {
		const most = 5
		if r.Count++; len(r.Names) < most {
			r.Names = append(r.Names, name)
		}
	}
	for i := range l.names.Keys.Len() {
		key := l.names.Keys.At(uint32(i))
		switch {
		case len(key) == 0:
		case format.HasUnseen(key):
			count(&unseen, strconv.QuoteToASCII(string(key[:min(len(key), 40)])))
		case key[0] >= '0' && key[0] <= '9': // most keys are numbers
		case format.IsMissing(key):
			count(&words, string(key))
		case string(key) == l.ends[0] || string(key) == l.ends[1]:
			count(&named, excerpt.Name(key))
		}
	}
	for _, r := range []format.Remark{words, unseen, named} {
		if r.Count > 0 && (r.What != named.What || r.Count == 2) {
			list = append(list, r)
		}
	}
	return list
}

func (l *List) addEdge(e format.Edge) error {
	u := l.last
	if string(e.Source) != string(l.lastKey) || len(e.Source) == 0 {
		var err error
		if u, err = l.names.Intern(e.Source); err != nil {
			return err
		}
		l.last, l.lastKey = u, append(l.lastKey[:0], e.Source...)
	}
	if u < l.header {
		l.seeHeader(u)
	}
	v, err := l.names.Intern(e.Target)
	if err != nil {
		return err
	}
	if v < l.header {
		l.seeHeader(v)
	}
	if l.names.Keys.Len() >= l.next || len(l.names.Keys.Blob) >= l.nextBlob {
		if err := l.checkMemory(); err != nil {
			return err
		}
	}
	return l.addJoined(u, v, &e)
}

// find finds the numbers of the vertices that the list has already. addEdges adds the others, in order.
func (l *List) find(edges *format.Edges) {
	l.known.Load().FindAll(edges.Numbers, edges.Key)
}

// addEdges adds edges whose vertices find has looked up.
func (l *List) addEdges(edges *format.Edges) (done int, err error) {
	vertices, plain := l.names.Keys.Len(), !edges.Measured() && !l.Directed
	for i := range edges.Len() {
		u, v := edges.Numbers[2*i], edges.Numbers[2*i+1]
		switch {
		case l.header == 0 || u == block.NoVertex || v == block.NoVertex || min(u, v) < l.header:
			err = l.addEdge(edges.At(i))
		case plain && u != v:
			l.Edges++
			err = l.buffer.add(l.ctx, l.buffer.join(u, v))
		default:
			e := edges.At(i)
			err = l.addJoined(u, v, &e)
		}
		if err != nil {
			return i + 1, err
		}
	}
	if l.names.Keys.Len() > vertices {
		l.known.Store(l.names.Lookup())
	}
	return edges.Len(), nil
}

// addJoined adds an edge between vertices of the list.
func (l *List) addJoined(u, v uint32, e *format.Edge) error {
	both := l.Directed && u != v && (e.Both || l.both)
	if l.header == 0 {
		l.header, l.firstLoop = uint32(min(l.names.Keys.Len(), len(l.headerSeen))), u == v
		if u != v {
			l.buffer.held = 1 + int(block.OneIf(both))
		}
	}
	l.Edges++
	if len(e.Values) > 0 && u != v {
		if err := l.addEdgeValues(u, v, both, e.Values); err != nil {
			return fmt.Errorf("edge (%q, %q): %w", fault.Clip(string(e.Source)), fault.Clip(string(e.Target)), err)
		}
	}
	if both {
		l.Edges++
		l.undir += int64(block.OneIf(l.both))
	}
	switch {
	case u == v:
		l.SelfLoops++
		return nil
	case !e.Weighted && !e.Timed:
		if err := l.buffer.add(l.ctx, l.buffer.join(u, v)); err != nil || !both {
			return err
		}
		return l.buffer.add(l.ctx, l.buffer.join(v, u))
	}
	o := occurrence{l.buffer.join(u, v), 0, csr.NoTime}
	if e.Weighted {
		if o.weight = float64(float32(e.Weight)); o.weight != e.Weight && e.Weight >= 1<<24 && e.Weight == math.Trunc(e.Weight) {
			l.rounded++
		}
	}
	if e.Timed {
		o.time = e.Time
		l.Times.Add(e.Time, e.Dated)
	}
	if err := l.buffer.addValued(l.ctx, o); err != nil || !both {
		return err
	}
	o.edge = l.buffer.join(v, u)
	return l.buffer.addValued(l.ctx, o)
}

// seeHeader records the first occurrence, in the rest, of a vertex of the first edge.
func (l *List) seeHeader(v uint32) {
	if l.headerSeen[v] >= 0 {
		return
	}
	before := int64(l.names.Keys.Len()) - int64(l.header)
	for _, seen := range l.headerSeen {
		if seen >= 0 {
			before++
		}
	}
	l.headerSeen[v] = before
}

func (l *List) addColumns(columns []format.Column) (err error) {
	l.Columns, err = addColumns(l.Columns, columns, &l.attributes, l.join)
	return err
}

func (l *List) addEdgeColumns(columns []format.Column) (err error) {
	l.EdgeColumns, err = addColumns(l.EdgeColumns, columns, &l.edgeAttributes, "")
	return err
}

// addColumns adds columns to a list; earlier ones may already have a type.
func addColumns(list []*Column, columns []format.Column, named *names, join string) ([]*Column, error) {
	for i, c := range columns {
		if i < len(list) {
			if err := list[i].setType(c.Type); err != nil {
				return nil, err
			}
			continue
		}
		c.Name = named.choose(c.Name)
		column, err := newColumn(c, join)
		if err != nil {
			return nil, err
		}
		list = append(list, column)
	}
	return list, nil
}

// addEdgeValues adds a row of values of an edge, unless all are missing; both adds one for its other
// direction.
func (l *List) addEdgeValues(u, v uint32, both bool, values [][]byte) error {
	row, some := uint32(len(l.rowEnds)), false
	for i, value := range values {
		if value == nil {
			continue
		}
		if err := l.EdgeColumns[i].set(row, value); err != nil {
			return err
		}
		l.unseen += int64(len(value))
		some = true
	}
	if !some {
		return nil
	}
	if row == math.MaxUint32 {
		return fmt.Errorf("values of more than %d edges: %w", uint32(math.MaxUint32), fault.ErrLimit)
	}
	if l.Edges == 1 && row == 0 {
		l.firstRows = 1 + int(block.OneIf(both))
	}
	l.rowEnds = append(l.rowEnds, uint64(block.NewArc(u, v)))
	if l.unseen += 8 + int64(len(values)); l.unseen > l.step() {
		if err := l.checkMemory(); err != nil {
			return err
		}
	}
	if both {
		return l.addEdgeValues(v, u, false, values)
	}
	return nil
}

func (l *List) addVertex(key []byte, values [][]byte) error {
	v, err := l.names.Intern(key)
	if err != nil {
		return err
	}
	l.declared.add(v, key)
	for i, value := range values {
		if value == nil {
			continue
		}
		if err := l.Columns[i].set(v, value); err != nil {
			return fmt.Errorf("vertex %q: %w", fault.Clip(string(key)), err)
		}
		l.unseen += int64(len(value))
	}
	l.unseen += int64(len(values))
	if l.names.Keys.Len() >= l.next || len(l.names.Keys.Blob) >= l.nextBlob || l.unseen > l.step() {
		return l.checkMemory()
	}
	return nil
}

// restNames returns the number of vertices that other edges than the first one name.
func (l *List) restNames() int {
	named := l.names.Keys.Len() - int(l.header)
	for _, seen := range l.headerSeen {
		if seen >= 0 {
			named++
		}
	}
	return named
}

// dropHeader removes the first edge, which was a header. Vertices that only the header named are then
// removed, and the others are numbered by their order in the rest (number). Declared vertices without
// edges are not created.
func (l *List) dropHeader(ctx context.Context) error {
	all, header, named := l.names.Keys.Len(), int(l.header), l.restNames()
	if l.Edges -= int64(max(1, l.buffer.held)); l.firstLoop {
		l.SelfLoops--
	}
	if l.both && l.buffer.held == 2 {
		l.undir--
	}
	l.buffer.dropFirst()
	for row := range l.firstRows {
		for _, c := range l.EdgeColumns {
			c.drop(uint32(row))
		}
		l.rowEnds[row] = 0 // no edge
	}
	number, rest := slices.Repeat([]uint32{block.NoVertex}, all), block.NewKeySet(named)
	take := func(v uint32) {
		number[v] = uint32(rest.Len())
		rest.Add(l.names.Keys.At(v))
	}
	for next := uint32(header); rest.Len() < named; {
		if next%(block.CheckEvery/8) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch at := int64(rest.Len()); at {
		case l.headerSeen[0]:
			take(0)
		case l.headerSeen[1]:
			take(1)
		default:
			take(next)
			next++
		}
	}
	l.names, l.number = &block.Interner{Keys: rest}, number
	return nil
}

// checkMemory compares the memory of the list with the limit. It is called before any part of the
// list has grown by a sixteenth and a step, and counts what a part takes that may grow before an
// eighth and a step, so that no growth comes unseen.
func (l *List) checkMemory() error {
	n := l.names.Keys.Len()
	l.next, l.nextBlob, l.unseen = n+n/16+1024, len(l.names.Keys.Blob)+int(l.step()), 0
	what := fmt.Sprintf("the keys of the first %d vertices", n)
	if len(l.Columns) > 0 {
		what += " and their attributes"
	}
	if len(l.rowEnds) > 0 {
		what += fmt.Sprintf(" and attributes of %d edges", len(l.rowEnds))
	}
	return l.fits(what, 0)
}

// step is the number of bytes of texts after which memory is counted again.
func (l *List) step() int64 { return l.limit / 64 }

// FitsGraph returns a MemoryError if the list and a graph of n slots, whose keys and values take
// further bytes, together exceed the limit.
func (l *List) FitsGraph(n int, edges int64, weighted, timed bool, further int64) error {
	return l.fits(fmt.Sprintf("into a graph of %d edges", edges), graphBytes(n, edges, weighted, timed, l.Directed)+further)
}

// fits returns a MemoryError if the list and further bytes together exceed the limit. The edges get
// what is left of it: those beyond go to a file.
func (l *List) fits(what string, further int64) error {
	held, growing := l.names.Bytes(), l.names.Growing(l.step())
	held, growing = held+8*int64(cap(l.rowEnds)), growing+block.GrowingList(l.rowEnds)
	for _, c := range slices.Concat(l.Columns, l.EdgeColumns) {
		held, growing = held+c.Bytes(), growing+c.growing(l.step())
	}
	if l.ended {
		growing = held
	}
	need := workBytes(l.limit) + growing + 8*int64(cap(l.declared.bits)) + min(l.buffer.bytes(), leastRoom) + further
	if need > l.limit {
		return &MemoryError{What: what, Need: need, Limit: l.limit}
	}
	if err := l.buffer.limitRoom(l.ctx, l.limit-need); err != nil {
		return err
	}
	collect(growing-held+further, l.limit)
	return nil
}

// Times records which kinds of timestamps one import or one call has.
type Times struct {
	Dates   bool // a timestamp was given as a date
	Numbers bool // a timestamp was given as a number
	Clocks  bool // a timestamp is not the beginning of a day
}

// Add adds a timestamp; dated means that it was given as a date.
func (g *Times) Add(time int64, dated bool) {
	g.Dates, g.Numbers = g.Dates || dated, g.Numbers || !dated
	g.Clocks = g.Clocks || !format.IsMidnight(time)
}
