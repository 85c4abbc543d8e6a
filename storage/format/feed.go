package format

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/scan"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/compress"
)

// feed returns the text of an input block by block.
type feed struct {
	ctx      context.Context
	in       *compress.Input
	opts     *EdgeListOptions
	reported time.Time      // when the progress was
	block    compress.Block // the last one
	again    bool           // next returns this block again
	ahead    *scan.Ahead    // nil without scans
	piece    *scan.Piece    // the block, if it was scanned
	complete bool           // the input was read to its end without error
}

func startFeed(ctx context.Context, r io.Reader, opts *EdgeListOptions, hashed bool) *feed {
	return &feed{ctx: ctx, in: compress.Start(r, fault.Input(opts.Name), hashed), opts: opts}
}

func (f *feed) close() {
	if f.ahead != nil {
		f.ahead.Close()
	}
	f.in.Close()
}

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
	return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
}

// scan returns the scan of the block, or nil.
func (f *feed) scan() *scan.Scan {
	if f.piece == nil {
		return nil
	}
	return &f.piece.Scan
}

// look scans further blocks for a reader of lines that has taken this one.
func (f *feed) look(to *lines) {
	by := to.to.rulesBelow()
	if by == nil {
		return
	}
	if f.ahead == nil {
		f.ahead = scan.NewAhead()
	}
	f.ahead.Add(f.in, by, f.block)
}

// push passes the whole text to a reader of lines.
func (f *feed) push(to *lines) error {
	single := runtime.GOMAXPROCS(0) == 1
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
		to.to.scanned(f.scan())
		if bad := to.block(text); bad != nil {
			return bad
		}
		if !returns && !single {
			f.look(to)
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
