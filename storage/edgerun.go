package storage

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// edgeSource hands out occurrences in ascending order of their edges.
type edgeSource struct {
	// next returns the next ones, valid until the following call, and none at the
	// end.
	next  func() ([]occurrence, error)
	chunk []occurrence // the rest of what next returned last
}

// chunkEdges is how many edges a source hands out at a time: a few pages of
// memory, and enough that a call costs nothing.
const chunkEdges = 1 << 10

// once returns the next of a source that has all of them in memory.
func once(list []occurrence) func() ([]occurrence, error) {
	return func() (chunk []occurrence, err error) {
		chunk, list = list, nil
		return chunk, nil
	}
}

// graphSource hands out the edges of a graph, which have weights.
func graphSource(g *csr.Graph) edgeSource {
	u, chunk := uint32(0), []occurrence(nil)
	at := int64(0)
	return edgeSource{next: func() ([]occurrence, error) {
		chunk = chunk[:0]
		for ; int64(u) < int64(g.Vertices()); u++ {
			for ; at < g.Offsets[u+1]; at++ {
				if len(chunk) == chunkEdges {
					return chunk, nil
				}
				if v := g.Targets[at]; v > u {
					weight := float64(valueAt(g.Weights, at, 1))
					chunk = append(chunk, occurrence{uint64(u)<<32 | uint64(v), weight, valueAt(g.Times, at, csr.NoTime)})
				}
			}
		}
		return chunk, nil
	}}
}

// foldSources merges sources and calls yield for every edge with the fold of its
// occurrences: those of the first source come first. The fold is valid during
// the call.
func foldSources(ctx context.Context, how Repeated, sources []edgeSource, yield func(edge uint64, f *edgeFold) error) error {
	rest := make([]*edgeSource, 0, len(sources))
	for i := range sources {
		s := &sources[i]
		var err error
		if s.chunk, err = s.next(); err != nil {
			return err
		}
		if len(s.chunk) > 0 {
			rest = append(rest, s)
		}
	}
	f := newFold(how)
	current, some := uint64(0), false
	for count := 0; len(rest) > 0; count++ {
		if count%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := 0
		for i := 1; i < len(rest); i++ {
			if rest[i].chunk[0].edge < rest[first].chunk[0].edge {
				first = i
			}
		}
		s := rest[first]
		o := s.chunk[0]
		if some && o.edge != current {
			if err := yield(current, f); err != nil {
				return err
			}
			f.reset()
		}
		current, some = o.edge, true
		f.add(o.weight, o.time)
		if s.chunk = s.chunk[1:]; len(s.chunk) == 0 {
			var err error
			if s.chunk, err = s.next(); err != nil {
				return err
			}
			if len(s.chunk) == 0 {
				rest = append(rest[:first], rest[first+1:]...)
			}
		}
	}
	if some {
		return yield(current, f)
	}
	return nil
}

// foldSorted appends to out what is left of a sorted list when the occurrences
// of every edge have become one. out may begin where list does not.
func foldSorted(ctx context.Context, how Repeated, list, out []occurrence) ([]occurrence, error) {
	f := newFold(how)
	for i := 0; i < len(list); {
		e := list[i].edge
		if next := i + 1; next == len(list) || list[next].edge != e {
			out = append(out, list[i])
			i = next
			continue
		}
		f.reset()
		for ; i < len(list) && list[i].edge == e; i++ {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.add(list[i].weight, list[i].time)
		}
		err := f.each(e, func(o occurrence) error {
			out = append(out, o)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// edgeRun is a file of sorted and folded occurrences.
type edgeRun struct {
	file   spillFile
	valued bool
	level  int
	count  int64
	sum    uint32 // CRC-32C of the bytes
}

func (r *edgeRun) close() { r.file.close() }

// runWriter fills a run.
type runWriter struct {
	run    *edgeRun
	buffer *bufio.Writer
	record []byte
}

// runBuffer is the space for reading or writing a run.
const runBuffer = 1 << 15

func newRunWriter(temp func() (spillFile, error), valued bool, level int) (*runWriter, error) {
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
