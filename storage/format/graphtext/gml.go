package graphtext

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// gml reads GML, the format of Newman's collection, which networkx and igraph write: a graph with
// nodes and edges, whose ends are ids of nodes. The key of a vertex is its label if each node has
// one of its own, and otherwise its id, or what format.Options.Key says. The other becomes an
// attribute, unless the ids only number the nodes. Further values of nodes are attributes, whose
// type is the narrowest that holds all of them, and so are those of edges except ids and the keys of a
// multigraph. Lists inside nodes and edges, such as graphics, are left out; graphs inside nodes are refused.
//
// The nodes above the first edge are held in memory until then.
type gml struct {
	*tokens.GML
	feed *feed.Feed
	openElements
	found bool // the graph was
	nodes int64

	held  []gmlNode
	bytes int // of what is held

	keyed   bool              // the key was chosen
	name    string            // the attribute that is the key, or gmlID
	names   map[string]string // the key of each id, unless ids are the keys
	taken   map[string]bool   // the keys
	strange bool              // an edge had an end that no node above it declares
	kinds   [2]format.Type    // of ids and of labels

	again reading.Tally // values of a name that occurs again
}

// gmlNode is a node with the values of the columns that were known when it was read.
type gmlNode struct {
	id, label, other []byte // other is the attribute that the options choose as key
	values           [][]byte
	line             int64
	column           int
}

const (
	gmlID    = "id"
	gmlLabel = "label"
	// maxHeldNodes is how many bytes the nodes that are held may take.
	maxHeldNodes = 256 << 20
)

func readGML(f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	g := &gml{GML: tokens.NewGML(f.Tokens()), feed: f}
	g.openElements = newOpenElements(opts, h, g.Position)
	g.again = reading.Tally{What: "further values of the same name left out"}
	err := g.document()
	if err == nil {
		f.Finish()
		g.again.Report(&g.stats)
		g.report()
	}
	g.stats.Lines, g.stats.Bytes = g.Extent()
	if g.Latin > 0 {
		g.stats.RemarkMany("texts that are not UTF-8 read as ISO-8859-1", "", g.Latin, g.LatinLine, "")
	}
	return g.stats.ReadStats, err
}

func (g *gml) document() error {
	for {
		kind, err := g.Token()
		switch {
		case err != nil:
			return err
		case kind == tokens.End && !g.found:
			return g.Fault(format.ErrSyntax, "expected a graph in GML, found the end")
		case kind == tokens.End && g.Depth > 0:
			return g.Fault(format.ErrSyntax, "the text ends inside a list")
		case kind == tokens.End:
			return g.typed(g.nodes)
		case kind != tokens.Key:
			return g.Fault(format.ErrSyntax, "expected a key of GML such as graph")
		}
		switch key := string(g.GML.Text); key {
		case "graph":
			err = g.graph()
		case "Creator", "Version", "creator", "version":
			err = g.Skip(key)
		default:
			g.graphValues.Add(key, g.here)
			err = g.Skip(key)
		}
		if err != nil {
			return err
		}
	}
}

// graph reads the list of a graph.
func (g *gml) graph() error {
	if g.found {
		return g.Fault(format.ErrSyntax, "a second graph; put every graph into a file of its own")
	}
	g.found = true
	if err := g.open("graph"); err != nil {
		return err
	}
	err := g.Members(func(key string) error {
		switch key {
		case "directed":
			kind, err := g.GML.Value(key)
			if err == nil && kind == tokens.Integer {
				err = g.direct(string(g.GML.Text) != "0")
			}
			return err
		case "multigraph":
			kind, err := g.GML.Value(key)
			g.multigraph = kind == tokens.Integer && string(g.GML.Text) != "0"
			return err
		case "node":
			return g.node()
		case "edge":
			return g.readEdge()
		case "Creator", "Version", "creator", "version":
		default:
			g.graphValues.Add(key, g.here)
		}
		return g.Skip(key)
	})
	if err != nil {
		return err
	}
	return g.choose()
}

// open reads the bracket that begins a list.
func (g *gml) open(key string) error {
	kind, err := g.GML.Value(key)
	if err == nil && kind != tokens.Open {
		err = g.Fault(format.ErrSyntax, "expected a list in brackets as %s", key)
	}
	return err
}

