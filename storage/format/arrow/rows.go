package arrow

import (
	"slices"

	"heavytail/storage/format/internal/columnfile"
)

// rows is a columnfile.Rows.
type rows struct {
	file    *file
	cursors []cursor
	message int   // number of the next message
	at, n   int   // the next row of the present batch, and its number of rows
	row     int64 // number of the current row, from 1
	err     error
}

// cursor is at a value of a column.
type cursor struct {
	column int
	values *array // of the present batch
	at     int
	list   []float64
	from   int // of the texts of a list
	items  int
}

func (f *file) Read(columns ...int) (columnfile.Rows, error) {
	r := &rows{file: f}
	for _, i := range columns {
		if err := f.columns[i].Readable(); err != nil {
			return nil, err
		}
		r.cursors = append(r.cursors, cursor{column: i})
	}
	return r, nil
}

func (r *rows) Row() int64 { return r.row }

func (r *rows) Err() error { return r.err }

func (r *rows) Next() bool {
	for r.err == nil && r.at == r.n {
		if r.message == len(r.file.messages) {
			return false
		}
		r.err = guarded(r.begin)
	}
	if r.err != nil {
		return false
	}
	for i := range r.cursors {
		c := &r.cursors[i]
		c.at = r.at
		if c.values.child != nil {
			if err := c.step(); err != nil {
				r.err = columnfile.At(err, r.file.columns[c.column].Name, r.row)
				return false
			}
		}
	}
	r.at++
	r.row++
	return true
}

// begin reads the next message: a batch, or a dictionary.
func (r *rows) begin() error {
	f := r.file
	p := f.messages[r.message]
	r.message++
	t, err := f.header(&p)
	if err != nil {
		return err
	}
	version := root(t.Bytes).int16(0, 0)
	f.memory = 0
	if p.kind == messageDictionary {
		return r.dictionary(p, version, t)
	}
	b, err := f.newBatch(p, version, t)
	if err != nil {
		return err
	}
	for i, n := range f.fields {
		var values *array
		for j := range r.cursors {
			c := &r.cursors[j]
			if c.column != i {
				continue
			}
			if values == nil { // the same column may be wanted twice
				if values, err = b.load(n); err == nil && int64(values.n) != p.rows {
					err = damaged("it has %d values in a batch of %d rows", values.n, p.rows)
				}
				if err != nil {
					return columnfile.At(err, f.columns[i].Name, r.row)
				}
			}
			c.values = values
		}
		if values == nil {
			if err := b.skip(n); err != nil {
				return err
			}
		}
	}
	r.at, r.n = 0, int(p.rows)
	return nil
}

// dictionary reads a dictionary if a wanted column has it.
func (r *rows) dictionary(p place, version int16, t table) error {
	f, id := r.file, t.int64(0)
	var decoded *node
	for _, c := range r.cursors {
		if n := coded(f.fields[c.column], id); n != nil {
			decoded = n
		}
	}
	if decoded == nil {
		return nil
	}
	data, ok := t.table(1)
	if !ok {
		return damaged("a dictionary has no values")
	}
	b, err := f.newBatch(p, version, data)
	if err != nil {
		return err
	}
	values, err := b.load(decoded)
	if err != nil {
		return err
	}
	d := &dictionary{parts: []*array{values}, n: int64(values.n), bytes: f.memory}
	if old := f.known[id]; old != nil {
		f.kept -= old.bytes
		if t.byte(2) != 0 { // more of the same
			d.parts, d.n, d.bytes = append(slices.Clip(old.parts), values), old.n+d.n, old.bytes+d.bytes
		}
	}
	f.known[id] = d
	f.kept += d.bytes
	return nil
}

// coded returns the type of the values of a dictionary that a type uses; nil if it does not.
func coded(n *node, id int64) *node {
	if n.coded && n.id == id {
		return n.decoded
	}
	if n.coded {
		n = n.decoded
	}
	for _, child := range n.children {
		if found := coded(child, id); found != nil {
			return found
		}
	}
	return nil
}

// step goes to the list of a row.
func (c *cursor) step() error {
	c.list, c.items = c.list[:0], 0
	a := c.values
	if a.missing(c.at) {
		return nil
	}
	from, to := a.items(c.at)
	if to-from > columnfile.MaxList {
		return limited("a list has more than %d items", columnfile.MaxList)
	}
	for i := from; i < to; i++ {
		switch {
		case a.child.missing(i):
			return damaged("an item of a list is missing")
		case a.kind == columnfile.FloatList:
			c.list = append(c.list, a.child.double(i))
		}
	}
	if a.kind == columnfile.TextList {
		c.from, c.items = from, to-from
	}
	return nil
}

func (r *rows) Missing(i int) bool {
	c := &r.cursors[i]
	if c.values.child != nil {
		return len(c.list)+c.items == 0
	}
	return c.values.missing(c.at)
}

func (r *rows) Integer(i int) int64 { c := &r.cursors[i]; return c.values.integer(c.at) }

func (r *rows) Double(i int) float64 { c := &r.cursors[i]; return c.values.double(c.at) }

func (r *rows) Text(i int) []byte { c := &r.cursors[i]; return c.values.text(c.at) }

func (r *rows) Floats(i int) []float64 { return r.cursors[i].list }

func (r *rows) Items(i int) int { return r.cursors[i].items }

func (r *rows) Item(i, j int) []byte { c := &r.cursors[i]; return c.values.child.text(c.from + j) }
