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
	ahead    *ahead         // nil without scans
	piece    *piece         // the block, if it was scanned
	complete bool           // the input was read to its end without error
}

func startFeed(ctx context.Context, r io.Reader, opts *EdgeListOptions, hashed bool) *feed {
	return &feed{ctx: ctx, in: compress.Start(r, nameOr(opts.Name), hashed), opts: opts}
}

func (f *feed) close() {
	if f.ahead != nil {
		f.ahead.close()
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
		f.ahead.free = append(f.ahead.free, f.piece)
		f.piece = nil
	}
	if f.ahead != nil && len(f.ahead.blocks) > 0 {
		f.piece = f.ahead.take()
		f.block = f.piece.block
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
	return fmt.Errorf("reading %s: %w", nameOr(f.opts.Name), err)
}

// scan returns the scan of the block, or nil.
func (f *feed) scan() *scan {
	if f.piece == nil {
		return nil
	}
	return &f.piece.scan
}

// look scans further blocks for a reader of lines that has taken this one.
func (f *feed) look(to *lines) {
	by := to.to.rulesBelow()
	if by == nil {
		return
	}
	if f.ahead == nil {
		f.ahead = newAhead()
	}
	f.ahead.add(f.in, by, f.block)
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

// binaryFiles are files that are no texts but are handed in as such, by their first bytes. Some of
// them would pass as comments.
var binaryFiles = []struct{ magic, name, advice string }{
	{"SQLite format 3\x00", "a SQLite database", "; export a table of edges as CSV"},
	{"\x89PNG\r\n", "a picture (PNG)", ""}, {"\xff\xd8\xff", "a picture (JPEG)", ""}, {"GIF87a", "a picture (GIF)", ""}, {"GIF89a", "a picture (GIF)", ""},
	{"%PDF-", "a PDF document", ""},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word document", "; save the sheet as CSV"},
	{"\x89HDF\r\n\x1a\n", "an HDF5 file", ""}, {"CDF\x01", "a NetCDF file", ""}, {"MATLAB 5.0 MAT-file", "a MATLAB file", ""},
	{"\x93NUMPY", "a matrix of numpy", "; IMPORT EMBEDDING reads vectors from it"},
	{"FEA1\x00", "a Feather file of version 1", "; write version 2 or Parquet"}, {"ORC\x11", "an ORC file", "; write Parquet"}, {"Obj\x01", "an Avro file", "; write Parquet"},
	{"RDX2\nX\n", "a workspace of R", "; write.csv writes its tables"}, {"RDX3\nX\n", "a workspace of R", "; write.csv writes its tables"}, {"X\n\x00\x00\x00", "an object of R", "; write.csv writes its tables"},
	{"\x7fELF", "a program", ""},
}

// otherTexts are texts that a download or another program leaves where a file of data is expected,
// by their first bytes in lower case. As lists of words they would be edges.
var otherTexts = []struct{ start, name, advice string }{
	{"<!doctype html", "a web page", "; the download may have failed"},
	{"<html", "a web page", "; the download may have failed"},
	{"version https://git-lfs.github.com/spec/", "a pointer of Git LFS", "; git lfs pull fetches the file"},
	{"nodedef>", "a graph of GUESS (GDF)", "; Gephi writes it as GEXF"},
	{"\"export-world data", "a world of NetLogo", "; write its table of links as a file of its own"},
	{"leda.graph", "a graph of LEDA", ""},
	{"@relation", "a table of Weka (ARFF)", "; write it as CSV"},
}

// binaryFault names a binary file, a text of another kind, or a text that is not UTF-8, by the first
// block of it.
func binaryFault(text []byte) fault.Fault {
	for _, f := range binaryFiles {
		if bytes.HasPrefix(text, []byte(f.magic)) {
			return fault.Syntax(0, "this is %s, and no text%s", f.name, f.advice)
		}
	}
	const longest = 64 // more than any start has
	start := bytes.TrimLeft(text, " \t\r\n")
	start = bytes.ToLower(start[:min(len(start), longest)])
	for _, f := range otherTexts {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return fault.Syntax(0, "this is %s, which is not read%s", f.name, f.advice)
		}
	}
	const tar = 257 // where a tar archive has its magic number
	switch {
	case len(text) > 2 && text[0] == 0x80 && text[1] >= 2 && text[1] <= 5:
		return fault.Syntax(0, "this is a pickle of Python, and no text; networkx.write_graphml writes a graph, and DataFrame.to_csv a table")
	case len(text) > tar && bytes.HasPrefix(text[tar:], []byte("ustar")):
		return fault.Syntax(0, "this is a tar archive, and no text; unpack it")
	case zerosAlternate(text):
		return fault.Syntax(0, "the text seems to be UTF-16 without a byte order mark; convert it to UTF-8")
	}
	return fault.Fault{}
}

// zerosAlternate reports whether every second one of the first bytes is zero, and no other, as in
// ASCII that is written as UTF-16.
func zerosAlternate(text []byte) bool {
	const enough = 8
	if len(text) < enough {
		return false
	}
	for first := range 2 {
		alternate := true
		for i, c := range text[:enough] {
			alternate = alternate && (c == 0) == (i%2 == first)
		}
		if alternate {
			return true
		}
	}
	return false
}

// refuseBinary is binaryFault as an error of a whole input.
func refuseBinary(text []byte, name string) error {
	if f := binaryFault(text); f.Found() {
		return &LineError{name, 1, 1, f.Reason, ErrSyntax}
	}
	return nil
}
