package main

import (
	"cmp"
	"context"
	"slices"
)

// This file compares methods of link prediction over graphs and protocols.

// Names of files of RunLinks in Config.Out; linktables.go has the others.
const (
	linkStoreName   = "links.ht"
	linkJournalName = "links.ndjson"
)

// RunLinks measures methods of link prediction on graphs, against several kinds of negative
// pairs and by the ranking of recommendations, and returns the tables as Markdown. Like Run
// it keeps every finished step in the folder config.Out, and continues after the finished
// steps. It uses these fields of config: Data, Out, Graphs (names of LinkGraphs; empty
// means all), Quick (only small graphs), Progress and Log. Errors are those of Run.
func RunLinks(ctx context.Context, config Config) (report string, err error) {
	graphs, err := chooseLinkGraphs(config)
	if err != nil {
		return "", err
	}
	return runLinks(ctx, config, graphs, linkMethods())
}

func chooseLinkGraphs(config Config) ([]linkGraph, error) {
	graphs, err := chosen(config.Graphs, linkGraphs(), linkGraph.stored)
	if config.Quick {
		quick := LinkGraphs()[:quickLinkGraphs]
		graphs = slices.DeleteFunc(graphs, func(g linkGraph) bool { return !slices.Contains(quick, g.name) })
	}
	return graphs, err
}

func runLinks(ctx context.Context, config Config, graphs []linkGraph, methods []linkMethod) (report string, err error) {
	e := &experiment{config: config}
	for _, g := range graphs {
		if err := e.need(g.name, g.file); err != nil {
			return "", err
		}
	}
	return e.runAt(ctx, linkStoreName, linkJournalName, func() []step { return e.linkSteps(graphs, methods) },
		func() (string, error) { return e.writeLinks(graphs, methods) })
}

// linkSteps lists the steps: graph by graph, cheap methods first.
func (e *experiment) linkSteps(graphs []linkGraph, methods []linkMethod) []step {
	var list []step
	for _, g := range graphs {
		if g.of != "" {
			list = append(list, e.loadLinks(linkGraphs()[slices.Index(LinkGraphs(), g.of)]))
		}
		list = append(list, e.loadLinks(g))
		for _, m := range methods {
			if m.everyPair && g.large {
				continue
			}
			about := cmp.Or(m.name, "scorers of the graph")
			for _, s := range []step{{statement: m.ranks(g.name), about: "recommendations by " + about}, {statement: m.pairs(g.name), about: "pairs by " + about}} {
				s.graph, s.cost = dataset{name: g.name}, g.cost*m.cost
				list = append(list, s)
			}
		}
	}
	return firsts(list)
}

// loadLinks returns the step that imports or generates a graph.
func (e *experiment) loadLinks(g linkGraph) step {
	s := step{graph: dataset{name: g.name}, statement: g.make, about: "the graph", cost: 0.2}
	if g.file != "" {
		s.statement, s.file = "IMPORT $file INTO "+g.name, e.data(g.file)
		if g.timed {
			s.statement += " WITH (time := 3)"
		}
	}
	s.prepare = func(ctx context.Context) error { return e.drop(ctx, s.graph) }
	return s
}
