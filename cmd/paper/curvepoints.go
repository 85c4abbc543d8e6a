package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// curveGraph is a graph on which settings of unit_ball are measured.
type curveGraph struct {
	name   string
	file   string  // in the folder of the data
	labels string  // a file with a vertex and one of its classes a line, or ""
	cost   float64 // relative to the other graphs
	large  bool    // measured with few settings
}

// curveGraphs lists the graphs of the curve, cheap ones first.
func curveGraphs() []curveGraph {
	return []curveGraph{
		{name: "cora", file: "cora.txt", labels: "cora-labels.txt", cost: 1},
		{name: "collegemsg", file: "CollegeMsg.txt.gz", cost: 1},
		{name: "grqc", file: "ca-GrQc.txt.gz", cost: 2},
		{name: "facebook", file: "ego-facebook.txt.gz", cost: 3},
		{name: "blogcatalog", file: "blogcatalog.csv.gz", labels: "blogcatalog-labels.csv.gz", cost: 30, large: true},
		{name: "dblp", file: "dblp.txt.gz", labels: "dblp-labels.txt.gz", cost: 60, large: true},
		{name: "twitter", file: "ego-twitter.txt.gz", cost: 500, large: true},
	}
}

// CurveGraphs lists the names of the graphs of RunCurve.
func CurveGraphs() []string { return namesOf(curveGraphs(), curveGraph.stored) }

func (g curveGraph) stored() string { return g.name }

// setting is a choice of options of unit_ball, or, if margin is 0, the method itself from
// whose vectors unit_ball starts.
type setting struct {
	dim            int
	start          string // "random" or the name of a method
	anchor, margin float64
}

const (
	randomStart = "random"
	usualMargin = 0.05 // the defaults of unit_ball
	usualAnchor = 0.3  // of other starts
)

// alone reports whether the setting is the method of the start without unit_ball.
func (s setting) alone() bool { return s.margin == 0 }

// reference is the setting with only the method of the start.
func (s setting) reference() setting { return setting{dim: s.dim, start: s.start} }

func (s setting) call() string {
	switch {
	case s.alone():
		return fmt.Sprintf("%s(dim := %d, seed := 1)", s.start, s.dim)
	case s.start == randomStart:
		return fmt.Sprintf("unit_ball(dim := %d, margin := %g, seed := 1)", s.dim, s.margin)
	}
	return fmt.Sprintf("unit_ball(dim := %d, start := '%s', anchor := %g, margin := %g, seed := 1)", s.dim, s.start, s.anchor, s.margin)
}

// settings lists the settings of small graphs or of large ones, the most important ones
// first: those with the usual margin, and of these those with the smaller dimension. Other
// margins are measured with the usual anchor. An anchor to random vectors has no use and is
// not measured.
func settings(large bool) []setting {
	dims, starts, margins := []int{64, 128}, []string{"deepwalk", "dp_walker"}, []float64{usualMargin, 0.025, 0.1}
	anchors := []float64{usualAnchor, 0, 0.1, 1}
	if large {
		dims, starts, margins, anchors = dims[1:], starts[:1], margins[:1], anchors[:2]
	}
	var list []setting
	for _, margin := range margins {
		for _, dim := range dims {
			list = append(list, setting{dim: dim, start: randomStart, margin: margin})
			for _, start := range starts {
				if margin != usualMargin {
					list = append(list, setting{dim, start, usualAnchor, margin})
					continue
				}
				list = append(list, setting{dim: dim, start: start})
				for _, anchor := range anchors {
					list = append(list, setting{dim, start, anchor, margin})
				}
			}
		}
	}
	return list
}

type curvePoint struct {
	graph curveGraph
	setting
	rank int // of the setting among those of its graph
}

func (p curvePoint) name() string { return fmt.Sprintf("curve of %s: %s", p.graph.name, p.call()) }

// cost is relative to other points.
func (p curvePoint) cost() float64 {
	cost := p.graph.cost * float64(p.dim) / 64
	if p.start != randomStart {
		cost *= 5 // walks are trained for all edges, and for those that are not hidden
	}
	return cost
}

// curvePoints lists the points, those of small graphs first, and of these the most
// important settings of every graph first.
func curvePoints(graphs []curveGraph) []curvePoint {
	var list []curvePoint
	for _, g := range graphs {
		for rank, s := range settings(g.large) {
			list = append(list, curvePoint{g, s, rank})
		}
	}
	slices.SortStableFunc(list, func(a, b curvePoint) int {
		if a.graph.large || b.graph.large {
			return cmp.Compare(largeCost(a), largeCost(b))
		}
		return cmp.Compare(tier(a), tier(b))
	})
	return list
}

// tier groups the ranks so that all graphs have one group before any has the next: the first
// has the settings of one dimension with the usual margin, and random starts, which are cheap.
func tier(p curvePoint) int {
	if p.start == randomStart {
		return 0
	}
	return p.rank / 11
}

// largeCost orders large graphs by cost, after all small ones.
func largeCost(p curvePoint) float64 {
	if p.graph.large {
		return p.graph.cost
	}
	return 0
}

// curveColumns are the figures of a point; one that does not apply is NaN.
var curveColumns = []string{"pearson", "spearman", "precision", "recall", "wrong pairs",
	"auc random", "ap random", "auc degree", "ap degree", "labels 10", "labels 50"}

// figureOf returns a figure, NaN if it is not known.
func figureOf[K comparable](m map[K]float64, name K) float64 {
	if v, ok := m[name]; ok {
		return v
	}
	return math.NaN()
}
