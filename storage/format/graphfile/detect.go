package graphfile

import (
	"bytes"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/rowtext"
)

// otherForm refuses a text without a known beginning whose first lines are those of a format of graphs
// that is not read. As a list of edges, its keywords would be vertices.
func otherForm(text []byte, name string) error {
	const most = 64
	number := int64(0)
	for line := range bytes.Lines(text) {
		if number++; number > most {
			break
		}
		words := strings.Fields(strings.ToLower(string(line)))
		if len(words) < 2 {
			continue
		}
		form := ""
		last := words[len(words)-1]
		_, sizes := delimited.ColumnNumber(last)
		switch {
		case words[0] == "p" && sizes && len(words) < 6 && slices.Contains([]string{"sp", "edge", "edges", "col", "max", "min", "asn", "tw", "td", "aux"}, words[1]):
			form = "a graph of DIMACS, which is not read; its lines that begin with a or e, without that letter, are a list of edges"
		case number == 1 && words[0] == "dl" && strings.HasPrefix(words[1], "n"):
			form = "a network of UCINET (DL), which is not read; Pajek and igraph read it"
		case number == 1 && last == "{" && slices.Contains([]string{"graph", "digraph", "strict"}, words[0]):
			form = "a graph of Graphviz (DOT), which is not read; networkx reads it"
		case last == "." && len(words) > 3 && strings.HasPrefix(words[0], "<") && strings.HasPrefix(words[1], "<"):
			form = "a text of triples (N-Triples), which is not read; write the ends of one relation as a list of edges"
		}
		if form != "" {
			return &format.LineError{File: name, Line: number, Column: 1, Reason: "this is " + form + "; format := 'edges' reads the lines as they are", Kind: format.ErrSyntax}
		}
	}
	return nil
}

// findLayout determines the layout by the beginning of a text, or else by its name.
func findLayout(text []byte, name string) (format.Layout, error) {
	if form := format.Columnar(columnfile.FormOf(text)); form != "" {
		return "", columnar.Streamed(name, form)
	}
	if err := feed.RefuseBinary(text, name); err != nil {
		return "", err
	}
	text = bytes.TrimPrefix(text, []byte(tokens.ByteOrderMark))
	if layout := graphtext.Beginning(text, format.Ending(name)); layout != "" {
		return layout, nil
	}
	if rowtext.BeginsKonect(text) {
		return format.LayoutEdges, nil // a name such as "out.moreno" has no known extension
	}
	layout, err := format.LayoutOf(name)
	if err == nil && layout == format.LayoutEdges {
		err = otherForm(text, name)
	}
	return layout, err
}
