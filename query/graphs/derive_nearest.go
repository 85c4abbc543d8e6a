package graphs

import (
	"fmt"
	"math"
	"slices"

	"heavytail/index"
	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/search"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage/csr"
)

func resolveNearestGraph(c *engine.Call, req DeriveRequest) (found derivation, err error) {
	if err := search.CheckCount(req.K); err != nil {
		return found, err
	}
	info, err := c.EmbeddingInfo(req.Embedding, fault.Embedding)
	if err != nil {
		return found, err
	}
	if found.graph, err = c.GraphInfo(info.Graph, fault.Embedding); err != nil {
		return found, err
	}
	found.search, err = search.ResolveSearch(c, search.Question{
		Embedding: req.Embedding, Metric: req.Metric, Many: true, Scope: search.Scope{K: req.K}, Attributes: session.AttributeNames(found.graph),
	})
	return found, err
}

func nearestGraphPlan(req DeriveRequest, found derivation) *plan.Plan {
	from := "every vertex with a vector"
	if req.Mutual {
		from += ", mutual"
	}
	return found.search.PlanFrom(from + ", itself left out")
}

// nearestGraph makes the graph of the nearest vertices of an embedding, with the vertices
// and attributes of its graph. It searches as NEAREST FOR ALL does, and holds all answers
// in memory.
func nearestGraph(c *engine.Call, req DeriveRequest, found derivation) (made derived, err error) {
	b, err := search.OpenNearestBatches(c, "", engine.RowRange{}, found.search)
	if err != nil {
		return made, err
	}
	g := b.Space.Graph
	n := g.Graph.Vertices()
	// Each answer is in a list, then an edge in three lists and in two rows, each with a weight.
	const perList, perAnswer, perVertex, perEdge = 24, 8, 16, 24
	answers, what := int64(n)*int64(b.K), "graph "+fault.Name(req.Graph)
	if err := c.Hold(c.DB.Cache.Reserve(perList*int64(n)+perAnswer*answers, what)); err != nil {
		return made, err
	}
	near := make(nearestLists, n)
	err = b.Hits(func(u uint32, hits []index.Hit) error {
		near[u] = similar(b.Metric, hits)
		return nil
	})
	if err != nil {
		return made, err
	}
	b.Exact, b.Graph = nil, nil
	if err := c.Hold(c.DB.Cache.ReserveWork(perVertex*int64(n)+perEdge*answers, what)); err != nil {
		return made, err
	}
	made = derived{
		times: g.Info.Times, key: g.Key,
		source: fmt.Sprintf("nearest %d by %s of embedding %s, generation %d", req.K, req.Metric, fault.Name(req.Embedding), b.Space.Info.Generation),
	}
	if made.graph, err = near.graph(n, req.Mutual); err != nil {
		return made, err
	}
	made.columns, err = columnsOf(g.Info, b.Columns, algorithms.Sample(n, n, 0))
	return made, err
}

// nearestLists has, for each vertex, its nearest vertices with a positive similarity, and
// the similarities.
type nearestLists [][]index.Hit

// similar replaces the distances of hits by similarities, and leaves out hits whose
// similarity is not positive.
func similar(metric index.Metric, hits []index.Hit) []index.Hit {
	for i, h := range hits {
		if metric == index.L2 {
			h.Distance = 1 / (1 + h.Distance)
		}
		hits[i].Distance = min(h.Distance, math.MaxFloat32) // the scalar product of large vectors may exceed a float32
	}
	return slices.DeleteFunc(hits, func(h index.Hit) bool { return !(h.Distance > 0) })
}

// graph joins two vertices if one of them is in the list of the other, or with mutual if
// each is in the list of the other.
func (near nearestLists) graph(n int, mutual bool) (*csr.Graph, error) {
	most := 0
	for _, hits := range near {
		most += len(hits)
	}
	edges := make([]csr.Edge, 0, most)
	for v, hits := range near {
		for _, h := range hits {
			if mutual {
				if _, back := near.similarity(h.Vertex, uint32(v)); !back {
					continue
				}
			}
			edges = append(edges, csr.Edge{U: uint32(v), V: h.Vertex})
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		return nil, err
	}
	g.Weights = make([]float32, len(g.Targets))
	for u := range uint32(n) {
		for at := g.Offsets[u]; at < g.Offsets[u+1]; at++ {
			// The smaller vertex comes first, because the rounding of a similarity may
			// depend on the direction.
			v := g.Targets[at]
			weight, found := near.similarity(min(u, v), max(u, v))
			if !found {
				weight, _ = near.similarity(max(u, v), min(u, v))
			}
			g.Weights[at] = weight
		}
	}
	return g, nil
}

// similarity returns the similarity of v in the list of u.
func (near nearestLists) similarity(u, v uint32) (float32, bool) {
	i := slices.IndexFunc(near[u], func(h index.Hit) bool { return h.Vertex == v })
	if i < 0 {
		return 0, false
	}
	return near[u][i].Distance, true
}
