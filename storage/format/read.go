package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/tokens"
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
		return readColumnar(table, opts, h.complete())
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
	h = h.complete()
	stats, err := readLayout(f, opts, h)
	if chosen != nil {
		stats.Remarks = append([]Remark{*chosen}, stats.Remarks...)
	}
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
	case LayoutMatrix:
		to = &newDense(opts, h).lines
	case LayoutVertices:
		to = &newTable(opts, h).lines
	case LayoutMETIS:
		to = &newMETIS(opts, h).lines
	case LayoutPajek:
		to = &newPajek(opts, h).lines
	case LayoutMatrixMarket:
		to = &newMatrix(f.ctx, opts, h).lines
	case LayoutGraphML:
		return readGraphML(f, opts, h)
	case LayoutGEXF:
		return readGEXF(f, opts, h)
	case LayoutJSON:
		return readNodeLink(f, opts, h)
	case LayoutGML:
		return readGML(f, opts, h)
	default:
		to = &newParser(opts, false, h).lines
	}
	err := f.push(to)
	return to.stats, err
}

// ncolEnding is that of igraph's NCOL: two names, and perhaps a weight.
const ncolEnding = ".ncol"

// choosesNothing reports whether the options leave the columns of edges open.
func (o *Options) choosesNothing() bool { return o.wanted() == [delimited.Roles]string{} }

// mayBeSquare reports whether a text is to be looked at whether it is a square matrix.
func (o *Options) mayBeSquare(auto bool) bool {
	return o.Layout == LayoutAdjacency || o.Layout == LayoutEdges && auto && o.Header == HeaderAuto && o.choosesNothing()
}

// findLayout determines the layout by the beginning of a text, or else by its name.
func findLayout(text []byte, name string) (Layout, error) {
	if form := Columnar(columnfile.FormOf(text)); form != "" {
		return "", streamedColumnar(name, form)
	}
	if err := refuseBinary(text, name); err != nil {
		return "", err
	}
	text = bytes.TrimPrefix(text, []byte(tokens.ByteOrderMark))
	if bannerAbove(text) {
		return LayoutMatrixMarket, nil
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	for _, start := range []string{"<?xml", "<graphml", "<!DOCTYPE graphml", "<gexf"} {
		switch {
		case !bytes.HasPrefix(text, []byte(start)):
		case bytes.Contains(text, []byte("<gexf")) && !bytes.Contains(text, []byte("<graphml")):
			return LayoutGEXF, nil
		default:
			return LayoutGraphML, nil
		}
	}
	switch {
	case tokens.BeginsGML(text):
		return LayoutGML, nil
	case beginsPajek(text) && !slices.Contains(pajekOthers, Ending(name)):
		return LayoutPajek, nil
	}
	first := text[:len(text)-len(bytes.TrimLeftFunc(text, func(c rune) bool { return c != '\n' && c != '\r' }))]
	if names, _ := konectNames(first); names != nil {
		return LayoutEdges, nil // a name such as "out.moreno" has no known extension
	}
	if object, ok := bytes.CutPrefix(text, []byte("{")); ok && Ending(name) == "" && bytes.HasPrefix(bytes.TrimLeft(object, " \t\r\n"), []byte(`"`)) {
		return LayoutJSON, nil
	}
	layout, err := layoutOf(name)
	if err == nil && layout == LayoutEdges {
		err = otherForm(text, name)
	}
	return layout, err
}

// readColumnar reads a graph or a table of vertices.
func readColumnar(f *columnarFile, opts Options, h Handler) (ReadStats, error) {
	given := opts
	if given.Layout != LayoutVertices {
		given.Layout = f.form.layout()
	}
	if err := given.fit(); err != nil {
		return ReadStats{}, err
	}
	if given.Layout == LayoutVertices {
		var faults optionFaults
		if s := opts.Separator; s != "" && s != "auto" {
			faults.conflict("separator", s, "%s has no use for a separator", f.form.Title())
		}
		if opts.Header == HeaderNone {
			faults.conflict("header", opts.Header.String(), "the columns of %s always have names", f.form.Title())
		}
		if len(faults) > 0 {
			return ReadStats{}, errors.Join(faults...)
		}
	}
	var stats ReadStats
	var err error
	if given.Layout == LayoutVertices {
		stats, err = f.vertices(opts, h)
	} else {
		e := columnarEdges{columnarFile: f, h: h, course: newDirection(opts, h), maxValue: opts.withDefaults().MaxValue}
		stats, err = e.read()
	}
	stats.Layout = given.Layout
	return stats, err
}

// ReadEdgeList reads an edge list, plain or compressed (see the package), and
// calls yield for every edge, in the order of the file. Self-loops and repeated
// edges are delivered like any other.
//
// A line has two columns or more. The options choose the columns of weights and times; other
// columns are ignored. Lines end in LF or CRLF, or in CR alone where the first 64 KiB have no LF, and
// the last line need not end in either. A
// byte order mark, empty lines, and lines that begin with # or % are skipped. Keys are any
// UTF-8 text that is not empty. They are compared byte by byte: nothing is normalised, and "07"
// is not "7".
//
// A malformed line ends the read with a *LineError, unless SkipBad is set. Exceeding a limit on
// the whole input always ends it, also with a *LineError, and so does a damaged compressed
// stream, with a *StreamError. An error of yield ends the read and is returned unchanged.
//
// A goroutine reads, hashes and decompresses up to eight blocks of 256 KiB ahead, and up to three others
// split their lines where there are processors; nothing is allocated per line. The goroutines have ended
// when ReadEdgeList returns, unless r.Read blocks: then the first ends when r.Read returns, and the caller
// must not use r before. Even then a cancelled
// context ends the call within 100 ms; the error wraps ctx.Err().
func ReadEdgeList(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(Edge) error) (ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return ReadStats{}, err
	}
	return newParser(Options{EdgeListOptions: opts.withDefaults()}, false, Handler{Edge: yield}).pull(ctx, r, true)
}

// pull reads a whole text, and its hash if asked to.
func (p *parser) pull(ctx context.Context, r io.Reader, hashed bool) (ReadStats, error) {
	f := startFeed(ctx, r, &p.opts, hashed)
	defer f.close()
	p.stats.Layout = LayoutEdges
	err := f.push(&p.lines)
	p.stats.SHA256 = f.sum()
	return p.stats, err
}
