package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
)

// These tests stop processes at random moments, so each run tests different moments.

// stopped starts a child that runs statements, and calls stop when the time wait has
// passed after the first row that they print. It returns the exit code, what the child
// wrote to standard error, and how long the child lived after stop.
func stopped(t *testing.T, path, statements string, wait time.Duration, stop func(*os.Process) error) (code int, messages string, latency time.Duration) {
	t.Helper()
	cmd := child(t, "exec", path, "--format", "json", "-c", statements)
	var status bytes.Buffer
	cmd.Stderr = &status
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	rows := bufio.NewReader(out)
	if _, err := rows.ReadString('\n'); err != nil {
		t.Fatalf("%v: %s", err, &status)
	}
	var at time.Time
	done := make(chan error, 1)
	timer := time.AfterFunc(wait, func() {
		at = time.Now()
		done <- stop(cmd.Process)
	})
	io.Copy(io.Discard, rows)
	err = cmd.Wait()
	if !timer.Stop() {
		if err := <-done; err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		latency = time.Since(at)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), status.String(), latency
}

// firstRow is a statement that prints rows at once.
const firstRow = "HELP CHECK; "

// TestInterrupt presses Ctrl-C while an embedding is computed that would take a day.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send an interrupt to another one on Windows")
	}
	path := newFile(t)
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 500, m := 10, seed := 1) INTO g")
	waits := []time.Duration{0, 30 * time.Millisecond, 300 * time.Millisecond}
	if testing.Short() {
		waits = waits[:2]
		t.Log("-short: no interrupt after 300 ms")
	}
	for _, wait := range waits {
		code, messages, latency := stopped(t, path, firstRow+"EMBED g USING deepwalk(epochs := 65536) AS e", wait, func(p *os.Process) error { return p.Signal(os.Interrupt) })
		t.Logf("interrupt after %v: ended in %v", wait, latency)
		if code != exitFailed || !strings.Contains(messages, "cancelled") {
			t.Errorf("interrupt after %v: exit code %d, %q", wait, code, messages)
		}
		if out := mustRun(t, "", "check", path); !strings.Contains(out, "1 graph, 0 embeddings") {
			t.Errorf("interrupt after %v: %s", wait, out)
		}
	}
}

// exported returns a graph or an embedding as text.
func exported(t *testing.T, path, what string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "exported")
	mustRun(t, "", "exec", path, "--read-only", "-c", "EXPORT "+what+" INTO FILE '"+file+"'")
	return mustRead(t, file)
}

// TestKill_Import kills imports at random moments. The file must then be undamaged and
// have the whole graph or nothing of it, and the same import must lead to the same
// graph.
func TestKill_Import(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills imports; the kills of package storage are enough")
	}
	var text bytes.Buffer
	random := rand.New(rand.NewPCG(5, 6))
	for range 40_000 {
		x := random.Float64()
		fmt.Fprintf(&text, "vertex%d vertex%d\n", int(x*x*20_000), random.IntN(20_000))
	}
	edges := filepath.Join(t.TempDir(), "edges.txt")
	mustWrite(t, edges, text.Bytes())
	statement := "IMPORT '" + edges + "' INTO g"
	whole := newFile(t)
	began := time.Now()
	mustRun(t, "", "exec", whole, "-c", statement)
	usual := time.Since(began)
	want := exported(t, whole, "GRAPH g")

	rounds, unfinished := repeat.Times(2), 0
	for range rounds {
		path := newFile(t)
		wait := rand.N(usual + usual/2)
		code, messages, _ := stopped(t, path, firstRow+statement, wait, (*os.Process).Kill)
		if code > exitDone {
			t.Fatalf("killed after %v: exit code %d, %s", wait, code, messages)
		}
		mustRun(t, "", "check", path)
		switch shown := mustRun(t, "", "exec", path, "--read-only", "--format", "csv", "-c", "SHOW GRAPHS"); {
		case !strings.Contains(shown, "\ng,"):
			unfinished++
		case !bytes.Equal(exported(t, path, "GRAPH g"), want):
			t.Fatalf("killed after %v: part of the graph is visible", wait)
		}
		mustRun(t, "", "exec", path, "-c", statement)
		if !bytes.Equal(exported(t, path, "GRAPH g"), want) {
			t.Error("the import after a kill led to another graph")
		}
		mustRun(t, "", "check", path)
	}
	t.Logf("%d rounds, %d kills before the graph was visible", rounds, unfinished)
}

// TestKill_Embed kills the replacement of an embedding at random moments. The file
// must then be undamaged and have the old embedding or the new one, and the same
// statement must lead to the new one.
func TestKill_Embed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills processes at many moments")
	}
	const statement = "EMBED g USING dp_spectral(dim := 40) AS e"
	first := newFile(t)
	mustRun(t, "", "exec", first, "-c", "GENERATE preferential_attachment(n := 1000, m := 5, seed := 1) INTO g; EMBED g USING laplacian_eigenmaps(dim := 40) AS e")
	file, old := mustRead(t, first), exported(t, first, "EMBEDDING e")
	began := time.Now()
	mustRun(t, "", "exec", first, "-c", statement)
	usual := time.Since(began)
	replaced := exported(t, first, "EMBEDDING e")
	if bytes.Equal(old, replaced) {
		t.Fatal("the two embeddings are the same")
	}
	rounds, unfinished := repeat.Times(2), 0
	for range rounds {
		path := newFile(t)
		mustWrite(t, path, file)
		wait := rand.N(usual + usual/2)
		code, messages, _ := stopped(t, path, firstRow+statement, wait, (*os.Process).Kill)
		if code > exitDone {
			t.Fatalf("killed after %v: exit code %d, %s", wait, code, messages)
		}
		mustRun(t, "", "check", path)
		switch got := exported(t, path, "EMBEDDING e"); {
		case bytes.Equal(got, old):
			unfinished++
		case !bytes.Equal(got, replaced):
			t.Fatalf("killed after %v: the embedding is neither the old nor the new one", wait)
		}
		mustRun(t, "", "exec", path, "-c", statement)
		if !bytes.Equal(exported(t, path, "EMBEDDING e"), replaced) {
			t.Error("the embedding after a kill is another one")
		}
		mustRun(t, "", "check", path)
	}
	t.Logf("%d rounds, %d kills before the new embedding was visible", rounds, unfinished)
}
