package storage

import (
	"context"
	"fmt"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// importList collects what an import reads: edges, and values of attributes,
// with vertices numbered in the order of their first appearance. Beside the
// edges, whose memory is bounded (see edgePile), it takes some 60 bytes per
// vertex and its key.
type importList struct {
	*block.Interner
	ctx     context.Context // of the read
	pile    *edgePile
	count   int64 // edges
	loops   int64 // edges from a vertex to itself, which the pile does not get
	times   givenTimes
	columns []*rawColumn
	joiner  string // see ImportOptions.Join
	budget  budget

	// Edge lists are often sorted by source; the last one saves a search.
	lastKey []byte
	last    uint32

	// The first edge may prove to be a header, whose vertices are then numbered
	// in the order in which the rest names them.
	header     uint32   // vertices that the first edge named
	firstLoop  bool     // it is one from a vertex to itself
	headerSeen [2]int64 // how many vertices the rest had named before each of these; -1 where it has not
}

func newImportList(ctx context.Context, joiner string, pile *edgePile, limit int64) *importList {
	l := &importList{Interner: block.NewInterner(), ctx: ctx, pile: pile, joiner: joiner, headerSeen: [2]int64{-1, -1}}
	l.budget = budget{limit: limit}
	return l
}

// handler collects everything that a reader finds.
func (l *importList) handler() format.Handler {
	return format.Handler{Edge: l.addEdge, Columns: l.addColumns, Vertex: l.addVertex}
}

func (l *importList) addEdge(e format.Edge) error {
	u := l.last
	if string(e.Source) != string(l.lastKey) || len(e.Source) == 0 {
		var err error
		if u, err = l.Intern(e.Source); err != nil {
			return err
		}
		l.last, l.lastKey = u, append(l.lastKey[:0], e.Source...)
	}
	if u < l.header {
		l.seeHeader(u)
	}
	v, err := l.Intern(e.Target)
	if err != nil {
		return err
	}
	if v < l.header {
		l.seeHeader(v)
	}
	if l.Keys.Len() >= l.budget.next {
		if err := l.checkBudget(); err != nil {
			return err
		}
	}
	if l.header == 0 {
		l.header, l.firstLoop = uint32(min(l.Keys.Len(), len(l.headerSeen))), u == v
		if u != v {
			l.pile.held = 1
		}
	}
	l.count++
	switch {
	case u == v:
		l.loops++
		return nil
	case !e.Weighted && !e.Timed:
		return l.pile.add(l.ctx, u, v)
	}
	o := occurrence{joinEdge(u, v), 0, csr.NoTime}
	if e.Weighted {
		o.weight = float64(float32(e.Weight))
	}
	if e.Timed {
		o.time = e.Time
		l.times.add(e.Time, e.Dated)
	}
	return l.pile.addValued(l.ctx, o)
}

// seeHeader notes when the rest names a vertex of the first edge.
func (l *importList) seeHeader(v uint32) {
	if l.headerSeen[v] >= 0 {
		return
	}
	before := int64(l.Keys.Len()) - int64(l.header)
	for _, seen := range l.headerSeen {
		if seen >= 0 {
			before++
		}
	}
	l.headerSeen[v] = before
}

// repeated returns a list of n times the same.
func repeated[E any](e E, n int) []E {
	list := make([]E, n)
	for i := range list {
		list[i] = e
	}
	return list
}

func (l *importList) addColumns(columns []format.Column) error {
	for _, c := range columns {
		column, err := newRawColumn(c, l.joiner)
		if err != nil {
			return err
		}
		l.columns = append(l.columns, column)
	}
	return nil
}

func (l *importList) addVertex(key []byte, values [][]byte) error {
	v, err := l.Intern(key)
	if err != nil {
		return err
	}
	for i, value := range values {
		if value == nil {
			continue
		}
		if err := l.columns[i].set(v, value); err != nil {
			return fmt.Errorf("vertex %q: %w", fault.Clip(string(key)), err)
		}
		l.budget.unseen += int64(len(value))
	}
	l.budget.unseen += int64(len(values))
	if l.Keys.Len() >= l.budget.next || l.budget.unseen > l.budget.limit/64 {
		return l.checkBudget()
	}
	return nil
}

// join gives vertices that came again the values that belong together.
func (l *importList) join(ctx context.Context) error {
	for _, c := range l.columns {
		if err := c.join(ctx, l.Keys.At); err != nil {
			return err
		}
	}
	return nil
}

// repeated returns how many values met another one of the same vertex.
func (l *importList) repeated() int64 {
	n := int64(0)
	for _, c := range l.columns {
		n += c.repeated
	}
	return n
}

// dropHeader takes back the first edge if it may be a header of counts that
// declares n vertices: if the other edges name no more. Vertices that only the
// header named are gone then, and the others are numbered in the order in which
// the rest names them. Declared vertices that no edge names are not invented. It
// returns the new number of each vertex, nil where they are the same.
func (l *importList) dropHeader(ctx context.Context, n int64) ([]uint32, error) {
	all, header := l.Keys.Len(), int(l.header)
	named := all - header
	for _, seen := range l.headerSeen {
		if seen >= 0 {
			named++
		}
	}
	if int64(named) > n {
		return nil, nil
	}
	l.count--
	if l.firstLoop {
		l.loops--
	}
	l.pile.dropFirst()
	number, rest := repeated(uint32(block.NoVertex), all), block.NewKeySet(named)
	take := func(v uint32) {
		number[v] = uint32(rest.Len())
		rest.Add(l.Keys.At(v))
	}
	for next := uint32(header); rest.Len() < named; {
		if next%(block.CheckEvery/8) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
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
	l.Interner = &block.Interner{Keys: rest}
	return number, nil
}

// onto maps the list onto the vertices that a graph has already: known keys
// keep their numbers, and the others follow in the order of the list. It
// returns all keys and the new number of each key of the list, nil where they
// are the same.
func (l *importList) onto(ctx context.Context, base block.KeySet) (all block.KeySet, number []uint32, err error) {
	l.Interner = &block.Interner{Keys: l.Keys} // the rest of it is no longer needed
	if base.Len() == 0 {
		return l.Keys, nil, nil
	}
	table, err := block.TableOf(ctx, &base)
	if err != nil {
		return block.KeySet{}, nil, err
	}
	all = block.KeySet{Blob: base.Blob[:len(base.Blob):len(base.Blob)], Offsets: base.Offsets[:len(base.Offsets):len(base.Offsets)]}
	number = make([]uint32, l.Keys.Len())
	for i := range number {
		if i%(block.CheckEvery/8) == 0 && ctx.Err() != nil {
			return block.KeySet{}, nil, ctx.Err()
		}
		key := l.Keys.At(uint32(i))
		id, found := table.Find(&base, key)
		if !found {
			if uint64(all.Len()) >= block.MaxVertices {
				return block.KeySet{}, nil, fmt.Errorf("more than %d vertices: %w", uint64(block.MaxVertices), ErrLimit)
			}
			id = uint32(all.Len())
			all.Add(key)
		}
		number[i] = id
	}
	return all, number, nil
}
