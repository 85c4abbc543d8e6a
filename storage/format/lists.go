package format

import (
	"bytes"
	"context"
	"io"
)

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
	return p.stats.ReadStats, err
}

// RowsOf returns the reader of a list of edges or of a table of vertices.
func RowsOf(opts Options, h Handler) *lines {
	if opts.Layout == LayoutVertices {
		return &newTable(opts, h).lines
	}
	return &newParser(opts, false, h).lines
}

// BeginsKonect reports whether a text begins with the first comment of a KONECT file.
func BeginsKonect(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	first := text[:len(text)-len(bytes.TrimLeftFunc(text, func(c rune) bool { return c != '\n' && c != '\r' }))]
	names, _ := konectNames(first)
	return names != nil
}
