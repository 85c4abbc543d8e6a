package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"heavytail/storage"
)

// Forms of a method.
const (
	asPaper   = "paper"
	asDefault = "default"
	asTuned   = "tuned"
	fromWalks = "walks" // unit_ball, begun with the vectors of DeepWalk
)

// use is a method in one form.
type use struct {
	method string // in the paper
	form   string
	call   string // in the language
}

// uses are the methods and forms whose options are known beforehand.
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
	stored string // name of the embedding in the store, where it does not follow from the rest
}

// trials are those of a graph.
func (e *experiment) trials(d dataset) []trial {
	var list []trial
	for _, u := range e.uses {
		list = append(list, trial{use: u, graph: d})
	}
	return list
}

// name is the name of the embedding in the store.
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

// reconstruct measures the reconstruction: in the form of the paper at the radii
// of its grid, after a search by what was searched for, and that of unit_ball at the
// radius that it is made for.
func (t trial) reconstruct() string {
	if t.method == unitBall {
		return fmt.Sprintf("RECONSTRUCT %s RADIUS 1", t.name())
	}
	options := map[string]string{asPaper: " WITH (grid := 'paper')", asTuned: " WITH (criterion := 'both')"}
	return fmt.Sprintf("EVALUATE RECONSTRUCTION OF %s", t.name()) + options[t.form]
}

// links measures how edges that were held out are predicted: from the difference
// of two vectors, as in the paper, from the feature that is best on average, and
// by scores that learn nothing.
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
	kind      string // one of Kinds, "" of what brings a graph in
	statement string
	file      string                      // the value of $file
	about     string                      // in words, for who waits
	cost      float64                     // processor seconds that it takes on some machine, for the time that is left
	prepare   func(context.Context) error // comes before the statement, unless nil
	// answer, unless nil, is asked in place of a statement, which is then only the
	// name of the step.
	answer func(context.Context) (columns []string, rows [][]any, err error)
}

// Kinds of steps.
const (
	Methods  = "methods"  // the methods in the forms that are known, and what they reconstruct
	Links    = "links"    // links predicted by them
	Searches = "searches" // for the best parameters, and what they give
	Plots    = "plots"    // degrees of reconstructions, and studies of parameters
)

// Kinds lists the kinds of steps.
func Kinds() []string { return []string{Methods, Links, Searches, Plots} }

// steps lists the steps of an experiment in their order: the graphs, and then
// cheap steps before expensive ones, so that a run that is stopped early has the
// most of the tables. An embedding is made just before what needs it. What follows
// from a search is known when that is in the journal.
func (e *experiment) steps() []step {
	groups := e.groups()
	var list []step
	for _, d := range e.graphs {
		if slices.ContainsFunc(groups, func(g []step) bool { return g[0].graph.name == d.name }) {
			list = append(list, e.loading(d)...)
		}
	}
	return append(list, firsts(slices.Concat(groups...))...)
}

// groups are the steps of the kinds that are asked for, those together that
// need each other, cheap ones first. A group that needs an embedding makes it, so that a
// step can be in several.
func (e *experiment) groups() [][]step {
	var groups [][]step
	for _, d := range e.graphs {
		for _, t := range e.trials(d) {
			if e.config.Quick && !quickly(t) {
				continue
			}
			groups = append(groups, append([]step{e.making(t)}, t.judging(Methods)...),
				[]step{{graph: d, kind: Links, statement: t.links(), about: "links by " + t.method + " in the form " + t.form, cost: t.cost() + d.linkCost()}})
		}
		groups = append(groups, e.tuning(d)...)
		groups = append(groups, e.degreesOf(d)...)
		groups = append(groups, e.studies(d)...)
	}
	groups = slices.DeleteFunc(groups, func(g []step) bool { return !e.config.makes(g[len(g)-1].kind) })
	slices.SortStableFunc(groups, func(a, b []step) int { return cmp.Compare(costOf(a), costOf(b)) })
	return groups
}

// QuickKinds lists the kinds of steps of a quick run.
func QuickKinds() []string { return []string{Methods, Links} }

