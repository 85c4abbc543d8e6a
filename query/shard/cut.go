package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"heavytail/storage/format"
)

// errNotCuttable is a text whose lines cannot be read one by one.
var errNotCuttable = errors.New("a line may continue in the next one")

// span is the rows of one shard in a text.
type span struct {
	from, to int64
	rows     int64 // unless each line is a row, and is counted
}

// cutter copies spans of a text into the inputs of the shards.
type cutter struct {
	m      *Manifest
	text   *os.File
	header string // first line of each input, without line feed
	lines  bool   // each line is a row, and must be cuttable
}

// cutText divides the text of a statement at line feeds, into spans of about the same number
// of bytes, without parsing it. It reports false if the input cannot be cut.
func (m *Manifest) cutText(ctx context.Context, w cuttable, shards int) (done bool, err error) {
	form, path, err := w.text(ctx)
	if form == nil || err != nil {
		return false, err
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	spans := make([]span, shards)
	at := form.Start
	for i := range spans {
		_, end := bounds(info.Size()-form.Start, int64(i), int64(shards))
		if end += form.Start; end > at {
			if end, err = lineEnd(file, end, info.Size()); err != nil {
				return false, err
			}
		}
		end = max(at, end)
		spans[i] = span{from: at, to: end}
		at = end
	}
	m.Separator = form.Separator
	c := cutter{m: m, text: file, header: form.Header, lines: true}
	if err := c.cut(ctx, spans); err != nil {
		m.Separator, m.Shards = "", nil
		if errors.Is(err, errNotCuttable) {
			err = nil
		}
		return false, err
	}
	return true, nil
}

// lineEnd is the offset behind the line of which the byte before at is a part; at is above 0.
func lineEnd(file io.ReaderAt, at, size int64) (int64, error) {
	if at >= size {
		return size, nil
	}
	in := bufio.NewReader(io.NewSectionReader(file, at-1, size-at+1))
	for {
		part, err := in.ReadSlice('\n')
		at += int64(len(part))
		switch err {
		case nil, io.EOF:
			return at - 1, nil
		case bufio.ErrBufferFull:
		default:
			return 0, err
		}
	}
}

// cut writes the inputs of all shards, several at a time.
func (c *cutter) cut(ctx context.Context, spans []span) error {
	c.m.Shards = make([]Input, len(spans))
	var next atomic.Int64
	var failed atomic.Bool
	faults := make([]error, len(spans))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(spans)) {
		workers.Go(func() {
			buffer := make([]byte, 1<<18)
			for i := next.Add(1) - 1; i < int64(len(spans)) && !failed.Load(); i = next.Add(1) - 1 {
				if faults[i] = c.input(ctx, int(i), spans[i], buffer); faults[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	var first int64
	for i := range c.m.Shards {
		c.m.Shards[i].First = first
		first += c.m.Shards[i].Rows
	}
	return errors.Join(faults...)
}

// input writes the input of one shard.
func (c *cutter) input(ctx context.Context, shard int, s span, buffer []byte) error {
	in, sum := &c.m.Shards[shard], checksum{}
	in.Rows = s.rows
	return writeFile(c.m.input(shard), true, func(w io.Writer) error {
		if _, err := io.WriteString(io.MultiWriter(w, &sum), c.header+"\n"); err != nil {
			return err
		}
		for at := s.from; at < s.to; {
			piece := buffer[:min(int64(len(buffer)), s.to-at)]
			if _, err := c.text.ReadAt(piece, at); err != nil {
				return fmt.Errorf("%s is shorter than when it was measured: %w", c.text.Name(), errors.Join(ErrChanged, err))
			}
			at += int64(len(piece))
			if c.lines {
				if !format.Cuttable(piece) {
					return errNotCuttable
				}
				in.Rows += int64(bytes.Count(piece, []byte("\n")))
				if at == s.to && piece[len(piece)-1] != '\n' {
					in.Rows++ // the last line of the text
				}
			}
			sum.Write(piece)
			if _, err := w.Write(piece); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		in.Bytes, in.CRC32C = sum.bytes, sum.text()
		return nil
	})
}
