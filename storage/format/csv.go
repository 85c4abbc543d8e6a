package format

// guardText guards a value of a Text.
func (c *csvWriter) guardText(column Column, value []byte, ok bool) []byte {
	if ok && typeOr(column.Type) == Text {
		c.guarded = guard(c.csv, c.guarded[:0], value)
		return c.guarded
	}
	return value
}

// appendField appends a value, which is an empty field if it is missing.
func appendField(line, value []byte, ok bool) []byte {
	switch {
	case !ok:
		return line
	case len(value) == 0:
		return append(line, `""`...)
	}
	return appendQuoted(line, value)
}

// csvWriter is the part that the writers of CSV share.
type csvWriter struct {
	graphWriter
	csv     CSVOptions
	guarded []byte
}

// appendKey appends the key of a vertex as a field.
func (c *csvWriter) appendKey(line []byte, v uint32) (_ []byte, err error) {
	if c.scratch, err = checkedKey(c.g.Key, c.scratch[:0], v, checkKey); err != nil {
		return nil, err
	}
	c.guarded = guard(c.csv, c.guarded[:0], c.scratch)
	return appendQuoted(line, c.guarded), nil
}

// typeLooks are the types that values have by their forms.
type typeLooks struct {
	columns []Column
	state   []bool // the type has to be stated
	looks   []Type
	words   []bool // there are words such as NA, which are texts where no other values are
}

func newTypeLooks(columns []Column) *typeLooks {
	n := len(columns)
	t := &typeLooks{columns, make([]bool, n), make([]Type, n), make([]bool, n)}
	for i, c := range columns {
		_, kind := cutType(c.Name)
		t.state[i] = kind != Untyped
	}
	return t
}

// see takes a value of a column.
func (t *typeLooks) see(column int, value []byte) {
	switch {
	case len(value) == 0:
		t.state[column] = true
	case IsMissing(value):
		t.words[column] = true
	case t.looks[column] != Text:
		t.looks[column] = t.looks[column].Or(TypeOf(value))
	}
}

// stated reports for each column whether its type has to be stated.
func (t *typeLooks) stated() []bool {
	for i, c := range t.columns {
		if t.words[i] && t.looks[i] == Untyped {
			t.looks[i] = Text
		}
		t.state[i] = t.state[i] || t.looks[i] != typeOr(c.Type)
	}
	return t.state
}

// guard appends a text, preceded by the apostrophe if the options require one.
func guard(o CSVOptions, dst []byte, text []byte) []byte {
	if o.Spreadsheet && len(text) > 0 {
		switch text[0] {
		case '=', '+', '-', '@', '\t', '\r':
			dst = append(dst, '\'')
		}
	}
	return append(dst, text...)
}
