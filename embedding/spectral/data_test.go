package spectral

import (
	"sync"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/csr"
)

// graphs caches the graphs that realGraph has read.
type graphs struct {
	mu sync.Mutex
	m  map[string]*csr.Graph
}

var realGraphs = graphs{m: map[string]*csr.Graph{}}

// realGraph loads a published graph once. Vertices without an edge are left out.
func realGraph(tb testing.TB, name string) *csr.Graph {
	tb.Helper()
	realGraphs.mu.Lock()
	defer realGraphs.mu.Unlock()
	g := realGraphs.m[name]
	if g == nil {
		g = realgraph.Load(tb, name)
		realGraphs.m[name] = g
	}
	return g
}

// largestComponent returns the induced subgraph of the largest component.
func largestComponent(g *csr.Graph) *csr.Graph {
	return g.Induced(g.Components().Vertices()[0])
}
