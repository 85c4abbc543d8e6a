package columnfile

// Rows are the rows of some columns of a file. Use them like this:
//
//	for rows.Next() {
//		use(rows.Text(0), rows.Double(1))
//	}
//	err := rows.Err()
//
// What the methods return is valid until the next call of Next.
type Rows struct {
	file    *File
	cursors []*cursor
	group   int   // number of the next row group
	left    int64 // rows of the current row group
	row     int64 // number of the current row, from 1
	err     error
}

// maxList is the largest number of items of one list.
const maxList = 1 << 20

// Read returns the rows of the columns with these indexes; a column of the kind Other gives
// an error of the kind ErrUnread. The rows of a file can be read only once.
func (f *File) Read(columns ...int) (*Rows, error) {
	r := &Rows{file: f}
	for _, i := range columns {
		if c := f.columns[i]; c.Kind == Other {
			return nil, &Error{Column: c.Name, Reason: "its type, " + c.Type + " in a form that is not read", Kind: ErrUnread}
		}
		r.cursors = append(r.cursors, &cursor{file: f, column: i, leaf: f.leaves[i], dictSize: -1})
	}
	return r, nil
}

// Row is the number of the current row, 1 for the first.
func (r *Rows) Row() int64 { return r.row }

// Err is the error that ended the rows, or nil after the last one. It is an *Error, or
// one of the io.ReaderAt.
func (r *Rows) Err() error { return r.err }

// Next moves to the next row.
func (r *Rows) Next() bool {
	for r.err == nil && r.left == 0 {
		if r.group == len(r.file.meta.groups) {
			return false
		}
		r.err = r.begin()
	}
	if r.err != nil {
		return false
	}
	for _, c := range r.cursors {
		if err := c.step(); err != nil {
			r.err = at(err, r.file.columns[c.column].Name, r.row)
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
func (r *Rows) begin() error {
	group := &r.file.meta.groups[r.group]
	r.group++
	r.left = group.rows
	for _, c := range r.cursors {
		if err := c.begin(&group.chunks[c.column]); err != nil {
			return at(err, r.file.columns[c.column].Name, r.row)
		}
	}
	return nil
}

// finish returns an error if a row group has values after its last row. The current row
// stays as it is.
func (r *Rows) finish() error {
	for _, c := range r.cursors {
		if c.at < c.levels {
			return at(damaged("it has more values than there are rows"), r.file.columns[c.column].Name, r.row)
		}
	}
	return nil
}

// step moves to the next value of a column.
func (c *cursor) step() error {
	there, err := c.more()
	if err != nil {
		return err
	}
	if !there {
		return damaged("it has fewer values than there are rows")
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
	c.list, c.items, c.itemData = c.list[:0], c.items[:0], c.itemData[:0]
	for first := true; first || c.reps[c.at] > 0; first = false {
		switch def := int(c.defs[c.at]); {
		case def < c.leaf.filled: // an empty list, or a missing one
		case def < c.leaf.maxDef:
			return damaged("an item of a list is missing")
		case len(c.list)+len(c.items) == maxList:
			return limited("a list has more than %d items", maxList)
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
	c.missing = len(c.list)+len(c.items) == 0
	return nil
}

// takeItem appends the current value to the list. A text is copied, since the list may
// continue in the next page.
func (c *cursor) takeItem() error {
	if c.leaf.item != Text {
		c.list = append(c.list, c.number())
		return nil
	}
	text := c.bytes()
	if len(c.itemData)+len(text) > maxPage {
		return limited("a list has more than %d bytes", maxPage)
	}
	c.items = append(c.items, span{uint32(len(c.itemData)), uint32(len(text))})
	c.itemData = append(c.itemData, text...)
	return nil
}

// bytes is the current value as it is stored.
func (c *cursor) bytes() []byte {
	v := c.set()
	s := v.spans[c.value]
	return v.data[s.at : s.at+s.length]
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
	case Float, Double:
		return c.set().floats[c.value]
	case Unsigned:
		return float64(uint64(c.set().ints[c.value]))
	}
	x := float64(c.set().ints[c.value])
	if c.leaf.divisor != 0 {
		x /= c.leaf.divisor
	}
	return x
}

// Missing reports whether the i-th of the columns has no value in this row. An empty list
// is missing, too.
func (r *Rows) Missing(i int) bool { return r.cursors[i].missing }

// Integer is the value of a column of integers, truth values, dates or timestamps.
func (r *Rows) Integer(i int) int64 { c := r.cursors[i]; return c.set().ints[c.value] }

// Double is the value of a column of numbers.
func (r *Rows) Double(i int) float64 { return r.cursors[i].number() }

// Text is the value of a column of texts.
func (r *Rows) Text(i int) []byte { return r.cursors[i].bytes() }

// Floats is the value of a column of lists of numbers.
func (r *Rows) Floats(i int) []float64 { return r.cursors[i].list }

// Items is the number of texts in the value of a column of lists of texts, and Item one of them.
func (r *Rows) Items(i int) int { return len(r.cursors[i].items) }

// Item is the text with the number j, from 0, of the value of a column of lists of texts.
func (r *Rows) Item(i, j int) []byte {
	c := r.cursors[i]
	s := c.items[j]
	return c.itemData[s.at : s.at+s.length]
}
