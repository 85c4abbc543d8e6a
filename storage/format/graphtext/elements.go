package graphtext

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/internal/excerpt"
)

// elements is the part shared by the readers of formats that have an element for each vertex
// and each edge.
type elements struct {
	opts    format.Options
	h       format.Handler
	stats   reading.Stats
	ofNodes reading.Attributes
	ofEdges reading.Attributes // its function is nil if they are left out
	course  reading.Direction

	// What is left out.
	edgeValues, parallel, graphValues, absent, times, periods, turned, programs, other reading.Tally

	at   func(kind error, text string, args ...any) *format.LineError // returns an error at the last token
	flaw *format.LineError                                            // the first thing wrong with the element being read
	text []byte                                                       // of the element being read
}

// newElements prepares a reader; position returns the place of the last token.
func newElements(opts format.Options, h format.Handler, position func() (line int64, column int)) elements {
	at := func(kind error, text string, args ...any) *format.LineError {
		line, column := position()
		return &format.LineError{File: opts.Name, Line: line, Column: column, Reason: fmt.Sprintf(text, args...), Kind: kind}
	}
	set := func(pass func([]format.Column) error) reading.Attributes {
		return reading.Attributes{Pass: pass, Most: opts.MaxColumns, MaxValue: opts.MaxValue}
	}
	return elements{
		opts: opts, h: h, at: at, text: []byte{},
		ofNodes: set(h.Columns), ofEdges: set(h.EdgeColumns), course: reading.NewDirection(opts, h),
		edgeValues:  reading.Tally{What: "attributes of edges left out", Remedy: "the options weight and time take one each"},
		parallel:    reading.Tally{What: "keys of parallel edges left out", Remedy: "an edge is stored once"},
		graphValues: reading.Tally{What: "attributes of the graph left out"},
		absent:      reading.Tally{What: format.MissingValues},
		times:       reading.Tally{What: "times left out"},
		periods:     reading.Tally{What: "values that hold for a part of the time, of which the last counts"},
		turned:      reading.Tally{What: "edges whose direction is not that of the graph", Remedy: "graphs are undirected"},
		programs:    reading.Tally{What: "data of other programs left out"},
		other:       reading.Tally{What: "elements left out"},
	}
}

// leaveOut counts an attribute of an edge that is not read, unless the options decline it.
func (g *elements) leaveOut(name string) {
	if r := delimited.UsualRole(name); r == delimited.Ignored || g.opts.Wanted()[r] != format.NoColumn {
		g.edgeValues.Add(name, g.here)
	}
}

// here returns the line of the last token.
func (g *elements) here() int64 { return g.at(nil, "").Line }

// report adds to the statistics what the read has left out.
func (g *elements) report() {
	for _, t := range []*reading.Tally{&g.edgeValues, &g.parallel, &g.graphValues, &g.absent, &g.times, &g.periods, &g.turned, &g.programs, &g.other} {
		t.Report(&g.stats)
	}
}

// wrong records the first fault of the element being read; later ones are ignored.
func (g *elements) wrong(kind error, text string, args ...any) {
	if g.flaw == nil {
		g.flaw = g.at(kind, text, args...)
	}
}

// begin prepares for the next node or edge.
func (g *elements) begin() {
	g.flaw, g.text = nil, g.text[:0]
	g.course.Now, g.course.Both = g.course.All, false
}

// direct takes what the text says of the direction of all edges that do not say it themselves.
func (g *elements) direct(directed bool) error {
	g.stats.Directed = g.stats.Directed || directed
	g.course.All = reading.CourseOf(directed)
	if directed && g.course.Pass != nil && g.course.Passed != reading.CourseDirected && g.stats.Edges > 0 {
		return g.at(format.ErrSyntax, reading.LateDirection)
	}
	return nil
}

// turn takes the direction of the edge being read, which has its own. what names it in a remark.
func (g *elements) turn(directed bool, what string) {
	g.course.Now = reading.CourseOf(directed)
	g.stats.Directed = g.stats.Directed || directed
	if g.course.Now != g.course.All && !g.course.Kept {
		g.turned.Add(what, g.here)
	}
}

