package links

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	embeddings "heavytail/embedding"
	"heavytail/embedding/link"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scoring"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// predictBlock is the number of vertices computed between two writes: enough to
// keep all workers busy, and few enough that their links are small compared with
// the graph. Two blocks are in memory at a time.
const predictBlock = 1024

// predictedBytes is the memory of the blocks, with k links of each vertex: 16 bytes as the predictor
// returns them, and 16 as they are stored.
func predictedBytes(k int) int64 { return 2 * 32 * int64(k) * predictBlock }

// cappedSetting is the number of vertices from which only a few paths were followed, and
// reasonCapped why all links are then computed each time.
const (
	cappedSetting = "capped"
	reasonCapped  = "only a few paths are followed from some vertices, and which ones depends on the whole graph"
)

// materializing is a MaterializeRequest whose graph and scorer are loaded.
type materializing struct {
	*prediction
	renewal
	reached []uint32 // the vertices whose links are computed, ascending, if predictions were stored before
}

func runMaterialize(c *engine.Call, req MaterializeRequest, found *materializeEntry) (MaterializeResult, error) {
	p, err := loadPrediction(c, linksRequest{}, found.linksEntry)
	if err != nil {
		return MaterializeResult{}, err
	}
	m := &materializing{prediction: p}
	if m.renewal, err = findRenewal(c, found, p.graph.Info, p.made()); err != nil {
		return MaterializeResult{}, err
	}
	predictor, release, err := predictor(c, p)
	if err != nil {
		return MaterializeResult{}, err
	}
	defer release()
	info := storage.PredictionInfo{Scorer: found.scorer().String(), K: m.k, Options: found.with, Made: m.made}
	capped := noteCapped(c, predictor)
	scoring.NoteBipartite(c, p.graph, p.linkSearch.sides, req.With)
	if capped > 0 {
		// Which vertices are capped depends on the whole graph. With the additional setting a
		// later run does not take these links for its own.
		info.Options = cappedOptions(found.with, capped)
		m.old, m.reason = nil, reasonCapped
	}
	if m.old != nil {
		m.reached = within(p.graph.Graph, m.changed, found.radius())
	}
	result, err := engine.InJob(c, found.spec(req, p.graph.Info), func(embeddings.Checkpoints) (MaterializeResult, error) {
		return storePredictions(c, m, predictor, info)
	})
	result.Capped, result.Reason, result.Notices = capped, m.reason, c.Notices
	return result, err
}

func cappedOptions(with []storage.Setting, capped int64) []storage.Setting {
	return append(slices.Clone(with), storage.Setting{Name: cappedSetting, Value: fmt.Sprint(capped)})
}

// within lists the vertices at most radius edges away from any of the given ones, ascending.
func within(g *csr.Graph, from []uint32, radius int) []uint32 {
	seen := make([]bool, g.Vertices())
	list := make([]uint32, 0, len(from))
	for _, v := range from {
		seen[v] = true
		list = append(list, v)
	}
	for begin := 0; radius > 0; radius-- {
		end := len(list)
		for _, u := range list[begin:end] {
			for _, v := range g.Neighbors(u) {
				if !seen[v] {
					seen[v] = true
					list = append(list, v)
				}
			}
		}
		begin = end
	}
	slices.Sort(list)
	return list
}

func storePredictions(c *engine.Call, m *materializing, predictor *link.Predictor, info storage.PredictionInfo) (MaterializeResult, error) {
	near, err := nearAll(c, m.prediction)
	if err != nil {
		return MaterializeResult{}, err
	}
	if m.old != nil && m.old.GraphVersion == m.graph.Info.Version {
		return MaterializeResult{PredictionInfo: *m.old}, nil // nothing has changed
	}
	stop := c.Watch.Start(plan.Score)
	n := m.graph.Graph.Vertices()
	computed := 0
	info, err = c.DB.Store.PutPredictions(c.Ctx, m.graph.Snapshot, info, func(w *storage.PredictionWriter) error {
		return predictBlocks(c, m, predictor, near, 0, n, func(b predictedBlock) error {
			for i, links := range b.lists {
				var err error
				if b.some[i] {
					computed++
					err = w.Add(links)
				} else {
					err = w.Copy()
				}
				if err != nil {
					return err
				}
			}
			c.Meter.Update("predicting", int64(b.end), int64(n))
			return nil
		})
	})
	if err != nil {
		return MaterializeResult{}, err
	}
	stop(int64(computed), "")
	c.Job.Result("%d links of %d vertices, %d of them computed", info.Links, info.Vertices, computed)
	return MaterializeResult{PredictionInfo: info, Computed: computed}, nil
}

// predictedBlock has the links of consecutive vertices before end, and which were computed.
type predictedBlock struct {
	end   int
	lists [][]storage.PredictedLink
	some  []bool
	err   error
}

// predictBlocks computes the links of those vertices from lo to hi that need it, and calls take
// with each block of them, in order, while it computes the next one.
func predictBlocks(c *engine.Call, m *materializing, predictor *link.Predictor, near link.Near, lo, hi int, take func(predictedBlock) error) error {
	blocks, stop := make(chan predictedBlock), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(blocks)
		for ok := true; lo < hi && ok; lo += predictBlock {
			b := predictOneBlock(c, m, predictor, near, lo, min(hi, lo+predictBlock))
			select {
			case blocks <- b:
				ok = b.err == nil
			case <-stop:
				return
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for b := range blocks {
		err := b.err
		if err == nil {
			err = take(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func predictOneBlock(c *engine.Call, m *materializing, predictor *link.Predictor, near link.Near, lo, hi int) predictedBlock {
	b := predictedBlock{end: hi, lists: make([][]storage.PredictedLink, hi-lo), some: make([]bool, hi-lo)}
	var vertices []uint32 // that need it and are not newer than the vectors
	for u := uint32(lo); u < uint32(hi); u++ {
		if _, reached := slices.BinarySearch(m.reached, u); m.old != nil && !reached {
			continue
		}
		b.some[u-uint32(lo)] = true
		if u < m.Scorers[0].Rows {
			vertices = append(vertices, u)
		}
	}
	links, err := likeliest(c, m.prediction, predictor, near, vertices)
	for i, u := range vertices {
		list := make([]storage.PredictedLink, len(links[i]))
		for j, l := range links[i] {
			list[j] = storage.PredictedLink{Vertex: l.V, Score: l.Score}
		}
		b.lists[u-uint32(lo)] = list
	}
	b.err = err
	return b
}

func likeliest(c *engine.Call, p *prediction, predictor *link.Predictor, near link.Near, vertices []uint32) ([][]link.PredictedLink, error) {
	links, also, faults := make([][]link.PredictedLink, len(vertices)), make([][]uint32, len(vertices)), make([]error, len(vertices))
	if near != nil && len(vertices) > 0 {
		var err error
		if also, err = near(vertices); err != nil {
			return links, err
		}
	}
	vec.Parallel(len(vertices), 8, c.Workers(), func(_, from, to int) {
		for i := from; i < to; i++ {
			links[i], _, faults[i] = predictor.Limited(c.Ctx, vertices[i], also[i], p.k)
		}
	})
	return links, cmp.Or(c.Ctx.Err(), errors.Join(faults...))
}
