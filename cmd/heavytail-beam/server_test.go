//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"heavytail/cmd/heavytail-beam/internal/statement"
	"heavytail/query"
	"heavytail/query/shard"
)

// TestServer runs pipelines on a server of prism. The programs that submit the pipelines
// and the workers are separate processes that share only files. The test kills the workers
// during a pipeline.
func TestServer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program of a hundred megabytes and starts a server")
	}
	folder := t.TempDir()
	program := build(t, folder)
	endpoint := serve(t)
	environment, err := json.Marshal(map[string]string{"command": program})
	if err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		var text bytes.Buffer
		cmd := exec.CommandContext(t.Context(), program, append(args, "--runner=universal", "--endpoint="+endpoint,
			"--environment_type=PROCESS", "--environment_config="+string(environment))...)
		cmd.Stderr = &text
		return cmd, &text
	}

	file := filepath.Join(folder, "g.ht")
	db := open(t, file, nil)
	statement.Run(t, db, "GENERATE preferential_attachment(n := 12000, m := 5, seed := 1) INTO g")
	statement.Run(t, db, "EMBED g USING dp_spectral(dim := 64, seed := 1) AS spec")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = open(t, file, &query.Options{ReadOnly: true})
	defer db.Close()

	t.Run("shards, one worker killed", func(t *testing.T) {
		alone, merged := filepath.Join(folder, "alone.csv"), filepath.Join(folder, "merged.csv")
		const nearest = "NEAREST 20 FOR ALL USING cosine(spec) EXACT INTO FILE '%s'"
		statement.Run(t, db, fmt.Sprintf(nearest, alone))
		var dir string
		var before map[int]time.Time
		for attempt := 0; ; attempt++ {
			dir = filepath.Join(folder, fmt.Sprint("D", attempt))
			m, err := shard.Make(t.Context(), db, dir, fmt.Sprintf(nearest, merged), 48)
			if err != nil {
				t.Fatal(err)
			}
			first, text := command("--file", file, "--dir", dir)
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- first.Wait() }()
			before = killAfter(t, m, dir, 2, program, ended)
			// prism does not start another worker. Usually the pipeline fails with an error of
			// prism. If the worker still had a result to send, the pipeline waits forever, and the
			// program that submitted it gives up. The next run has to do only the missing shards.
			if !endsWell(t, first, ended) {
				break
			}
			// On a busy machine the pipeline may end before its workers are killed.
			if err := os.Remove(merged); err != nil || attempt == 20 {
				t.Fatalf("the pipeline does not fail: %v\n%s", err, text)
			}
		}
		endpoint = serve(t) // the other server may still wait
		second, text := command("--file", file, "--dir", dir)
		if err := second.Run(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i, modified := range before {
			if now := partTime(t, dir, i); !now.Equal(modified) {
				t.Errorf("shard %d was run again", i)
			}
		}
		same(t, merged, alone)
	})

	t.Run("scores", func(t *testing.T) {
		pairs, alone, out := filepath.Join(folder, "pairs.csv"), filepath.Join(folder, "scores-alone.csv"), filepath.Join(folder, "scores.csv")
		rows := []byte("source,target\n")
		for i := range 6000 { // in the order of their bytes, as WriteCSV writes them
			rows = fmt.Appendf(rows, "%04d,%d\n", i, i%7)
		}
		if err := os.WriteFile(pairs, rows, 0o666); err != nil {
			t.Fatal(err)
		}
		statement.Run(t, db, fmt.Sprintf("SCORE FILE '%s' IN g WITH jaccard, cosine(spec) INTO FILE '%s'", pairs, alone))
		cmd, text := command("--file", file, "--pairs", pairs, "--graph", "g", "--with", "jaccard, cosine(spec)", "--out", out)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		same(t, out, alone)
		cmd, text = command("--file", file, "--pairs", pairs, "--graph", "g", "--with", "jaccard", "--out", out)
		if err := cmd.Run(); err == nil || !strings.Contains(text.String(), "--overwrite") {
			t.Errorf("a file that exists: %v\n%s", err, text)
		}
	})

	t.Run("wrong flags", func(t *testing.T) {
		for _, args := range [][]string{
			{}, {"--file", file}, {"--file", file, "--dir", folder, "--pairs", "x"}, {"--file", file, "--dir", folder, "--top", "2"},
			{"--file", file, "--pairs", "x"}, {"--file", file, "--dir", folder, "more"},
		} {
			cmd, text := command()
			cmd.Args = append(cmd.Args[:1], args...)
			var exit *exec.ExitError
			if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Errorf("%q: %v, expected exit code 2\n%s", args, err, text)
			}
		}
	})
}

// endsWell waits until a program has ended, for a minute at the most, and reports whether it has
// ended without an error. It kills a program that has not ended by then.
func endsWell(t *testing.T, cmd *exec.Cmd, ended chan error) bool {
	t.Helper()
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(time.Minute):
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	return <-ended == nil
}

// build compiles the program and returns its path.
func build(t *testing.T, folder string) string {
	t.Helper()
	program := filepath.Join(folder, "heavytail-beam")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return program
}

// serve starts prism as a server in this process, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // the pipelines return their errors
	for {
		free, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		port := free.Addr().(*net.TCPAddr).Port
		free.Close()
		if listens(t, port) {
			return fmt.Sprintf("localhost:%d", port)
		}
	}
}

// listens starts the server at a port, unless another program has taken it.
func listens(t *testing.T, port int) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil && !strings.Contains(fmt.Sprint(fault), "address already in use") {
			panic(fault)
		}
	}()
	if _, err := prism.CreateJobServer(t.Context(), prism.Options{Port: port}); err != nil {
		t.Fatal(err)
	}
	return true
}

// killAfter kills the workers as soon as some shards are done, unless the pipeline has
// ended before, and returns the times of their parts.
func killAfter(t *testing.T, m *shard.Manifest, dir string, shards int, program string, ended chan error) map[int]time.Time {
	t.Helper()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("the pipeline failed before it was disturbed: %v", err)
			}
			ended <- nil
			return nil
		case <-time.After(5 * time.Millisecond):
		}
		list, err := m.Status()
		if err != nil {
			t.Fatal(err)
		}
		done := map[int]time.Time{}
		for _, s := range list {
			if s.Done {
				done[s.Shard] = partTime(t, dir, s.Shard)
			}
		}
		if len(done) >= shards {
			killWorkers(t, program)
			return done
		}
	}
}

// killWorkers kills the workers that run the program.
func killWorkers(t *testing.T, program string) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, exe := range list {
		arguments, _ := os.ReadFile(filepath.Join(filepath.Dir(exe), "cmdline"))
		if target, err := os.Readlink(exe); err != nil || target != program || !bytes.Contains(arguments, []byte("--provision_endpoint")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(exe)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
}

// partTime returns when the part of a shard was written.
func partTime(t *testing.T, dir string, i int) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, "parts", fmt.Sprintf("%05d.csv", i)))
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

func open(t *testing.T, file string, opts *query.Options) *query.DB {
	t.Helper()
	db, err := query.Open(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// same compares two files.
func same(t *testing.T, got, want string) {
	t.Helper()
	a, err := os.ReadFile(got)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s differs from %s", got, want)
	}
}
