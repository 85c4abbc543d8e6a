package rowtext

import (
	"bytes"
	"context"
	"io"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/feed"
)

// ReadEdgeList reads an edge list, plain or compressed (see package format), and
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
// A malformed line ends the read with a *format.LineError, unless SkipBad is set. Exceeding a limit on
// the whole input always ends it, also with a *format.LineError, and so does a damaged compressed
// stream, with a *format.StreamError. An error of yield ends the read and is returned unchanged.
//
// A goroutine reads, hashes and decompresses up to eight blocks of 256 KiB ahead, and up to three others
// split their lines where there are processors; nothing is allocated per line. The goroutines have ended
// when ReadEdgeList returns, unless r.Read blocks: then the first ends when r.Read returns, and the caller
// must not use r before. Even then a cancelled
// context ends the call within 100 ms; the error wraps ctx.Err().
func ReadEdgeList(ctx context.Context, r io.Reader, opts format.EdgeListOptions, yield func(format.Edge) error) (format.ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return format.ReadStats{}, err
	}
	return newParser(format.Options{EdgeListOptions: opts.WithDefaults()}, false, format.Handler{Edge: yield}).pull(ctx, r, true)
}

// pull reads a whole text, and its hash if asked to.
func (p *parser) pull(ctx context.Context, r io.Reader, hashed bool) (format.ReadStats, error) {
	f := feed.Start(ctx, r, &p.Opts, hashed)
	defer f.Close()
	p.Stats.Layout = format.LayoutEdges
	err := f.Push(&p.Lines)
	p.Stats.SHA256 = f.Sum()
	return p.Stats.ReadStats, err
}

// Lines returns the reader of a list of edges or of a table of vertices.
func Lines(opts format.Options, h format.Handler) *feed.Lines {
	if opts.Layout == format.LayoutVertices {
		return &newTable(opts, h).Lines
	}
	return &newParser(opts, false, h).Lines
}

// BeginsKonect reports whether a text begins with the first comment of a KONECT file.
func BeginsKonect(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	first := text[:len(text)-len(bytes.TrimLeftFunc(text, func(c rune) bool { return c != '\n' && c != '\r' }))]
	names, _ := konectNames(first)
	return names != nil
}
