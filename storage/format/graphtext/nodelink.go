package graphtext

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/typed"
	"heavytail/storage/format/internal/writing"
)

// nodeLink reads node-link JSON, which networkx and d3 write: an object with the arrays nodes,
// and links or edges, which may be inside one other member, as in JSON Graph Format. It also
// reads the JSON of Cytoscape, where they are inside elements and their members inside data. The
// key of a node is its id, or, without an id, its place counted from 0. The other members of
// nodes and of links are attributes; the type of an attribute is the narrowest that holds all its
// values. What the ends of links mean is decided by jsonEnds. Ids of links are left out, and so are the keys
// of those of a multigraph.
type nodeLink struct {
	*tokens.JSON
	feed *feed.Feed
	openElements
	ends   jsonEnds
	found  [2]bool      // whether nodes, and links or edges, were found
	nested bytes.Buffer // buffer for a value that is an object or an array, as JSON
	data   bool         // the members of nodes and links are inside their member data
}

func readNodeLink(f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	n := &nodeLink{JSON: tokens.NewJSON(f.Tokens()), feed: f}
	n.openElements = newOpenElements(opts, h, n.Position)
	n.ends = newJSONEnds(opts.Ends)
	err := n.document()
	if err == nil {
		f.Finish()
		n.report()
		n.ends.report(&n.stats)
	}
	n.stats.Lines, n.stats.Bytes = n.Extent()
	return n.stats.ReadStats, err
}

func (n *nodeLink) document() error {
	token, err := n.Token()
	if err == io.EOF {
		return n.Fault(format.ErrSyntax, "expected a graph in JSON, found the end")
	}
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return n.Fault(format.ErrSyntax, "expected an object with nodes and links")
	}
	if err := n.Members(n.member); err != nil {
		return err
	}
	if _, err := n.Token(); err != io.EOF {
		if err == nil {
			err = n.Fault(format.ErrSyntax, "text after the graph; put every graph into a file of its own")
		}
		return err
	}
	if !n.found[0] && !n.found[1] {
		return n.Fault(format.ErrSyntax, "expected the members nodes, and links or edges, as networkx and d3 write them")
	}
	n.found[0] = true
	if err := n.release(); err != nil {
		return err
	}
	if reason := n.ends.doubt(); reason != "" {
		return n.Fault(format.ErrSyntax, "%s", reason)
	}
	return n.typed(n.ends.nodes)
}

// member reads a member of the document.
func (n *nodeLink) member(name string) error {
	token, err := n.Token()
	if err != nil {
		return err
	}
	switch name {
	case "directed":
		if err := n.says(token); err != nil {
			return err
		}
		return n.Rest(token, nil)
	case "multigraph":
		n.multigraph = token == true
		return n.Rest(token, nil)
	case "type", "label", "id", "version":
		return n.Rest(token, nil)
	case "nodes":
		return n.list(0, name, token, n.node)
	case "links", "edges":
		return n.list(1, name, token, n.link)
	case "adjacency":
		return n.Fault(format.ErrSyntax, "adjacency lists in JSON are not read, only links or edges, which node_link_data of networkx makes")
	case "children":
		return n.Fault(format.ErrSyntax, "trees of nodes inside nodes are not read, only nodes and links, which node_link_data of networkx makes")
	case "graphs":
		return n.Fault(format.ErrSyntax, "a list of graphs; put every graph into a file of its own")
	case "elements":
		if token == json.Delim('[') {
			return n.Fault(format.ErrSyntax, "the elements of Cytoscape are read by groups, as an object with nodes and edges, not as one list")
		}
		n.data = true
		defer func() { n.data = false }()
	}
	if token != json.Delim('{') {
		if token != nil && name != "graph" && name != "data" {
			n.graphValues.Add(name, n.here)
		}
		return n.Rest(token, nil)
	}
	return n.Members(func(inner string) error { return n.innerMember(name, inner) })
}

// says takes the member directed.
func (n *nodeLink) says(token json.Token) error {
	if directed, is := token.(bool); is {
		return n.direct(directed)
	}
	return nil
}

// innerMember reads a member of an object inside the document, which may hold the graph.
func (n *nodeLink) innerMember(outer, name string) error {
	token, err := n.Token()
	if err != nil {
		return err
	}
	_, compound := token.(json.Delim)
	switch {
	case name == "directed" && n.found == [2]bool{}:
		if err := n.says(token); err != nil {
			return err
		}
	case name == "nodes" && compound:
		return n.list(0, name, token, n.node)
	case (name == "links" || name == "edges") && compound:
		return n.list(1, name, token, n.link)
	default:
		n.graphValues.Add(name, n.here)
	}
	return n.Rest(token, nil)
}

