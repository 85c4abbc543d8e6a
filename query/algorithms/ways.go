package algorithms

import "heavytail/storage/csr"

// ways are the rows along which searches go, and those against them, with lengths. In an undirected graph
// they are the same.
type ways struct {
	forward, back lengths
	components    func() *csr.Components // which no search leaves
	directed      bool
}

// waysOf are those of a graph, with the weights if the options say so.
func waysOf(g *csr.Graph, opts DistanceOptions) (ways, error) {
	g, err := weightsOf(g, opts.Weighted)
	if err != nil {
		return ways{}, err
	}
	l := lengthsOf(g, opts.Work)
	return ways{forward: l, back: l, components: g.Components}, nil
}

func directedWaysOf(d *csr.Directed, opts DistanceOptions) (w ways, err error) {
	var sides [2]lengths
	for i, r := range []*csr.Rows{&d.Out, &d.In} {
		g, err := weightsOf(rowsOf(r), opts.Weighted)
		if err != nil {
			return ways{}, err
		}
		sides[i] = lengthsOf(g, opts.Work)
	}
	return ways{forward: sides[0], back: sides[1], components: d.WeakComponents, directed: true}, nil
}

func (w ways) vertices() int {
	if w.forward.g == nil {
		return 0
	}
	return w.forward.g.Vertices()
}

// atOnce is the number of searches for distances that take as long as one: without weights 64 at a time
// take twice as long.
func (w ways) atOnce() float64 {
	if w.forward.g.Weights == nil {
		return 32
	}
	return 1
}

// visits is the number of vertices and edges that a search visits, as the mean over all start vertices;
// a search stays in its component. In a directed graph it is at most that.
func (w ways) visits() float64 {
	sum := 0.0
	for _, vertices := range w.components().Vertices() {
		arcs := 0
		for _, v := range vertices {
			arcs += w.forward.g.Degree(v)
		}
		sum += float64(len(vertices)) * float64(len(vertices)+arcs)
	}
	return sum / float64(max(1, w.vertices()))
}

// countedFrom is from how many of its ends a pair of vertices is counted: an unordered pair from both.
func (w ways) countedFrom() float64 {
	if w.directed {
		return 1
	}
	return 2
}
