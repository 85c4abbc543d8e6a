package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/compress"
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
// A goroutine reads, hashes and decompresses up to eight blocks of 64 KiB ahead; nothing is
// allocated per line. The goroutine has ended when ReadEdgeList returns, unless r.Read blocks:
// then it ends when r.Read returns, and the caller must not use r before. Even then a cancelled
// context ends the call within 100 ms; the error wraps ctx.Err().
func ReadEdgeList(ctx context.Context, r io.Reader, opts EdgeListOptions, yield func(Edge) error) (ReadStats, error) {
	if err := opts.Validate(); err != nil {
		return ReadStats{}, err
	}
	return newParser(opts.withDefaults(), false, yield).pull(ctx, r, true)
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

// feed returns the text of an input block by block.
type feed struct {
	ctx      context.Context
	in       *compress.Input
	opts     *EdgeListOptions
	reported time.Time      // when the progress was
	block    compress.Block // the last one
	again    bool           // next returns this block again
	complete bool           // the input was read to its end without error
}

func startFeed(ctx context.Context, r io.Reader, opts *EdgeListOptions, hashed bool) *feed {
	return &feed{ctx: ctx, in: compress.Start(r, nameOr(opts.Name), hashed), opts: opts}
}

func (f *feed) close() { f.in.Close() }

// tokens returns the text for a reader of tokens.
func (f *feed) tokens() tokens.Source {
	o := f.opts.withDefaults()
	return tokens.Source{Next: f.next, MaxLine: o.MaxLine, MaxBytes: o.MaxBytes, MaxLines: o.MaxLines, At: func(line int64, column int, kind error, reason string) error {
		return &LineError{o.Name, line, column, reason, kind}
	}}
}

// peek returns the first block; next returns it again.
func (f *feed) peek() []byte {
	if f.again {
		return f.block.Text
	}
	f.advance()
	f.again = true
	return f.block.Text
}

// advance takes the next block of the input.
func (f *feed) advance() {
	f.block = f.in.Next(f.ctx)
	if damage, ok := f.block.Err.(*compress.Error); ok {
		f.block.Err = &StreamError{f.opts.Name, damage.Format, damage.Offset, damage.Err}
	}
}

// fileName returns the name whose extension describes the text. For an archive whose own name has
// none, it is that of the file inside. The first block must have been read.
func (f *feed) fileName() string {
	if f.in.Member != "" && Ending(f.opts.Name) == "" {
		return f.in.Member
	}
	return f.opts.Name
}

// next returns the next piece of the text, valid until the following call. The error, which may
// come together with text, is io.EOF at the end of an undamaged input.
func (f *feed) next() ([]byte, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, f.cancelled(err)
	}
	if f.again {
		f.again = false
	} else {
		if f.block.Text != nil {
			f.in.Release(f.block)
			f.tick()
		}
		f.advance()
	}
	if err := f.block.Err; err != nil && err == f.ctx.Err() {
		return nil, f.cancelled(err)
	}
	return f.block.Text, f.block.Err
}

func (f *feed) cancelled(err error) error {
	return fmt.Errorf("reading %s: %w", nameOr(f.opts.Name), err)
}

// push passes the whole text to a reader of lines.
func (f *feed) push(to *lines) error {
	returns := false
	for first := true; ; first = false {
		text, err := f.next()
		if first {
			if bad := refuseBinary(text, f.opts.Name); bad != nil {
				return bad
			}
			returns = endsInReturns(text)
		}
		if returns {
			if !feedLines(text) {
				return to.errorAt(to.stats.Lines+1, ErrSyntax, "below here a line ends in a line feed, and the lines above end in a carriage return alone; write one kind of line end")
			}
		}
		if bad := to.block(text); bad != nil {
			return bad
		}
		switch {
		case err == io.EOF:
			if err := to.finish(); err != nil {
				return err
			}
			f.finish()
			return nil
		case err != nil:
			return err
		}
	}
}

// endsInReturns reports whether lines end in a carriage return alone, as old programs for the Mac
// write them, by the first block of a text: it has some outside quotes, and no line feed.
func endsInReturns(text []byte) bool {
	return delimited.OutsideQuotes(bytes.TrimSuffix(text, []byte("\r")), '\r') && bytes.IndexByte(text, '\n') < 0
}

// feedLines makes line feeds of carriage returns. It reports whether there was no line feed before.
func feedLines(text []byte) bool {
	if bytes.IndexByte(text, '\n') >= 0 {
		return false
	}
	for i := range text {
		if text[i] == '\r' {
			text[i] = '\n'
		}
	}
	return true
}

// finish records that everything was read.
func (f *feed) finish() {
	f.complete = true
	f.report()
}

// sum returns the hash of the input, or zero if it was not read to its end.
func (f *feed) sum() (sum [32]byte) {
	if f.complete {
		return f.in.Sum()
	}
	return sum
}

// tick reports the progress at most 20 times a second.
func (f *feed) tick() {
	const interval = 50 * time.Millisecond
	if f.opts.Progress == nil || time.Since(f.reported) < interval {
		return
	}
	f.reported = time.Now()
	f.report()
}

func (f *feed) report() {
	if f.opts.Progress != nil {
		f.opts.Progress("reading", f.in.Done(), f.opts.Size)
	}
}
