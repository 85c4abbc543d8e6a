package link

import "heavytail/storage/csr"

// ways are the edges that a scorer follows: those from the first vertex of a pair, by their sources, and
// those to the second, by their targets. Of an undirected graph both are the graph.
type ways struct{ out, in *csr.Graph }

func undirected(g *csr.Graph) ways { return ways{g, g} }

func along(d *csr.Directed) ways { return ways{(*csr.Graph)(&d.Out), (*csr.Graph)(&d.In)} }

// directed reports whether the order of a pair matters.
func (w ways) directed() bool { return w.out != w.in }

// reversed are the ways from the second vertex of a pair to the first.
func (w ways) reversed() ways { return ways{w.in, w.out} }

// has reports whether there is an edge from u to v.
func (w ways) has(u, v uint32) bool {
	return csr.HasArc((*csr.Rows)(w.out), (*csr.Rows)(w.in), u, v)
}
