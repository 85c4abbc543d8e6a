package graphfile

import (
	"context"
	"io"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphtext"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/rowtext"
)

// Read reads a graph in any layout, plain or compressed (see package format), and passes its
// vertices and edges to h in the order of the text. Input, limits, errors and cancelling are as
// for rowtext.ReadEdgeList.
func Read(ctx context.Context, r io.Reader, opts format.Options, h format.Handler) (format.ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return format.ReadStats{}, err
	}
	if table, err := columnar.Open(ctx, r, opts); err != nil {
		return format.ReadStats{}, err
	} else if table != nil {
		return readColumnar(table, opts, completed(h))
	}
	f := feed.Start(ctx, r, &opts.EdgeListOptions, true)
	defer f.Close()
	auto := opts.Layout == "" || opts.Layout == format.LayoutAuto
	if auto {
		var err error
		if opts.Layout, err = findLayout(f.Peek(), f.FileName()); err != nil {
			return format.ReadStats{}, err
		}
	}
	var chosen *format.Remark
	if mayBeSquare(opts, auto) {
		var err error
		if opts.Layout, chosen, err = graphtext.ResolveSquare(f.Peek(), f.Whole(), auto, opts); err != nil {
			return format.ReadStats{}, err
		}
	}
	if opts.Layout == format.LayoutEdges && format.Ending(opts.Name) == ncolEnding && choosesNothing(opts) {
		opts.Weight = "3"
	}
	opts = opts.WithDefaults()
	h = completed(h)
	stats, err := readLayout(ctx, f, opts, h)
	if chosen != nil {
		stats.Remarks = append([]format.Remark{*chosen}, stats.Remarks...)
	}
	stats.Layout, stats.SHA256 = opts.Layout, f.Sum()
	return stats, err
}

func readLayout(ctx context.Context, f *feed.Feed, opts format.Options, h format.Handler) (format.ReadStats, error) {
	if err := fit(opts); err != nil {
		return format.ReadStats{}, err
	}
	to := graphtext.Lines(ctx, opts, h)
	switch {
	case opts.Layout == format.LayoutEdges || opts.Layout == format.LayoutVertices:
		to = rowtext.Lines(opts, h)
	case to == nil:
		return graphtext.Read(f, opts, h)
	}
	err := f.Push(to)
	return to.Stats.ReadStats, err
}

// ncolEnding is that of igraph's NCOL: two names, and perhaps a weight.
const ncolEnding = ".ncol"

// choosesNothing reports whether the options leave the columns of edges open.
func choosesNothing(o format.Options) bool { return o.Wanted() == [delimited.Roles]string{} }

// mayBeSquare reports whether a text is to be looked at whether it is a square matrix.
func mayBeSquare(o format.Options, auto bool) bool {
	return o.Layout == format.LayoutAdjacency || o.Layout == format.LayoutEdges && auto && o.Header == format.HeaderAuto && choosesNothing(o)
}

// readColumnar reads a graph or a table of vertices.
func readColumnar(f *columnar.File, opts format.Options, h format.Handler) (format.ReadStats, error) {
	given := opts
	given.Layout = f.Layout(opts.Layout)
	if err := fit(given); err != nil {
		return format.ReadStats{}, err
	}
	return f.Graph(opts, h)
}

// completed replaces nil functions with functions that do nothing.
func completed(h format.Handler) format.Handler {
	if h.Edge == nil {
		h.Edge = func(format.Edge) error { return nil }
	}
	if h.Columns == nil {
		h.Columns = func([]format.Column) error { return nil }
	}
	if h.Vertex == nil {
		h.Vertex = func([]byte, [][]byte) error { return nil }
	}
	return h
}
