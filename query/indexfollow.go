package query

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"heavytail/index"
	"heavytail/query/internal/fault"
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

// keptIndex is an index of a generation that is about to be replaced.
type keptIndex struct {
	metric index.Metric
	opts   index.HNSWOptions
	slow   bool        // its searches take longer than scans
	hnsw   *index.HNSW // nil if it cannot be read; it is then rebuilt
}

func (c *call) keepIndexes(embedding string) ([]keptIndex, *session.Vectors, error) {
	all, err := c.indexesOf(embedding)
	if err != nil || len(all) == 0 {
		return nil, nil, err
	}
	v, _, _, err := c.Vectors(embedding, fault.Embedding)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		k := &all[i]
		info, r, err := c.db.store.Index(c.Ctx, v.Info, k.metric.String())
		if err != nil {
			continue
		}
		if k.slow = index.ScanIsFaster(info.Vectors, info.Compared); k.slow {
			continue
		}
		if h, err := index.ReadHNSW(bufio.NewReader(r), v.Matrix); err == nil {
			k.hnsw, k.opts = h, h.Options()
		}
	}
	return all, v, c.Ctx.Err()
}

// indexesOf lists the parameters of the indexes of an embedding; none if the embedding
// does not exist.
func (c *call) indexesOf(embedding string) ([]keptIndex, error) {
	list, err := c.db.store.Indexes(c.Ctx, embedding)
	if errors.Is(err, storage.ErrCorrupt) {
		c.Notice("the indexes of embedding %s are removed: %v; create them again", fault.Name(embedding), err)
		return nil, nil
	}
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	var all []keptIndex
	for _, info := range list {
		metric, err := index.ParseMetric(info.Metric)
		if err != nil {
			c.Notice("the index of embedding %s by %s is removed: %v", fault.Name(embedding), info.Metric, err)
			continue
		}
		all = append(all, keptIndex{metric: metric, opts: parametersOf(info)})
	}
	return all, err
}

func parametersOf(info storage.IndexInfo) index.HNSWOptions {
	number := func(name string) int {
		n, _ := parameter(info.Parameters, name).(int64)
		return int(n)
	}
	opts := index.HNSWOptions{M: number("m"), EfConstruction: number("ef_construction"), Ef: number("ef")}
	opts.Seed, _ = strconv.ParseUint(valueOf(info.Parameters, "seed"), 10, 64) // it may exceed an integer of the language
	return opts
}

// followIndexes makes the indexes for the next generation of an embedding, to be
// stored with its vectors. If before is given, the new matrix has the same vertices
// in its first rows, followed by later vertices. An error, except the end of the
// context, only gives a notice: searches then scan without the index.
func (c *call) followIndexes(embedding string, all []keptIndex, before, after *vec.Matrix) ([]storage.NewIndex, error) {
	var list []storage.NewIndex
	for _, k := range all {
		if k.slow {
			c.Notice("the index of embedding %s by %s was removed, as NEAREST and WITHIN did not use it: its searches took longer than scans, which are exact", fault.Name(embedding), k.metric)
			continue
		}
		if before == nil || before.Dim != after.Dim {
			k.hnsw = nil
		}
		next, err := c.followIndex(k, before, after)
		switch {
		case err == nil:
			list = append(list, next)
		case c.Ctx.Err() != nil:
			return nil, err
		default:
			c.Notice("the index of embedding %s by %s was removed: %v; create it again", fault.Name(embedding), k.metric, err)
		}
	}
	return list, nil
}

// followIndex updates an index to new vectors: it inserts the changed vectors
// again, or rebuilds the whole index.
func (c *call) followIndex(k keptIndex, before, after *vec.Matrix) (storage.NewIndex, error) {
	if len(after.Data) == 0 {
		return storage.NewIndex{}, errors.New("it has no vectors left")
	}
	release, err := c.db.cache.Reserve(2*k.opts.Bytes(after.Rows), "the index")
	if err != nil {
		return storage.NewIndex{}, err
	}
	defer release()
	began := time.Now()
	opts := k.opts
	opts.Workers, opts.Progress = c.workers(), c.Meter.Update
	var h *index.HNSW
	if k.hnsw != nil {
		h, err = k.hnsw.Apply(c.Ctx, after, index.Changes{Changed: changedRows(before, after)}, opts)
	} else {
		h, err = index.NewHNSW(c.Ctx, after, k.metric, opts)
	}
	if err != nil {
		return storage.NewIndex{}, err
	}
	recall, err := measureRecall(c.Ctx, h, opts.Ef)
	return newIndex(h, recall, time.Since(began)), err
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

func newIndex(h *index.HNSW, recall index.Recall, took time.Duration) storage.NewIndex {
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

// measureRecall returns the recall of an index; if ef is not given, it first
// chooses ef.
func measureRecall(ctx context.Context, h *index.HNSW, ef int) (index.Recall, error) {
	if ef == 0 {
		return h.Calibrate(ctx, recallK, recallQueries, recallWanted)
	}
	recalls, err := h.Recall(ctx, recallK, recallQueries, ef)
	if err != nil {
		return index.Recall{}, err
	}
	return recalls[0], nil
}

// recallText describes a recall, with the lowest of a single search if it is known.
func recallText(mean, lowest, poor float64) string {
	return fmt.Sprintf("recall %.4g, lowest %.2g, %.3g %% of queries below 0.5", mean, lowest, 100*poor)
}

// sameRows reports whether the vertices of an embedding are the first vertices
// of the graph in the same order, that is, whether none was deleted since.
func sameRows(graph *session.Graph, info storage.EmbeddingInfo) (bool, error) {
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

// parameter returns the parameter of that name if it is a number, otherwise nil.
func parameter(parameters []storage.Setting, name string) Value {
	n, err := strconv.ParseInt(valueOf(parameters, name), 10, 64)
	return when(err == nil, n)
}
