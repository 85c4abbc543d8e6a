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
	"heavytail/cmd/heavytail-beam/transform"
	"heavytail/query"
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

	t.Run("ranges, one worker killed", func(t *testing.T) {
		alone := filepath.Join(folder, "alone.txt")
		const walks = "EXPORT WALKS OF g USING deepwalk(walks := 40) INTO FILE "
		statement.Run(t, db, walks+"'"+alone+"'")
		var args, parts []string
		var before map[string]time.Time
		for attempt := 0; ; attempt++ {
			out := filepath.Join(folder, fmt.Sprintf("walks%d.txt", attempt))
			parts = transform.FileNames(out, 48)
			args = []string{"--file", file, "--ranges", "48", "--rows", "10000", "--out", out, "--statement", walks + "$file WITH (first := $first, count := $count)"}
			first, text := command(args...)
			if err := first.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- first.Wait() }()
			before = killAfter(t, parts, 2, program, ended)
			// prism does not start another worker. Usually the pipeline fails with an error of
			// prism. If the worker still had a result to send, the pipeline waits forever, and the
			// program that submitted it gives up. The next run has to do only the missing ranges.
			if !endsWell(t, first, ended) {
				break
			}
			// On a busy machine the pipeline may end before its workers are killed.
			if attempt == 20 {
				t.Fatalf("the pipeline does not fail\n%s", text)
			}
		}
		endpoint = serve(t) // the other server may still wait
		second, text := command(args...)
		if err := second.Run(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for name, modified := range before {
			if now := modTime(t, name); !now.Equal(modified) {
				t.Errorf("%s was written again", name)
			}
		}
		merged := filepath.Join(folder, "merged.txt")
		var all []byte
		for _, name := range parts {
			part, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, part...)
		}
		if err := os.WriteFile(merged, all, 0o600); err != nil {
			t.Fatal(err)
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
			{}, {"--file", file}, {"--file", file, "--statement", "SHOW GRAPHS", "--pairs", "x"}, {"--file", file, "--statement", "SHOW GRAPHS", "--top", "2"},
			{"--file", file, "--statement", "SHOW GRAPHS", "--out", "x"}, {"--file", file, "--statement", "SHOW GRAPHS"},
			{"--file", file, "--pairs", "x"}, {"--file", file, "--pairs", "x", "more"},
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

// killAfter kills the workers as soon as some parts are there, unless the pipeline has ended
// before, and returns the times of these parts.
func killAfter(t *testing.T, parts []string, some int, program string, ended chan error) map[string]time.Time {
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
		done := map[string]time.Time{}
		for _, name := range parts {
			if _, err := os.Stat(name); err == nil {
				done[name] = modTime(t, name)
			}
		}
		if len(done) >= some {
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

// modTime returns when a file was written.
func modTime(t *testing.T, name string) time.Time {
	t.Helper()
	info, err := os.Stat(name)
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
