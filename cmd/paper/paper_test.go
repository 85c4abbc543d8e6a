package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestReadFigures_Complete expects a figure for every cell of the paper's tables,
// and a few of them as they are printed.
func TestReadFigures_Complete(t *testing.T) {
	f, err := readFigures()
	if err != nil {
		t.Fatal(err)
	}
	if want := 6*4*3 + 6*4*3 + 4*7 + 4*2; len(f) != want {
		t.Errorf("%d figures, want %d", len(f), want)
	}
	for at, want := range map[printed]float64{
		{2, "Facebook", dpSpectral, "pearson"}:  0.87,
		{2, "Synthetic", deepWalk, "spearman"}:  -0.22,
		{2, "Mobile", dpWalker, "pearson"}:      0.93,
		{3, "Twitter", dpSpectral, "recall"}:    0.98,
		{3, "Coauthor", dpWalker, "f1"}:         0.61,
		{4, "Citation", le, "computer science"}: 0.14,
	} {
		if got := f.of(at.table, at.graph, at.method, at.measure); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
	if got := f.best(2, "Facebook", "spearman"); got != 0.73 {
		t.Errorf("best Spearman on Facebook %v, want 0.73", got)
	}
	if got := f.of(4, "Citation", dpSpectral, deviationAccuracy); math.Abs(got-0.041) > 0.001 { // the paper says 0.04
		t.Errorf("deviation of the accuracies of DP-Spectral %v, want 0.041", got)
	}
	if got := f.best(2, "Enron", "spearman"); !math.IsNaN(got) {
		t.Errorf("best on a graph that is not there: %v", got)
	}
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	if err != nil || len(all) != 6 {
		t.Fatalf("%d graphs, %v", len(all), err)
	}
	some, err := choose([]string{"twitter", "FACEBOOK"})
	if err != nil || len(some) != 2 || some[0].name != "Facebook" {
		t.Errorf("%v, %v", some, err)
	}
	for _, name := range []string{"mobile", "", "face"} {
		if _, err := choose([]string{"facebook", name}); !errors.Is(err, ErrGraph) {
			t.Errorf("%q: %v, want ErrGraph", name, err)
		}
	}
}

// small makes a folder with a graph: a ring of 30 vertices with chords, most of them
// at the first vertices. It returns a configuration for the folder, the graph, and
// uses that take little time.
func small(t *testing.T) (config Config, graphs []dataset, methods []use) {
	t.Helper()
	var edges bytes.Buffer
	for v := range 30 {
		for _, step := range []int{1, 2, 5 + v%3} {
			edges.WriteString(key(v) + " " + key((v+step)%30) + "\n")
		}
		edges.WriteString(key(v) + " " + key(v*v%7) + "\n")
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "ring.txt"), edges.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	labels, err := os.Create(filepath.Join(folder, "labels.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(labels)
	for v := range 30 {
		if _, err := fmt.Fprintf(packed, "%s\t%d\n", key(v), v%3); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(packed.Close(), labels.Close()); err != nil {
		t.Fatal(err)
	}
	config = Config{Data: folder, Out: filepath.Join(folder, "out"), Trials: 2}
	graphs = []dataset{{name: "Citation", vertices: 30, edges: 90, file: "ring.txt", labels: "labels.txt.gz", note: "a ring"}}
	methods = []use{
		{le, asPaper, "laplacian_eigenmaps(dim := 8, scale := 0, row_scale := 0)"},
		{dpWalker, asDefault, "dp_walker(dim := 8, walks := 2, length := 5)"},
	}
	return config, graphs, methods
}

func key(v int) string { return string(rune('a'+v/10)) + string(rune('0'+v%10)) }

// TestRun_Tables expects a line for every use in every table, with the paper's
// figures next to its own, and the same numbers in CSV.
func TestRun_Tables(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs all experiments on a small graph")
	}
	config, graphs, methods := small(t)
	graphs[0].studied = true
	report, err := run(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## Table 2", "## Table 3", "## Table 4", "(-0.27)", // LE against itself
		"(0.72)", // a default against the best of all
		"| Citation | LE ", "| Citation | DP-Walker ", "| Citation | best found ", "no embedding", "a ring", private,
		"logistic(difference) of dp_walker", "logistic(concatenation) of laplacian_eigenmaps",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	written, err := os.ReadFile(filepath.Join(config.Out, reportName))
	if err != nil || string(written) != report {
		t.Errorf("the file has another report: %v", err)
	}
	for _, name := range []string{"degrees-citation", "parameters-citation-dim", "parameters-citation-beta", "parameters-citation-scale", "parameters-citation-row-scale"} {
		for _, ending := range []string{".svg", ".png"} {
			if info, err := os.Stat(filepath.Join(config.Out, name+ending)); err != nil || info.Size() < 1000 {
				t.Errorf("picture %s%s: %v", name, ending, err)
			}
		}
	}
	records := readCSV(t, filepath.Join(config.Out, csvName))
	// Two uses and what was found with 9 measures of Table 2, and two of Table 4; and
	// of Table 3 five for each of two features, and for the best without an embedding.
	if want := 1 + 3*9 + 5*(3*2+1) + 3*2; len(records) != want {
		t.Errorf("%d records, want %d", len(records), want)
	}
}

// TestRun_Resumes stops a run after each of its steps in turn, leaves half a line
// in the journal, and expects the next run to make exactly the steps that are
// missing and to end with the report of a run that was never stopped.
func TestRun_Resumes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: computes the tables several times")
	}
	config, graphs, methods := small(t)
	config.Out = filepath.Join(config.Data, "whole")
	want, err := run(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	config.Out = filepath.Join(config.Data, "stopped")
	var got string
	err = context.Canceled
	for i := 0; err != nil; i++ {
		ctx, stop := context.WithCancel(t.Context())
		began := 0
		config.Log = func(line string) {
			if began++; began == 2 {
				stop()
			}
		}
		got, err = run(ctx, config, graphs, methods)
		stop()
		if err != nil && !errors.Is(err, context.Canceled) || began > 2 || i > 40 {
			t.Fatalf("run %d, after %d steps: %v, want it cancelled after one", i, began, err)
		}
		appendTo(t, filepath.Join(config.Out, journalName), `{"statement":"EMBED fa`)
	}
	if withoutSeconds(got) != withoutSeconds(want) {
		t.Errorf("stopped:\n%s\nwhole:\n%s", got, want)
	}
	config.Log = func(line string) { t.Errorf("a step of a run that is complete: %s", line) }
	if again, err := run(t.Context(), config, graphs, methods); err != nil || withoutSeconds(again) != withoutSeconds(want) {
		t.Errorf("a run that was complete: %v\n%s", err, again)
	}
}

// TestLawsText expects power laws with an exponent above mostAlpha, which describe
// hubs of nearly one degree, to be counted apart from the others.
func TestLawsText(t *testing.T) {
	rows := []row{
		{table: 2, method: dpSpectral, form: asDefault, measures: map[string]float64{"ks": 0.3, "alpha": 2}},
		{table: 2, method: dpWalker, form: asDefault, measures: map[string]float64{"ks": 0.1, "alpha": 500}},
		{table: 2, method: le, form: asDefault, measures: map[string]float64{"ks": 0.9, "alpha": 2}},
		{table: 2, method: dpWalker, form: asPaper, measures: map[string]float64{"ks": 0.4, "alpha": 7}},
	}
	if got, want := lawsText(rows), "0.400 in the form paper (1 reconstructions), 0.200 in the form default (2 reconstructions, 0.300 in the 1 with α up to 6)"; !strings.Contains(got, want) {
		t.Errorf("%q lacks %q", got, want)
	}
	if got := lawsText(nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

// TestRun_OtherLimit changes the limit of the searches between two runs. It expects
// the results of the new searches to be evaluated again, and the tables of a run that
// had the new limit from the beginning.
func TestRun_OtherLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of all steps")
	}
	config, graphs, methods := small(t)
	config.Trials = 1
	if _, err := run(t.Context(), config, graphs, methods); err != nil {
		t.Fatal(err)
	}
	var steps []string
	config.Log = func(line string) { steps = append(steps, line) }
	config.Trials = 7
	got, err := run(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a search for the best reconstruction", "reconstruction by best found", "classes by best found"} {
		if !slices.ContainsFunc(steps, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("no step has %q: %q", want, steps)
		}
	}
	config.Log, config.Out = nil, filepath.Join(config.Data, "whole")
	want, err := run(t.Context(), config, graphs, methods)
	if err != nil || withoutSeconds(got) != withoutSeconds(want) {
		t.Errorf("%v, after another limit:\n%s\nfrom the beginning:\n%s", err, got, want)
	}
}

// TestRun_Store expects a run to begin again if the store was deleted.
func TestRun_Store(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: computes the tables twice")
	}
	config, graphs, methods := small(t)
	if _, err := run(t.Context(), config, graphs, methods); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(config.Out, storeName)); err != nil {
		t.Fatal(err)
	}
	made := 0
	config.Log = func(line string) {
		if made++; made == 1 && !strings.HasPrefix(line, "step 1 of") {
			t.Errorf("the first step is %q", line)
		}
	}
	if _, err := run(t.Context(), config, graphs, methods); err != nil {
		t.Fatal(err)
	}
	// The graph and its labels; embedding, two judgements and links of each use; two
	// searches with three judgements; and the degrees of the graph and of two
	// reconstructions.
	if want := 2 + 2*4 + 5 + 3; made != want {
		t.Errorf("%d steps, want all %d", made, want)
	}
}

// TestRun_Only expects the steps of one kind with the steps that they need, and
// tables that include earlier runs.
func TestRun_Only(t *testing.T) {
	config, graphs, methods := small(t)
	made := 0
	config.Log = func(string) { made++ }
	config.Only = []string{"none"}
	if _, err := run(t.Context(), config, graphs, methods); err != nil || made > 0 {
		t.Fatalf("after %d steps for nothing: %v", made, err)
	}
	config.Only = []string{Links}
	if _, err := run(t.Context(), config, graphs, methods); err != nil {
		t.Fatal(err)
	}
	if want := 2 + 2; made != want {
		t.Errorf("%d steps, want %d", made, want)
	}
	config.Only = []string{"none"}
	report, err := run(t.Context(), config, graphs, methods)
	if err != nil || made != 4 || !strings.Contains(report, "## Table 3") || strings.Contains(report, "## Table 2") {
		t.Errorf("after %d steps: %v\n%s", made, err, report)
	}
}

// TestRun_UnitBall expects rows of unit_ball at radius 1 next to those of the paper's
// methods, and the number of wrong pairs in all rows.
func TestRun_UnitBall(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs an experiment")
	}
	config, graphs, methods := small(t)
	config.Only = []string{Methods, Links}
	methods = append(methods, use{unitBall, asDefault, "unit_ball(dim := 16, passes := 100)"},
		use{unitBall, fromWalks, "unit_ball(dim := 16, passes := 100, start := 'deepwalk')"})
	report, err := run(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Citation | unit_ball | default |", "| Citation | unit_ball | walks   |", "| wrong pairs |",
		"| l2 of unit_ball(dim := 16, passes := 100) ", "| l2 of unit_ball(dim := 16, passes := 100, start := 'deepwalk') ",
		"| logistic(difference) of unit_ball(dim := 16, passes := 100, start := 'deepwalk') ",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if strings.Contains(report, "l2 of dp_walker") {
		t.Error("the distance of a method of the paper is in Table 3")
	}
	if !exact(report) {
		t.Errorf("unit_ball in 16 dimensions has wrong pairs in a ring with chords:\n%s", report)
	}
}

// exact reports whether the row of unit_ball in Table 2 has no wrong pair, and the ε
// of radius 1.
func exact(report string) bool {
	for line := range strings.Lines(report) {
		cells := strings.Split(line, "|")
		if len(cells) > 12 && strings.TrimSpace(cells[2]) == unitBall {
			return strings.TrimSpace(cells[4]) == "0.269" && strings.TrimSpace(cells[12]) == "0"
		}
	}
	return false
}

func TestWrong(t *testing.T) {
	// Of 10 edges 6 are found, by a reconstruction of 8.
	if got := wrong(map[string]float64{"edges": 8, "precision": 0.75, "recall": 0.6}, 10); got != 6 {
		t.Errorf("%v wrong pairs, want 4 missing and 2 false", got)
	}
	if got := wrong(map[string]float64{"edges": 0, "precision": 0, "recall": 0}, 10); got != 10 {
		t.Errorf("%v wrong pairs of a reconstruction without edges, want 10", got)
	}
}

// TestRun_Quick expects no search, no plot and no method that is too expensive on the
// graph, expects the report to say so, and expects a full run to reuse the steps.
func TestRun_Quick(t *testing.T) {
	config, graphs, methods := small(t)
	graphs[0].studied, config.Quick = true, true
	made := 0
	var first string
	config.Log = func(line string) {
		first = cmp.Or(first, line)
		if strings.HasPrefix(line, "step ") {
			made++
		}
	}
	report, err := run(t.Context(), config, graphs, methods)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(first, "leaves out") || !strings.Contains(first, "- Citation: DP-Walker in the form default.") {
		t.Errorf("the run begins with %q, want what it leaves out", first)
	}
	if want := 2 + 4; made != want { // the graph, its labels, and laplacian_eigenmaps with two judgements and links
		t.Errorf("%d steps, want %d", made, want)
	}
	for _, want := range []string{"## Table 2", "## Table 3", "## Table 4", "- Citation: DP-Walker in the form default.", "figures 1 and 3"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	if again, err := run(t.Context(), config, graphs, methods); err != nil || again != report || made != 6 {
		t.Errorf("a second quick run: %v, %d steps\n%s", err, made, again)
	}
	config.Quick, config.Only = false, QuickKinds()
	whole, err := run(t.Context(), config, graphs, methods)
	if err != nil || made != 6+4 || !strings.Contains(whole, "| Citation | DP-Walker ") || strings.Contains(whole, "leaves out") {
		t.Errorf("the whole run after it: %v, %d steps\n%s", err, made, whole)
	}
}

// TestQuickly expects a quick run to have all methods of the paper on a small graph,
// something in each table, and nothing on the largest.
func TestQuickly(t *testing.T) {
	e := &experiment{uses: uses()}
	for _, d := range datasets() {
		some := map[string]bool{}
		for _, u := range d.trials(e.uses) {
			if quickly(u) {
				some[u.method] = true
			}
		}
		want := map[string]int{"Coauthor": 5, "Facebook": 5, "Synthetic": 5, "Citation": 2}[d.name]
		if len(some) != want {
			t.Errorf("%s: %d methods, want %d", d.name, len(some), want)
		}
	}
}

func TestRun_Errors(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs experiments")
	}
	config, graphs, methods := small(t)
	missing := slices.Clone(graphs)
	missing[0].file = "nowhere.txt"
	if _, err := run(t.Context(), config, missing, methods); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the file is not there", err)
	}
	if _, err := Run(t.Context(), Config{Data: config.Data, Out: config.Out, Graphs: []string{"mobile"}}); !errors.Is(err, ErrGraph) {
		t.Errorf("error %v, want ErrGraph", err)
	}
	if _, err := run(t.Context(), config, graphs, methods); err != nil {
		t.Fatal(err)
	}
	appendTo(t, filepath.Join(config.Out, journalName), "no JSON\n")
	var syntax *json.SyntaxError
	if _, err := run(t.Context(), config, graphs, methods); !errors.As(err, &syntax) {
		t.Errorf("error %v, want that of the journal", err)
	}
}

