package query

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"time"

	"heavytail/index"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// This file has the indexes of an embedding follow when it is refreshed. An index
// belongs to the rows of one generation and goes with them, so that it is taken
// into memory before, made one of the new rows, and stored with them in one step.

// keptIndex is an index of a generation that is about to be replaced.
type keptIndex struct {
	metric index.Metric
	opts   index.HNSWOptions
	hnsw   *index.HNSW // nil where it cannot be read: it is built anew
}

// keepIndexes takes the indexes of an embedding into memory, with the vectors that
// they are of.
func (c *call) keepIndexes(embedding string) ([]keptIndex, *vectors, error) {
	list, err := c.db.store.Indexes(c.ctx, embedding)
	if errors.Is(err, storage.ErrCorrupt) {
		c.notice("the indexes of embedding %s go: %v; create them again", name(embedding), plainly(err))
		return nil, nil, nil
	}
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	v, _, _, err := c.vectors(embedding, partEmbedding)
	if err != nil {
		return nil, nil, err
	}
	var all []keptIndex
	for _, info := range list {
		metric, err := index.ParseMetric(info.Metric)
		if err != nil {
			c.notice("the index of embedding %s by %s goes: %v", name(embedding), info.Metric, err)
			continue
		}
		k := keptIndex{metric: metric, opts: parametersOf(info)}
		if _, r, err := c.db.store.Index(c.ctx, v.info, info.Metric); err == nil {
			if h, err := index.ReadHNSW(bufio.NewReader(r), v.matrix); err == nil {
				k.hnsw, k.opts = h, h.Options()
			}
		}
		all = append(all, k)
	}
	return all, v, c.ctx.Err()
}

// parametersOf returns the options that an index was built with.
func parametersOf(info IndexInfo) index.HNSWOptions {
	number := func(name string) int {
		n, _ := parameter(info.Parameters, name).(int64)
		return int(n)
	}
	opts := index.HNSWOptions{M: number("m"), EfConstruction: number("ef_construction"), Ef: number("ef")}
	for _, p := range info.Parameters {
		if p.Name == "seed" { // may be more than fits a number of the language
			opts.Seed, _ = strconv.ParseUint(p.Value, 10, 64)
		}
	}
	return opts
}

// followIndexes makes the indexes of the next generation of an embedding, whose rows
// are those of the same vertices and later ones if same is set, to be stored with
// them. What fails here, but for the end of the context, is a notice: searches go
// without the index.
func (c *call) followIndexes(all []keptIndex, before *vectors, after *vec.Matrix, same bool) ([]storage.NewIndex, error) {
	var list []storage.NewIndex
	for _, k := range all {
		if !same || before.matrix.Dim != after.Dim {
			k.hnsw = nil
		}
		next, err := c.followIndex(k, before, after)
		switch {
		case err == nil:
			list = append(list, next)
		case c.ctx.Err() != nil:
			return nil, err
		default:
			c.notice("embedding %s has no index by %s any more: %v; create it again", name(before.info.Name), k.metric, plainly(err))
		}
	}
	return list, nil
}

// followIndex makes an index one of other vectors: of those that have changed, or
// anew.
func (c *call) followIndex(k keptIndex, before *vectors, after *vec.Matrix) (storage.NewIndex, error) {
	if len(after.Data) == 0 {
		return storage.NewIndex{}, errors.New("it has no vectors left")
	}
	release, err := c.db.cache.reserve(2*k.opts.Bytes(after.Rows), "the index")
	if err != nil {
		return storage.NewIndex{}, err
	}
	defer release()
	began := time.Now()
	opts := k.opts
	opts.Workers, opts.Progress = c.workers(), c.meter.update
	var h *index.HNSW
	if k.hnsw != nil {
		h, err = k.hnsw.Apply(c.ctx, after, index.Changes{Changed: changedRows(before.matrix, after)}, opts)
	} else {
		h, err = index.NewHNSW(c.ctx, after, k.metric, opts)
	}
	if err != nil {
		return storage.NewIndex{}, err
	}
	recall, err := measureRecall(c.ctx, h, opts.Ef)
	return newIndex(h, recall, time.Since(began)), err
}

// changedRows lists the rows of a matrix that another one, which has at least as
// many, has with other values.
func changedRows(before, after *vec.Matrix) []uint32 {
	var list []uint32
	for v := range before.Rows {
		old, now := before.Row(v), after.Row(v)
		for i, x := range old {
			if x != now[i] {
				list = append(list, uint32(v))
				break
			}
		}
	}
	return list
}

// newIndex describes an index for the store.
func newIndex(h *index.HNSW, recall float64, took time.Duration) storage.NewIndex {
	o := h.Options()
	return storage.NewIndex{
		Info: IndexInfo{
			Metric: h.Metric().String(), Vectors: h.Live(), Recall: recall, Queries: min(recallQueries, h.Live()), Seconds: took.Seconds(),
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

// measureRecall sets the number of candidates where it is not given, and returns
// the recall with it.
func measureRecall(ctx context.Context, h *index.HNSW, ef int) (float64, error) {
	if ef == 0 {
		return h.Calibrate(ctx, recallK, recallQueries, recallWanted)
	}
	recalls, err := h.Recall(ctx, recallK, recallQueries, ef)
	if err != nil {
		return 0, err
	}
	return recalls[0], nil
}

// sameRows reports whether the vertices of an embedding are the first ones of a
// graph, in order: none was deleted since.
func sameRows(graph *graphView, info storage.EmbeddingInfo) (bool, error) {
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