// element reads a list of values, and calls f for each value that is no list.
func (g *gml) element(name string, f func(key string, text []byte, kind format.Type) error) error {
	line, column := g.Line, g.Column
	if err := g.open(name); err != nil {
		return err
	}
	err := g.Members(func(key string) error {
		kind, err := g.GML.Value(key)
		switch {
		case err != nil:
			return err
		case kind == tokens.Open && key == "graph":
			return g.Fault(format.ErrSyntax, "a graph inside a node is not read")
		case kind == tokens.Open:
			g.other.Add(key, g.here)
			return g.Members(g.Skip)
		}
		text, t := bytes.Clone(g.GML.Text), format.Text
		switch kind {
		case tokens.Integer:
			if t = format.Integer; typed.Fault(format.Integer, text) != "" {
				t = format.Text // a float would lose digits
			}
		case tokens.Real:
			if t = format.Float; format.IsMissing(text) {
				g.absent.Add(string(text), g.here)
				return nil
			}
		}
		return f(key, text, t)
	})
	g.Line, g.Column = line, column
	return err
}

// node reads a node, and delivers it, or holds it until the key is chosen.
func (g *gml) node() error {
	g.begin()
	clear(g.ofNodes.Values)
	n := gmlNode{line: g.Line, column: g.Column}
	set := func(to *[]byte, key string, text []byte) {
		if *to != nil {
			g.again.Add(key, g.here)
			return
		}
		*to = text
	}
	err := g.element("node", func(key string, text []byte, kind format.Type) error {
		switch key {
		case gmlID:
			g.kinds[0] = g.kinds[0].Or(kind)
			set(&n.id, key, numberKey(text, kind))
			return nil
		case gmlLabel:
			g.kinds[1] = g.kinds[1].Or(kind)
			set(&n.label, key, text)
			return nil
		case g.opts.Key:
			set(&n.other, key, text)
			return nil
		}
		place, err := g.columnOf(key)
		switch {
		case err != nil || place == reading.PlaceNone:
			return err
		case g.ofNodes.Values[place] != nil:
			g.again.Add(key, g.here)
			return nil
		}
		g.openElements.take(&g.ofNodes, place, text, kind)
		return nil
	})
	if err != nil {
		return err
	}
	if n.id == nil {
		g.wrong(format.ErrSyntax, "the element node has no id")
	}
	if ok, err := g.passed(); !ok {
		return err
	}
	g.nodes++
	n.values = slices.Clone(g.ofNodes.Values)
	if g.keyed {
		return g.deliverNode(n)
	}
	for _, text := range append(n.values, n.id, n.label, n.other) {
		g.bytes += len(text) + 24
	}
	if g.bytes > maxHeldNodes {
		return g.Fault(format.ErrLimit, "the nodes above the first edge exceed the limit of %d bytes", maxHeldNodes)
	}
	g.held = append(g.held, n)
	return nil
}

// numberKey returns the text of an id: 2.0 and 2 are one.
func numberKey(text []byte, kind format.Type) []byte {
	if kind == format.Text {
		return text
	}
	return []byte(decimal.Canonical(string(text)))
}

// choose decides, once, which attribute is the key, and delivers the nodes that are held.
func (g *gml) choose() error {
	if g.keyed {
		return nil
	}
	g.keyed, g.name, g.taken = true, g.opts.Key, map[string]bool{}
	if g.name == "" {
		g.name = gmlID
		if g.distinctLabels() {
			g.name = gmlLabel
		} else if slices.ContainsFunc(g.held, func(n gmlNode) bool { return n.label != nil }) {
			g.stats.Remark("ids taken as keys, as labels are missing or not unique", "", 0, "key := 'label' needs unique ones")
		}
	}
	if g.name != gmlID {
		g.names = map[string]string{}
		if !g.numbered() {
			if _, err := g.columnOf(gmlID); err != nil {
				return err
			}
		}
	}
	if g.name != gmlLabel && slices.ContainsFunc(g.held, func(n gmlNode) bool { return n.label != nil }) {
		if _, err := g.columnOf(gmlLabel); err != nil {
			return err
		}
	}
	for i, n := range g.held {
		if i%writing.CheckEvery == 0 {
			if err := g.feed.Cancelled(); err != nil {
				return err
			}
		}
		g.Line, g.Column = n.line, n.column
		if err := g.deliverNode(n); err != nil {
			return err
		}
	}
	g.held = nil
	return nil
}

// distinctLabels reports whether each node has a label of its own.
func (g *gml) distinctLabels() bool {
	labels := map[string]bool{}
	for _, n := range g.held {
		if len(n.label) == 0 || labels[string(n.label)] {
			return false
		}
		labels[string(n.label)] = true
	}
	return true
}

// numbered reports whether the ids number the nodes from 0 or from 1 on, and say nothing else.
func (g *gml) numbered() bool {
	for first := range 2 {
		same := true
		for i, n := range g.held {
			if same = string(n.id) == strconv.Itoa(i+first); !same {
				break
			}
		}
		if same {
			return true
		}
	}
	return false
}

