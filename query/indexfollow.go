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

// This file has the indexes of an embedding follow when it is refreshed or computed
// again. An index belongs to the rows of one generation and goes with them, so that
// it is taken into memory before a refresh, made one of the new rows, and stored with
// them in one step; of an embedding that is computed again only its parameters are.

// How the recall of an index is measured, and how much of it is asked for where
// ef is not given.
const (
	recallK       = 10
	recallQueries = 100
	recallWanted  = 0.99
)

// keptIndex is an index of a generation that is about to be replaced.
type keptIndex struct {
	metric index.Metric
	opts   index.HNSWOptions
	hnsw   *index.HNSW // nil where it cannot be read: it is built again
}

// keepIndexes takes the indexes of an embedding into memory, with the vectors that
// they are of.
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
		if _, r, err := c.db.store.Index(c.Ctx, v.Info, k.metric.String()); err == nil {
			if h, err := index.ReadHNSW(bufio.NewReader(r), v.Matrix); err == nil {
				k.hnsw, k.opts = h, h.Options()
			}
		}
	}
	return all, v, c.Ctx.Err()
}

// indexesOf lists the indexes of an embedding by what they were built with; none where
// there is no such embedding.
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

// parametersOf returns the options that an index was built with.
func parametersOf(info storage.IndexInfo) index.HNSWOptions {
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
// are those of the same vertices as before and later ones if before is given, to be
// stored with them. What fails here, but for the end of the context, is a notice:
// searches go without the index.
func (c *call) followIndexes(embedding string, all []keptIndex, before, after *vec.Matrix) ([]storage.NewIndex, error) {
	var list []storage.NewIndex
	for _, k := range all {
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

// followIndex makes an index one of other vectors: of those that have changed, or
// of all of them.
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
func newIndex(h *index.HNSW, recall index.Recall, took time.Duration) storage.NewIndex {
	o := h.Options()
	return storage.NewIndex{
		Info: storage.IndexInfo{
			Metric: h.Metric().String(), Vectors: h.Live(), Seconds: took.Seconds(),
			Recall: recall.Mean, Queries: recall.Queries, Spread: true, Lowest: recall.Lowest, Poor: recall.Poor,
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

// recallText states a recall, with its worst where that is known.
func recallText(mean float64, spread bool, lowest, poor float64) string {
	if !spread {
		return fmt.Sprintf("recall %.4g", mean)
	}
	return fmt.Sprintf("recall %.4g, lowest %.2g, %.3g %% of queries below 0.5", mean, lowest, 100*poor)
}

// sameRows reports whether the vertices of an embedding are the first ones of a
// graph, in order: none was deleted since.
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

// parameter returns a number among parameters, or nil where it is none.
func parameter(parameters []storage.Setting, name string) Value {
	i := slices.IndexFunc(parameters, func(s storage.Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	n, err := strconv.ParseInt(parameters[i].Value, 10, 64)
	if err != nil {
		return nil
	}
	return n
}
