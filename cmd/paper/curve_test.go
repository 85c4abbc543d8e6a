package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heavytail/query"
)

// smallCurve writes a small graph with labels into a folder, and returns it with points
// that take little time.
func smallCurve(t *testing.T) (folder string, graphs []curveGraph, points []curvePoint) {
	t.Helper()
	folder = t.TempDir()
	var edges, labels strings.Builder
	for v := range 60 {
		for _, u := range []int{(v + 2) % 60, (v + 4) % 60} {
			edges.WriteString(strconv.Itoa(v) + " " + strconv.Itoa(u) + "\n")
		}
		labels.WriteString(strconv.Itoa(v) + "," + strconv.Itoa(v%2) + "\n")
	}
	for name, text := range map[string]string{"g.txt": edges.String(), "labels.csv": labels.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	graphs = []curveGraph{{name: "g", file: "g.txt", labels: "labels.csv", cost: 1}}
	for i, s := range []setting{{8, randomStart, 0, usualMargin}, {dim: 8, start: "deepwalk"}, {8, "deepwalk", 0.1, usualMargin}} {
		points = append(points, curvePoint{graphs[0], s, i})
	}
	return folder, graphs, points
}

// TestRunCurve_Figures compares the figures of the file with those of the statements.
func TestRunCurve_Figures(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs an experiment")
	}
	t.Parallel()
	data, graphs, points := smallCurve(t)
	config := Config{Data: data, Out: filepath.Join(t.TempDir(), "out")}
	if _, err := runCurve(t.Context(), config, graphs, points); err != nil {
		t.Fatal(err)
	}
	records := readCSV(t, filepath.Join(config.Out, curveCSVName))
	if len(records) != 1+len(points) {
		t.Fatalf("%d lines, want %d", len(records), 1+len(points))
	}
	db, err := query.Open(filepath.Join(config.Out, curveStoreName), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	e := &experiment{db: db}
	last := map[string]string{}
	for i, name := range records[0] {
		last[name] = records[3][i]
	}
	call := points[2].call()
	links, err := e.answers(t.Context(), "EVALUATE LINKS IN g USING "+call+" WITH (negatives := 'degree', scorers := 'l2', seed := 1)")
	if err != nil {
		t.Fatal(err)
	}
	described, err := e.answers(t.Context(), "RECONSTRUCT point_g RADIUS 1")
	if err != nil {
		t.Fatal(err)
	}
	for _, same := range []struct {
		figure string
		want   float64
	}{{"auc degree", numbers(links[0])["auc"]}, {"recall", numbers(described[0])["recall"]}, {"precision", numbers(described[0])["precision"]}} {
		if last[same.figure] != exactly(same.want) {
			t.Errorf("%s is %s, but the statement has %v", same.figure, last[same.figure], same.want)
		}
	}
	if last["labels 50"] == "" || last["wrong pairs"] == "" {
		t.Errorf("figures are missing: %v", last)
	}
}

// TestRunCurve_Resumes stops a run after each of its points in turn, and expects the
// figures of a run that was never stopped.
func TestRunCurve_Resumes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: computes the tables several times")
	}
	t.Parallel()
	data, graphs, points := smallCurve(t)
	config := Config{Data: data, Out: filepath.Join(t.TempDir(), "whole")}
	if _, err := runCurve(t.Context(), config, graphs, points); err != nil {
		t.Fatal(err)
	}
	figures := func(out string) (list [][]string) {
		for _, r := range readCSV(t, filepath.Join(out, curveCSVName)) {
			r[5] = "" // processor seconds
			list = append(list, r)
		}
		return list
	}
	want := figures(config.Out)
	config.Out = filepath.Join(t.TempDir(), "stopped")
	err := context.Canceled
	for i := 0; err != nil; i++ {
		ctx, stop := context.WithCancel(t.Context())
		began := 0
		config.Log = func(string) {
			if began++; began == 2 {
				stop()
			}
		}
		_, err = runCurve(ctx, config, graphs, points)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) || began > 2 || i > 10 {
			t.Fatalf("run %d, after %d steps: %v, want it cancelled after one", i, began, err)
		}
	}
	got := figures(config.Out)
	for i := range want {
		if strings.Join(got[i], " ") != strings.Join(want[i], " ") {
			t.Errorf("stopped: %v\nwhole: %v", got[i], want[i])
		}
	}
}

func TestCurvePoints(t *testing.T) {
	t.Parallel()
	seen, small := map[string]bool{}, true
	for _, p := range curvePoints(curveGraphs()) {
		if seen[p.name()] {
			t.Errorf("%s is there twice", p.name())
		}
		seen[p.name()] = true
		if p.graph.large {
			small = false
		} else if !small {
			t.Errorf("%s is after large graphs", p.name())
		}
		if !p.alone() && p.start != randomStart && !seen[curvePoint{graph: p.graph, setting: p.reference()}.name()] {
			t.Errorf("%s is before its start", p.name())
		}
	}
	if _, err := chooseCurveGraphs(Config{Graphs: []string{"coraa"}}); !errors.Is(err, ErrGraph) {
		t.Errorf("%v, want ErrGraph", err)
	}
	if quick, err := chooseCurveGraphs(Config{Quick: true, Graphs: []string{"DBLP", "cora"}}); err != nil || len(quick) != 1 {
		t.Errorf("%v, %v", quick, err)
	}
}

// TestWriteLabels_Several expects the classes of a vertex on one line.
func TestWriteLabels_Several(t *testing.T) {
	t.Parallel()
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	if err := os.WriteFile(from, []byte("# a comment of words\na,1\nb 2\na\t3\n\nc\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeLabels(from, to); err != nil {
		t.Fatal(err)
	}
	got := readCSV(t, to)
	if len(got) != 3 || got[1][0] != "a" || got[1][1] != "1|3" || got[2][1] != "2" {
		t.Errorf("%v", got)
	}
}
