package main

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/studies"
)

// smallLinks returns a small graph, and methods that take little time on it.
func smallLinks() ([]linkGraph, []linkMethod) {
	return []linkGraph{{name: "pa", make: "GENERATE preferential_attachment(n := 60, m := 4, seed := 3) INTO pa", cost: 1}},
		[]linkMethod{{cost: 1}, {name: "fastrp", call: "fastrp(dim := 4)", cost: 1}}
}

// TestRunLinks_Figures compares the figures of the file with those of the statements.
func TestRunLinks_Figures(t *testing.T) {
	t.Parallel()
	graphs, methods := smallLinks()
	config := Config{Data: t.TempDir(), Out: filepath.Join(t.TempDir(), "out")}
	report, err := runLinks(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range linkMeasures() {
		if !strings.Contains(report, "## "+of.title) {
			t.Errorf("the report lacks %q:\n%s", of.title, report)
		}
	}
	records := readCSV(t, filepath.Join(config.Out, linkCSVName))
	db, err := query.Open(filepath.Join(config.Out, linkStoreName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pairs, err := db.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{
		Graph: "pa", Seed: 1, Model: true, Negatives: []evaluate.Negatives{"random", "degree", "two_hop"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[[2]string]float64{}
	for _, s := range pairs.Scores {
		want[[2]string{s.Scorer, "auc " + string(s.Negatives)}] = s.AUC
	}
	found := 0
	for _, r := range records[1:] {
		auc, there := want[[2]string{r[2], r[3]}]
		if r[1] != "" || !there {
			continue
		}
		found++
		if got, err := strconv.ParseFloat(r[4], 64); err != nil || got != auc {
			t.Errorf("%v, but the statement has %v, %v", r, auc, err)
		}
	}
	if found != len(pairs.Scores) {
		t.Errorf("%d figures of pairs without an embedding, want %d", found, len(pairs.Scores))
	}
}

// TestRunLinks_Resumes stops a run after each of its steps in turn, and expects the report of a
// run that was never stopped.
func TestRunLinks_Resumes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs an experiment twice")
	}
	t.Parallel()
	graphs, methods := smallLinks()
	config := Config{Data: t.TempDir(), Out: filepath.Join(t.TempDir(), "whole")}
	want, err := runLinks(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	config.Out = filepath.Join(t.TempDir(), "stopped")
	var got string
	err = context.Canceled
	for i := 0; err != nil; i++ {
		ctx, stop := context.WithCancel(t.Context())
		began := 0
		config.Log = func(string) {
			if began++; began == 2 {
				stop()
			}
		}
		got, err = runLinks(ctx, config, graphs, methods)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) || began > 2 || i > 10 {
			t.Fatalf("run %d, after %d steps: %v, want it cancelled after one", i, began, err)
		}
	}
	if got != want {
		t.Errorf("stopped:\n%s\nwhole:\n%s", got, want)
	}
}

func TestChooseLinkGraphs(t *testing.T) {
	t.Parallel()
	some, err := chooseLinkGraphs(Config{Graphs: []string{"ER", "cora"}})
	if err != nil || len(some) != 2 || some[0].name != "cora" || some[1].name != "er" {
		t.Errorf("%v, %v", some, err)
	}
	if _, err := chooseLinkGraphs(Config{Graphs: []string{"coraa"}}); !errors.Is(err, ErrGraph) {
		t.Errorf("%v, want ErrGraph", err)
	}
	if quick, err := chooseLinkGraphs(Config{Quick: true}); err != nil || len(quick) != quickLinkGraphs {
		t.Errorf("%d graphs, %v", len(quick), err)
	}
}

// TestLinkSteps_Large expects that a method with an entry for each pair of vertices is
// measured on all graphs but the large ones.
func TestLinkSteps_Large(t *testing.T) {
	t.Parallel()
	e := &experiment{}
	for _, g := range linkGraphs() {
		found := 0
		for _, s := range e.linkSteps([]linkGraph{g}, linkMethods()) {
			if strings.Contains(s.statement, "netmf") {
				found++
			}
		}
		if want := 2; g.large && found != 0 || !g.large && found != want {
			t.Errorf("%s: %d statements with netmf", g.name, found)
		}
	}
}
