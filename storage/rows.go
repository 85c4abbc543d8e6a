package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"heavytail/storage/vec"
)

// RowView is an embedding and its graph in one read transaction, for a search that
// reads the rows where they lie in the file. It is valid during the call that it
// is given to.
type RowView struct {
	Info  EmbeddingInfo
	Graph GraphInfo // as it is now, which may be a later version than that of the rows

	t      *tx
	record *embeddingRecord
	graph  *graphRecord
}

// ViewRows calls f with an embedding. f runs inside of a read transaction, which
// keeps pages from being used again: it should take milliseconds, must not write
// to the store, and returns what ViewRows returns.
func (db *DB) ViewRows(ctx context.Context, name string, f func(*RowView) error) error {
	return db.view(ctx, func(t *tx) error {
		v := &RowView{t: t}
		var err error
		if v.record, err = t.findEmbedding(name); err != nil {
			return err
		}
		if v.Info, err = t.embeddingInfo(name); err != nil {
			return err
		}
		if v.graph, err = t.findGraph(v.record.Graph); err != nil {
			return err
		}
		v.Graph = v.graph.info(v.record.Graph)
		return f(v)
	})
}

// Vertex returns the number of a vertex in the present version of the graph, as
// VertexID does.
func (v *RowView) Vertex(key string) (uint32, error) {
	return v.t.vertexID(v.graph, v.Graph.Name, key)
}

// Keys returns the keys of vertices of the present version of the graph.
func (v *RowView) Keys(vertices []uint32) ([]string, error) {
	keys, err := v.keys(vertices)
	return keys, corrupt(v.t.path, describeGraph(v.Graph.Name)+", keys", err)
}

func (v *RowView) keys(vertices []uint32) ([]string, error) {
	m, err := v.t.slotsOf(v.graph)
	if err != nil {
		return nil, err
	}
	sorted := slices.Clone(vertices)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	slots := make([]uint32, len(sorted))
	for i, vertex := range sorted {
		if int(vertex) >= m.vertices() {
			return nil, fmt.Errorf("storage: vertex %d of graph %q, which has %d: %w", vertex, v.Graph.Name, m.vertices(), ErrInvalid)
		}
		slots[i] = m.slot(vertex)
	}
	found, err := v.t.keysOfSlots(v.graph, slots)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(vertices))
	for i, vertex := range vertices {
		at, _ := slices.BinarySearch(sorted, vertex)
		keys[i] = found[at]
	}
	return keys, nil
}

// Row returns a copy of one row.
func (v *RowView) Row(row uint32) ([]float32, error) {
	if uint64(row) >= v.record.Vertices {
		return nil, fmt.Errorf("storage: row %d of embedding %q, which has %d: %w", row, v.Info.Name, v.record.Vertices, ErrInvalid)
	}
	if v.record.Object == 0 {
		return []float32{}, nil
	}
	values, err := v.row(row)
	return values, corrupt(v.t.path, describeEmbedding(v.Info.Name), err)
}

func (v *RowView) row(row uint32) ([]float32, error) {
	p, err := v.t.part(v.record.Object, rowsName)
	if err != nil {
		return nil, err
	}
	key, record := p.floor(be32(row))
	if len(key) != 4 || record == nil {
		return nil, badRecord("no chunk of row %d", row)
	}
	dim := v.Info.Dim
	c := chunk{key: key, record: record, first: binary.BigEndian.Uint32(key)}
	if c.rows, err = rowsIn(record, dim); err != nil {
		return nil, err
	}
	if row < c.first || int(row-c.first) >= c.rows {
		return nil, badRecord("no chunk of row %d", row)
	}
	at := int(row-c.first) * dim
	var room []float32
	values, err := c.values(p.seed, dim, v.t.sound(v.record.Object), &room)
	if err != nil {
		return nil, err
	}
	return slices.Clone(values[at : at+dim]), nil
}

// Scan calls f with all rows, in runs of up to a mebibyte that lie in the file's
// map: they may be read during the call and no longer. f runs in up to workers
// goroutines, from 0 on, and each row comes once; the order is any. What the
// checksums say of the rows is looked at once for each embedding and opening of
// the file, and then remembered.
func (v *RowView) Scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	if v.record.Object == 0 {
		return nil
	}
	return corrupt(v.t.path, describeEmbedding(v.Info.Name), v.scan(workers, f))
}

