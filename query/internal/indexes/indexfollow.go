// Package indexes keeps the indexes of an embedding when its vectors change: it builds them again,
// or changes them where few vectors have moved.
package indexes

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"time"

	"heavytail/index"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file updates the indexes of an embedding that is refreshed or computed again.
// An index belongs to the vectors of one generation and is removed with them. Before
// a refresh it is therefore loaded into memory; then it is updated to the new vectors
// and stored together with them. One that no search uses, because scans take less, is
// removed: to update it can take a hundred times as long as the refresh. If the embedding
// is computed again in full, only the parameters of the index are kept, and it is rebuilt.

// How the recall of an index is measured, and the recall that an automatically
// chosen ef must reach.
const (
	recallK       = 10
	recallQueries = 100
	recallWanted  = 0.99
)

// Keep loads the indexes of an embedding that is about to be refreshed, and its vectors.
func Keep(c *engine.Call, embedding string) ([]entries.KeptIndex, *session.Vectors, error) {
	all, err := entries.IndexesOf(c, embedding)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	v, _, _, err := c.Vectors(embedding, fault.Embedding)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		k := &all[i]
		info, r, err := c.DB.Store.Index(c.Ctx, v.Info, k.Metric.String())
		if err != nil {
			continue
		}
		if k.Slow = index.ScanIsFaster(info.Vectors, info.Compared); k.Slow {
			continue
		}
		if h, err := index.ReadHNSW(bufio.NewReader(r), v.Matrix); err == nil {
			k.Hnsw, k.Opts = h, h.Options()
		}
	}
	return all, v, c.Ctx.Err()
}

// Follow makes the indexes for the next generation of an embedding, to be
// stored with its vectors. If before is given, the new matrix has the same vertices
// in its first rows, followed by later vertices. An error, except the end of the
// context, only gives a notice: searches then scan without the index.
func Follow(c *engine.Call, embedding string, all []entries.KeptIndex, before, after *vec.Matrix) ([]storage.NewIndex, error) {
	var list []storage.NewIndex
	for _, k := range all {
		if k.Slow {
			c.Notice("the index of embedding %s by %s was removed, as NEAREST and WITHIN did not use it: its searches took longer than scans, which are exact", fault.Name(embedding), k.Metric)
			continue
		}
		if before == nil || before.Dim != after.Dim {
			k.Hnsw = nil
		}
		next, err := followIndex(c, k, before, after)
		switch {
		case err == nil:
			list = append(list, next)
		case c.Ctx.Err() != nil:
			return nil, err
		default:
			c.Notice("the index of embedding %s by %s was removed: %v; create it again", fault.Name(embedding), k.Metric, err)
		}
	}
	return list, nil
}

// followIndex updates an index to new vectors: it inserts the changed vectors
// again, or rebuilds the whole index.
func followIndex(c *engine.Call, k entries.KeptIndex, before, after *vec.Matrix) (storage.NewIndex, error) {
	if len(after.Data) == 0 {
		return storage.NewIndex{}, errors.New("it has no vectors left")
	}
	release, err := c.DB.Cache.Reserve(2*k.Opts.Bytes(after.Rows, after.Dim), "the index")
	if err != nil {
		return storage.NewIndex{}, err
	}
	defer release()
	began := time.Now()
	opts := k.Opts
	opts.Workers, opts.Progress = c.Workers(), c.Meter.Update
	var h *index.HNSW
	if k.Hnsw != nil {
		h, err = k.Hnsw.Apply(c.Ctx, after, index.Changes{Changed: changedRows(before, after)}, opts)
	} else {
		h, err = index.NewHNSW(c.Ctx, after, k.Metric, opts)
	}
	if err != nil {
		return storage.NewIndex{}, err
	}
	recall, err := MeasureRecall(c.Ctx, h, opts.Ef)
	return NewIndex(h, recall, time.Since(began)), err
}

// changedRows lists the rows of before whose values differ in after, which has
// at least as many rows.
func changedRows(before, after *vec.Matrix) []uint32 {
	var list []uint32
	for v := range before.Rows {
		if !slices.Equal(before.Row(v), after.Row(v)) {
			list = append(list, uint32(v))
		}
	}
	return list
}

// NewIndex describes an index that was built, for the store.
func NewIndex(h *index.HNSW, recall index.Recall, took time.Duration) storage.NewIndex {
	o := h.Options()
	return storage.NewIndex{
		Info: storage.IndexInfo{
			Metric: h.Metric().String(), Vectors: h.Live(), Seconds: took.Seconds(),
			Recall: recall.Mean, Queries: recall.Queries, Lowest: recall.Lowest, Poor: recall.Poor, Compared: recall.Compared[:],
			Parameters: []storage.Setting{
				{Name: "m", Value: strconv.Itoa(o.M)}, {Name: "ef_construction", Value: strconv.Itoa(o.EfConstruction)},
				{Name: "ef", Value: strconv.Itoa(o.Ef)}, {Name: "seed", Value: strconv.FormatUint(o.Seed, 10)},
			},
		},
		Write: func(w io.Writer) error {
			_, err := h.WriteTo(w)
			return err
		},
	}
}

// MeasureRecall returns the recall of an index; if ef is not given, it first
// chooses ef.
func MeasureRecall(ctx context.Context, h *index.HNSW, ef int) (index.Recall, error) {
	if ef == 0 {
		return h.Calibrate(ctx, recallK, recallQueries, recallWanted)
	}
	recalls, err := h.Recall(ctx, recallK, recallQueries, ef)
	if err != nil {
		return index.Recall{}, err
	}
	return recalls[0], nil
}

// SameRows reports whether the vertices of an embedding are the first vertices
// of the graph in the same order, that is, whether none was deleted since.
func SameRows(graph *session.Graph, info storage.EmbeddingInfo) (bool, error) {
	rows, err := graph.Snapshot.RowsOf(info)
	if err != nil || len(rows) < info.Vertices {
		return false, err
	}
	for v := range info.Vertices {
		if rows[v] != uint32(v) {
			return false, nil
		}
	}
	return true, nil
}
