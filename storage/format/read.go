package format

import (
	"context"
	"io"

	"heavytail/storage/format/internal/delimited"
)

// Read reads a graph in any layout, plain or compressed (see the package), and passes its
// vertices and edges to h in the order of the text. Input, limits, errors and cancelling are as
// for ReadEdgeList.
func Read(ctx context.Context, r io.Reader, opts Options, h Handler) (ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return ReadStats{}, err
	}
	if table, err := openColumnar(ctx, r, opts); err != nil {
		return ReadStats{}, err
	} else if table != nil {
		return readColumnar(table, opts, completed(h))
	}
	f := startFeed(ctx, r, &opts.EdgeListOptions, true)
	defer f.close()
	auto := opts.Layout == "" || opts.Layout == LayoutAuto
	if auto {
		var err error
		if opts.Layout, err = findLayout(f.peek(), f.fileName()); err != nil {
			return ReadStats{}, err
		}
	}
	var chosen *Remark
	if opts.mayBeSquare(auto) {
		var err error
		if opts.Layout, chosen, err = resolveSquare(f.peek(), f.block.Err == io.EOF, auto, opts); err != nil {
			return ReadStats{}, err
		}
	}
	if opts.Layout == LayoutEdges && Ending(opts.Name) == ncolEnding && opts.choosesNothing() {
		opts.Weight = "3"
	}
	opts = opts.withDefaults()
	h = completed(h)
	stats, err := readLayout(f, opts, h)
	if chosen != nil {
		stats.Remarks = append([]Remark{*chosen}, stats.Remarks...)
	}
	stats.Layout, stats.SHA256 = opts.Layout, f.sum()
	return stats, err
}

func readLayout(f *feed, opts Options, h Handler) (ReadStats, error) {
	if err := fit(opts); err != nil {
		return ReadStats{}, err
	}
	to := LinesOf(f.ctx, opts, h)
	switch opts.Layout {
	case LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML:
		return ReadTokens(f, opts, h)
	case LayoutEdges, LayoutVertices:
		to = RowsOf(opts, h)
	}
	err := f.push(to)
	return to.stats.ReadStats, err
}

// ncolEnding is that of igraph's NCOL: two names, and perhaps a weight.
const ncolEnding = ".ncol"

// choosesNothing reports whether the options leave the columns of edges open.
func (o *Options) choosesNothing() bool { return o.wanted() == [delimited.Roles]string{} }

// mayBeSquare reports whether a text is to be looked at whether it is a square matrix.
func (o *Options) mayBeSquare(auto bool) bool {
	return o.Layout == LayoutAdjacency || o.Layout == LayoutEdges && auto && o.Header == HeaderAuto && o.choosesNothing()
}

// readColumnar reads a graph or a table of vertices.
func readColumnar(f *File, opts Options, h Handler) (ReadStats, error) {
	given := opts
	given.Layout = f.Layout(opts.Layout)
	if err := fit(given); err != nil {
		return ReadStats{}, err
	}
	return f.Graph(opts, h)
}

// completed replaces nil functions with functions that do nothing.
func completed(h Handler) Handler {
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
