package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"heavytail/storage"
)

// steps lists the steps of an experiment in their order: the graphs, and then
// cheap steps before expensive ones, so that a run that is stopped early has as much of
// the tables as possible. An embedding is made just before the steps that need it. The
// steps after a search are known only when the search is in the journal.
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

// groups returns the steps of the kinds that Config.Only selects, cheap groups first. A
// group has the steps that need each other. Every group that needs an embedding has the
// step that makes it, so that a step can be in several groups.
func (e *experiment) groups() [][]step {
	var groups [][]step
	for _, d := range e.graphs {
		for _, t := range d.trials(e.uses) {
			if e.config.Quick && !quickly(t) {
				continue
			}
			groups = append(groups, append([]step{t.making()}, t.judging(Methods)...),
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

// firsts removes repeated steps.
func firsts(steps []step) []step {
	seen := map[string]bool{}
	return slices.DeleteFunc(steps, func(s step) bool {
		again := seen[s.statement]
		seen[s.statement] = true
		return again
	})
}

// tuning returns the searches on a graph, each with the steps that evaluate its result.
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

// loading returns the steps that bring a graph and its labels into the store.
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
	if err := e.db.Graphs().Drop(ctx, d.stored(), true); !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	return nil
}
