package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"heavytail/query/remote"
)

// serving starts a server of a file in a process of its own, and returns it when it answers, with what it has written.
func serving(t *testing.T, path string, flags ...string) (server *os.Process, messages *bytes.Buffer, wait func() int) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send SIGTERM to another one on Windows")
	}
	cmd := child(t, append([]string{"serve", path}, flags...)...)
	messages = &bytes.Buffer{}
	cmd.Stderr = messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	wait = func() int {
		ended = true
		_ = cmd.Wait() // the exit code says it
		return cmd.ProcessState.ExitCode()
	}
	t.Cleanup(func() {
		if !ended {
			_ = cmd.Process.Kill()
			wait()
		}
	})
	for range 1000 {
		if db, err := remote.Open(t.Context(), path); err == nil {
			db.Close()
			return cmd.Process, messages, wait
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the server does not answer")
	return nil, nil, nil
}

// TestServe_SameOutput runs statements on a file and then through a server of a copy of it: in every format
// standard output and standard error are the same, byte for byte, but for seconds, times and the widths of their columns.
func TestServe_SameOutput(t *testing.T) {
	direct := sampleFile(t)
	copied := newFile(t)
	mustWrite(t, copied, mustRead(t, direct))
	server, messages, wait := serving(t, copied)
	seconds := regexp.MustCompile(`\d+\.\d+(e-\d+)?|\d{4}-\d\d-\d\dT[0-9:]+Z`)
	blanks := regexp.MustCompile(` +|-+`)
	same := func(text string) string { return blanks.ReplaceAllString(seconds.ReplaceAllString(text, "-"), "-") }
	for _, c := range []struct{ stdin, statements string }{
		{"", "SHOW GRAPHS; DESCRIBE GRAPH line ALL; SHOW EMBEDDINGS; HELP NEAREST; SHOW METHODS"},
		{"", "NEAREST 3 TO 'a' USING e; SCORE ('a', 'c'), ('a', 'x') WITH common_neighbors; EXPLAIN NEAREST 1 TO 'a' USING e"},
		{"", "SHOW VERTICES IN line\n; SHOW EDGES IN lien; SHOW GRAPHS"},
		{"", "SHOW GRAPHS; SHWO GRAPHS"},
		{"", "NEAREST 3 TO 'nobody' USING e"},
		{"x y\ny z\n", "SHOW GRAPHS; IMPORT '-' INTO piped; SHOW EDGES IN piped; INSERT EDGE ('a', 'd') INTO line; NEAREST 1 TO 'a' USING e; DROP GRAPH piped"},
		{"", "CREATE GRAPH line"},
		{"", ".timer off; .mode csv\n.columns graph\nSHOW GRAPHS; .param set who d\nNEAREST 1 TO $who USING e"},
		{"", ".schema\n.schema line\n.schema lien\n.dump\n.dump line\n.tables\n"},
		{"", "CHECK; COUNT VERTICES IN line BY degree; SHOW VERTICES IN line WHERE degree > $degree"},
	} {
		for _, format := range []string{"table", "csv", "json", "line"} {
			args := []string{"--format", format, "--param", "degree=1", "-c", c.statements}
			want := command(t, c.stdin, append([]string{"exec", direct}, args...)...)
			got := command(t, c.stdin, append([]string{"exec", copied}, args...)...)
			if got.code != want.code || same(got.out) != same(want.out) || got.err != want.err {
				t.Errorf("%s as %s: got %d\n%s%s\nwant %d\n%s%s", c.statements, format, got.code, got.out, got.err, want.code, want.out, want.err)
			}
		}
	}
	mustFail(t, exitFailed, []string{"open for reading only"}, "exec", copied, "--read-only", "-c", "CREATE GRAPH h")
	mustFail(t, exitFailed, []string{"is using it"}, "serve", copied)
	for _, command := range []string{"check", "describe", "compact"} {
		mustFail(t, exitFailed, []string{"is using it", "heavytail exec runs statements there"}, command, copied)
	}
	if names := graphsIn(copied); !slices.Equal(names, graphsIn(direct)) || len(names) == 0 {
		t.Errorf("the completion of graphs of a server lists %v", names)
	}
	if err := server.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := wait(); code != exitDone || !strings.Contains(messages.String(), "notice: serving") {
		t.Errorf("exit code %d: %s", code, messages)
	}
	mustRun(t, "", "check", copied)
}

// TestServe_Plot draws every kind of picture of a file, and then through a server of a copy of it: the pictures are
// the same, byte for byte, and so are notices and errors. A server writes no picture into a file.
func TestServe_Plot(t *testing.T) {
	direct, dir := plotted(t), t.TempDir()
	copied := filepath.Join(dir, "copy.ht")
	mustWrite(t, copied, mustRead(t, direct))
	serving(t, copied)
	for _, args := range [][]string{
		{"degrees", "pa", "spec", "--law=false", "--title", "--odd"},
		{"parameters", "pa", "--vary", "dim=4,8", "--using", "dp_spectral(beta := 0.5, scale := 1)", "--using", "laplacian_eigenmaps"},
		{"projection", "spec", "--color", "side"},
		{"graph", "--vertices", "50", "--labels=0"},
		{"graph", "pa", "--size", "600x400"},
		{"links", "--scorers", "l3,common_neighbors"},
		{"graph", "nothing"},
		{"links", "--curve", "calibration", "--models", "none"},
		{"degrees", "pa", "--size", "1x1"},
		{"degrees"},
		{"graph", "--vertices", "0"},
	} {
		for _, out := range []string{"", "p.svg", "p.png", "p.pdf"} {
			var pictures [2]string
			var answers [2]answer
			for i, file := range []string{direct, copied} {
				full := append([]string{"plot", args[0], file}, args[1:]...)
				if out != "" {
					full = append(full, "--out", filepath.Join(dir, out))
				}
				answers[i] = command(t, "", full...)
				if out != "" && answers[i].code == exitDone {
					pictures[i] = string(mustRead(t, filepath.Join(dir, out)))
				}
			}
			if answers[0] != answers[1] || pictures[0] != pictures[1] || answers[0].code == exitDone && pictures[0]+answers[0].out == "" {
				t.Errorf("plot %v --out %s: %d bytes\n%+v\nserved %d bytes\n%+v", args, out, len(pictures[0]), answers[0], len(pictures[1]), answers[1])
			}
		}
	}
	for _, line := range []string{".plot", ".plot pa", ".plot graph --vertices 20", ".plot nothing", ".plot links 1 2 3", ".plot graph --out x.bmp"} {
		want, got := command(t, line+"\n", "exec", direct), command(t, line+"\n", "exec", copied)
		if got != want {
			t.Errorf("%s: got %+v\nwant %+v", line, got, want)
		}
	}
	db, err := remote.Open(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		args []string
		form string
		want string
	}{
		{[]string{"graph", "--out=" + filepath.Join(dir, "attack.svg"), "pa"}, "svg", "writes no picture into a file"},
		{[]string{"graph", "--out", "attack.svg"}, "svg", "writes no picture into a file"},
		{[]string{"graph"}, "gif", "none of svg"},
		{[]string{"graph"}, "", "none of svg"},
		{[]string{"graph", "--help"}, "svg", "nothing to draw"},
		{[]string{"completion"}, "svg", "unknown plot"},
		{[]string{"--help"}, "svg", "unknown plot"},
		{[]string{"graph", "--dpi=1000000"}, "png", "must be from"},
		{[]string{"graph", "--size=1e9x1e9"}, "png", "size"},
	} {
		if picture, _, err := db.Draw(t.Context(), c.args, c.form); err == nil || !strings.Contains(err.Error(), c.want) || picture != nil {
			t.Errorf("%v as %s: %v", c.args, c.form, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "attack*")); files != nil {
		t.Error(files)
	}
}

// TestServe_Killed kills a server in the middle of an answer and of a job: the client says so, the file is
// sound, and the next process finds no server.
func TestServe_Killed(t *testing.T) {
	path := newFile(t)
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 3000, m := 5, seed := 1) INTO g; EMBED g USING fastrp(dim := 8) AS e")
	server, _, wait := serving(t, path)
	mustRun(t, "", "exec", path, "-c", "EMBED g USING deepwalk(epochs := 65536) AS never IN BACKGROUND")
	started, writing := io.Pipe()
	answered := make(chan answer)
	go func() {
		var messages bytes.Buffer
		code := run(t.Context(), []string{"exec", path, "--format", "csv", "-c", "NEAREST 2000 FOR ALL USING e"}, streams{in: strings.NewReader(""), out: writing, err: &messages})
		answered <- answer{code: code, err: messages.String()}
	}()
	if _, err := started.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	wait()
	go func() { _, _ = io.Copy(io.Discard, started) }()
	if a := <-answered; a.code != exitFailed || !strings.Contains(a.err, "the server has ended the connection") {
		t.Errorf("exit code %d, %s", a.code, a.err)
	}
	started.Close()
	if out := mustRun(t, "", "check", path); !strings.Contains(out, "1 graph, 1 embedding") {
		t.Error(out)
	}
	mustRun(t, "", "exec", path, "-c", "SHOW GRAPHS")
}

// TestServe_StopsJob stops a server while a job embeds: the job can be resumed.
func TestServe_StopsJob(t *testing.T) {
	path := newFile(t)
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 500, m := 5, seed := 1) INTO g")
	server, messages, wait := serving(t, path)
	mustRun(t, "", "exec", path, "-c", "EMBED g USING deepwalk(epochs := 65536) AS never IN BACKGROUND")
	if err := server.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := wait(); code != exitDone {
		t.Errorf("exit code %d: %s", code, messages)
	}
	if out := mustRun(t, "", "exec", path, "-c", "SHOW JOBS COLUMNS state", "--format", "csv"); !strings.Contains(out, "interrupted") {
		t.Error(out)
	}
	mustRun(t, "", "check", path)
}

