package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// small returns a configuration with a folder that has a ring with chords and labels, and
// the graph.
func small(t *testing.T) (Config, []dataset) {
	t.Helper()
	var edges, labels strings.Builder
	for v := range 40 {
		for _, step := range []int{1, 2, 5 + v%3} {
			fmt.Fprintf(&edges, "%d %d\n", v, (v+step)%40)
		}
		fmt.Fprintf(&labels, "%d\t%d\n", v, v/20)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"ring.txt": edges.String(), "labels.txt": labels.String()} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Config{Data: folder, Out: filepath.Join(folder, "out")}, []dataset{{
		name: "ring", title: "Citation", file: "ring.txt", labels: "labels.txt", size: size{0.04, 0.12}, betas: []float64{0.5, 1}, dims: []int{4, 8}, dim: 8,
	}}
}

// seconds matches what differs between two runs: processor seconds at the end of a line, those
// of the whole, and the widths of the columns.
var seconds = regexp.MustCompile(`[ -]+(\| \d+\.\d +\|)?(\d+ processor seconds, and \d+ seconds)?`)

func settled(report string) string { return seconds.ReplaceAllString(report, " ") }

// TestReproduce stops a run before each of its steps in turn, leaves half a line in the
// journal, and expects the steps that are missing to be made, and the report of a run that
// was not stopped, with all parts of the page.
func TestReproduce(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes all experiments on a small graph twice")
	}
	config, graphs := small(t)
	want, err := runSteps(t.Context(), config, graphs, reproduceSteps, reproduceReport)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"## Claims", "4.06", "5 in the plane, placed with 0 wrong", "## Table 2", "| ring | DP-Walker ", ", β ", "## Table 3", "## Table 4", "± ",
		"over the dimension, ring", "over β, ring", "## The packing theorem", "| ring | unit_ball ", "1.000 / 1.000",
	} {
		if !strings.Contains(settled(want), settled(part)) {
			t.Errorf("the report lacks %q:\n%s", part, want)
		}
	}
	_, hubs, _ := strings.Cut(want, "## The packing theorem")
	if row := regexp.MustCompile(`(?m)^\| ring .*$`).FindString(hubs); row == "" || strings.Contains(row, "|  ") {
		t.Errorf("figures of the hub are missing: %q", row)
	}
	config.Out = filepath.Join(config.Data, "stopped")
	var got string
	err = context.Canceled
	for i := 0; err != nil; i++ {
		ctx, stop := context.WithCancel(t.Context())
		began := 0
		config.Log = func(string) {
			if began++; began > 1+i%7 {
				stop()
			}
		}
		got, err = runSteps(ctx, config, graphs, reproduceSteps, reproduceReport)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) || i > 60 {
			t.Fatalf("run %d, after %d steps: %v", i, began, err)
		}
		file, failed := os.OpenFile(filepath.Join(config.Out, "journal.ndjson"), os.O_APPEND|os.O_WRONLY, 0)
		if failed == nil {
			_, failed = io.WriteString(file, `{"statement":"EMBED ri`)
			failed = errors.Join(failed, file.Close())
		}
		if failed != nil {
			t.Fatal(failed)
		}
	}
	if settled(got) != settled(want) {
		t.Errorf("stopped:\n%s\nwhole:\n%s", got, want)
	}
	config.Log = func(line string) { t.Errorf("a step of a run that is complete: %s", line) }
	if _, err := runSteps(t.Context(), config, graphs, reproduceSteps, reproduceReport); err != nil {
		t.Error(err)
	}
}

// TestMethods expects a line for each method, with all figures that apply to it, and the
// journal to be emptied with the store.
func TestMethods(t *testing.T) {
	config, graphs := small(t)
	config.Calls = []string{"", "fastrp(dim := 8)", " unit_ball(dim := 16)"}
	var report string
	for range 2 {
		made := 0
		config.Log = func(string) { made++ }
		var err error
		if report, err = runSteps(t.Context(), config, graphs, methodSteps, methodReport); err != nil {
			t.Fatal(err)
		}
		// The graph and its labels; two of no embedding, and six of each method.
		if made != 2+2+6+6 {
			t.Errorf("%d steps", made)
		}
		if err := os.Remove(filepath.Join(config.Out, "paper.ht")); err != nil {
			t.Fatal(err)
		}
	}
	cells := map[string][]string{}
	for line := range strings.Lines(report) {
		row := strings.Split(line, "|")
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		if len(row) == 12 {
			cells[row[1]] = row[2:11]
		}
	}
	for name, empty := range map[string]string{"fastrp(dim := 8)": "", "unit_ball(dim := 16)": "", "no embedding": "0 1 2 6 7 8", "TRAIN MODEL": "0 1 2 6 7 8"} {
		row := cells[name]
		if row == nil {
			t.Errorf("no row of %s:\n%s", name, report)
		}
		for i, cell := range row {
			if (cell == "") != strings.Contains(empty, fmt.Sprint(i)) {
				t.Errorf("%s, column %d: %q", name, i, cell)
			}
		}
	}
	if len(cells) > 0 && cells["unit_ball(dim := 16)"][0] != "1.000 / 1.000" {
		t.Errorf("unit_ball: %q", cells["unit_ball(dim := 16)"])
	}
}

