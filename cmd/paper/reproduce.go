package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// This file has the steps of the paper's experiments. All options that matter are given, so
// that they do not change with the defaults of heavytail. Where the paper does not give an
// option, it is that of word2vec.

const (
	walking   = "walks := 10, length := 40, window := 10, epochs := 1, alpha := 0.025, negative := 0, row_norm := 0, row_scale := 0"
	spectral  = "scale := 0, row_scale := 0"
	nullGraph = "_null"
)

// variants returns the calls of a method of the paper that are tried on a graph.
func (e *experiment) variants(d dataset, method string) (calls []string) {
	switch method {
	case le:
		return []string{"laplacian_eigenmaps(components := 'joint', " + spectral + ")", "laplacian_eigenmaps(components := 'apart', " + spectral + ")"}
	case deepWalk:
		return []string{"deepwalk(" + walking + ")"}
	case dpSpectral:
		for _, normalization := range []string{"degree", "strength"} {
			betas := e.betas(d)
			if normalization == "degree" { // above 1 hubs have no weight left
				if betas = slices.DeleteFunc(slices.Clone(betas), func(b float64) bool { return b > 1 }); len(betas) == 0 {
					betas = []float64{0.5}
				}
			}
			for _, beta := range betas {
				calls = append(calls, fmt.Sprintf("dp_spectral(normalization := '%s', beta := %g, common := 1, components := 'apart', %s)", normalization, beta, spectral))
			}
		}
	case dpWalker:
		for _, beta := range e.betas(d) {
			calls = append(calls, fmt.Sprintf("dp_walker(beta := %g, common := 1, %s)", beta, walking))
		}
	}
	return calls
}

// betas are the values of β that are tried on a graph; a quick run tries every other one.
func (e *experiment) betas(d dataset) []float64 {
	if !e.config.Quick {
		return d.betas
	}
	return slices.DeleteFunc(slices.Clone(d.betas), func(b float64) bool { return b != 0.5 && b != 1.5 && b != 2.5 })
}

// dims are the dimensions of the paper's study.
func (e *experiment) dims(d dataset) []int {
	if e.config.Quick && d.dims != nil {
		return []int{16, 64, d.dimension()}
	}
	return d.dims
}

// described is what the claims say about a variant: β and the normalisation, or how
// components are solved.
func described(call string) string {
	var parts []string
	for _, option := range strings.Split(call[strings.Index(call, "(")+1:], ", ") {
		name, value, _ := strings.Cut(option, " := ")
		switch name {
		case "beta":
			parts = append(parts, "β "+value)
		case "normalization", "components":
			parts = append(parts, strings.Trim(value, "')"))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "apart" && len(parts) > 1 }), ", ")
}

// fitted adds the dimension to a call, unless it is the default.
func (d dataset) fitted(call string) string {
	if d.dim == 0 {
		return call
	}
	return strings.Replace(call, "(", fmt.Sprintf("(dim := %d, ", d.dim), 1)
}

// dimension is that of the paper's experiments.
func (d dataset) dimension() int { return cmp.Or(d.dim, 200) }

// measured returns the statement that measures the reconstruction of a call by the paper's
// grid of ε, at the ε with the highest Pearson's r. Where a method has one variant, it measures the
// vectors that are stored for links, so that they are not computed twice.
func (e *experiment) measured(d dataset, method, call string, dim int) string {
	if dim == d.dimension() && len(e.variants(d, method)) == 1 {
		return fmt.Sprintf("EVALUATE RECONSTRUCTION OF %s WITH (grid := 'paper')", vectorsOf(d.name, method))
	}
	return fmt.Sprintf("EVALUATE PARAMETERS IN %s USING %s WITH (dim := '%d', grid := 'paper')", d.name, call, dim)
}

// best returns the variant with the highest Pearson's r of those that were measured, and
// its figures; "" if there is none.
func (e *experiment) best(d dataset, method string) (call string, figures values) {
	for _, c := range e.variants(d, method) {
		if v := e.first(e.measured(d, method, c, d.dimension())); v != nil && (figures == nil || v.get("pearson") > figures.get("pearson")) {
			call, figures = c, v
		}
	}
	return call, figures
}

// The statements of a variant on a graph, or on its null graph, for links and classes.
func vectorsOf(graph, method string) string {
	return graph + "_" + strings.ToLower(strings.ReplaceAll(method, "-", "_"))
}

func embedded(graph, method, call string) string {
	return fmt.Sprintf("EMBED %s USING %s AS %s", graph, call, vectorsOf(graph, method))
}

func pairsOf(graph, method string) string { return "links of " + vectorsOf(graph, method) }

