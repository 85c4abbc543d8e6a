package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
)

// Forms of a method.
const (
	asPaper   = "paper"
	asDefault = "default"
	asTuned   = "tuned"
	fromWalks = "walks" // unit_ball, starting from the vectors of DeepWalk
)

type use struct {
	method string // in the paper
	form   string
	call   string // in the language
}

// uses returns the methods and forms whose options are known without a search.
func uses() []use {
	return []use{
		{le, asPaper, "laplacian_eigenmaps(dim := 200, scale := 0, row_scale := 0, components := 'joint')"},
		{deepWalk, asPaper, "deepwalk(dim := 200, walks := 10, length := 40, epochs := 1, alpha := 0.025)"},
		{dpSpectral, asPaper, "dp_spectral(dim := 200, normalization := 'degree', beta := 0.5, scale := 0, row_scale := 0, components := 'joint')"},
		{dpWalker, asPaper, "dp_walker(dim := 200, walks := 10, length := 40, beta := 1.5, alpha := 0.025)"},
		{le, asDefault, "laplacian_eigenmaps"},
		{deepWalk, asDefault, "deepwalk"},
		{dpSpectral, asDefault, "dp_spectral"},
		{dpWalker, asDefault, "dp_walker"},
		{unitBall, asDefault, "unit_ball"},
		{unitBall, fromWalks, "unit_ball(start := 'deepwalk')"},
	}
}

// trial is the use of a method on a graph.
type trial struct {
	use
	graph  dataset
	stored string // name of the embedding in the store; "" if it follows from the other fields
}

// trials returns the trials of a graph.
func (d dataset) trials(uses []use) []trial {
	var list []trial
	for _, u := range uses {
		list = append(list, trial{use: u, graph: d})
	}
	return list
}

func (t trial) name() string {
	if t.stored != "" {
		return t.stored
	}
	method, _, _ := strings.Cut(t.call, "(")
	return fmt.Sprintf("%s_%s_%s", t.graph.stored(), method, t.form)
}

func (t trial) embed() string {
	return fmt.Sprintf("EMBED %s USING %s AS %s", t.graph.stored(), t.call, t.name())
}

// reconstruct measures the reconstruction: in the form of the paper at the radii of
// the paper's grid, after a search by the criterion of the search, and for unit_ball
// at radius 1, for which it is trained.
func (t trial) reconstruct() string {
	if t.method == unitBall {
		return fmt.Sprintf("RECONSTRUCT %s RADIUS 1", t.name())
	}
	options := map[string]string{asPaper: " WITH (grid := 'paper')", asTuned: " WITH (criterion := 'both')"}
	return fmt.Sprintf("EVALUATE RECONSTRUCTION OF %s", t.name()) + options[t.form]
}

// links measures how edges that were held out are predicted: from the difference
// of two vectors, as in the paper, from their concatenation, which is the best feature
// on average, and by scorers that learn nothing.
func (t trial) links() string {
	return fmt.Sprintf("EVALUATE LINKS IN %s USING %s WITH (share := 0.1, seed := 1, features := 'difference, concatenation')", t.graph.stored(), t.call)
}

// classes measures how well the classes of vertices are predicted from the
// embedding, each alone.
func (t trial) classes() string {
	return fmt.Sprintf("EVALUATE LABELS %s OF %s WITH (fractions := '0.5', seeds := 3, classes := TRUE)", "'"+classAttribute+"'", t.name())
}

// step is one statement of an experiment.
type step struct {
	graph     dataset
	kind      string // one of Kinds; "" for loading a graph
	statement string
	file      string                      // the value of $file
	about     string                      // a description for the log
	cost      float64                     // estimated processor seconds, from which the remaining time is estimated
	prepare   func(context.Context) error // runs before the statement, unless nil
	// answer, unless nil, runs instead of the statement, which is then only the name of
	// the step.
	answer func(context.Context) (columns []string, rows [][]any, err error)
}

func (t trial) making() step {
	return step{graph: t.graph, kind: Methods, statement: t.embed(), about: t.method + " in the form " + t.form, cost: t.cost()}
}

// judging returns the steps that evaluate an embedding.
func (t trial) judging(kind string) []step {
	list := []step{{graph: t.graph, kind: kind, statement: t.reconstruct(), about: "reconstruction by " + t.method + " in the form " + t.form, cost: t.graph.pairCost()}}
	if t.graph.labels != "" {
		list = append(list, step{graph: t.graph, kind: kind, statement: t.classes(), about: "classes by " + t.method + " in the form " + t.form, cost: float64(t.graph.vertices) / 2000})
	}
	return list
}

// cost guesses the processor seconds of an embedding from the size of the graph, and
// those of unit_ball from what was measured on it.
func (t trial) cost() float64 {
	n := float64(t.graph.vertices)
	walks := n * 10 * 40 / visitsPerSecond
	switch {
	case t.method == unitBall && t.form == fromWalks:
		return t.graph.ball + 1.3*walks // two epochs, in fewer dimensions
	case t.method == unitBall:
		return t.graph.ball
	case t.method == deepWalk && t.form == asDefault:
		return 2 * walks // epochs
	case strings.Contains(t.call, "walk"):
		return walks
	}
	return 0.1 + n/12_000
}

// visitsPerSecond is how many visits of walks one processor trains in 200 dimensions.
const visitsPerSecond = 450_000

// pairCost guesses the processor seconds of a sweep over all pairs, and linkCost those
// of an evaluation of links without the embedding.
func (d dataset) pairCost() float64 { return 0.2 + math.Pow(float64(d.vertices), 2)*5e-9 }

func (d dataset) linkCost() float64 { return 0.3 + float64(d.edges)/150_000 }

func costOf(steps []step) float64 {
	sum := 0.0
	for _, s := range steps {
		sum += s.cost
	}
	return sum
}

// clock estimates the time of the remaining steps from the ratio of time to cost of
// the finished steps.
type clock struct{ cost, seconds float64 }

func (c *clock) add(cost, seconds float64) {
	c.cost += cost
	c.seconds += seconds
}

// left returns the estimated time for steps of this cost, zero before the first step
// is finished.
func (c clock) left(cost float64) time.Duration {
	if c.cost == 0 {
		return 0
	}
	return time.Duration(cost / c.cost * c.seconds * float64(time.Second))
}

// Kinds of steps.
const (
	Methods  = "methods"  // the methods in their known forms, and their reconstructions
	Links    = "links"    // link prediction by them
	Searches = "searches" // searches for the best parameters, and their results
	Plots    = "plots"    // degrees of reconstructions, and studies of parameters
)

// Kinds lists the kinds of steps.
func Kinds() []string { return []string{Methods, Links, Searches, Plots} }

// QuickKinds lists the kinds of steps of a quick run.
func QuickKinds() []string { return []string{Methods, Links} }
