package format

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
)

// nodeLink reads node-link JSON, which networkx and d3 write: an object with the arrays nodes,
// and links or edges. The key of a node is its id, or, without an id, its place counted from 0,
// which the links of d3 use. The other members of nodes are attributes; the type of an
// attribute is the narrowest that holds all its values. Of the links' data, only the weight and
// the time are read. Directions are ignored.
type nodeLink struct {
	*jsonSource
	elements
	place  map[string]int    // of columns by their names, from 1 on
	usual  [roleCount]string // the names of the members that are weight and time, once they are known
	nodes  int64
	found  [2]bool         // whether nodes, and links or edges, were found
	types  []Type          // types of the columns by the values so far; passed to the handler at the end
	nested bytes.Buffer    // buffer for a value that is an object or an array, as JSON
	seen   [roleCount]bool // whether any link had a member of the role
}

func readNodeLink(f *feed, opts Options, h Handler) (ReadStats, error) {
	n := &nodeLink{jsonSource: newJSONSource(f, &opts.EdgeListOptions), place: map[string]int{}}
	n.elements = elements{opts: opts, h: h, at: n.fault, text: []byte{}}
	err := n.document()
	if err == nil {
		f.finish()
	}
	if n.taken > 0 {
		n.stats.Lines = n.fault(nil, "").Line
	}
	n.stats.Bytes = n.taken
	return n.stats, err
}

func (n *nodeLink) document() error {
	token, err := n.token()
	if err == io.EOF {
		return n.fault(ErrSyntax, "expected a graph in JSON, found the end")
	}
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return n.fault(ErrSyntax, "expected an object with nodes and links")
	}
	if err := n.members(n.member); err != nil {
		return err
	}
	if _, err := n.token(); err != io.EOF {
		if err == nil {
			err = n.fault(ErrSyntax, "text after the graph; put every graph into a file of its own")
		}
		return err
	}
	switch {
	case !n.found[0] && !n.found[1]:
		return n.fault(ErrSyntax, "expected the members nodes, and links or edges, as networkx and d3 write them")
	case n.missing() != "":
		return n.fault(ErrSyntax, "no member is called %s", excerpt([]byte(n.missing())))
	case len(n.columns) == 0:
		return nil
	}
	for i, t := range n.types {
		n.columns[i].Type = t
	}
	return n.h.Columns(n.columns)
}

// missing returns a name that the options ask for and that no element has.
func (n *nodeLink) missing() string {
	for _, name := range n.opts.Columns {
		if n.found[0] && n.nodes > 0 && n.place[name] == 0 {
			return name
		}
	}
	for r, name := range n.opts.wanted() {
		if name != "" && name != NoColumn && n.found[1] && n.stats.Edges > 0 && !n.seen[r] {
			return name
		}
	}
	return ""
}

func (n *nodeLink) member(name string) error {
	switch name {
	case "directed":
		token, err := n.token()
		n.stats.Directed = n.stats.Directed || token == true
		if err != nil {
			return err
		}
		return n.rest(token, nil)
	case "nodes":
		return n.list(0, name, n.node)
	case "links", "edges":
		return n.list(1, name, n.link)
	case "adjacency":
		return n.fault(ErrSyntax, "adjacency lists in JSON are not read, only links or edges, which node_link_data of networkx makes")
	}
	return n.skip()
}

func (n *nodeLink) list(which int, name string, read func() error) error {
	if n.found[which] {
		return n.fault(ErrSyntax, "the graph has %s twice", name)
	}
	n.found[which] = true
	token, err := n.token()
	if err != nil {
		return err
	}
	if token != json.Delim('[') {
		return n.fault(ErrSyntax, "expected an array as the member %s", name)
	}
	for {
		token, err := n.token()
		switch {
		case err != nil:
			return err
		case token == json.Delim(']'):
			return nil
		case token != json.Delim('{'):
			return n.fault(ErrSyntax, "expected an object in the array %s", name)
		}
		if err := read(); err != nil {
			return err
		}
	}
}

