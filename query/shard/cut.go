package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"heavytail/storage/format"
)

// errNotCuttable is a text whose lines cannot be read one by one.
var errNotCuttable = errors.New("a line may continue in the next one")

// cutText divides the text of a statement at line feeds, into spans of about the same number
// of bytes, without parsing it. The text itself goes into the folder, and each shard reads its
// span of it. It reports false if the input cannot be cut.
func (m *Manifest) cutText(ctx context.Context, w cuttable, shards int) (done bool, err error) {
	form, path, err := w.text(ctx)
	if form == nil || err != nil {
		return false, err
	}
	m.Text = "pairs.txt"
	if err := linkOrCopy(path, m.text()); err != nil {
		return false, err
	}
	file, err := os.Open(m.text())
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false, err
	}
	m.Shards = make([]Input, shards)
	at := form.Start
	for i := range m.Shards {
		_, end := bounds(info.Size()-form.Start, int64(i), int64(shards))
		if end += form.Start; end > at {
			if end, err = lineEnd(file, end, info.Size()); err != nil {
				return false, err
			}
		}
		end = max(at, end)
		m.Shards[i].Offset, m.Shards[i].Bytes = at, end-at
		at = end
	}
	err = m.eachInput(func(i int, buffer []byte) error { return m.Shards[i].measure(ctx, file, buffer) })
	if !errors.Is(err, errNotCuttable) {
		return err == nil, err
	}
	err = os.Remove(m.text())
	m.Text, m.Shards = "", nil
	return false, err
}

// measure counts the lines of a piece of a text, and takes its checksum.
func (in *Input) measure(ctx context.Context, text *os.File, buffer []byte) error {
	var sum checksum
	var last byte = '\n'
	piece := io.NewSectionReader(text, in.Offset, in.Bytes)
	for sum.bytes < in.Bytes {
		n, err := io.ReadFull(piece, buffer[:min(int64(len(buffer)), in.Bytes-sum.bytes)])
		if err != nil {
			return fmt.Errorf("%s is shorter than when it was measured: %w", text.Name(), errors.Join(ErrChanged, err))
		}
		part := buffer[:n]
		if !format.Cuttable(part) {
			return errNotCuttable
		}
		in.Rows += int64(bytes.Count(part, []byte("\n")))
		last = part[n-1]
		sum.Write(part)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if last != '\n' {
		in.Rows++ // the last line of the text
	}
	in.CRC32C = sum.text()
	return nil
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

// eachInput calls f with the number of each shard, several at a time, and a buffer. Then it
// numbers their rows.
func (m *Manifest) eachInput(f func(shard int, buffer []byte) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	faults := make([]error, len(m.Shards))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(m.Shards)) {
		workers.Go(func() {
			buffer := make([]byte, bufferSize)
			for i := next.Add(1) - 1; i < int64(len(m.Shards)) && !failed.Load(); i = next.Add(1) - 1 {
				if faults[i] = f(int(i), buffer); faults[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	var first int64
	for i := range m.Shards {
		m.Shards[i].First = first
		first += m.Shards[i].Rows
	}
	return errors.Join(faults...)
}

// copySpan writes the input of one shard, from a span of the rows of a statement.
func (m *Manifest) copySpan(ctx context.Context, rows *os.File, shard int, span format.Span, header string, buffer []byte) error {
	in, sum := &m.Shards[shard], checksum{}
	err := writeFile(m.input(shard), true, func(w io.Writer) error {
		out := io.MultiWriter(&sum, w)
		if _, err := io.WriteString(out, header+"\n"); err != nil {
			return err
		}
		_, err := io.CopyBuffer(out, struct{ io.Reader }{io.NewSectionReader(rows, span.From, span.To-span.From)}, buffer)
		return errors.Join(err, ctx.Err())
	})
	in.Bytes, in.CRC32C = sum.bytes, sum.text()
	return err
}

// linkOrCopy makes a hard link to a file, or a copy if a hard link is impossible: on another file
// system, or for a file of another user.
func linkOrCopy(path, into string) error {
	from, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if err := os.Remove(into); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(from, into) == nil {
		return nil
	}
	in, _, err := format.OpenFile(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFile(into, true, func(w io.Writer) error {
		_, err := io.CopyBuffer(w, struct{ io.Reader }{in}, make([]byte, bufferSize))
		return err
	})
}
