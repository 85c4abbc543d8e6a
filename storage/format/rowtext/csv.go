package rowtext

import (
	"heavytail/storage/format"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
)

// guardText guards a value of a Text.
func (c *csvWriter) guardText(column format.Column, value []byte, ok bool) []byte {
	if ok && typed.OrText(column.Type) == format.Text {
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
	return writing.AppendQuoted(line, value)
}

// csvWriter is the part that the writers of CSV share.
type csvWriter struct {
	writing.GraphWriter
	csv     CSVOptions
	guarded []byte
}

// appendKey appends the key of a vertex as a field.
func (c *csvWriter) appendKey(line []byte, v uint32) (_ []byte, err error) {
	if c.Scratch, err = writing.CheckedKey(c.G.Key, c.Scratch[:0], v, writing.CheckKey); err != nil {
		return nil, err
	}
	c.guarded = guard(c.csv, c.guarded[:0], c.Scratch)
	return writing.AppendQuoted(line, c.guarded), nil
}

// typeLooks are the types that values have by their forms.
type typeLooks struct {
	columns []format.Column
	state   []bool // the type has to be stated
	looks   []format.Type
	words   []bool // there are words such as NA, which are texts where no other values are
}

func newTypeLooks(columns []format.Column) *typeLooks {
	n := len(columns)
	t := &typeLooks{columns, make([]bool, n), make([]format.Type, n), make([]bool, n)}
	for i, c := range columns {
		_, kind := typed.Cut(c.Name)
		t.state[i] = kind != format.Untyped
	}
	return t
}

// see takes a value of a column.
func (t *typeLooks) see(column int, value []byte) {
	switch {
	case len(value) == 0:
		t.state[column] = true
	case format.IsMissing(value):
		t.words[column] = true
	case t.looks[column] != format.Text:
		t.looks[column] = t.looks[column].Or(format.TypeOf(value))
	}
}

// stated reports for each column whether its type has to be stated.
func (t *typeLooks) stated() []bool {
	for i, c := range t.columns {
		if t.words[i] && t.looks[i] == format.Untyped {
			t.looks[i] = format.Text
		}
		t.state[i] = t.state[i] || t.looks[i] != typed.OrText(c.Type)
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

// CSVOptions configure how CSV is written.
type CSVOptions struct {
	// Spreadsheet puts an apostrophe before every key, name and text that a spreadsheet could
	// interpret as a formula: those that begin with = + - @, a tab or a carriage return.
	// Reading them back does not remove the apostrophe.
	Spreadsheet bool
	// Neo4j writes the headers of Neo4j's import tool. Edges have the columns ":START_ID",
	// ":END_ID", ":TYPE" (always EDGE), "weight:float" and "time"; vertices have "vertex:ID"
	// (":ID" if an attribute is called key) and each attribute with its type, except a text
	// attribute ":LABEL", which has none. Dates are written as date-times. graphfile.Read reads all of
	// this back.
	Neo4j bool
}