func (v *RowView) scan(workers int, f func(worker int, first uint32, rows []float32)) error {
	p, err := v.t.part(v.record.Object, rowsName)
	if err != nil {
		return err
	}
	sound := v.t.sound(v.record.Object)
	if !sound {
		v.t.readAhead(p.bucket)
	}
	chunks, err := v.chunks(p)
	if err != nil {
		return err
	}
	workers = max(1, min(workers, len(chunks)))
	faults := make([]error, len(chunks))
	var next atomic.Int64
	var failed atomic.Bool
	vec.Parallel(workers, 1, workers, func(worker, _, _ int) {
		var room []float32
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(chunks) {
				return
			}
			if err := v.t.ctx.Err(); err != nil {
				faults[i] = fmt.Errorf("storage: %w", err)
			} else {
				// Each goroutine has its own answer to faults of the map.
				faults[i] = guarded(v.t.path, func() error {
					values, err := chunks[i].values(p.seed, v.Info.Dim, sound, &room)
					if err == nil {
						f(worker, chunks[i].first, values)
					}
					return err
				})
			}
			if faults[i] != nil {
				failed.Store(true)
			}
		}
	})
	for _, fault := range faults {
		if fault != nil {
			return fault
		}
	}
	v.t.noteSound(v.record.Object)
	return nil
}

// chunk is one record of rows in the map.
type chunk struct {
	key, record []byte
	first       uint32
	rows        int
}

// chunks lists the records of all rows, and looks at no more of them than where
// they are.
func (v *RowView) chunks(p part) ([]chunk, error) {
	var list []chunk
	row, all := uint64(0), v.record.Vertices
	cursor := p.bucket.Cursor()
	for key, record := cursor.First(); key != nil; key, record = cursor.Next() {
		if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != row || row >= all {
			return nil, badRecord("chunk %x where row %d should start", key, row)
		}
		rows, err := rowsIn(record, v.Info.Dim)
		if err != nil {
			return nil, err
		}
		list = append(list, chunk{key: key, record: record, first: uint32(row), rows: rows})
		row += uint64(rows)
	}
	if row != all {
		return nil, badRecord("%d rows where the catalogue says %d", row, all)
	}
	return list, nil
}

// rowsIn returns how many rows a record has room for.
func rowsIn(record []byte, dim int) (int, error) {
	size := len(record) - rowsHead
	if size <= 0 || size%(4*dim) != 0 {
		return 0, badRecord("chunk of %d bytes for rows of %d values", len(record), dim)
	}
	return size / (4 * dim), nil
}

// values returns the rows of a chunk, as they lie in the map where that can be:
// otherwise in room, which is made where it is needed. Unless they are known to be
// sound, their checksum is verified.
func (c chunk) values(seed bucketSeed, dim int, sound bool, room *[]float32) ([]float32, error) {
	if !sound {
		payload, err := seed.open(c.key, c.record)
		if err != nil {
			return nil, err
		}
		if count := binary.LittleEndian.Uint32(payload); uint64(count) != uint64(c.rows) {
			return nil, badRecord("chunk of %d rows where %d should be", count, c.rows)
		}
	}
	body := c.record[rowsHead:]
	if values := floatsIn(body); values != nil {
		if !sound && !allFinite(body) {
			return nil, badRecord("value that is not finite")
		}
		return values, nil
	}
	if len(*room) < dim*c.rows {
		*room = make([]float32, dim*c.rows)
	}
	values := (*room)[:dim*c.rows]
	if !decodeFloats(values, body) {
		return nil, badRecord("value that is not finite")
	}
	return values, nil
}

// floatsIn returns bytes as the values that they are, or nil where this machine
// has another order of bytes or they are not aligned.
func floatsIn(body []byte) []float32 {
	first := unsafe.Pointer(unsafe.SliceData(body))
	one := [2]byte{1, 0}
	if binary.NativeEndian.Uint16(one[:]) != 1 || uintptr(first)%unsafe.Alignof(float32(0)) != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(first), len(body)/4)
}

// allFinite is the judgement of decodeFloats.
func allFinite(body []byte) bool {
	bad := uint64(0)
	for len(body) >= 32 {
		a, b := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[8:])
		c, d := binary.LittleEndian.Uint64(body[16:]), binary.LittleEndian.Uint64(body[24:])
		bad |= (a&exponents + lowest) | (b&exponents + lowest) | (c&exponents + lowest) | (d&exponents + lowest)
		body = body[32:]
	}
	sound := bad&signs == 0
	for ; len(body) >= 4; body = body[4:] {
		sound = sound && finite(binary.LittleEndian.Uint32(body))
	}
	return sound
}

// soundRows are the objects whose rows were verified since the file was opened.
// Objects never change, and their numbers are not used again.
type soundRows struct {
	mu      sync.Mutex
	objects map[uint64]struct{}
}

// sound reports whether the rows of an object were verified before.
func (t *tx) sound(object uint64) bool {
	if t.rows == nil {
		return false
	}
	t.rows.mu.Lock()
	defer t.rows.mu.Unlock()
	_, sound := t.rows.objects[object]
	return sound
}

// noteSound remembers that the rows of an object are sound.
func (t *tx) noteSound(object uint64) {
	if t.rows == nil {
		return
	}
	t.rows.mu.Lock()
	defer t.rows.mu.Unlock()
	if t.rows.objects == nil {
		t.rows.objects = map[uint64]struct{}{}
	}
	t.rows.objects[object] = struct{}{}
}
