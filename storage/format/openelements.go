package format

import (
	"slices"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// openElements reads formats whose elements have attributes that nothing declares: node-link JSON
// and GML.
type openElements struct {
	elements
	place map[string]int          // of columns by their names, from 1 on
	types []Type                  // types of the columns by the values so far; passed to the handler at the end
	usual [delimited.Roles]string // the names of weight and time, once they are known
	seen  [delimited.Roles]bool   // whether any edge had an attribute of the role
}

func newOpenElements(opts Options, h Handler, position func() (line int64, column int)) openElements {
	return openElements{elements: newElements(opts, h, position), place: map[string]int{}}
}

// columnOf returns the column of a name, which it adds if it is new, or placeNone if the
// attribute is not to be read.
func (g *openElements) columnOf(name string) (int, error) {
	if place := g.place[name]; place > 0 {
		return place - 1, nil
	}
	if g.opts.Columns != nil && !slices.Contains(g.opts.Columns, name) {
		return placeNone, nil
	}
	switch {
	case name == "":
		return 0, g.at(ErrSyntax, "a member without a name")
	case fault.OfEncoding([]byte(name)).Found():
		return 0, g.at(ErrSyntax, "the name of a member holds a NUL")
	case len(g.columns) == g.opts.MaxColumns:
		return 0, g.at(ErrLimit, "nodes have more than %d attributes", g.opts.MaxColumns)
	}
	g.columns = append(g.columns, Column{Name: name})
	g.values, g.types = append(g.values, nil), append(g.types, Untyped)
	g.place[name] = len(g.columns)
	return len(g.columns) - 1, g.h.Columns(g.columns)
}

// take sets a value of the vertex being read; a nil text is missing.
func (g *openElements) take(column int, text []byte, kind Type) {
	if len(text) > g.opts.MaxValue {
		g.wrong(ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
	}
	if kind != Untyped {
		g.types[column] = g.types[column].Or(kind)
	}
	g.values[column] = text
}

// typed passes the types of the columns to the handler, at the end of a text with so many nodes. It
// returns an error if a name that the options ask for did not occur.
func (g *openElements) typed(nodes int64) error {
	if name := g.unknown(nodes); name != "" {
		return g.at(ErrSyntax, "no member is called %s", excerpt.Of([]byte(name)))
	}
	if len(g.columns) == 0 {
		return nil
	}
	for i, t := range g.types {
		g.columns[i].Type = t
	}
	return g.h.Columns(g.columns)
}

// unknown returns a name that the options ask for and that no element has.
func (g *openElements) unknown(nodes int64) string {
	for _, name := range g.opts.Columns {
		if nodes > 0 && g.place[name] == 0 {
			return name
		}
	}
	for r, name := range g.opts.wanted() {
		if name != "" && name != NoColumn && g.stats.Edges > 0 && !g.seen[r] {
			return name
		}
	}
	return ""
}

// roleOf returns the role of a member of a link. The first usual name of a role that occurs is
// used for the whole text.
func (g *openElements) roleOf(name string) delimited.Role {
	for r, asked := range g.opts.wanted() {
		if r := delimited.Role(r); r >= delimited.Weight && asked != "" && asked == name {
			return r
		}
	}
	r := delimited.UsualRole(name)
	if r == delimited.Ignored || g.opts.wanted()[r] != "" {
		return delimited.Ignored
	}
	if g.usual[r] == "" {
		g.usual[r] = name
	}
	if g.usual[r] != name {
		return delimited.Ignored
	}
	return r
}
