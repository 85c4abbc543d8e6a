package main

import (
	"strings"
	"testing"
)

// TestDescribe expects properties and the plot in the format table, properties
// alone in other formats, and all graphs if none is named.
func TestDescribe(t *testing.T) {
	path := sampleFile(t)
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 300, m := 3) INTO pa")
	out := mustRun(t, "", "describe", path, "pa", "--bootstrap", "5", "--seed", "1")
	for _, text := range []string{"graph ", "clustering average", "power law alpha", "power law p", "largest hub", "of degree d or higher", "* pa"} {
		if !strings.Contains(out, text) {
			t.Errorf("the description does not have %q:\n%s", text, out)
		}
	}
	if out := mustRun(t, "", "describe", path, "pa", "--format", "csv"); strings.Contains(out, "*") || !strings.Contains(out, "\nvertices,300\n") {
		t.Errorf("as CSV:\n%s", out)
	}
	out = mustRun(t, "", "describe", path, "--format", "csv")
	if line, pa := strings.Index(out, "graph,line\n"), strings.Index(out, "graph,pa\n"); line < 0 || pa < line {
		t.Errorf("all graphs:\n%s", out)
	}
	mustFail(t, exitFailed, []string{`unknown graph "lin": did you mean "line"?`, "error: unknown graph"}, "describe", path, "lin")
	mustFail(t, exitFailed, []string{"bootstrap is -1"}, "describe", path, "line", "--bootstrap", "-1")
	mustFail(t, exitUsage, []string{"expected FILE and at most one GRAPH, found 3 arguments"}, "describe", path, "a", "b")
	mustFail(t, exitUsage, []string{`unknown format "tabel"`}, "describe", path, "--format", "tabel")
	empty := newFile(t)
	mustRun(t, "", "exec", empty, "-c", "HELP CHECK")
	mustFail(t, exitFailed, []string{"the file has no graph yet"}, "describe", empty)
	mustRun(t, "", "exec", empty, "-c", "CREATE GRAPH bare")
	if out := mustRun(t, "", "describe", empty); !strings.Contains(out, "there are no degrees to plot\n") {
		t.Errorf("a plot without an edge:\n%s", out)
	}
	mustFail(t, exitFailed, []string{"no such file"}, "describe", newFile(t))
}
