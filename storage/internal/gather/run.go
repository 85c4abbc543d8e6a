package gather

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// edgeRun is a file of sorted and folded occurrences.
type edgeRun struct {
	file   tempFile
	valued bool
	level  int
	count  int64
	sum    uint32 // CRC-32C of the bytes
}

func (r *edgeRun) close() { r.file.close() }

type runWriter struct {
	run    *edgeRun
	buffer *bufio.Writer
	record []byte
}

// runBuffer is the space for reading or writing a run.
const runBuffer = 1 << 15

func newRunWriter(temp func() (tempFile, error), valued bool, level int) (*runWriter, error) {
	file, err := temp()
	if err != nil {
		return nil, err
	}
	return &runWriter{run: &edgeRun{file: file, valued: valued, level: level}, buffer: bufio.NewWriterSize(file, runBuffer)}, nil
}

func (w *runWriter) add(o occurrence) error {
	w.record = binary.LittleEndian.AppendUint64(w.record[:0], o.edge)
	if w.run.valued {
		w.record = binary.LittleEndian.AppendUint64(w.record, math.Float64bits(o.weight))
		w.record = binary.LittleEndian.AppendUint64(w.record, uint64(o.time))
	}
	w.run.count++
	w.run.sum = crc32.Update(w.run.sum, block.Castagnoli, w.record)
	_, err := w.buffer.Write(w.record)
	return err
}

func (w *runWriter) finish() (*edgeRun, error) {
	if err := w.buffer.Flush(); err != nil {
		return nil, w.abandon(err)
	}
	return w.run, nil
}

// abandon removes the run and returns err.
func (w *runWriter) abandon(err error) error {
	w.run.close()
	return err
}

var errSpilled = errors.New("a temporary file of sorted edges does not hold what was written to it")

// source reads the run from its beginning.
func (r *edgeRun) source() edgeSource {
	var (
		in    = bufio.NewReaderSize(io.NewSectionReader(r.file, 0, math.MaxInt64), runBuffer)
		each  = plainBytes
		sum   = uint32(0)
		done  = int64(0)
		chunk []occurrence
	)
	if r.valued {
		each = valuedBytes
	}
	text := make([]byte, each*min(chunkEdges, runBuffer/valuedBytes))
	return edgeSource{next: func() ([]occurrence, error) {
		n := min(int64(len(text)/each), r.count-done)
		if _, err := io.ReadFull(in, text[:n*int64(each)]); err != nil {
			return nil, fmt.Errorf("read a temporary file of sorted edges: %w", err)
		}
		chunk = chunk[:0]
		for at := 0; at < int(n)*each; at += each {
			o := occurrence{binary.LittleEndian.Uint64(text[at:]), 0, csr.NoTime}
			if r.valued {
				o.weight = math.Float64frombits(binary.LittleEndian.Uint64(text[at+8:]))
				o.time = int64(binary.LittleEndian.Uint64(text[at+16:]))
			}
			chunk = append(chunk, o)
		}
		sum = crc32.Update(sum, block.Castagnoli, text[:n*int64(each)])
		if done += n; done == r.count && sum != r.sum {
			return nil, errSpilled
		}
		return chunk, nil
	}}
}