// deliverNode delivers a node under its key.
func (g *gml) deliverNode(n gmlNode) error {
	g.begin()
	clear(g.ofNodes.Values)
	copy(g.ofNodes.Values, n.values)
	if g.ofNodes.Place[gmlID] > 0 {
		g.openElements.take(&g.ofNodes, g.ofNodes.Place[gmlID]-1, n.id, g.kinds[0])
	}
	if g.name != gmlLabel && n.label != nil {
		place, err := g.columnOf(gmlLabel)
		if err != nil {
			return err
		}
		if place != reading.PlaceNone {
			g.openElements.take(&g.ofNodes, place, n.label, g.kinds[1])
		}
	}
	key := n.id
	switch g.name {
	case gmlID:
	case gmlLabel:
		key = n.label
	default:
		key = n.other
	}
	id := g.openElements.key(string(key), "node", g.name)
	if g.name == gmlID {
		return g.vertex(id)
	}
	_, known := g.names[string(n.id)]
	switch {
	case g.taken[string(id)]:
		g.wrong(format.ErrSyntax, "two nodes have the %s %s; key := 'id' takes the ids as keys", g.name, excerpt.Of(id))
	case known:
		g.wrong(format.ErrSyntax, "two nodes have the id %s", excerpt.Of(n.id))
	case g.strange:
		g.wrong(format.ErrSyntax, "a node below an edge whose end no node above it declares; key := 'id' takes the ids as keys")
	}
	g.taken[string(id)], g.names[string(n.id)] = true, string(id)
	return g.vertex(id)
}

// readEdge reads an edge with its weight, its time and its attributes.
func (g *gml) readEdge() error {
	if err := g.choose(); err != nil {
		return err
	}
	g.begin()
	clear(g.ofEdges.Values)
	edge := format.Edge{Weight: 1}
	var field [delimited.Roles][]byte
	err := g.element("edge", func(key string, text []byte, kind format.Type) error {
		switch key {
		case "source":
			edge.Source = g.keyOf(numberKey(text, kind), key)
			return nil
		case "target":
			edge.Target = g.keyOf(numberKey(text, kind), key)
			return nil
		}
		r := g.roleOf(key)
		if r == delimited.Ignored {
			return g.edgeValue(key, text, kind)
		}
		g.seen[r] = true
		field[r] = text
		return nil
	})
	if err != nil {
		return err
	}
	if edge.Source == nil || edge.Target == nil {
		g.wrong(format.ErrSyntax, "an edge needs a source and a target")
	}
	return g.deliver(edge, field)
}

// edgeValue takes an attribute of an edge.
func (g *gml) edgeValue(key string, text []byte, kind format.Type) error {
	place, err := g.edgeColumn(key)
	switch {
	case err != nil || place == reading.PlaceNone:
	case g.ofEdges.Values[place] != nil:
		g.again.Add(key, g.here)
	default:
		g.openElements.take(&g.ofEdges, place, text, kind)
	}
	return err
}

// keyOf returns the key of the node with an id.
func (g *gml) keyOf(id []byte, name string) []byte {
	if g.name == gmlID {
		return g.openElements.key(string(id), "edge", name)
	}
	key, known := g.names[string(id)]
	if !known {
		g.strange = true
		if key = string(id); g.taken[key] {
			g.wrong(format.ErrSyntax, "no node has the id %s, which is the %s of another node", excerpt.Of(id), g.name)
		}
	}
	return g.openElements.key(key, "edge", name)
}

// WriteGML writes a graph as GML, which networkx and igraph read: all vertices, numbered from 0,
// with their keys as labels and their attributes, then all edges, with weight, time and attributes. Texts are
// ASCII; other characters are written as references such as &#252;. A boolean is written as 1 or
// 0, as GML has none, and missing values are not written. graphfile.Read reads the same graph back, with
// integers for booleans, and without attributes that have no value.
//
// An attribute whose name is id, label or graph, or has other characters than ASCII letters, digits and
// underscores, or begins with none of the letters, gives an error that wraps format.ErrValue. So does an attribute of edges that is
// called source, target, id or graph, or by a name that a reader may take for the weight or the time. A key that rowtext.WriteEdges refuses gives a *format.KeyError.
func WriteGML(ctx context.Context, w io.Writer, g format.Graph) error {
	m := gmlWriter{writing.NewGraphWriter(ctx, w, &g)}
	return writing.Error("GML", m.write())
}

type gmlWriter struct{ writing.GraphWriter }

func (m *gmlWriter) write() error {
	if err := writing.CheckColumns(m.G.Columns, gmlNodeFault); err != nil {
		return err
	}
	if err := writing.CheckEdgeColumns(m.G.EdgeColumns, m.edgeFault); err != nil {
		return err
	}
	m.WriteString("Creator \"heavytail\"\ngraph [\n  directed " + strconv.Itoa(btoi(m.G.Directed)) + "\n")
	return m.Elements(m.appendNode, "", m.appendEdge, "]\n")
}

