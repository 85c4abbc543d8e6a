package format

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// WriteGraphML writes a graph as GraphML: all vertices with their attributes, under typed keys,
// then all edges, with their weights if the graph is weighted and their times if it is timed,
// under the keys "weight" and "time". Read reads the same graph back.
//
// A key, a name or a text with a character that XML cannot represent (control characters except
// tab and line breaks, U+FFFE, U+FFFF) gives a *KeyError or a *ValueError that names it. A key
// that WriteEdges refuses gives a *KeyError, and a value that does not have its attribute's
// type gives a *ValueError.
func WriteGraphML(ctx context.Context, w io.Writer, g Graph) error {
	x := xmlWriter{newGraphWriter(ctx, w, &g)}
	return writing("GraphML", x.write())
}

type xmlWriter struct{ graphWriter }

const (
	graphMLStart = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
`
	graphMLGraph = "<graph edgedefault=\"undirected\">\n"
	graphMLEnd   = "</graph>\n</graphml>\n"
	// The ids of the keys of edges; those of vertices are d0, d1, …
	weightKey = `  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>` + "\n"
	timeKey   = `  <key id="time" for="edge" attr.name="time" attr.type="long"/>` + "\n"
	dateKey   = `  <key id="time" for="edge" attr.name="time" attr.type="string"/>` + "\n"
)

func (x *xmlWriter) write() error {
	head, err := x.appendHead([]byte(graphMLStart))
	if err != nil {
		return err
	}
	x.Write(head)
	return x.elements(x.appendNode, "", x.appendEdge, graphMLEnd)
}

// typeText is the name of a type in GraphML, GEXF and the headers of Neo4j.
func typeText(t Type) string {
	switch typeOr(t) {
	case Integer:
		return "long"
	case Float:
		return "double"
	case Boolean:
		return "boolean"
	}
	return "string"
}

// columnText returns the value of a vertex, after checking that XML can represent it.
func (x *xmlWriter) columnText(column int, v uint32) ([]byte, bool, error) {
	value, ok, err := x.value(column, v)
	if err == nil && ok {
		if reason := xmlFault(value); reason != "" {
			err = x.g.valueError(column, v, reason)
		}
	}
	return value, ok, err
}

// appendHead appends the keys and the beginning of the graph.
func (x *xmlWriter) appendHead(dst []byte) ([]byte, error) {
	if err := x.g.checkColumns(); err != nil {
		return nil, err
	}
	for i, c := range x.g.Columns {
		if reason := xmlFault([]byte(c.Name)); reason != "" {
			return nil, nameError(c.Name, reason)
		}
		dst = append(strconv.AppendInt(append(dst, `  <key id="d`...), int64(i), 10), `" for="node" attr.name="`...)
		dst = append(appendEscaped(dst, []byte(c.Name)), `" attr.type="`...)
		dst = append(dst, typeText(c.Type)...)
		dst = append(dst, "\"/>\n"...)
	}
	if x.g.Weighted {
		dst = append(dst, weightKey...)
	}
	switch {
	case x.g.Timed && x.g.Times == TimeNumbers:
		dst = append(dst, timeKey...)
	case x.g.Timed:
		dst = append(dst, dateKey...)
	}
	return append(dst, graphMLGraph...), nil
}

// appendID appends the key of a vertex inside an attribute.
func (x *xmlWriter) appendID(dst []byte, v uint32) (_ []byte, err error) {
	x.scratch, err = x.g.Key.checked(x.scratch[:0], v, checkKey, xmlFault)
	return appendEscaped(dst, x.scratch), err
}

// appendValues appends the values of a vertex, each as an element that consists of start, the
// number of the column, the text before the value, the value and end.
func (x *xmlWriter) appendValues(dst []byte, v uint32, start, before, end string) ([]byte, error) {
	for i := range x.g.Columns {
		value, ok, err := x.columnText(i, v)
		if err != nil {
			return nil, err
		}
		if ok {
			dst = append(strconv.AppendInt(append(dst, start...), int64(i), 10), before...)
			dst = append(appendEscaped(dst, value), end...)
		}
	}
	return dst, nil
}

func (x *xmlWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<node id="`...), v)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `">`...)
	bare := len(dst)
	if dst, err = x.appendValues(dst, v, `<data key="d`, `">`, "</data>"); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(">")], "/>\n"...), nil
	}
	return append(dst, "</node>\n"...), nil
}

func (x *xmlWriter) appendEdge(dst []byte, e NumberedEdge) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<edge source="`...), e.Source)
	if err != nil {
		return nil, err
	}
	if dst, err = x.appendID(append(dst, `" target="`...), e.Target); err != nil {
		return nil, err
	}
	dst = append(dst, `">`...)
	bare := len(dst)
	if x.g.Weighted {
		if dst, err = appendWeight(append(dst, `<data key="weight">`...), e); err != nil {
			return nil, err
		}
		dst = append(dst, "</data>"...)
	}
	if x.g.Timed && e.Timed {
		dst = append(x.g.Times.Append(append(dst, `<data key="time">`...), e.Time), "</data>"...)
	}
	if len(dst) == bare {
		return append(dst[:bare-len(">")], "/>\n"...), nil
	}
	return append(dst, "</edge>\n"...), nil
}

// xmlFault names the first character of a text that XML cannot represent, or returns "".
func xmlFault(text []byte) string {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return fmt.Sprintf("it holds %U, which XML cannot", r)
		}
		at += size
	}
	return ""
}

// appendEscaped appends a text so that it reads back the same from an attribute and from an
// element: white space other than the blank is written as references, since readers would
// change it.
func appendEscaped(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		case '"':
			dst = append(dst, "&quot;"...)
		case '\t', '\n', '\r':
			dst = append(strconv.AppendInt(append(dst, "&#"...), int64(c), 10), ';')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
