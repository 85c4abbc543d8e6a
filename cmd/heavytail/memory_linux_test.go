package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// memoryInputs are files that an import keeps in memory for different reasons, with the statement
// that imports them, and the most memory in MiB that must be enough.
var memoryInputs = []struct {
	name, statement string
	lines           int
	line            func(i int, random *rand.Rand) string
	enough          int
}{
	{"new vertices", "IMPORT '%s' INTO g", 150_000, func(i int, _ *rand.Rand) string { return fmt.Sprintf("%d %d\n", i, i+1) }, 128},
	{"long keys", "IMPORT '%s' INTO g", 60_000, func(i int, _ *rand.Rand) string { return fmt.Sprintf("%0400d 1\n", i) }, 192},
	{"edges", "IMPORT '%s' INTO g", 1_000_000, func(_ int, r *rand.Rand) string { return fmt.Sprintf("%d %d\n", r.IntN(20000), r.IntN(20000)) }, 128},
	{"weights and times", "IMPORT '%s' INTO g WITH (weight := 3, time := 4)", 300_000, func(i int, r *rand.Rand) string {
		return fmt.Sprintf("%d %d %d.5 %d\n", r.IntN(20000), r.IntN(20000), i, i)
	}, 128},
	{"texts", "IMPORT VERTICES '%s' INTO g WITH (header := 'none', columns := 'text')", 100_000, func(i int, _ *rand.Rand) string { return fmt.Sprintf("v%d,%0200d\n", i, i) }, 192},
	{"numbers", "IMPORT VERTICES '%s' INTO g WITH (header := 'none', columns := 'a, b, c')", 100_000, func(i int, _ *rand.Rand) string {
		return fmt.Sprintf("v%d,%d,%d.5,%d\n", i, i, i, i%7)
	}, 128},
}

// TestMemory_Import imports files under limits of memory, each twice, the second time into the graph
// that the first has made: the memory of the process, without pages of the store, stays within the
// limit, whether the import ends or is refused, and it ends under a limit that is enough.
func TestMemory_Import(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: imports millions of lines")
	}
	t.Parallel()
	for _, in := range memoryInputs {
		t.Run(in.name, func(t *testing.T) {
			var text strings.Builder
			random := rand.New(rand.NewPCG(1, 1))
			for i := range in.lines {
				text.WriteString(in.line(i, random))
			}
			file := filepath.Join(t.TempDir(), "input.csv")
			if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{60, 88, in.enough} {
				rows, peak := importWithin(t, limit, fmt.Sprintf(in.statement, file))
				t.Logf("%d MiB of %d", peak, limit)
				if peak > int64(limit) {
					t.Errorf("%d MiB of memory, and the limit is %d", peak, limit)
				}
				switch done := strings.Contains(rows, `{"graph":"g",`); {
				case !done && limit == in.enough:
					t.Errorf("not imported with %d MiB: %s", limit, rows)
				case !done && !strings.Contains(rows, "--memory-limit allows"):
					t.Errorf("with %d MiB: %s", limit, rows)
				}
			}
		})
	}
}

// importWithin runs a statement twice in a process with a limit of memory in MiB, and returns what the
// process printed, and the most memory in MiB that it had, without the pages of the store.
func importWithin(t *testing.T, limit int, statement string) (printed string, peak int64) {
	t.Helper()
	path := newFile(t)
	cmd := child(t, "exec", path, "--memory-limit", fmt.Sprintf("%dMiB", limit), "--format", "json", "--keep-going", "-f", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	cmd.Stderr = &messages
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, "%s;\n%s;\nHELP CHECK;\n", statement, statement)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if printed += lines.Text() + "\n"; strings.Contains(lines.Text(), "CHECK") {
			break // it has run them all, and waits for the next
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Sscan(rest, &peak) // KiB
		}
	}
	_ = in.Close()
	_ = cmd.Wait() // a refused import is exit code 1
	if store, err := os.Stat(path); err == nil {
		peak -= store.Size() >> 10
	}
	return printed + messages.String(), peak >> 10
}

// TestMemory_AddressSpace limits the address space: below the least the command ends and names the
// limit, and well above it works. The runtime of Go reserves most of the space at a random place
// before the command begins, and may find none below; then it ends with its own message.
func TestMemory_AddressSpace(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector reserves more address space than the least before the command begins")
	}
	t.Parallel()
	path := newFile(t)
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 1000, m := 5, seed := 1) INTO g")
	named := 0
	for _, mib := range []int{1400, 1440, 1480, 1520, 2200, 4000} {
		self := child(t, "exec", path, "-c", "SHOW GRAPHS; COMPUTE pagerank IN g AS p WITH (overwrite := TRUE)")
		cmd := exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d && exec "$@"`, mib<<10), "sh"}, self.Args...)...)
		cmd.Env = self.Env
		out, err := cmd.CombinedOutput()
		least := int64(mib)<<20 >= leastSpace
		if bytes.Contains(out, []byte("(ulimit -v)")) && cmd.ProcessState.ExitCode() == exitFailed {
			named++
		}
		if least != (err == nil) || least && bytes.Contains(out, []byte("goroutine ")) {
			t.Errorf("%d MiB: %v\n%.500s", mib, err, out)
		}
	}
	if named == 0 {
		t.Error("no run with little space names the limit")
	}
}
