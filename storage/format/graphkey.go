package format

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/excerpt"
)

// keyedElements reads formats that declare attributes before the elements that use them: the
// keys of GraphML and the attributes of GEXF.
type keyedElements struct {
	elements
	keys     []*graphKey // in the order of the text
	byID     map[string]*graphKey
	defaults [][]byte                // of the columns
	initials [delimited.Roles][]byte // the defaults of weight and time
}

// graphKey is a key that the text declares.
type graphKey struct {
	name       string // "" if it names no attribute
	use        string // what it is for if it names none
	domain     string // node, edge or all
	kind       Type
	initial    []byte // the default
	hasInitial bool
	line       int64
	column     int            // byte of the line
	place      int            // in columns, or placeNone
	role       delimited.Role // in edges
}

// title is the name by which a remark calls the key.
func (k *graphKey) title() string { return cmp.Or(k.name, k.use) }

func (k *graphKey) of(element string) bool {
	return k.name != "" && (k.domain == element || k.domain == "all")
}

// declare adds a key under its id, which must be new.
func (g *keyedElements) declare(id string, k *graphKey) error {
	switch {
	case g.byID[id] != nil:
		return g.at(ErrSyntax, "key %s is declared twice", excerpt.Of([]byte(id)))
	case len(g.keys) == g.opts.MaxColumns:
		return g.at(ErrLimit, "more than %d keys are declared", g.opts.MaxColumns)
	}
	if g.byID == nil {
		g.byID = map[string]*graphKey{}
	}
	g.byID[id] = k
	g.keys = append(g.keys, k)
	return nil
}

// impliedNames are names that need no declaration: those of nodes at roleIgnored, and those of edges
// at their roles.
type impliedNames [delimited.Roles][]string

// resolve decides, once all keys are known, how each is used.
func (g *keyedElements) resolve(implied impliedNames) error {
	if g.flaw != nil {
		return g.flaw // the fault of a default value
	}
	if err := g.resolveNodes(implied[delimited.Ignored]); err != nil {
		return err
	}
	if err := g.resolveEdges(implied); err != nil {
		return err
	}
	g.values = make([][]byte, len(g.columns))
	if len(g.columns) == 0 {
		return nil
	}
	return g.h.Columns(g.columns)
}

// resolveNodes makes one column of all keys of nodes with the same name: some programs declare
// a key for each type of its values.
func (g *keyedElements) resolveNodes(implied []string) error {
	for _, wanted := range g.opts.Columns {
		if !slices.Contains(implied, wanted) && !slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.of("node") && k.name == wanted }) {
			return g.at(ErrSyntax, "no key of nodes is called %s", excerpt.Of([]byte(wanted)))
		}
	}
	for _, k := range g.keys {
		if !k.of("node") || g.opts.Columns != nil && !slices.Contains(g.opts.Columns, k.name) {
			continue
		}
		k.place = slices.IndexFunc(g.columns, func(c Column) bool { return c.Name == k.name })
		if k.place < 0 {
			k.place = len(g.columns)
			g.columns = append(g.columns, Column{k.name, k.kind})
			g.defaults = append(g.defaults, nil)
		}
		g.columns[k.place].Type = g.columns[k.place].Type.Or(k.kind)
		if k.hasInitial {
			value, reason := g.valueOf(k, k.initial)
			if reason != "" {
				return &LineError{g.opts.Name, k.line, k.column, reason, ErrSyntax}
			}
			g.defaults[k.place] = value
		}
	}
	return nil
}

// resolveEdges finds the keys of weight and time.
func (g *keyedElements) resolveEdges(implied impliedNames) error {
	wanted := g.opts.wanted()
	for r := delimited.Weight; r <= delimited.Time; r++ {
		if wanted[r] == NoColumn {
			continue
		}
		name := wanted[r]
		for _, k := range g.keys {
			if name == "" && k.of("edge") && delimited.UsualRole(k.name) == r {
				name = k.name
			}
		}
		for _, k := range g.keys {
			if name != "" && k.of("edge") && k.name == name {
				k.role = r
				if k.hasInitial {
					g.initials[r] = k.initial
				}
			}
		}
		if wanted[r] != "" && !slices.Contains(implied[r], name) && !slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.role == r }) {
			return g.at(ErrSyntax, "no key of edges is called %s", excerpt.Of([]byte(name)))
		}
	}
	return nil
}

// valueOf is graphKey.value; a word that means a missing number is one.
func (g *keyedElements) valueOf(k *graphKey, text []byte) (value []byte, reason string) {
	if word := bytes.TrimSpace(text); k.kind != Text && IsMissing(word) {
		g.absent.add(string(word), g.here)
		return nil, ""
	}
	return k.value(text)
}

// value converts a text to the form of the key's type; a nil value is missing. The reason is
// not empty if the text is not a value of the type.
func (k *graphKey) value(text []byte) (value []byte, reason string) {
	if k.kind == Text {
		return text, ""
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, ""
	}
	if k.kind == Boolean {
		switch strings.ToLower(string(text[:min(len(text), len("false")+1)])) {
		case "true", "1":
			return []byte("true"), ""
		case "false", "0":
			return []byte("false"), ""
		}
	}
	if reason = valueFault(k.kind, text); reason != "" {
		return nil, fmt.Sprintf("%s: %s", excerpt.Of([]byte(k.name)), reason)
	}
	return text, ""
}

type xmlElements struct {
	*tokens.XML
	keyedElements
	inner tally // elements inside of values
}

func newXMLElements(f *feed, opts Options, h Handler) xmlElements {
	g := xmlElements{XML: tokens.NewXML(f.tokens())}
	g.elements = newElements(opts, h, g.Position)
	g.inner = tally{what: "elements inside of data left out"}
	return g
}

// finish ends a read without an error.
func (g *xmlElements) finish(f *feed, err error) {
	if err == nil {
		g.inner.report(&g.stats)
		g.report()
		f.finish()
	}
	g.stats.Lines, g.stats.Bytes = g.Extent()
}

// initial reads a declaration to its end, including a default value if there is one.
func (g *xmlElements) initial(k *graphKey) error {
	return g.Children(func(child xml.StartElement) error {
		if child.Name.Local != "default" || k.name == "" {
			return g.Skip()
		}
		text, err := g.content(k)
		k.initial = bytes.Clone(text)
		k.hasInitial = text != nil
		return err
	})
}

// content reads the text of an element to its end. Elements inside it, which other programs
// write, are left out; a text of nothing else is nil. Of a text longer than the limit it keeps
// only the beginning and records a fault.
func (g *xmlElements) content(k *graphKey) ([]byte, error) {
	start, compound := len(g.text), false
	for {
		token, err := g.Token()
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.CharData:
			room := g.opts.MaxValue - (len(g.text) - start)
			if len(t) > room {
				g.wrong(ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
			}
			g.text = append(g.text, t[:min(len(t), room)]...)
		case xml.StartElement:
			compound = true
			g.inner.add(k.title(), g.here)
			if err := g.Skip(); err != nil {
				return nil, err
			}
		case xml.EndElement:
			text := g.text[start:len(g.text):len(g.text)]
			if compound && len(bytes.TrimSpace(text)) == 0 {
				return nil, nil
			}
			return text, nil
		}
	}
}