// TestExperiment_Beats compares rows with the paper's figures, and the outcome with
// that by hand.
func TestExperiment_Beats(t *testing.T) {
	f, err := readFigures()
	if err != nil {
		t.Fatal(err)
	}
	e := &experiment{figures: f}
	line := func(graph, method, form string, pearson, spearman float64) row {
		return row{table: 2, graph: graph, method: method, form: form, measures: map[string]float64{"pearson": pearson, "spearman": spearman}}
	}
	for _, c := range []struct {
		row  row
		want outcome
	}{
		{line("Facebook", le, asPaper, 0.49, 0.19), won},
		{line("Facebook", le, asPaper, 0.49, 0.18), lost},
		{line("Facebook", le, asDefault, 0.49, 0.19), lost},
		{line("Facebook", dpSpectral, asTuned, 0.88, 0.74), won},
		{line("Facebook", dpSpectral, asTuned, math.NaN(), 0.74), lost},
		{line("Synthetic20", le, asPaper, 0.15, 0.06), won},
		{line("Synthetic20", le, asTuned, 0.95, 0.78), lost},
		{line("Enron", dpSpectral, asTuned, 1, 1), unknown},
	} {
		if got := e.beats(tablesOf()[0], c.row); got != c.want {
			t.Errorf("%+v: %v, want %v", c.row, got, c.want)
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// withoutSeconds leaves out the one column that differs between runs, and the
// spaces that its width makes.
func withoutSeconds(report string) string {
	var text strings.Builder
	column := -1
	for line := range strings.Lines(report) {
		cells := strings.Split(line, "|")
		for i, c := range cells {
			if strings.TrimSpace(c) == "seconds" {
				column = i // and processor s after it
			}
		}
		if !strings.HasPrefix(line, "|") {
			column = -1
		}
		for i, c := range cells {
			if column < 0 || i != column && i != column+1 {
				text.WriteString(strings.Trim(c, " -") + "|")
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

// readCSV returns the records of a file.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// The command line names an experiment before or after its flags, and refuses what it cannot do.
func TestParse(t *testing.T) {
	for _, args := range []string{"-quick -graphs coauthor,facebook tables", "tables -quick -graphs coauthor,facebook", "-graphs coauthor,facebook -quick"} {
		c, _, err := parse(strings.Fields(args), io.Discard)
		if err != nil || !c.Quick || len(c.Graphs) != 2 || c.Out != "tables" {
			t.Errorf("%s: %+v, %v", args, c, err)
		}
	}
	for args, want := range map[string]string{
		"book":                        `unknown experiment "book": expected tables, links or curve`,
		"tables x":                    `unexpected argument "x"`,
		"links curve":                 `unexpected argument "curve"`,
		"-budget 0s":                  "-budget is 0s",
		"-only links,table":           "-only table: expected none, methods, links",
		"-quick -only links,searches": "-only searches: -quick makes no searches",
		"-trials -1":                  "-trials is -1",
		"links -datum .":              "not defined: -datum",
	} {
		if _, _, err := parse(strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}
