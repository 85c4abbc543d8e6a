package format

import (
	"slices"
	"strings"

	"heavytail/storage/format/internal/fault"
)

// attributes are those of the vertices or of the edges of a text, with the values of the element that
// is being read.
type attributes struct {
	pass     func([]Column) error // receives the columns; nil if attributes are left out
	most     int                  // of columns
	maxValue int
	columns  []Column
	values   [][]byte

	// Of columns that nothing declares, which are found where they occur:
	place map[string]int // by name, from 1 on
	types []Type         // by the values so far
	open  bool           // there are some
}

// add adds a column that the text declares, and returns its place.
func (a *attributes) add(c Column) int {
	a.columns, a.values, a.types = append(a.columns, c), append(a.values, nil), append(a.types, c.Type)
	if a.place == nil {
		a.place = map[string]int{}
	}
	if a.place[c.Name] == 0 {
		a.place[c.Name] = len(a.columns)
	}
	return len(a.columns) - 1
}

// find returns the column with a name, which it adds if it is new.
func (a *attributes) find(name string) (column int, f fault.Fault, err error) {
	if place := a.place[name]; place > 0 {
		return place - 1, f, nil
	}
	switch {
	case name == "":
		return 0, fault.Syntax(0, "a member without a name"), nil
	case fault.OfEncoding([]byte(name)).Found():
		return 0, fault.Syntax(0, "the name of a member holds a NUL"), nil
	case len(a.columns) == a.most:
		return 0, fault.Limit(0, "there are more than %d attributes", a.most), nil
	}
	column, a.open = a.add(Column{Name: strings.Clone(name)}), true
	return column, f, a.pass(a.columns)
}

// take sets a value of a type; a nil text is missing. The reason is not empty if the value is too long.
func (a *attributes) take(column int, text []byte, kind Type) (f fault.Fault) {
	if len(text) > a.maxValue {
		f = fault.Limit(0, "a value exceeds the limit of %d bytes", a.maxValue)
	}
	if kind != Untyped {
		a.types[column] = a.types[column].Or(kind)
	}
	a.values[column] = text
	return f
}

// settle passes the types that the values have, at the end of a text.
func (a *attributes) settle() error {
	if !a.open {
		return nil
	}
	for i, t := range a.types {
		a.columns[i].Type = t
	}
	return a.pass(a.columns)
}

// begin passes the columns that the text declares.
func (a *attributes) begin() error {
	if len(a.columns) == 0 || a.pass == nil {
		return nil
	}
	return a.pass(a.columns)
}

// cloned copies values that are kept beyond the element that has them.
func cloned(values [][]byte) [][]byte {
	values = slices.Clone(values)
	for i, v := range values {
		if v != nil {
			values[i] = append([]byte{}, v...)
		}
	}
	return values
}