// TestServe_Flags tries wrong command lines and token files.
func TestServe_Flags(t *testing.T) {
	path, dir := sampleFile(t), t.TempDir()
	token := filepath.Join(dir, "token")
	mustFail(t, exitUsage, []string{"--listen needs --token-file"}, "serve", path, "--listen", "127.0.0.1:0")
	mustFail(t, exitUsage, []string{"--max-rows (-1) must not be negative"}, "serve", path, "--max-rows", "-1")
	mustFail(t, exitUsage, []string{"FILE"}, "serve", ":memory:")
	mustFail(t, exitFailed, []string{"no such file"}, "serve", newFile(t), "--no-create")
	first, err := readToken(token)
	if err != nil || len(first) != 64 {
		t.Fatal(first, err)
	}
	if again, err := readToken(token); again != first || err != nil {
		t.Error(again, err)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(token, 0o644); err != nil {
			t.Fatal(err)
		}
		mustFail(t, exitFailed, []string{"other users may read"}, "serve", path, "--listen", "127.0.0.1:0", "--token-file", token)
	}
	a := command(t, `{"id":1,"statement":"SHOW GRAPHS COLUMNS graph"}`+"\n", "serve", path, "--stdio", "--read-only")
	if a.code != exitDone || a.out != `{"id":1,"columns":[{"name":"graph","type":"text","not_null":true}],"rows":[["line"]],"end":{"rows":1}}`+"\n" {
		t.Errorf("%d %s %s", a.code, a.out, a.err)
	}
}
