package storage

import (
	"context"
	"fmt"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// importList collects what an import reads: edges in the order of the input,
// self-loops included, and values of attributes, with vertices numbered in the
// order of their first appearance. It takes 8 bytes per edge of the input, 4
// more with weights and 8 more with timestamps, and about 20 bytes per vertex
// beside its key.
type importList struct {
	*interner
	edges   []uint64  // source in the upper half, target in the lower
	weights []float32 // of every edge, 0 where none was given; nil before the first one
	times   []int64   // of every edge, csr.NoTime where none was given; nil before the first one
	columns []*rawColumn
	joiner  string // see ImportOptions.Join

	// Edge lists are often sorted by source; the last one saves a search.
	lastKey []byte
	last    uint32
}

func newImportList(joiner string) *importList {
	return &importList{interner: newInterner(), joiner: joiner}
}

// handler collects everything that a reader finds.
func (l *importList) handler() format.Handler {
	return format.Handler{Edge: l.addEdge, Columns: l.addColumns, Vertex: l.addVertex}
}

func (l *importList) addEdge(e format.Edge) error {
	u := l.last
	if string(e.Source) != string(l.lastKey) || len(e.Source) == 0 {
		var err error
		if u, err = l.intern(e.Source); err != nil {
			return err
		}
		l.last, l.lastKey = u, append(l.lastKey[:0], e.Source...)
	}
	v, err := l.intern(e.Target)
	if err != nil {
		return err
	}
	l.edges = append(l.edges, uint64(u)<<32|uint64(v))
	if e.Weighted || l.weights != nil {
		l.addWeight(e)
	}
	if e.Timed || l.times != nil {
		l.addTime(e)
	}
	return nil
}

// addWeight notes the weight of the last edge.
func (l *importList) addWeight(e format.Edge) {
	if missing := len(l.edges) - 1 - len(l.weights); missing > 0 {
		l.weights = make([]float32, missing, 2*missing)
	}
	weight := float32(0)
	if e.Weighted {
		weight = float32(e.Weight)
	}
	l.weights = append(l.weights, weight)
}

// addTime notes the timestamp of the last edge.
func (l *importList) addTime(e format.Edge) {
	if missing := len(l.edges) - 1 - len(l.times); missing > 0 {
		l.times = repeated(int64(csr.NoTime), missing)
	}
	time := int64(csr.NoTime)
	if e.Timed {
		time = e.Time
	}
	l.times = append(l.times, time)
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
	v, err := l.intern(key)
	if err != nil {
		return err
	}
	for i, value := range values {
		if value == nil {
			continue
		}
		if err := l.columns[i].set(v, value); err != nil {
			return fmt.Errorf("vertex %q: %w", clip(string(key)), err)
		}
	}
	return nil
}

// join gives vertices that came again the values that belong together.
func (l *importList) join(ctx context.Context) error {
	for _, c := range l.columns {
		if err := c.join(ctx, l.keys.at); err != nil {
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
// the rest names them. Declared vertices that no edge names are not invented.
func (l *importList) dropHeader(ctx context.Context, n int64) error {
	number := repeated(uint32(noVertex), l.keys.len())
	rest := newKeySet(l.keys.len())
	renumber := func(v uint32) uint64 {
		if number[v] == noVertex {
			number[v] = uint32(rest.len())
			rest.add(l.keys.at(v))
		}
		return uint64(number[v])
	}
	edges := make([]uint64, len(l.edges)-1)
	for i, e := range l.edges[1:] {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := renumber(uint32(e >> 32))
		edges[i] = u<<32 | renumber(uint32(e))
	}
	if int64(rest.len()) > n {
		return nil
	}
	l.interner = &interner{keys: rest}
	l.edges = edges
	if l.weights != nil {
		l.weights = l.weights[1:]
	}
	if l.times != nil {
		l.times = l.times[1:]
	}
	return nil
}

// onto maps the list onto the vertices that a graph has already: known keys
// keep their numbers, and the others follow in the order of the list. It
// returns all keys and the new number of each key of the list, nil where they
// are the same, and changes the edges of the list.
func (l *importList) onto(ctx context.Context, base keySet) (all keySet, number []uint32, err error) {
	if base.len() == 0 {
		return l.keys, nil, nil
	}
	table, err := tableOf(ctx, &base)
	if err != nil {
		return keySet{}, nil, err
	}
	all = keySet{blob: base.blob[:len(base.blob):len(base.blob)], offsets: base.offsets[:len(base.offsets):len(base.offsets)]}
	number = make([]uint32, l.keys.len())
	for i := range number {
		if i%(checkEvery/8) == 0 && ctx.Err() != nil {
			return keySet{}, nil, ctx.Err()
		}
		key := l.keys.at(uint32(i))
		id, found := table.find(&base, key)
		if !found {
			if uint64(all.len()) >= maxVertices {
				return keySet{}, nil, fmt.Errorf("more than %d vertices: %w", uint64(maxVertices), ErrLimit)
			}
			id = uint32(all.len())
			all.add(key)
		}
		number[i] = id
	}
	for i, e := range l.edges {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return keySet{}, nil, ctx.Err()
		}
		l.edges[i] = uint64(number[e>>32])<<32 | uint64(number[uint32(e)])
	}
	return all, number, nil
}