// conclude passes what is known only at the end of a text.
func (g *elements) conclude() error {
	if err := g.course.Declare(g.course.All); err != nil {
		return err
	}
	return g.ofEdges.Settle()
}

// isAttribute reports whether a value of an edge without a role is read as an attribute.
func (g *elements) isAttribute(name string) bool {
	return g.ofEdges.Pass != nil && delimited.IsAttribute(name)
}

// passed reports whether the element was valid. If not, it ends the read, or counts the element
// under SkipBad.
func (g *elements) passed() (bool, error) {
	switch {
	case g.flaw == nil:
		return true, nil
	case !g.opts.SkipBad:
		return false, g.flaw
	}
	g.stats.Skip(g.flaw)
	return false, nil
}

// key checks a vertex key that an element contains. Errors call the key by the given name.
func (g *elements) key(text, element, name string) []byte {
	start := len(g.text)
	g.text = append(g.text, text...)
	id := g.text[start:len(g.text):len(g.text)]
	switch {
	case len(id) == 0:
		g.wrong(format.ErrSyntax, "the element %s has no %s", element, name)
	case len(id) > g.opts.MaxKey:
		g.wrong(format.ErrLimit, "key %s has %d bytes, the limit is %d", excerpt.Of(id), len(id), g.opts.MaxKey)
	}
	return id
}

// vertex delivers a vertex with its values, if it is valid.
func (g *elements) vertex(key []byte) error {
	if ok, err := g.passed(); !ok {
		return err
	}
	g.stats.Vertices++
	return g.h.Vertex(key, g.ofNodes.Values)
}

// deliver delivers an edge with its weight and time, which may be missing, if the edge is
// valid.
func (g *elements) deliver(edge format.Edge, field [delimited.Roles][]byte) error {
	read := reading.Edge{Edge: edge}
	g.measure(&read, field)
	read.Values = g.ofEdges.Values
	return g.edge(read)
}

// measure sets the weight and the time of an edge, which may be missing.
func (g *elements) measure(edge *reading.Edge, field [delimited.Roles][]byte) {
	for r := delimited.Weight; r <= delimited.Time; r++ {
		field[r] = bytes.TrimSpace(field[r])
	}
	if bad, reason := g.stats.Measure(edge, &field, 0); bad != delimited.Ignored {
		g.wrong(format.ErrSyntax, "%s", reason())
	}
}

// edge delivers an edge, if it is valid.
func (g *elements) edge(edge reading.Edge) error {
	if ok, err := g.passed(); !ok {
		return err
	}
	if late, err := g.course.Edge(&edge.Edge, g.stats.Edges == 0); err != nil {
		return err
	} else if late {
		return g.at(format.ErrSyntax, reading.LateDirection)
	}
	g.stats.Edges++
	g.stats.SetTime(&edge, figure.PerSecond(g.opts.TimeUnit), 0)
	g.stats.Measured(&edge.Edge)
	return g.h.Edge(edge.Edge)
}

// openElements reads formats whose elements have attributes that nothing declares: node-link JSON
// and GML.
type openElements struct {
	elements
	multigraph bool                    // edges are distinguished by keys
	usual      [delimited.Roles]string // the names of weight and time, once they are known
	seen       [delimited.Roles]bool   // whether any edge had an attribute of the role
}

func newOpenElements(opts format.Options, h format.Handler, position func() (line int64, column int)) openElements {
	return openElements{elements: newElements(opts, h, position)}
}

// columnOf returns the column of a name, which it adds if it is new, or PlaceNone if the
// attribute is not to be read.
func (g *openElements) columnOf(name string) (int, error) {
	if g.opts.Columns != nil && !slices.Contains(g.opts.Columns, name) {
		return reading.PlaceNone, nil
	}
	return g.findIn(&g.ofNodes, name)
}

// edgeColumn is columnOf for an attribute of edges, which it counts if it is not to be read.
func (g *openElements) edgeColumn(name string) (int, error) {
	switch {
	case g.multigraph && name == "key":
		g.parallel.Add(name, g.here)
		return reading.PlaceNone, nil
	case name == delimited.EdgeID || !g.isAttribute(name):
		g.leaveOut(name)
		return reading.PlaceNone, nil
	}
	return g.findIn(&g.ofEdges, name)
}

