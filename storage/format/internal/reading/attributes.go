package reading

import (
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/fault"
)

// Attributes are those of the vertices or of the edges of a text, with the values of the element that
// is being read.
type Attributes struct {
	Pass     func([]format.Column) error // receives the columns; nil if attributes are left out
	Most     int                         // of columns
	MaxValue int
	Columns  []format.Column
	Values   [][]byte

	// Of columns that nothing declares, which are found where they occur:
	Place map[string]int // by name, from 1 on
	Types []format.Type  // by the values so far
	open  bool           // there are some
}

// Add adds a column that the text declares, and returns its place.
func (a *Attributes) Add(c format.Column) int {
	a.Columns, a.Values, a.Types = append(a.Columns, c), append(a.Values, nil), append(a.Types, c.Type)
	if a.Place == nil {
		a.Place = map[string]int{}
	}
	if a.Place[c.Name] == 0 {
		a.Place[c.Name] = len(a.Columns)
	}
	return len(a.Columns) - 1
}

// Find returns the column with a name, which it adds if it is new.
func (a *Attributes) Find(name string) (column int, f fault.Fault, err error) {
	if place := a.Place[name]; place > 0 {
		return place - 1, f, nil
	}
	switch {
	case name == "":
		return 0, fault.Syntax(0, "a member without a name"), nil
	case fault.OfEncoding([]byte(name)).Found():
		return 0, fault.Syntax(0, "the name of a member holds a NUL"), nil
	case len(a.Columns) == a.Most:
		return 0, fault.Limit(0, "there are more than %d attributes", a.Most), nil
	}
	column, a.open = a.Add(format.Column{Name: strings.Clone(name)}), true
	return column, f, a.Pass(a.Columns)
}

// Take sets a value of a type; a nil text is missing. The reason is not empty if the value is too long.
func (a *Attributes) Take(column int, text []byte, kind format.Type) (f fault.Fault) {
	if len(text) > a.MaxValue {
		f = fault.Limit(0, "a value exceeds the limit of %d bytes", a.MaxValue)
	}
	if kind != format.Untyped {
		a.Types[column] = a.Types[column].Or(kind)
	}
	a.Values[column] = text
	return f
}

// Settle passes the types that the values have, at the end of a text.
func (a *Attributes) Settle() error {
	if !a.open {
		return nil
	}
	for i, t := range a.Types {
		a.Columns[i].Type = t
	}
	return a.Pass(a.Columns)
}

// Begin passes the columns that the text declares.
func (a *Attributes) Begin() error {
	if len(a.Columns) == 0 || a.Pass == nil {
		return nil
	}
	return a.Pass(a.Columns)
}

// Cloned copies values that are kept beyond the element that has them.
func Cloned(values [][]byte) [][]byte {
	values = slices.Clone(values)
	for i, v := range values {
		if v != nil {
			values[i] = append([]byte{}, v...)
		}
	}
	return values
}