// gmlNodeFault returns the reason why an attribute of a vertex cannot have a name, or "".
func gmlNodeFault(name string) string {
	if name == gmlID || name == gmlLabel {
		return "GML uses this name itself"
	}
	return gmlNameFault(name)
}

// edgeFault is gmlNodeFault for an attribute of an edge.
func (m *gmlWriter) edgeFault(name string) string {
	if r := delimited.UsualRole(name); r == delimited.Time || r != delimited.Ignored && writing.Claimed(m.G, r) {
		return "a reader of GML takes it for the " + r.String() + " of the edges; format := 'graphml' can hold it"
	}
	return cmp.Or(writing.MemberFault(name), gmlNameFault(name))
}

// gmlNameFault returns the reason why an attribute cannot have a name, or "".
func gmlNameFault(name string) string {
	if name == "graph" {
		return "GML uses this name itself"
	}
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return "a name in GML has only ASCII letters, digits and underscores, and begins with a letter"
		}
	}
	return ""
}

func (m *gmlWriter) appendNode(dst []byte, v uint32) (_ []byte, err error) {
	dst = strconv.AppendUint(append(dst, "  node [\n    id "...), uint64(v), 10)
	if m.Scratch, err = writing.CheckedKey(m.G.Key, m.Scratch[:0], v, writing.CheckKey); err != nil {
		return nil, err
	}
	dst = append(appendGMLText(append(dst, "\n    label "...), m.Scratch), '\n')
	for i, c := range m.G.Columns {
		value, ok, err := m.Value(i, v)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			continue
		}
		dst = appendGMLValue(dst, c, value)
	}
	return append(dst, "  ]\n"...), nil
}

// appendGMLValue appends a line of a value.
func appendGMLValue(dst []byte, c format.Column, value []byte) []byte {
	dst = append(append(append(dst, "    "...), c.Name...), ' ')
	switch typed.OrText(c.Type) {
	case format.Text:
		dst = appendGMLText(dst, value)
	case format.Boolean:
		dst = append(dst, "01"[btoi(string(value) == "true")])
	case format.Float:
		dst = appendGMLReal(dst, string(value))
	default:
		dst = append(dst, bytes.TrimPrefix(value, []byte("+"))...)
	}
	return append(dst, '\n')
}

func btoi(set bool) int {
	if set {
		return 1
	}
	return 0
}

func (m *gmlWriter) appendEdge(dst []byte, e format.NumberedEdge) (_ []byte, err error) {
	dst = strconv.AppendUint(append(dst, "  edge [\n    source "...), uint64(e.Source), 10)
	dst = strconv.AppendUint(append(dst, "\n    target "...), uint64(e.Target), 10)
	if m.G.Weighted {
		if m.Scratch, err = writing.AppendWeight(m.Scratch[:0], e); err != nil {
			return nil, err
		}
		dst = appendGMLReal(append(dst, "\n    weight "...), string(m.Scratch))
	}
	if m.G.Timed && e.Timed {
		dst = append(dst, "\n    time "...)
		if m.Scratch = m.G.Times.Append(m.Scratch[:0], e.Time); decimal.IsInteger(m.Scratch) {
			dst = append(dst, m.Scratch...)
		} else {
			dst = appendGMLText(dst, m.Scratch)
		}
	}
	dst = append(dst, '\n')
	for i, c := range m.G.EdgeColumns {
		value, ok, err := m.EdgeValue(i, e)
		if err != nil {
			return nil, err
		}
		if ok {
			dst = appendGMLValue(dst, c, value)
		}
	}
	return append(dst, "  ]\n"...), nil
}

// appendGMLReal appends a number with a decimal point, without which it would be an integer or,
// with an exponent, no number for networkx.
func appendGMLReal(dst []byte, value string) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(value), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	sign := ""
	if whole != "" && (whole[0] == '-' || whole[0] == '+') {
		sign, whole = strings.TrimPrefix(whole[:1], "+"), whole[1:]
	}
	if whole == "" {
		whole = "0"
	}
	if fraction == "" {
		fraction = "0"
	}
	dst = append(append(append(append(dst, sign...), whole...), '.'), fraction...)
	if exponent != "" {
		dst = append(append(dst, 'E'), exponent...)
	}
	return dst
}

// appendGMLText appends a text in quotes.
func appendGMLText(dst, text []byte) []byte {
	dst = append(dst, '"')
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '&':
			dst = append(dst, "&amp;"...)
		case r == '"':
			dst = append(dst, "&quot;"...)
		case r < ' ' || r > '~':
			dst = fmt.Appendf(dst, "&#%d;", r)
		default:
			dst = append(dst, text[0])
		}
		text = text[size:]
	}
	return append(dst, '"')
}
