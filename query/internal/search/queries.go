package search

import (
	"cmp"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
)

// QueryVertices are the vertices that a statement answers one after the other: all of a
// graph, or those of a file of keys.
type QueryVertices struct {
	Call  *engine.Call
	Graph *session.Graph
	Path  string // of the keys; "" for all vertices
	Rows  int    // vertices from this one on are newer than the vectors, and left out
	Range engine.RowRange
	Verb  string // what Progress says

	done, total    int64 // numbers of vertices; total is 0 if it is unknown
	missing, newer int64 // keys of the file that have no vertex, and vertices without a vector
}

// Batches calls answer with the vertices in their order, so many at a time at most.
func (q *QueryVertices) Batches(size int, answer func(vertices []uint32) error) error {
	list := make([]uint32, 0, size)
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		err := answer(list)
		q.done += int64(len(list))
		q.Call.Meter.Update(q.Verb, q.done, q.total)
		list = list[:0]
		return cmp.Or(err, q.Call.Ctx.Err())
	}
	err := q.each(func(u uint32) error {
		if list = append(list, u); len(list) < size {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// each calls f with the vertices in their order.
func (q *QueryVertices) each(f func(u uint32) error) error {
	if q.Path != "" {
		return q.eachOfFile(f)
	}
	first, end := q.Range.Of(int64(q.Rows))
	q.total = end - first
	q.newer = int64(q.Graph.Graph.Vertices() - q.Rows)
	for u := first; u < end; u++ {
		if err := f(uint32(u)); err != nil {
			return err
		}
	}
	return nil
}

// eachOfFile reads the vertices from the file.
func (q *QueryVertices) eachOfFile(f func(u uint32) error) error {
	c := q.Call
	in, size, err := c.OpenInput(q.Path, fault.File)
	if err != nil {
		return err
	}
	defer in.Close()
	opts := format.VectorOptions{Name: session.InputName(q.Path), Size: size}
	return q.Range.Read(func(next func() (bool, error)) error {
		return graphfile.ReadKeys(c.Ctx, in, opts, func(key []byte) error {
			if in, err := next(); !in {
				return err
			}
			u, found := q.Graph.VertexOf(key)
			switch {
			case !found:
				q.missing++
			case int(u) >= q.Rows:
				q.newer++
			default:
				return f(u)
			}
			return nil
		})
	})
}

// EachFields are the options of a statement FOR ALL or FOR FILE, which each reports.
func EachFields[O any](each func(O) bool, first func(*O) *int64, count func(*O) **int64) option.Schema[O] {
	list := engine.RangeFields("vertex with FOR ALL, or key of the file with FOR FILE", "vertices or keys", first, count)
	list[0].Doc += "; a file of CSV or TSV that does not begin with number 0 has no header"
	for i := range list {
		list[i] = list[i].With("FOR ALL or FOR FILE", each)
	}
	return list
}

// Note gives notices of the vertices that were left out.
func (q *QueryVertices) Note() {
	if q.missing > 0 {
		q.Call.Notice("%s without a vertex in graph %s left out", fault.Count(q.missing, "key"), fault.Name(q.Graph.Info.Name))
	}
	if q.newer > 0 {
		q.Call.Notice("%s newer than the embedding left out", fault.Count(q.newer, "vertex"))
	}
}

// KeysFile is the file that names the vertices of a statement; "" for all.
func KeysFile(b *engine.Binder, each parser.Each) string {
	if each.File == nil {
		return ""
	}
	path := b.Text(fault.File, each.File)
	if path == "" {
		b.Fail(fault.New(fault.File, "the name of the file is empty"))
	}
	return path
}

// CheckKeys returns an Error for a file of keys that cannot be read; "" is none.
func CheckKeys(c *engine.Call, path string) error {
	if path == "" {
		return nil
	}
	return c.CheckInput(path, fault.File)
}

// BatchOf returns how many vertices are answered at a time, at most so many, where bytes is the memory of a batch.
func BatchOf(size int, bytes func(size int) int64) int {
	const most = 64 << 20 // bytes
	for size > 1 && bytes(size) > most {
		size /= 2
	}
	return size
}