func (n *nodeLink) list(which int, name string, token json.Token, read func() error) error {
	if n.found[which] {
		return n.Fault(format.ErrSyntax, "the graph has %s twice", name)
	}
	n.found[which] = true
	if token != json.Delim('[') {
		return n.Fault(format.ErrSyntax, "expected an array as the member %s", name)
	}
	for {
		token, err := n.Token()
		switch {
		case err != nil:
			return err
		case token == json.Delim(']') && which == 0:
			if reason := n.ends.complete(); reason != "" {
				return n.Fault(format.ErrSyntax, "%s", reason)
			}
			return nil
		case token == json.Delim(']'):
			return nil
		case token != json.Delim('{'):
			return n.Fault(format.ErrSyntax, "expected an object in the array %s", name)
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// element calls f for the members of a node or a link.
func (n *nodeLink) element(f func(name string) error) error {
	if !n.data {
		return n.Members(f)
	}
	return n.Members(func(name string) error {
		token, err := n.Token()
		switch {
		case err != nil:
			return err
		case name == "data" && token == json.Delim('{'):
			return n.Members(f)
		}
		n.other.Add(name, n.here)
		return n.Rest(token, nil)
	})
}

// node reads a vertex and its values.
func (n *nodeLink) node() error {
	n.begin()
	clear(n.ofNodes.Values)
	var id jsonKey
	err := n.element(func(name string) error {
		if name != "id" {
			return n.value(name)
		}
		var err error
		id, err = n.scalar("node", name)
		return err
	})
	if err != nil {
		return err
	}
	n.ends.node(&id)
	return n.vertex(id.text)
}

// scalar reads a key: a text or a number.
func (n *nodeLink) scalar(element, name string) (jsonKey, error) {
	token, err := n.Token()
	if err != nil {
		return jsonKey{}, err
	}
	switch t := token.(type) {
	case string:
		if bytes.IndexByte([]byte(t), 0) >= 0 {
			n.wrong(format.ErrSyntax, "the %s holds a NUL", name)
		}
		return jsonKey{text: n.key(t, element, name)}, nil
	case json.Number:
		if !tokens.IsNotFinite(t) {
			return jsonKey{text: n.key(decimal.Canonical(string(t)), element, name), number: true}, nil
		}
	}
	n.wrong(format.ErrSyntax, "the %s of a %s must be a text or a number", name, element)
	return jsonKey{text: []byte{}}, n.Rest(token, nil)
}

func (n *nodeLink) value(name string) error {
	place, err := n.columnOf(name)
	if err != nil {
		return err
	}
	token, err := n.Token()
	if err != nil || place == reading.PlaceNone {
		if err == nil {
			err = n.Rest(token, nil)
		}
		return err
	}
	text, kind, err := n.textOf(name, token)
	if err != nil {
		return err
	}
	n.take(&n.ofNodes, place, text, kind)
	return nil
}

// textOf returns a value as a text, which is nil for null and what is not finite, and its type.
func (n *nodeLink) textOf(name string, token json.Token) ([]byte, format.Type, error) {
	switch t := token.(type) {
	case nil:
		return nil, format.Untyped, nil
	case bool:
		return strconv.AppendBool(nil, t), format.Boolean, nil
	case json.Number:
		if tokens.IsNotFinite(t) {
			n.absent.Add(tokens.WordOf(t), n.here)
			return nil, format.Untyped, nil
		}
		text := []byte(t)
		if decimal.IsInteger(text) {
			if _, err := strconv.ParseInt(string(t), 10, 64); err == nil {
				return text, format.Integer, nil
			}
			return text, format.Text, nil // a float would lose digits
		}
		if typed.Fault(format.Float, text) != "" {
			return text, format.Text, nil
		}
		return text, format.Float, nil
	case string:
		if bytes.IndexByte([]byte(t), 0) >= 0 {
			n.wrong(format.ErrSyntax, "a value holds a NUL")
		}
		return []byte(t), format.Text, nil
	}
	n.nested.Reset()
	err := n.Rest(token, &n.nested)
	return bytes.Clone(n.nested.Bytes()), format.Text, err
}

// link reads an edge with its weight, its time and its attributes.
func (n *nodeLink) link() error {
	n.begin()
	clear(n.ofEdges.Values)
	l := jsonLink{edge: reading.Edge{Edge: format.Edge{Weight: 1}}}
	var field [delimited.Roles][]byte
	var other [2]jsonKey // the members from and to, which vis.js writes
	err := n.element(func(name string) (err error) {
		switch name {
		case "source":
			l.source, err = n.scalar("link", name)
			return err
		case "target":
			l.target, err = n.scalar("link", name)
			return err
		case "from":
			return n.end(name, &other[0])
		case "to":
			return n.end(name, &other[1])
		}
		return n.linkValue(name, &field)
	})
	if err != nil {
		return err
	}
	if l.source.text == nil && l.target.text == nil && other[0].text != nil && other[1].text != nil {
		l.source, l.target = other[0], other[1]
	} else {
		for i, name := range []string{"from", "to"} {
			if other[i].text == nil {
				continue
			}
			place, err := n.edgeColumn(name)
			if err != nil {
				return err
			}
			if place != reading.PlaceNone {
				kind := format.Text
				if other[i].number {
					kind = format.TypeOf(other[i].text)
				}
				n.take(&n.ofEdges, place, other[i].text, kind)
			}
		}
	}
	if l.source.text == nil || l.target.text == nil {
		n.wrong(format.ErrSyntax, "a link needs a source and a target")
	}
	if n.measure(&l.edge, field); n.flaw != nil {
		_, err := n.passed()
		return err
	}
	l.edge.Values = n.ofEdges.Values
	return n.connect(l)
}

// end reads a member that may be an end of a link, and otherwise an attribute.
func (n *nodeLink) end(name string, to *jsonKey) error {
	token, err := n.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case string:
		*to = jsonKey{text: []byte(t)}
	case json.Number:
		*to = jsonKey{text: []byte(decimal.Canonical(string(t))), number: true}
	default:
		n.edgeValues.Add(name, n.here)
	}
	return n.Rest(token, nil)
}

// linkValue reads a member of a link other than its ends.
func (n *nodeLink) linkValue(name string, field *[delimited.Roles][]byte) error {
	r := n.roleOf(name)
	token, err := n.Token()
	if err != nil {
		return err
	}
	if r == delimited.Ignored {
		return n.linkAttribute(name, token)
	}
	n.seen[r] = true
	field[r], _, err = n.textOf(name, token)
	return err
}

// linkAttribute reads an attribute of a link.
func (n *nodeLink) linkAttribute(name string, token json.Token) error {
	if token == nil && (name == delimited.EdgeID || !n.isAttribute(name)) {
		return nil
	}
	place, err := n.edgeColumn(name)
	if err != nil {
		return err
	}
	if place == reading.PlaceNone {
		return n.Rest(token, nil)
	}
	text, kind, err := n.textOf(name, token)
	if err != nil {
		return err
	}
	n.take(&n.ofEdges, place, text, kind)
	return nil
}

// connect delivers a link, or holds it back until the nodes were read if its meaning depends on
// them.
func (n *nodeLink) connect(l jsonLink) error {
	if !n.found[0] && n.ends.hold(l) {
		if len(n.ends.held) > maxHeld {
			return n.Fault(format.ErrLimit, "more than %d links with numbers as ends are above the nodes; ends := 'id' reads them as ids, and ends := 'index' needs the nodes first", maxHeld)
		}
		return nil
	}
	if len(n.ends.held) > 0 { // this link has decided what they mean
		l.source.text, l.target.text, l.edge.Values = bytes.Clone(l.source.text), bytes.Clone(l.target.text), reading.Cloned(l.edge.Values)
		if err := n.release(); err != nil {
			return err
		}
		n.begin()
	}
	if reason := n.ends.resolve(&l); reason != "" {
		n.wrong(format.ErrSyntax, "%s", reason)
	}
	l.edge.Source, l.edge.Target = l.source.text, l.target.text
	if missing := len(n.ofEdges.Columns) - len(l.edge.Values); missing > 0 { // columns that were found since
		l.edge.Values = append(slices.Clip(l.edge.Values), make([][]byte, missing)...)
	}
	return n.elements.edge(l.edge)
}

// release delivers the links that were held back.
func (n *nodeLink) release() error {
	held := n.ends.held
	n.ends.held = nil
	for i := range held {
		n.begin()
		if i%writing.CheckEvery == 0 {
			if err := n.feed.Cancelled(); err != nil {
				return err
			}
		}
		if err := n.connect(held[i]); err != nil {
			return err
		}
	}
	return nil
}

// WriteNodeLink writes a graph as node-link JSON, as networkx and d3 read it: all vertices with
// their attributes, then all edges as links with theirs, with their weights if the graph is weighted and
// their times if it is timed. Missing values are not written; only the first link has a weight or a time that is null where the
// graph has none and an attribute of edges has a name that readers take for one. graphfile.Read reads the same graph back,
// except that an attribute without any value is lost. It accepts the same keys as rowtext.WriteEdges;
// an attribute called id gives an error, and so does one of edges called source or target.
func WriteNodeLink(ctx context.Context, w io.Writer, g format.Graph) error {
	j := jsonWriter{GraphWriter: writing.NewGraphWriter(ctx, w, &g)}
	return writing.Error("JSON", j.write())
}

type jsonWriter struct {
	writing.GraphWriter
	names, edgeNames [][]byte // of the columns, as JSON
}

func (j *jsonWriter) write() error {
	err := writing.CheckColumns(j.G.Columns, func(name string) string {
		if name == "id" {
			return "the key of a node has this name"
		}
		return ""
	})
	if err == nil {
		err = writing.CheckEdgeColumns(j.G.EdgeColumns, writing.MemberFault)
	}
	if err != nil {
		return err
	}
	j.names, j.edgeNames = memberNames(j.G.Columns), memberNames(j.G.EdgeColumns)
	j.WriteString(`{"directed": ` + strconv.FormatBool(j.G.Directed) + `, "multigraph": false, "graph": {}, "nodes": [`)
	return j.Elements(j.appendNode, "\n], \"links\": [", j.appendLink, "\n]}\n")
}

// memberNames returns the beginnings of members.
func memberNames(columns []format.Column) (names [][]byte) {
	for _, c := range columns {
		names = append(names, append(tokens.AppendText([]byte(", "), []byte(c.Name)), ": "...))
	}
	return names
}

// appendMember appends a member.
func appendMember(dst, name []byte, c format.Column, value []byte) []byte {
	dst = append(dst, name...)
	if typed.OrText(c.Type) == format.Text {
		return tokens.AppendText(dst, value)
	}
	return appendJSONNumber(dst, value)
}

func (j *jsonWriter) appendKey(dst []byte, v uint32) (_ []byte, err error) {
	j.Scratch, err = writing.CheckedKey(j.G.Key, j.Scratch[:0], v, writing.CheckKey)
	return tokens.AppendText(dst, j.Scratch), err
}

// appendItem begins an item of a list.
func appendItem(dst []byte, first bool, start string) []byte {
	if !first {
		dst = append(dst, ',')
	}
	return append(append(dst, '\n'), start...)
}

func (j *jsonWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := j.appendKey(appendItem(dst, v == 0, `{"id": `), v)
	if err != nil {
		return nil, err
	}
	for i, c := range j.G.Columns {
		value, ok, err := j.Value(i, v)
		if err != nil {
			return nil, err
		}
		if ok {
			dst = appendMember(dst, j.names[i], c, value)
		}
	}
	return append(dst, '}'), nil
}

func (j *jsonWriter) appendLink(dst []byte, e format.NumberedEdge) ([]byte, error) {
	dst, err := j.appendKey(appendItem(dst, j.Edge == 0, `{"source": `), e.Source)
	if err != nil {
		return nil, err
	}
	if dst, err = j.appendKey(append(dst, `, "target": `...), e.Target); err != nil {
		return nil, err
	}
	if j.G.Weighted {
		dst = append(dst, `, "weight": `...)
		start := len(dst)
		if dst, err = writing.AppendWeight(dst, e); err != nil {
			return nil, err
		}
		if decimal.IsInteger(dst[start:]) {
			dst = append(dst, ".0"...) // otherwise Python reads an int
		}
	}
	if j.G.Timed && e.Timed {
		dst = append(dst, `, "time": `...)
		j.Scratch = j.G.Times.Append(j.Scratch[:0], e.Time)
		if decimal.IsInteger(j.Scratch) {
			dst = append(dst, j.Scratch...)
		} else {
			dst = tokens.AppendText(dst, j.Scratch)
		}
	}
	if j.Edge == 0 {
		dst = j.appendRoles(dst, e)
	}
	for i, c := range j.G.EdgeColumns {
		value, ok, err := j.EdgeValue(i, e)
		if err != nil {
			return nil, err
		}
		if ok {
			dst = appendMember(dst, j.edgeNames[i], c, value)
		}
	}
	return append(dst, '}'), nil
}

// appendRoles appends the weight and the time that the first link does not have, so that a reader does not take an
// attribute for them.
func (j *jsonWriter) appendRoles(dst []byte, e format.NumberedEdge) []byte {
	if writing.Claimed(j.G, delimited.Weight) {
		dst = append(dst, `, "weight": null`...)
	}
	if !(j.G.Timed && e.Timed) && writing.Named(j.G, delimited.Time) {
		dst = append(dst, `, "time": null`...)
	}
	return dst
}

// appendJSONNumber appends a number or a boolean. Numbers that strconv reads but JSON does not
// allow, such as .5, are written in another form.
func appendJSONNumber(dst, value []byte) []byte {
	if json.Valid(value) {
		return append(dst, value...)
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return strconv.AppendInt(dst, n, 10)
	}
	x, _ := strconv.ParseFloat(string(value), 64) // Graph.value has checked it
	start := len(dst)
	if dst = strconv.AppendFloat(dst, x, 'g', -1, 64); decimal.IsInteger(dst[start:]) {
		dst = append(dst, ".0"...)
	}
	return dst
}
