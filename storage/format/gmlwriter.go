package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteGML writes a graph as GML, which networkx and igraph read: all vertices, numbered from 0,
// with their keys as labels and their attributes, then all edges, with weight and time. Texts are
// ASCII; other characters are written as references such as &#252;. A boolean is written as 1 or
// 0, as GML has none, and missing values are not written. Read reads the same graph back, with
// integers for booleans, and without attributes that have no value.
//
// An attribute whose name is id, label or graph, or has other characters than ASCII letters, digits and
// underscores, or begins with none of the letters, gives an error that wraps ErrValue. A key that
// WriteEdges refuses gives a *KeyError.
func WriteGML(ctx context.Context, w io.Writer, g Graph) error {
	m := gmlWriter{newGraphWriter(ctx, w, &g)}
	return writing("GML", m.write())
}

type gmlWriter struct{ graphWriter }

func (m *gmlWriter) write() error {
	if err := m.g.checkColumns(); err != nil {
		return err
	}
	for _, c := range m.g.Columns {
		if reason := gmlNameFault(c.Name); reason != "" {
			return nameError(c.Name, reason)
		}
	}
	m.WriteString("Creator \"heavytail\"\ngraph [\n  directed 0\n")
	return m.elements(m.appendNode, "", m.appendEdge, "]\n")
}

// gmlNameFault returns the reason why an attribute cannot have a name, or "".
func gmlNameFault(name string) string {
	if name == gmlID || name == gmlLabel || name == "graph" {
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
	if m.scratch, err = m.g.Key.checked(m.scratch[:0], v, checkKey); err != nil {
		return nil, err
	}
	dst = append(appendGMLText(append(dst, "\n    label "...), m.scratch), '\n')
	for i, c := range m.g.Columns {
		value, ok, err := m.value(i, v)
		switch {
		case err != nil:
			return nil, err
		case !ok:
			continue
		}
		dst = append(append(append(dst, "    "...), c.Name...), ' ')
		switch typeOr(c.Type) {
		case Text:
			dst = appendGMLText(dst, value)
		case Boolean:
			dst = append(dst, "01"[btoi(string(value) == "true")])
		case Float:
			dst = appendGMLReal(dst, string(value))
		default:
			dst = append(dst, bytes.TrimPrefix(value, []byte("+"))...)
		}
		dst = append(dst, '\n')
	}
	return append(dst, "  ]\n"...), nil
}

func btoi(set bool) int {
	if set {
		return 1
	}
	return 0
}

func (m *gmlWriter) appendEdge(dst []byte, e NumberedEdge) (_ []byte, err error) {
	dst = strconv.AppendUint(append(dst, "  edge [\n    source "...), uint64(e.Source), 10)
	dst = strconv.AppendUint(append(dst, "\n    target "...), uint64(e.Target), 10)
	if m.g.Weighted {
		if m.scratch, err = appendWeight(m.scratch[:0], e); err != nil {
			return nil, err
		}
		dst = appendGMLReal(append(dst, "\n    weight "...), string(m.scratch))
	}
	if m.g.Timed && e.Timed {
		dst = append(dst, "\n    time "...)
		if m.scratch = m.g.Times.Append(m.scratch[:0], e.Time); isInteger(m.scratch) {
			dst = append(dst, m.scratch...)
		} else {
			dst = appendGMLText(dst, m.scratch)
		}
	}
	return append(dst, "\n  ]\n"...), nil
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