// quickly says whether a quick run has a method on a graph. The choice is by measured
// processor seconds, so that the whole takes ten minutes of two processors: what is
// left out is above 40 for a step, but for unit_ball on Synthetic, which alone
// gives most edges back there.
func quickly(t trial) bool {
	switch t.graph.name {
	case "Coauthor", "Facebook":
		return true
	case "Synthetic":
		return t.form != fromWalks
	case "Citation":
		return t.method == le || t.method == dpSpectral
	}
	return false
}

// makes says whether steps of a kind are made.
func (c Config) makes(kind string) bool {
	if c.Quick && !slices.Contains(QuickKinds(), kind) {
		return false
	}
	return len(c.Only) == 0 || slices.Contains(c.Only, kind)
}

// firsts leaves out steps that are there before already.
func firsts(steps []step) []step {
	seen := map[string]bool{}
	return slices.DeleteFunc(steps, func(s step) bool {
		again := seen[s.statement]
		seen[s.statement] = true
		return again
	})
}

// making is the step that makes the embedding of a trial.
func (e *experiment) making(t trial) step {
	return step{graph: t.graph, kind: Methods, statement: t.embed(), about: t.method + " in the form " + t.form, cost: t.cost()}
}

// tuning are the searches on a graph, each with what judges its result.
func (e *experiment) tuning(d dataset) [][]step {
	found := e.tuned(d)
	search := step{graph: d, kind: Searches, statement: e.search(d, forReconstruction), about: "a search for the best reconstruction", cost: e.searchCost(d)}
	groups := [][]step{append([]step{search}, found.judging(Searches)...)}
	links := []step{{graph: d, kind: Searches, statement: e.search(d, forLinks), about: "a search for the best prediction of links", cost: e.searchCost(d) + d.pairCost() + 1}}
	if t, known := e.tunedLinks(d); known {
		links = append(links, step{graph: d, kind: Searches, statement: t.links(), about: "links by what was found", cost: t.cost() + d.linkCost()})
	}
	return append(groups, links)
}

// judging are the steps that measure an embedding.
func (t trial) judging(kind string) []step {
	list := []step{{graph: t.graph, kind: kind, statement: t.reconstruct(), about: "reconstruction by " + t.method + " in the form " + t.form, cost: t.graph.pairCost()}}
	if t.graph.labels != "" {
		list = append(list, step{graph: t.graph, kind: kind, statement: t.classes(), about: "classes by " + t.method + " in the form " + t.form, cost: float64(t.graph.vertices) / 2000})
	}
	return list
}

// costOf is the cost of all of some steps.
func costOf(steps []step) float64 {
	sum := 0.0
	for _, s := range steps {
		sum += s.cost
	}
	return sum
}

// loading are the steps that bring a graph and its labels into the store.
func (e *experiment) loading(d dataset) []step {
	list := []step{{
		graph: d, statement: d.load(), file: e.data(d.file), about: "the graph", cost: 0.2,
		prepare: func(ctx context.Context) error { return e.drop(ctx, d) },
	}}
	if d.labels == "" {
		return list
	}
	table := e.path(d.stored() + "-labels.csv")
	return append(list, step{
		graph: d, statement: "IMPORT VERTICES $file INTO " + d.stored(), file: table, about: "its labels", cost: 0.2,
		prepare: func(context.Context) error { return writeLabels(e.data(d.labels), table) },
	})
}

// drop removes a graph that a killed process has left behind.
func (e *experiment) drop(ctx context.Context, d dataset) error {
	if err := e.db.DropGraph(ctx, d.stored(), true); !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return nil
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
// of an evaluation of links beside the embedding.
func (d dataset) pairCost() float64 { return 0.2 + math.Pow(float64(d.vertices), 2)*5e-9 }
func (d dataset) linkCost() float64 { return 0.3 + float64(d.edges)/150_000 }

// clock estimates how long the steps that are left will take, from how long those
// that are done took against their costs.
type clock struct{ cost, seconds float64 }

func (c *clock) add(cost, seconds float64) {
	c.cost += cost
	c.seconds += seconds
}

// left is the time for steps of this cost, zero where nothing is known yet.
func (c clock) left(cost float64) time.Duration {
	if c.cost == 0 {
		return 0
	}
	return time.Duration(cost / c.cost * c.seconds * float64(time.Second))
}
