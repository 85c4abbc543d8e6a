package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestRecord_Command records the output of a command, and compares everything in the file
// with what is known otherwise.
func TestRecord_Command(t *testing.T) {
	if out, err := exec.Command("git", "rev-parse", "HEAD").CombinedOutput(); err != nil {
		t.Skipf("the commit is not known here: git rev-parse: %v: %s", err, out)
	}
	const output = "text\n\n## Times\n\n| graph | time, s |\n|---|--:|\n| a | 0.10 |\n| b |  |\n\n| n |\n|--|\n| −1 |\n"
	folder := t.TempDir()
	printed, file := filepath.Join(folder, "printed text"), filepath.Join(folder, "run.json")
	if err := os.WriteFile(printed, []byte(output), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	// The command is this program, which prints what it is asked to print.
	t.Setenv(printVariable, printed)
	if err := record([]string{file, os.Args[0], "a b"}, nil, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != output {
		t.Errorf("passed through %q, want %q", out.String(), output)
	}
	run, err := readRun(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "'a b'`"; !strings.HasSuffix(run.Command, want) {
		t.Errorf("command %s, want an end of %s", run.Command, want)
	}
	if m := run.Machine; m.Cores != runtime.NumCPU() || m.Go != runtime.Version() || m.System != runtime.GOOS+"/"+runtime.GOARCH {
		t.Errorf("machine %+v", m)
	}
	if !regexp.MustCompile(`^[0-9a-f]{7,}(-dirty)?$`).MatchString(run.Commit) {
		t.Errorf("commit %q", run.Commit)
	}
	want := []Table{
		{Title: "**Times**", Columns: []string{"graph", "time, s"}, Rows: [][]string{{"a", "0.10"}, {"b", ""}}},
		{Columns: []string{"n"}, Rows: [][]string{{"−1"}}},
	}
	if !reflect.DeepEqual(run.Tables, want) {
		t.Errorf("tables %q, want %q", run.Tables, want)
	}
	for _, part := range []string{"commit " + run.Commit + " on " + run.Date + ".\n\n**Times**\n\n", "| graph | time, s |\n|---|--:|\n| a | 0.10 |\n| b |  |\n", "|--:|\n| −1 |\n"} {
		if !strings.Contains(run.markdown(), part) {
			t.Errorf("no %q in\n%s", part, run.markdown())
		}
	}
}

// printVariable names the environment variable with the file that the test program prints in
// place of the tests.
const printVariable = "HEAVYTAIL_RECORD_PRINT"

func TestMain(m *testing.M) {
	if path := os.Getenv(printVariable); path != "" {
		os.Stdout.WriteString(read(path))
		return
	}
	os.Exit(m.Run())
}

// TestRecord_Earlier records a run of another machine, of which words are known only.
func TestRecord_Earlier(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	args := []string{"-command", "`x`", "-machine", "a Xeon", "-commit", "abc1234", file}
	const table = "| n |\n|--|\n| 1 |\n"
	if err := record(args, strings.NewReader(table), nil); err != nil {
		t.Fatal(err)
	}
	run, err := readRun(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := "`x`; a Xeon; commit abc1234.\n\n| n |\n|--:|\n| 1 |\n"; run.markdown() != want {
		t.Errorf("%q, want %q", run.markdown(), want)
	}
	for name, c := range map[string]struct {
		args []string
		in   string
		want string
	}{
		"no machine": {[]string{"-command", "x", "-commit", "abc", file}, table, "no machine"},
		"no commit":  {[]string{"-command", "x", "-machine", "m", file}, table, "no commit"},
		"no table":   {args, "text\n", "no table"},
		"cells":      {args, table + "| 1 | 2 |\n", "row 2: 2 cells of 1 columns"},
		"day":        {append([]string{"-date", "today"}, args...), table, "date"},
		"no file":    {nil, table, "usage"},
		"fails":      {[]string{file, filepath.Join(file, "missing")}, "", "missing"},
	} {
		before := read(file)
		if err := record(c.args, strings.NewReader(c.in), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if read(file) != before {
			t.Errorf("%s: the file has changed", name)
		}
	}
}

func TestBenchmarksIn(t *testing.T) {
	const text = `goos: linux
pkg: heavytail/index
BenchmarkJoin-2   	 10	 1500000 ns/op	 12 B/op
BenchmarkLarge 	 1	 3000000000 ns/op	 0.25 edges/s
BenchmarkJoin-2   	 10	 2500000 ns/op	 10 B/op
BenchmarkJoin-2   	 10	 2000000 ns/op	 14 B/op
BenchmarkJoin
PASS
pkg: heavytail/query
BenchmarkJoin-2   	 10	 4000000 ns/op
`
	want := []Table{{
		Columns: []string{"benchmark", "runs", "ms/op", "±, %", "B/op", "edges/s"},
		Rows: [][]string{
			{"index: Join-2", "3", "2", "25", "12", ""}, {"index: Large", "1", "3000", "0", "", "0.25"}, {"query: Join-2", "1", "4", "0", "", ""},
		},
	}}
	if got := benchmarksIn(text); !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestMachine(t *testing.T) {
	processor, memory := machine("processor\t: 0\nmodel name\t: AMD EPYC\n\nprocessor\t: 1\nmodel name\t: other\n", "MemTotal:       24576000 kB\nMemFree: 1 kB\n")
	if processor != "AMD EPYC" || memory != 25 {
		t.Errorf("%q, %d", processor, memory)
	}
	if processor, memory = machine("", ""); processor != runtime.GOARCH || memory != 0 {
		t.Errorf("%q, %d", processor, memory)
	}
}
