package format

import (
	"context"
	"io"
	"strconv"
)

// WriteGEXF writes a graph as GEXF 1.2, which Gephi and networkx read: first all vertices with
// their attributes, then all edges with their weights, and their times as an attribute. A
// vertex is labelled by its attribute "label", or by its key if that has no value. Read reads
// the same graph back. It refuses what WriteGraphML refuses.
func WriteGEXF(ctx context.Context, w io.Writer, g Graph) error {
	x := gexfWriter{xmlWriter: xmlWriter{newGraphWriter(ctx, w, &g)}, label: placeNone}
	return writing("GEXF", x.write())
}

type gexfWriter struct {
	xmlWriter
	label int   // the column of labels
	edges int64 // written; edges need an id in version 1.2
}

const (
	// Version 1.3 differs only in elements that are not written here, and networkx before
	// version 3.4 does not accept its name space.
	gexfStart = `<?xml version="1.0" encoding="UTF-8"?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
<meta><creator>heavytail</creator></meta>
<graph mode="static" defaultedgetype="undirected">
`
	gexfEnd = "</edges>\n</graph>\n</gexf>\n"
)

func (x *gexfWriter) write() error {
	head, err := x.appendHead([]byte(gexfStart))
	if err != nil {
		return err
	}
	x.Write(append(head, "<nodes>\n"...))
	return x.elements(x.appendNode, "</nodes>\n<edges>\n", x.appendEdge, gexfEnd)
}

// appendHead appends the declarations of the attributes.
func (x *gexfWriter) appendHead(dst []byte) ([]byte, error) {
	if err := x.g.checkColumns(); err != nil {
		return nil, err
	}
	if len(x.g.Columns) > 0 {
		dst = append(dst, "<attributes class=\"node\" mode=\"static\">\n"...)
		for i, c := range x.g.Columns {
			if reason := xmlFault([]byte(c.Name)); reason != "" {
				return nil, nameError(c.Name, reason)
			}
			if c.Name == gexfLabel && typeOr(c.Type) == Text {
				x.label = i
			}
			dst = append(strconv.AppendInt(append(dst, `  <attribute id="d`...), int64(i), 10), `" title="`...)
			dst = append(appendEscaped(dst, []byte(c.Name)), `" type="`...)
			dst = append(append(dst, typeText(c.Type)...), "\"/>\n"...)
		}
		dst = append(dst, "</attributes>\n"...)
	}
	if x.g.Timed {
		kind := "long"
		if x.g.Times != TimeNumbers {
			kind = "string"
		}
		dst = append(dst, `<attributes class="edge" mode="static"><attribute id="time" title="time" type="`+kind+"\"/></attributes>\n"...)
	}
	return dst, nil
}

func (x *gexfWriter) appendNode(dst []byte, v uint32) ([]byte, error) {
	dst, err := x.appendID(append(dst, `<node id="`...), v)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `" label="`...)
	label := x.scratch
	if x.label >= 0 {
		if value, ok, err := x.columnText(x.label, v); err == nil && ok && len(value) > 0 {
			label = value
		} else {
			label = x.g.Key(x.scratch[:0], v)
		}
	}
	dst = append(appendEscaped(dst, label), '"')
	const open = "><attvalues>"
	dst = append(dst, open...)
	bare := len(dst)
	if dst, err = x.appendValues(dst, v, `<attvalue for="d`, `" value="`, `"/>`); err != nil {
		return nil, err
	}
	if len(dst) == bare {
		return append(dst[:bare-len(open)], "/>\n"...), nil
	}
	return append(dst, "</attvalues></node>\n"...), nil
}

func (x *gexfWriter) appendEdge(dst []byte, e NumberedEdge) ([]byte, error) {
	dst = strconv.AppendInt(append(dst, `<edge id="`...), x.edges, 10)
	x.edges++
	dst, err := x.appendID(append(dst, `" source="`...), e.Source)
	if err != nil {
		return nil, err
	}
	if dst, err = x.appendID(append(dst, `" target="`...), e.Target); err != nil {
		return nil, err
	}
	dst = append(dst, '"')
	if x.g.Weighted {
		if dst, err = appendWeight(append(dst, ` weight="`...), e); err != nil {
			return nil, err
		}
		dst = append(dst, '"')
	}
	if x.g.Timed && e.Timed {
		dst = append(x.g.Times.Append(append(dst, `><attvalues><attvalue for="time" value="`...), e.Time), "\"/></attvalues></edge>\n"...)
		return dst, nil
	}
	return append(dst, "/>\n"...), nil
}
