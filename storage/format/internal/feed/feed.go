package feed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/compress"
)

// Feed returns the text of an input block by block.
type Feed struct {
	ctx      context.Context
	in       *compress.Input
	opts     *format.EdgeListOptions
	reported time.Time      // when the progress was
	block    compress.Block // the last one
	again    bool           // next returns this block again
	ahead    *scan.Ahead    // nil without scans
	piece    *scan.Piece    // the block, if it was scanned
	complete bool           // the input was read to its end without error
}

// Start begins to read an input, and to hash it if asked to.
func Start(ctx context.Context, r io.Reader, opts *format.EdgeListOptions, hashed bool) *Feed {
	return &Feed{ctx: ctx, in: compress.Start(r, fault.Input(opts.Name), hashed), opts: opts}
}

// Close ends the goroutines.
func (f *Feed) Close() {
	if f.ahead != nil {
		f.ahead.Close()
	}
	f.in.Close()
}

// Tokens returns the text for a reader of tokens.
func (f *Feed) Tokens() tokens.Source {
	o := f.opts.WithDefaults()
	return tokens.Source{Next: f.next, MaxLine: o.MaxLine, MaxBytes: o.MaxBytes, MaxLines: o.MaxLines, At: func(line int64, column int, kind error, reason string) error {
		return &format.LineError{File: o.Name, Line: line, Column: column, Reason: reason, Kind: kind}
	}}
}

// Peek returns the first block; next returns it again.
func (f *Feed) Peek() []byte {
	if f.again {
		return f.block.Text
	}
	f.advance()
	f.again = true
	return f.block.Text
}

// advance takes the next block of the input.
func (f *Feed) advance() {
	if f.piece != nil {
		f.ahead.Free(f.piece)
		f.piece = nil
	}
	if f.ahead != nil {
		f.piece = f.ahead.Take()
	}
	if f.piece != nil {
		f.block = f.piece.Block
	} else {
		f.block = f.in.Next(f.ctx)
	}
	if damage, ok := f.block.Err.(*compress.Error); ok {
		f.block.Err = &format.StreamError{File: f.opts.Name, Format: damage.Format, Offset: damage.Offset, Err: damage.Err}
	}
}

// FileName returns the name whose extension describes the text. For an archive whose own name has
// none, it is that of the file inside. The first block must have been read.
func (f *Feed) FileName() string {
	if f.in.Member != "" && format.Ending(f.opts.Name) == "" {
		return f.in.Member
	}
	return f.opts.Name
}

// next returns the next piece of the text, valid until the following call. The error, which may
// come together with text, is io.EOF at the end of an undamaged input.
func (f *Feed) next() ([]byte, error) {
	if err := f.Cancelled(); err != nil {
		return nil, err
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

func (f *Feed) cancelled(err error) error {
	return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
}

// Cancelled returns an error if the context has ended.
func (f *Feed) Cancelled() error {
	if err := f.ctx.Err(); err != nil {
		return f.cancelled(err)
	}
	return nil
}

// Whole reports whether the block that Peek has returned is the whole text.
func (f *Feed) Whole() bool { return f.block.Err == io.EOF }

// scan returns the scan of the block, or nil.
func (f *Feed) scan() *scan.Scan {
	if f.piece == nil {
		return nil
	}
	return &f.piece.Scan
}

// look scans further blocks for a reader of lines that has taken this one.
func (f *Feed) look(to *Lines) {
	by := to.To.RulesBelow()
	if by == nil {
		return
	}
	if f.ahead == nil {
		f.ahead = scan.NewAhead()
	}
	f.ahead.Add(f.in, by, f.block)
}

// Push passes the whole text to a reader of lines.
func (f *Feed) Push(to *Lines) error {
	single := runtime.GOMAXPROCS(0) == 1
	returns := false
	for first := true; ; first = false {
		text, err := f.next()
		if first {
			if bad := RefuseBinary(text, f.opts.Name); bad != nil {
				return bad
			}
			returns = endsInReturns(text)
		}
		if returns {
			if !feedLines(text) {
				return to.ErrorAt(to.Stats.Lines+1, format.ErrSyntax, "below here a line ends in a line feed, and the lines above end in a carriage return alone; write one kind of line end")
			}
		}
		to.To.Scanned(f.scan())
		if bad := to.Block(text); bad != nil {
			return bad
		}
		if !returns && !single {
			f.look(to)
		}
		switch {
		case err == io.EOF:
			if err := to.Finish(); err != nil {
				return err
			}
			f.Finish()
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

// Finish records that everything was read.
func (f *Feed) Finish() {
	f.complete = true
	f.report()
}

// Sum returns the hash of the input, or zero if it was not read to its end.
func (f *Feed) Sum() (sum [32]byte) {
	if f.complete {
		return f.in.Sum()
	}
	return sum
}

// tick reports the progress at most 20 times a second.
func (f *Feed) tick() {
	const interval = 50 * time.Millisecond
	if f.opts.Progress == nil || time.Since(f.reported) < interval {
		return
	}
	f.reported = time.Now()
	f.report()
}

func (f *Feed) report() {
	if f.opts.Progress != nil {
		f.opts.Progress("reading", f.in.Done(), f.opts.Size)
	}
}
