package parquet

import "heavytail/storage/format/internal/columnfile"

// rows is a columnfile.Rows.
type rows struct {
	file    *file
	cursors []*cursor
	group   int   // number of the next row group
	left    int64 // rows of the current row group
	row     int64 // number of the current row, from 1
	err     error
}

func (f *file) Read(columns ...int) (columnfile.Rows, error) {
	r := &rows{file: f}
	for _, i := range columns {
		if err := f.columns[i].Readable(); err != nil {
			return nil, err
		}
		r.cursors = append(r.cursors, &cursor{file: f, column: i, leaf: f.leaves[i]})
	}
	return r, nil
}

func (r *rows) Row() int64 { return r.row }

func (r *rows) Err() error { return r.err }

func (r *rows) Next() bool {
	for r.err == nil && r.left == 0 {
		if r.group == len(r.file.meta.RowGroups) {
			return false
		}
		r.err = r.begin()
	}
	if r.err != nil {
		return false
	}
	for _, c := range r.cursors {
		if err := c.step(); err != nil {
			r.err = columnfile.At(err, r.file.columns[c.column].Name, r.row)
			return false
		}
	}
	r.left--
	r.row++
	if r.left == 0 {
		r.err = r.finish()
	}
	return r.err == nil
}

// begin opens the next row group.
func (r *rows) begin() error {
	group := &r.file.meta.RowGroups[r.group]
	r.group++
	if r.left = group.NumRows; r.left == 0 {
		return nil // its columns may be nowhere in the file
	}
	for _, c := range r.cursors {
		if err := c.begin(&group.Columns[c.column]); err != nil {
			return columnfile.At(err, r.file.columns[c.column].Name, r.row)
		}
	}
	return nil
}

// finish returns an error if a row group has values after its last row. The current row
// stays as it is.
func (r *rows) finish() error {
	for _, c := range r.cursors {
		if c.at < c.levels {
			return columnfile.At(damaged("it has more values than there are rows"), r.file.columns[c.column].Name, r.row)
		}
	}
	return nil
}

// step moves to the next value of a column.
func (c *cursor) step() error {
	if c.at == c.levels {
		there, err := c.more()
		if err != nil {
			return err
		}
		if !there {
			return damaged("it has fewer values than there are rows")
		}
	}
	if c.leaf.maxRep > 0 {
		return c.stepList()
	}
	c.missing = c.leaf.maxDef > 0 && int(c.defs[c.at]) < c.leaf.maxDef
	c.at++
	if !c.missing {
		c.takeValue()
	}
	return nil
}

// takeValue makes the next value of the page the current one.
func (c *cursor) takeValue() {
	c.value = c.next
	if c.indexed {
		c.value = int(c.indexes[c.next])
	}
	c.next++
}

// stepList reads the items of the next list, which may continue in the next pages.
func (c *cursor) stepList() error {
	if c.reps[c.at] != 0 {
		return damaged("a list begins with an item of the one before")
	}
	c.list, c.ends, c.text = c.list[:0], c.ends[:0], c.text[:0]
	for first := true; first || c.reps[c.at] > 0; first = false {
		switch def := int(c.defs[c.at]); {
		case def < c.leaf.filled: // an empty list, or a missing one
		case def < c.leaf.maxDef:
			return damaged("an item of a list is missing")
		case len(c.list)+len(c.ends) == columnfile.MaxList:
			return limited("a list has more than %d items", columnfile.MaxList)
		default:
			c.takeValue()
			if err := c.takeItem(); err != nil {
				return err
			}
		}
		c.at++
		there, err := c.more()
		if err != nil {
			return err
		}
		if !there {
			break
		}
	}
	c.missing = len(c.list)+len(c.ends) == 0
	return nil
}

// takeItem appends the current value to the list. A text is copied, since the list may
// continue in the next page.
func (c *cursor) takeItem() error {
	if c.leaf.item != columnfile.Text {
		c.list = append(c.list, c.number())
		return nil
	}
	text := c.set().text(c.value)
	if len(c.text)+len(text) > maxPage {
		return limited("a list has more than %d bytes", maxPage)
	}
	c.text = append(c.text, text...)
	c.ends = append(c.ends, len(c.text))
	return nil
}

// set is the set of values that the current one belongs to.
func (c *cursor) set() *values {
	if c.indexed {
		return &c.dict
	}
	return &c.page
}

func (c *cursor) number() float64 {
	switch c.leaf.item {
	case columnfile.Float, columnfile.Double:
		return c.set().floats[c.value]
	case columnfile.Unsigned:
		return float64(uint64(c.set().ints[c.value]))
	}
	return float64(c.set().ints[c.value])
}

func (r *rows) Missing(i int) bool { return r.cursors[i].missing }

func (r *rows) Integer(i int) int64 { c := r.cursors[i]; return c.set().ints[c.value] }

func (r *rows) Double(i int) float64 { return r.cursors[i].number() }

func (r *rows) Text(i int) []byte { c := r.cursors[i]; return c.set().text(c.value) }

func (r *rows) Floats(i int) []float64 { return r.cursors[i].list }

func (r *rows) Items(i int) int { return len(r.cursors[i].ends) }

func (r *rows) Item(i, j int) []byte {
	c, start := r.cursors[i], 0
	if j > 0 {
		start = c.ends[j-1]
	}
	return c.text[start:c.ends[j]]
}
