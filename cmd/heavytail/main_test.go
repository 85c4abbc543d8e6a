package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"heavytail/.ci/leaktest"
)

// childEnv is the variable that makes the test binary run the command instead of the tests,
// for tests that need a separate process.
const childEnv = "HEAVYTAIL_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		main() // which exits
	}
	leaktest.Main(m)
}

// child returns a process of the command, not yet started.
func child(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	// With -cover a process that ends without GOCOVERDIR says so among its messages.
	cmd.Env = append(os.Environ(), childEnv+"=1", "GOCOVERDIR="+t.TempDir())
	return cmd
}

// answer is what one call of the command did.
type answer struct {
	code     int
	out, err string
}

// command runs the command inside the test.
func command(t *testing.T, stdin string, args ...string) answer {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, streams{in: strings.NewReader(stdin), out: &out, err: &err})
	return answer{code, out.String(), progress.ReplaceAllString(err.String(), "")}
}

// progress are lines about statements that take more than two seconds, as any may on a busy
// machine.
var progress = regexp.MustCompile(`(?m)^[A-Z][A-Z ]*: [a-z].*\n`)

// mustRun runs the command, which is expected to succeed, and returns its output.
func mustRun(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	a := command(t, stdin, args...)
	if a.code != exitDone {
		t.Fatalf("heavytail %q: exit code %d\n%s%s", args, a.code, a.out, a.err)
	}
	return a.out
}

// mustFail runs the command, which is expected to fail with a code and with
// messages that have all of some texts, and nothing on standard output.
func mustFail(t *testing.T, code int, texts []string, args ...string) {
	t.Helper()
	a := command(t, "", args...)
	if a.code != code {
		t.Errorf("heavytail %q: exit code %d, expected %d", args, a.code, code)
	}
	if a.out != "" {
		t.Errorf("heavytail %q: a failure wrote to standard output: %q", args, a.out)
	}
	for _, text := range texts {
		if !strings.Contains(a.err, text) {
			t.Errorf("heavytail %q: the message does not have %q:\n%s", args, text, a.err)
		}
	}
}

// newFile returns the path of a file that does not exist yet.
func newFile(t *testing.T) string { return filepath.Join(t.TempDir(), "test.ht") }