func classesOf(graph, method, attribute string) string {
	return fmt.Sprintf("EVALUATE LABELS '%s' OF %s WITH (fractions := '0.5', seeds := 1, classes := TRUE)", attribute, vectorsOf(graph, method))
}

// reached are the calls whose results end the page: the methods of the paper with their
// defaults, which train deepwalk and dp_walker alike, and unit_ball.
func reached() []string {
	return []string{"laplacian_eigenmaps", "dp_spectral", "deepwalk", "dp_walker", "unit_ball"}
}

func reproduceSteps(e *experiment) (list []step) {
	for _, d := range e.graphs {
		add := func(statement, about string, cost float64) {
			list = append(list, step{statement: statement, about: d.name + ": " + about, cost: cost})
		}
		list = append(list, e.loading(d)...)
		add(properties(d), "hubs", 0.5)
		for _, m := range methods() {
			variants := e.variants(d, m)
			for _, call := range variants {
				if len(variants) == 1 {
					add(embedded(d.name, m, d.fitted(call)), "vectors of "+m, d.cost(call))
				}
				add(e.measured(d, m, call, d.dimension()), fmt.Sprintf("reconstruction by %s, %s", m, described(call)), d.cost(call)+2*d.pairCost())
				list[len(list)-1].optional = len(variants) > 1 // β can be too large for the degrees
			}
		}
		list = append(list, e.studying(d)...)
		list = append(list, e.predicting(d, d.name)...)
		if d.size.vertices <= 10 && !e.config.Quick {
			null := d.name + nullGraph
			list = append(list, step{statement: fmt.Sprintf("CREATE GRAPH %s AS NULL OF %s WITH (seed := 1)", null, d.name), about: d.name + ": null graph", cost: 0.5, prepare: e.dropping(null)})
			list = append(list, e.predicting(d, null)...)
		}
		for _, call := range reached() {
			if !d.large && !(e.config.Quick && d.name == "synthetic" && call == "unit_ball") {
				list = append(list, measurement{d, call}.steps(true)...)
			}
		}
	}
	return append(list, starSteps(e)...)
}

// studying returns the steps of the paper's figure of dimensions; its figure of β has the
// same steps as Table 2.
func (e *experiment) studying(d dataset) (list []step) {
	for _, m := range []string{dpSpectral, dpWalker} {
		call, _ := e.best(d, m)
		for _, dim := range e.dims(d) {
			if call != "" {
				list = append(list, step{statement: e.measured(d, m, call, dim), about: fmt.Sprintf("%s: %s in %d dimensions", d.name, m, dim), cost: d.cost(call)*float64(dim)/float64(d.dimension()) + d.pairCost()})
			}
		}
	}
	return list
}

// predicting returns the steps of links and classes on a graph or its null graph.
func (e *experiment) predicting(d dataset, graph string) (list []step) {
	for _, m := range methods() {
		call, _ := e.best(d, m)
		if call == "" {
			continue
		}
		list = append(list, step{statement: embedded(graph, m, d.fitted(call)), about: fmt.Sprintf("%s: vectors of %s", graph, m), cost: d.cost(call)},
			step{statement: pairsOf(graph, m), about: fmt.Sprintf("%s: links by %s", graph, m), cost: 3 + d.size.edges/100,
				answer: func(ctx context.Context) ([]string, [][]any, error) {
					return e.pairFigures(ctx, graph, vectorsOf(graph, m))
				}})
		if d.labels != "" && graph == d.name {
			for _, attribute := range []string{classAttribute, shuffledAttribute} {
				list = append(list, step{statement: classesOf(graph, m, attribute), about: fmt.Sprintf("%s: %s by %s", graph, attribute, m), cost: d.size.vertices / 2})
			}
		}
	}
	return list
}

// A star of 5 leaves in the plane, where the upper bound of the paper's theorem allows 3.
const (
	starLeaves = 5
	starDim    = 2
	starMade   = "INSERT EDGE ('hub', '1'), ('hub', '2'), ('hub', '3'), ('hub', '4'), ('hub', '5') INTO star"
)

func starEmbed() string {
	return fmt.Sprintf("EMBED star USING unit_ball(dim := %d) AS star_ball", starDim)
}

func starSteps(e *experiment) []step {
	return []step{
		{statement: "CREATE GRAPH star", about: "star", cost: 0.1, prepare: e.dropping("star")},
		{statement: starMade, about: "star: its edges", cost: 0.1},
		{statement: starEmbed(), about: "star: placement", cost: 0.1},
		{statement: "RECONSTRUCT star_ball RADIUS 1", about: "star: reconstruction", cost: 0.1},
	}
}

// properties is the statement that shows all properties of a graph.
func properties(d dataset) string { return "DESCRIBE GRAPH " + d.name + " ALL" }
