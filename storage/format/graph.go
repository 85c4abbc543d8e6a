package format

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// Read reads a graph in any layout, plain or compressed by gzip or zstd, and
// hands what it finds to h, in the order of the text. It says about its input,
// limits, errors and cancelling what ReadEdgeList says.
func Read(ctx context.Context, r io.Reader, opts Options, h Handler) (ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return ReadStats{}, err
	}
	f := startFeed(ctx, r, &opts.EdgeListOptions, true)
	defer f.close()
	if opts.Layout == "" || opts.Layout == LayoutAuto {
		opts.Layout = findLayout(f.peek(), opts.Name)
	}
	opts = opts.withDefaults()
	h = h.complete()
	stats, err := readLayout(f, opts, h)
	stats.Layout, stats.SHA256 = opts.Layout, f.sum()
	return stats, err
}

func readLayout(f *feed, opts Options, h Handler) (ReadStats, error) {
	if err := opts.fit(); err != nil {
		return ReadStats{}, err
	}
	var to *lines
	switch opts.Layout {
	case LayoutAdjacency:
		to = &newAdjacency(opts, h).lines
	case LayoutVertices:
		to = &newTable(opts, h).lines
	case LayoutMatrixMarket:
		to = &newMatrix(f.ctx, opts, h).lines
	case LayoutGraphML:
		return readGraphML(f, opts, h)
	default:
		to = &newParser(opts.EdgeListOptions, false, h.Edge).lines
	}
	err := f.push(to)
	return to.stats, err
}

// complete replaces functions that are nil.
func (h Handler) complete() Handler {
	if h.Edge == nil {
		h.Edge = func(Edge) error { return nil }
	}
	if h.Columns == nil {
		h.Columns = func([]Column) error { return nil }
	}
	if h.Vertex == nil {
		h.Vertex = func([]byte, [][]byte) error { return nil }
	}
	return h
}

const matrixMarketMagic = "%%MatrixMarket"

// findLayout decides by the beginning of a text, else by its name.
func findLayout(text []byte, name string) Layout {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(text) >= len(matrixMarketMagic) && strings.EqualFold(string(text[:len(matrixMarketMagic)]), matrixMarketMagic) {
		return LayoutMatrixMarket
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, start := range []string{"<?xml", "<graphml", "<!DOCTYPE graphml"} {
		if bytes.HasPrefix(text, []byte(start)) {
			return LayoutGraphML
		}
	}
	name = strings.ToLower(name)
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch {
	case strings.HasSuffix(name, ".mtx"):
		return LayoutMatrixMarket
	case strings.HasSuffix(name, ".graphml"), strings.HasSuffix(name, ".xml"):
		return LayoutGraphML
	case strings.HasSuffix(name, ".adjlist"), strings.HasSuffix(name, ".adj"):
		return LayoutAdjacency
	}
	return LayoutEdges
}