// sampleFile makes a file with the path graph a-b-c-d and an embedding of it.
func sampleFile(t *testing.T) string {
	t.Helper()
	path := newFile(t)
	mustRun(t, "a b\nb c\nc d\n", "exec", path, "-c", "IMPORT '-' INTO line; EMBED line USING dp_spectral(dim := 2) AS e")
	return path
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustWrite(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRun_Usage makes every kind of mistake in the command line.
func TestRun_Usage(t *testing.T) {
	path := newFile(t)
	for _, c := range []struct {
		text string
		args []string
	}{
		{`unknown command "exce": did you mean exec?`, []string{"exce"}},
		{`unknown command "daemon"`, []string{"daemon"}},
		{"unknown flag: --formt: did you mean --format?", []string{"exec", path, "--formt", "csv"}},
		{"unknown flag: --verbose\n", []string{"exec", path, "--verbose"}},
		{"unknown flag: --dimm: did you mean --dim?", []string{"demo", "--dimm", "3"}},
		{"unknown shorthand flag: 'z'", []string{"exec", path, "-z"}},
		{"flag needs an argument: --param", []string{"exec", path, "--param"}},
		{`invalid argument "many" for "--workers"`, []string{"exec", path, "--workers", "many"}},
		{"--workers (-1) must not be negative", []string{"exec", path, "--workers", "-1"}},
		{`"-1" is not a number of bytes, such as 4GiB`, []string{"exec", path, "--memory-limit", "-1"}},
		{"expected one FILE, found 0 arguments", []string{"exec"}},
		{"expected one FILE, found 2 arguments", []string{"check", path, path}},
		{"expected no arguments, found 1 argument\n", []string{"demo", path}},
		{"expected -c or -f, found both", []string{"exec", path, "-c", "HELP", "-f", "script"}},
		{`unknown format "jsn", expected one of table, box, csv, tsv, json, ndjson, markdown, line; did you mean json?`, []string{"exec", path, "--format", "jsn"}},
		{`--param "who": expected name=value`, []string{"exec", path, "--param", "who"}},
		{`--param "=3": expected name=value`, []string{"exec", path, "--param", "=3"}},
		{"--param who is given twice", []string{"exec", path, "--param", "who=1", "--param", "$who=2"}},
		{"expected --vertices above --attach", []string{"demo", "--vertices", "12"}},
	} {
		failed := "heavytail " + c.args[0]
		if strings.HasPrefix(c.text, "unknown command") {
			failed = "heavytail"
		}
		mustFail(t, exitUsage, []string{"heavytail: ", c.text, "Run '" + failed + " --help' for usage.\n"}, c.args...)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("a wrong command line made the file")
	}
}

func TestVersionOf(t *testing.T) {
	built := func(module string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: module}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	for _, tt := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{built(""), "development (commit not recorded), "},
		{built("(devel)", "vcs.revision", "c54f945", "vcs.modified", "false"), "development (commit c54f945), "},
		{built("v1.2.3", "vcs.revision", "c54f945", "vcs.modified", "true", "vcs.time", "2026-11-22T10:00:00Z"),
			"v1.2.3 (commit c54f945, modified, of 2026-11-22T10:00:00Z), "},
	} {
		if got, want := versionOf(tt.info), tt.want+runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRun_HelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		if out := mustRun(t, "", args...); !strings.Contains(out, "exec") || !strings.Contains(out, "demo") || !strings.Contains(out, "check") {
			t.Errorf("heavytail %q does not name the commands:\n%s", args, out)
		}
	}
	if out := mustRun(t, "", "--version"); !strings.HasPrefix(out, "heavytail ") || strings.Count(out, "\n") != 1 {
		t.Errorf("version: %q", out)
	} else if !strings.Contains(out, runtime.Version()) || !strings.Contains(out, "commit") {
		t.Errorf("version: %q", out)
	}
}

// help explains commands and, where there is no command of the name, statements.
func TestRun_HelpOn(t *testing.T) {
	for args, want := range map[string]string{
		"help import":       "Usage:\n  heavytail import",
		"help plot degrees": "Usage:\n  heavytail plot degrees",
		"help IMPORT":       "statement         IMPORT\n",
		"help create index": "option ef_construction  ",
		"help unit_ball":    "unit_ball",
		"help links":        "TRAIN MODEL  ",
		"help dijkstra":     "PATH",
		"help slurm":        "manual cluster  On a cluster: Slurm",
	} {
		if out := mustRun(t, "", strings.Fields(args)...); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s", args, out)
		}
	}
	if a := command(t, "", "help", "NEARST"); a.code != exitUsage || !strings.Contains(a.err, "NEAREST") {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
}

// TestRun_EscapesErrors names a file by a text that would clear a terminal.
func TestRun_EscapesErrors(t *testing.T) {
	a := command(t, "", "check", "no\x1b[2Jfile")
	if a.code != exitFailed || strings.Contains(a.err, "\x1b") || !strings.Contains(a.err, `no\x1b[2Jfile`) {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
}

// TestRun_CancelledBefore runs commands under a context that has ended.
func TestRun_CancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := sampleFile(t)
	for _, args := range [][]string{
		{"check", path}, {"exec", path, "-c", "CHECK"}, {"exec", path}, {"demo", "--file", newFile(t)},
		{"import", path, "line", "-"}, {"export", path, "graph", "line", newFile(t)}, {"describe", path, "line"}, {"stats", path},
		{"compact", path}, {"backup", path, newFile(t)}, {"recover", path, newFile(t)},
	} {
		var out, err bytes.Buffer
		code := run(ctx, args, streams{in: strings.NewReader("CHECK"), out: &out, err: &err})
		if code != exitFailed || !strings.Contains(err.String(), "cancelled") || strings.Contains(err.String(), "context") {
			t.Errorf("heavytail %q: exit code %d, %q", args, code, err.String())
		}
	}
}

// A command that is made alone is the same as among all commands.
func TestNeeded(t *testing.T) {
	t.Parallel()
	help := func(list []maker, name string) string {
		var out bytes.Buffer
		root := newRoot(streams{out: &out, err: &out}, list)
		root.SetArgs([]string{name, "--help"})
		if err := root.Execute(); err != nil {
			t.Errorf("%s --help: %v", name, err)
		}
		return out.String()
	}
	for _, c := range commands() {
		alone := needed([]string{c.name, "--help"})
		if c.name != "man" && (len(alone) != 1 || alone[0].name != c.name) {
			t.Errorf("%s: %d commands are made", c.name, len(alone))
		}
		if got, want := help(alone, c.name), help(commands(), c.name); got != want || !strings.Contains(got, "heavytail "+c.name) {
			t.Errorf("%s alone: help is\n%s\nexpected\n%s", c.name, got, want)
		}
	}
	for _, args := range [][]string{nil, {"help", "exec"}, {"--version", "exec"}, {"social"}, {"__complete", "ex"}, {"exce"}} {
		if list := needed(args); len(list) != len(commands()) {
			t.Errorf("%q: %d commands are made, expected all %d", args, len(list), len(commands()))
		}
	}
	for _, word := range []string{"--version", "social.ht"} {
		if list := needed([]string{word}); len(list) != 0 {
			t.Errorf("%s: %d commands are made, expected none", word, len(list))
		}
	}
}

// A small heap has Go's default of garbage, a larger one 16 MiB and then a fifth, and a large one little.
func TestGarbageOf(t *testing.T) {
	t.Parallel()
	for heap, want := range map[uint64]int{0: 100, 8 << 20: 100, 32 << 20: 50, 80 << 20: 20, 640 << 20: 20, 1 << 30: 13, 2 << 30: 6, 4 << 30: 5, 1 << 40: 5} {
		if got := garbageOf(heap); got != want {
			t.Errorf("%d bytes: %d per cent, expected %d", heap, got, want)
		}
	}
}
