package format

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// WriteMETIS writes the edges of a graph in the format of METIS: the numbers of vertices and
// edges, then for every vertex a line of its neighbours, numbered from 1, with the weights of
// the edges if the graph is weighted. Keys, times and attributes are not written; WriteKeys
// writes the keys in the order of the lines, for Options.Keys. METIS allows only whole numbers
// as weights: any other weight gives an error that wraps ErrValue, and so does a self-loop.
// WriteMETIS asks for all neighbours twice.
func WriteMETIS(ctx context.Context, w io.Writer, g Graph) error {
	m := metisWriter{newGraphWriter(ctx, w, &g)}
	return writing("METIS", m.write())
}

type metisWriter struct{ graphWriter }

func (m *metisWriter) write() error {
	arcs := 0
	err := m.each(m.g.Vertices, func(v uint32) error {
		neighbors, _ := m.g.Neighbors(v)
		arcs += len(neighbors)
		return nil
	})
	if err != nil {
		return err
	}
	line := strconv.AppendInt(nil, int64(m.g.Vertices), 10)
	line = strconv.AppendInt(append(line, ' '), int64(arcs/2), 10)
	if m.g.Weighted {
		line = append(line, " 001"...)
	}
	m.Write(append(line, '\n'))
	return m.finish(m.vertices(m.appendLine))
}

func (m *metisWriter) appendLine(line []byte, v uint32) ([]byte, error) {
	neighbors, weights := m.g.Neighbors(v)
	for i, u := range neighbors {
		if u == v {
			return nil, fmt.Errorf("vertex %d: %w: it is its own neighbour", v, ErrValue)
		}
		if i > 0 {
			line = append(line, ' ')
		}
		line = strconv.AppendInt(line, int64(u)+1, 10)
		if !m.g.Weighted {
			continue
		}
		weight := int64(weights[i])
		if weight < 1 || float32(weight) != weights[i] {
			return nil, fmt.Errorf("edge between %s and %s: %w: weight %v is no whole number, and those of METIS are; format := 'csv' can hold it", m.name(v), m.name(u), ErrValue, weights[i])
		}
		line = strconv.AppendInt(append(line, ' '), weight, 10)
	}
	return append(line, '\n'), nil
}

// name returns the key of a vertex for a message, or its number in the file if the graph has no
// keys.
func (m *metisWriter) name(v uint32) string {
	if m.g.Key == nil {
		return strconv.FormatUint(uint64(v)+1, 10)
	}
	return excerpt(m.g.Key(nil, v))
}
