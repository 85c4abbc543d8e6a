package paper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"heavytail/storage"
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
	all := linkGraphs()
	for _, name := range config.Graphs {
		if !slices.Contains(LinkGraphs(), strings.ToLower(name)) {
			return nil, fmt.Errorf("%w %q: expected %s", ErrGraph, name, strings.Join(LinkGraphs(), ", "))
		}
	}
	if config.Quick {
		all = all[:quickLinkGraphs]
	}
	if len(config.Graphs) > 0 {
		all = slices.DeleteFunc(all, func(g linkGraph) bool {
			return !slices.ContainsFunc(config.Graphs, func(name string) bool { return strings.EqualFold(name, g.name) })
		})
	}
	return all, nil
}

func runLinks(ctx context.Context, config Config, graphs []linkGraph, methods []linkMethod) (report string, err error) {
	e := &experiment{config: config}
	if err := e.openLinks(graphs); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, e.db.Close(), e.journal.close()) }()
	write := func() (string, error) { return e.writeLinks(graphs, methods) }
	failed := e.runSteps(ctx, func() []step { return e.linkSteps(graphs, methods) }, write)
	report, err = write()
	return report, errors.Join(failed, err)
}

// openLinks opens store and journal.
func (e *experiment) openLinks(graphs []linkGraph) (err error) {
	for _, g := range graphs {
		if _, err := os.Stat(e.data(g.file)); err != nil {
			return fmt.Errorf("paper: graph %s: %w", g.name, err)
		}
	}
	return e.openAt(linkStoreName, linkJournalName)
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
	s.prepare = func(ctx context.Context) error {
		if err := e.db.DropGraph(ctx, g.name, true); !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		return nil
	}
	return s
}