func (g *openElements) findIn(set *reading.Attributes, name string) (int, error) {
	column, f, err := set.Find(name)
	if f.Found() {
		return 0, g.at(f.Kind, "%s", f.Reason)
	}
	return column, err
}

// take sets a value of the element being read; a nil text is missing.
func (g *elements) take(set *reading.Attributes, column int, text []byte, kind format.Type) {
	if f := set.Take(column, text, kind); f.Found() {
		g.wrong(f.Kind, "%s", f.Reason)
	}
}

// typed passes the types of the columns to the handler, at the end of a text with so many nodes. It
// returns an error if a name that the options ask for did not occur.
func (g *openElements) typed(nodes int64) error {
	if name := g.unknown(nodes); name != "" {
		return g.at(format.ErrSyntax, "no member is called %s", excerpt.Of([]byte(name)))
	}
	if err := g.ofNodes.Settle(); err != nil {
		return err
	}
	return g.conclude()
}

// unknown returns a name that the options ask for and that no element has.
func (g *openElements) unknown(nodes int64) string {
	for _, name := range g.opts.Columns {
		if nodes > 0 && g.ofNodes.Place[name] == 0 {
			return name
		}
	}
	for r, name := range g.opts.Wanted() {
		if name != "" && name != format.NoColumn && g.stats.Edges > 0 && !g.seen[r] {
			return name
		}
	}
	return ""
}

