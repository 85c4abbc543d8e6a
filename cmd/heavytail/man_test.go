package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heavytail/query"
)

// Every command has a page with all of its flags, and every statement is on the page of the
// statements. Only macros begin a line with a dot.
func TestMan(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "man")
	if a := command(t, "", "man", folder); a.code != exitDone || a.out != "" {
		t.Fatalf("%d: %s", a.code, a.err)
	}
	macro := regexp.MustCompile(`^\.(TH|SH|SS|PP|TP|IP|RS|RE|B|br|nf|fi)( |$)`)
	page := func(name string) string {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(string(text)) {
			if line[0] == '\'' || line[0] == '.' && !macro.MatchString(strings.TrimSpace(line)) {
				t.Errorf("%s has the line %q", name, line)
			}
		}
		return strings.NewReplacer(`\-`, "-", `\(aq`, "'").Replace(string(text))
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if strings.Contains(cmd.Long, "\t") {
			t.Errorf("the help of %s is indented as the source is", cmd.CommandPath())
		}
		text := page("man1/" + manName(cmd) + ".1")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the page of %s has no --%s", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			if !strings.Contains(text, c.Name()) {
				t.Errorf("the page of %s has no %s", cmd.CommandPath(), c.Name())
			}
			if c.Name() != "completion" {
				walk(c)
			}
		}
	}
	walk(newRoot(streams{}, commands()))
	statements := page("man7/heavytail-statements.7")
	for _, h := range query.Helps() {
		if !strings.Contains(statements, ".SH "+h.Statement+"\n") {
			t.Errorf("the page of the statements has no %s", h.Statement)
		}
	}
	whole, err := os.ReadFile(filepath.Join(folder, "man1", "heavytail.1"))
	if a := command(t, "", "man"); err != nil || a.out != string(whole) {
		t.Error("without a folder, the page is another one")
	}
	mustFail(t, exitUsage, []string{"at most one FOLDER"}, "man", "a", "b")
}

// mandoc finds no fault in the pages.
func TestMan_Lint(t *testing.T) {
	t.Parallel()
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed")
	}
	folder := t.TempDir()
	if a := command(t, "", "man", folder); a.code != exitDone {
		t.Fatal(a.err)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	if out, err := exec.Command(mandoc, append([]string{"-T", "lint", "-W", "warning"}, pages...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