func TestRun_Errors(t *testing.T) {
	config, graphs := small(t)
	graphs[0].file = "nowhere.txt"
	if _, err := runSteps(t.Context(), config, graphs, methodSteps, methodReport); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the file is not there", err)
	}
	if _, err := choose(Config{Graphs: []string{"mobile"}}, datasets()); !errors.Is(err, ErrGraph) {
		t.Errorf("error %v, want ErrGraph", err)
	}
	quick, err := choose(Config{Quick: true}, ofPaper(datasets()))
	if got := strings.Join(graphNames(quick), ", "); err != nil || got != "coauthor, facebook, synthetic" {
		t.Errorf("a quick run has the graphs %s, %v", got, err)
	}
}

func TestVerdict(t *testing.T) {
	of := func(paper, ours float64) []compared {
		return []compared{{"Pearson", paper, ours}, {"Spearman", 0.5, 0.55}}
	}
	for _, c := range []struct {
		list     []compared
		baseline bool
		want     string
	}{
		{of(0.5, 0.45), false, "reproduced"},
		{append(of(0.5, 0.45), compared{"Kendall", 0.2, 0.6}), false, "reproduced, but Kendall +.40"},
		{of(0.5, 0.35), false, "not reproduced: Pearson −.15"},
		{of(0.5, 0.75), false, "reproduced, and higher: Pearson +.25"},
		{of(0.5, 0.75), true, "not reproduced: Pearson +.25"},
		{of(0.5, math.NaN()), false, "not measured"},
	} {
		if got := verdict(c.baseline, c.list...); got != c.want {
			t.Errorf("%v, baseline %v: %q, want %q", c.list, c.baseline, got, c.want)
		}
	}
}

// TestRegression learns an order from the first coordinate, as that of the edges of a file,
// and cannot learn the same pairs in random order.
func TestRegression(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	vectors := make([][]float32, 200)
	for v := range vectors {
		vectors[v] = []float32{float32(v), float32(random.NormFloat64()), float32(random.NormFloat64())}
	}
	var ordered, mixed []example
	for range 4000 {
		u, v := random.IntN(200), random.IntN(200)
		linked := 1.0
		if u > v {
			linked = -1
		}
		ordered, mixed = append(ordered, example{u, v, linked}), append(mixed, example{u, v, float64(1 - 2*random.IntN(2))})
	}
	if p, r := judge(vectors, ordered[:1000], regression(vectors, ordered[1000:])); p < 0.97 || r < 0.97 {
		t.Errorf("in order: precision %v, recall %v", p, r)
	}
	if p, _ := judge(vectors, mixed[:1000], regression(vectors, mixed[1000:])); p < 0.4 || p > 0.6 {
		t.Errorf("labels by chance: precision %v", p)
	}
}

// The command line names an experiment before or after its flags, and refuses what it cannot do.
func TestParse(t *testing.T) {
	for _, args := range []string{"-quick -graphs coauthor,facebook reproduce", "reproduce -quick -graphs coauthor,facebook"} {
		c, run, err := parse(strings.Fields(args), io.Discard)
		if err != nil || run == nil || !c.Quick || len(c.Graphs) != 2 || c.Out != "reproduce" {
			t.Errorf("%s: %+v, %v", args, c, err)
		}
	}
	for args, want := range map[string]string{
		"":                          `unknown experiment "": expected reproduce or methods`,
		"tables":                    `unknown experiment "tables"`,
		"methods x":                 `unexpected argument "x"`,
		"reproduce -methods fastrp": "-methods is of the experiment methods",
		"methods -datum .":          "not defined: -datum",
	} {
		if _, _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