// roleOf returns the role of a member of a link. The first usual name of a role that occurs is
// used for the whole text.
func (g *openElements) roleOf(name string) delimited.Role {
	for r, asked := range g.opts.Wanted() {
		if r := delimited.Role(r); r >= delimited.Weight && asked != "" && asked == name {
			return r
		}
	}
	r := delimited.UsualRole(name)
	if r == delimited.Ignored || g.opts.Wanted()[r] != "" {
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

// keyedElements reads formats that declare attributes before the elements that use them: the
// keys of GraphML and the attributes of GEXF.
type keyedElements struct {
	elements
	keys     []*graphKey // in the order of the text
	byID     map[string]*graphKey
	defaults [2][][]byte             // of the columns of nodes and of edges
	initials [delimited.Roles][]byte // the defaults of weight and time
}

// graphKey is a key that the text declares.
type graphKey struct {
	name       string // "" if it names no attribute
	use        string // what it is for if it names none
	domain     string // node, edge or all
	kind       format.Type
	initial    []byte // the default
	hasInitial bool
	line       int64
	column     int            // byte of the line
	place      [2]int         // in the columns of nodes and of edges, or PlaceNone
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
		return g.at(format.ErrSyntax, "key %s is declared twice", excerpt.Of([]byte(id)))
	case len(g.keys) == g.opts.MaxColumns:
		return g.at(format.ErrLimit, "more than %d keys are declared", g.opts.MaxColumns)
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
	if err := g.ofNodes.Begin(); err != nil {
		return err
	}
	return g.ofEdges.Begin()
}

// resolveNodes makes one column of all keys of nodes with the same name: some programs declare
// a key for each type of its values.
func (g *keyedElements) resolveNodes(implied []string) error {
	for _, wanted := range g.opts.Columns {
		if !slices.Contains(implied, wanted) && !slices.ContainsFunc(g.keys, func(k *graphKey) bool { return k.of("node") && k.name == wanted }) {
			return g.at(format.ErrSyntax, "no key of nodes is called %s", excerpt.Of([]byte(wanted)))
		}
	}
	for _, k := range g.keys {
		if !k.of("node") || g.opts.Columns != nil && !slices.Contains(g.opts.Columns, k.name) {
			continue
		}
		if err := g.column(k, nodePlace); err != nil {
			return err
		}
	}
	return nil
}

// The places of keys: in columns of nodes and of edges.
const (
	nodePlace = iota
	edgePlace
)

// set returns the attributes of nodes or of edges.
func (g *elements) set(of int) *reading.Attributes {
	if of == edgePlace {
		return &g.ofEdges
	}
	return &g.ofNodes
}

// column gives a key its column, and the column the type and the default of the key.
func (g *keyedElements) column(k *graphKey, of int) error {
	set := g.set(of)
	if k.place[of] = set.Place[k.name] - 1; k.place[of] < 0 {
		k.place[of] = set.Add(format.Column{Name: k.name, Type: k.kind})
		g.defaults[of] = append(g.defaults[of], nil)
	}
	c := &set.Columns[k.place[of]]
	c.Type = c.Type.Or(k.kind)
	set.Types[k.place[of]] = c.Type
	if k.hasInitial {
		value, reason := g.valueOf(k, k.initial)
		if reason != "" {
			return &format.LineError{File: g.opts.Name, Line: k.line, Column: k.column, Reason: reason, Kind: format.ErrSyntax}
		}
		g.defaults[of][k.place[of]] = value
	}
	return nil
}

// resolveEdges finds the keys of weight and time, and makes columns of the others.
func (g *keyedElements) resolveEdges(implied impliedNames) error {
	wanted := g.opts.Wanted()
	for r := delimited.Weight; r <= delimited.Time; r++ {
		if wanted[r] == format.NoColumn {
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
			return g.at(format.ErrSyntax, "no key of edges is called %s", excerpt.Of([]byte(name)))
		}
	}
	for _, k := range g.keys {
		if k.role != delimited.Ignored || !k.of("edge") || !g.isAttribute(k.name) {
			continue
		}
		if err := g.column(k, edgePlace); err != nil {
			return err
		}
	}
	return nil
}

// beginEdge sets the values of the next edge to their defaults.
func (g *keyedElements) beginEdge() {
	g.begin()
	copy(g.ofEdges.Values, g.defaults[edgePlace])
}

// keep takes a value of the element being read at the place that its key has there.
func (g *keyedElements) keep(k *graphKey, of int, text []byte) {
	set := g.set(of)
	value, reason := g.valueOf(k, text)
	switch {
	case len(text) > g.opts.MaxValue:
		g.wrong(format.ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
	case reason != "":
		g.wrong(format.ErrSyntax, "%s", reason)
	}
	set.Values[k.place[of]] = value
}

// valueOf is graphKey.value; a word that means a missing number is one.
func (g *keyedElements) valueOf(k *graphKey, text []byte) (value []byte, reason string) {
	if word := bytes.TrimSpace(text); k.kind != format.Text && format.IsMissing(word) {
		g.absent.Add(string(word), g.here)
		return nil, ""
	}
	return k.value(text)
}

// value converts a text to the form of the key's type; a nil value is missing. The reason is
// not empty if the text is not a value of the type.
func (k *graphKey) value(text []byte) (value []byte, reason string) {
	if k.kind == format.Text {
		return text, ""
	}
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, ""
	}
	if k.kind == format.Boolean {
		switch strings.ToLower(string(text[:min(len(text), len("false")+1)])) {
		case "true", "1":
			return []byte("true"), ""
		case "false", "0":
			return []byte("false"), ""
		}
	}
	if reason = typed.Fault(k.kind, text); reason != "" {
		return nil, fmt.Sprintf("%s: %s", excerpt.Of([]byte(k.name)), reason)
	}
	return text, ""
}

type xmlElements struct {
	*tokens.XML
	keyedElements
	inner reading.Tally // elements inside of values
}

func newXMLElements(f *feed.Feed, opts format.Options, h format.Handler) xmlElements {
	g := xmlElements{XML: tokens.NewXML(f.Tokens())}
	g.elements = newElements(opts, h, g.Position)
	g.inner = reading.Tally{What: "elements inside of data left out"}
	return g
}

// finish ends a read without an error.
func (g *xmlElements) finish(f *feed.Feed, err error) error {
	if err == nil {
		err = g.conclude()
	}
	if err == nil {
		g.inner.Report(&g.stats)
		g.report()
		f.Finish()
	}
	g.stats.Lines, g.stats.Bytes = g.Extent()
	return err
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
				g.wrong(format.ErrLimit, "a value exceeds the limit of %d bytes", g.opts.MaxValue)
			}
			g.text = append(g.text, t[:min(len(t), room)]...)
		case xml.StartElement:
			compound = true
			g.inner.Add(k.title(), g.here)
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