// node reads a vertex and its values.
func (n *nodeLink) node() error {
	n.begin()
	clear(n.values)
	var id []byte
	err := n.members(func(name string) error {
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
	if id == nil {
		id = strconv.AppendInt(nil, n.nodes, 10)
	}
	n.nodes++
	return n.vertex(id)
}

// scalar reads a key: a text or a number.
func (n *nodeLink) scalar(element, name string) ([]byte, error) {
	token, err := n.token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case string:
		if bytes.IndexByte([]byte(t), 0) >= 0 {
			n.wrong(ErrSyntax, "the %s holds a NUL", name)
		}
		return n.key(t, element, name), nil
	case json.Number:
		return n.key(string(t), element, name), nil
	}
	n.wrong(ErrSyntax, "the %s of a %s must be a text or a number", name, element)
	return []byte{}, n.rest(token, nil)
}

func (n *nodeLink) value(name string) error {
	place, err := n.columnOf(name)
	if err != nil {
		return err
	}
	token, err := n.token()
	if err != nil || place == placeNone {
		if err == nil {
			err = n.rest(token, nil)
		}
		return err
	}
	text, kind, err := n.textOf(token)
	if err != nil {
		return err
	}
	if len(text) > n.opts.MaxValue {
		n.wrong(ErrLimit, "a value exceeds the limit of %d bytes", n.opts.MaxValue)
	}
	if kind != Untyped {
		n.types[place] = n.types[place].Or(kind)
	}
	n.values[place] = text
	return nil
}

// textOf returns a value as a text, which is nil for null, and its type.
func (n *nodeLink) textOf(token json.Token) ([]byte, Type, error) {
	switch t := token.(type) {
	case nil:
		return nil, Untyped, nil
	case bool:
		return strconv.AppendBool(nil, t), Boolean, nil
	case json.Number:
		text := []byte(t)
		if isInteger(text) {
			if _, err := strconv.ParseInt(string(t), 10, 64); err == nil {
				return text, Integer, nil
			}
			return text, Text, nil // a float would lose digits
		}
		if valueFault(Float, text) != "" {
			return text, Text, nil
		}
		return text, Float, nil
	case string:
		if bytes.IndexByte([]byte(t), 0) >= 0 {
			n.wrong(ErrSyntax, "a value holds a NUL")
		}
		return []byte(t), Text, nil
	}
	n.nested.Reset()
	err := n.rest(token, &n.nested)
	return bytes.Clone(n.nested.Bytes()), Text, err
}

// columnOf returns the column of a name, which it adds if it is new, or placeNone if the
// attribute is not to be read.
func (n *nodeLink) columnOf(name string) (int, error) {
	if place := n.place[name]; place > 0 {
		return place - 1, nil
	}
	if n.opts.Columns != nil && !slices.Contains(n.opts.Columns, name) {
		return placeNone, nil
	}
	switch {
	case name == "":
		return 0, n.fault(ErrSyntax, "a member without a name")
	case encodingFault([]byte(name)).found():
		return 0, n.fault(ErrSyntax, "the name of a member holds a NUL")
	case len(n.columns) == n.opts.MaxColumns:
		return 0, n.fault(ErrLimit, "nodes have more than %d attributes", n.opts.MaxColumns)
	}
	n.columns = append(n.columns, Column{Name: name})
	n.values, n.types = append(n.values, nil), append(n.types, Untyped)
	n.place[name] = len(n.columns)
	return len(n.columns) - 1, n.h.Columns(n.columns)
}

// link reads an edge with its weight and time.
func (n *nodeLink) link() error {
	n.begin()
	edge := Edge{Weight: 1}
	var field [roleCount][]byte
	err := n.members(func(name string) (err error) {
		switch name {
		case "source":
			edge.Source, err = n.scalar("link", name)
			return err
		case "target":
			edge.Target, err = n.scalar("link", name)
			return err
		}
		r := n.roleOf(name)
		if r == roleIgnored {
			return n.skip()
		}
		n.seen[r] = true
		token, err := n.token()
		if err != nil {
			return err
		}
		field[r], _, err = n.textOf(token)
		return err
	})
	if err != nil {
		return err
	}
	if edge.Source == nil || edge.Target == nil {
		n.wrong(ErrSyntax, "a link needs a source and a target")
	}
	return n.deliver(edge, field)
}

// roleOf returns the role of a member of a link. The first usual name of a role that occurs is
// used for the whole text.
func (n *nodeLink) roleOf(name string) role {
	for r, asked := range n.opts.wanted() {
		if r := role(r); r >= roleWeight && asked != "" && asked == name {
			return r
		}
	}
	r := usualRole(name)
	if r == roleIgnored || n.opts.wanted()[r] != "" {
		return roleIgnored
	}
	if n.usual[r] == "" {
		n.usual[r] = name
	}
	if n.usual[r] != name {
		return roleIgnored
	}
	return r
}
