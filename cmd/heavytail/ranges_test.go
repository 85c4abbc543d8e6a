//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRanges_Manual runs the commands of the manual in processes, with the variables that Slurm
// and Kubernetes set, kills make in between, and compares the parts with the file of one process.
func TestRanges_Manual(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts two hundred processes")
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip(err)
	}
	page := string(mustRead(t, filepath.Join("manual", "cluster.md")))
	block := func(language string, number int) string {
		t.Helper()
		blocks := strings.Split(page, "```"+language+"\n")
		if number+1 >= len(blocks) {
			t.Fatalf("the page has no block %d of %s", number, language)
		}
		text, _, _ := strings.Cut(blocks[number+1], "```")
		// Smaller ranges, of which the last ones are empty.
		return strings.NewReplacer("2000", "12", "1000000", "40", "/shared/", "").Replace(text)
	}
	dir := t.TempDir()
	self := child(t)
	mustWrite(t, filepath.Join(dir, "heavytail"), fmt.Appendf(nil, "#!/bin/sh\nexec '%s' \"$@\"\n", self.Path))
	if err := os.Chmod(filepath.Join(dir, "heavytail"), 0o700); err != nil {
		t.Fatal(err)
	}
	shell := func(variable, text string) *exec.Cmd {
		cmd := exec.Command("/bin/bash", "-ec", text)
		cmd.Dir, cmd.Env = dir, append(self.Env, "PATH="+dir+":"+os.Getenv("PATH"), variable)
		return cmd
	}
	mustShell := func(variable, text string) {
		t.Helper()
		if out, err := shell(variable, text).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", text, err, out)
		}
	}
	pairs := []byte("source,target\n")
	for i := range 2500 {
		pairs = fmt.Appendf(pairs, "%d,%d\n", i%700, i*7%705)
	}
	mustWrite(t, filepath.Join(dir, "pairs.csv"), pairs)
	mustShell("", `heavytail exec social.ht -c "GENERATE preferential_attachment(n := 700, m := 3, seed := 1) INTO g; EMBED g USING fastrp(dim := 8) AS spec;
NEAREST 10 FOR ALL USING spec INTO FILE 'near-alone.csv'; SCORE FILE 'pairs.csv' WITH cosine(spec) INTO FILE 'scores-alone.csv'"`)
	same := func(got, want string) {
		t.Helper()
		if !bytes.Equal(mustRead(t, filepath.Join(dir, got)), mustRead(t, filepath.Join(dir, want))) {
			t.Errorf("%s differs from %s", got, want)
		}
	}

	for i := range 64 {
		mustShell(fmt.Sprint("SLURM_ARRAY_TASK_ID=", i), block("sh", 0))
	}
	mustShell("", block("sh", 1))
	same("near.csv", "near-alone.csv")

	_, command, _ := strings.Cut(block("yaml", 0), `command: [sh, -c, "`)
	command, _, _ = strings.Cut(command, `"]`)
	for i := range 64 {
		mustShell(fmt.Sprint("JOB_COMPLETION_INDEX=", i), command)
	}
	mustShell("", "cat $(seq -f scores-%g.csv 0 63) > scores.csv")
	same("scores.csv", "scores-alone.csv")

	mustShell("", "rm near.csv near-[0-9]*")
	mustWrite(t, filepath.Join(dir, "Makefile"), []byte(block("make", 0)))
	for range 2 {
		cmd := shell("", "exec make -j 2")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		parts := func() int {
			list, _ := filepath.Glob(filepath.Join(dir, "near-[0-9]*.csv"))
			return len(list)
		}
		// Kill it with its processes as soon as some parts are there.
		for before := parts(); parts() < before+5 && len(ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			t.Errorf("make ended before it was killed: %v, %v", <-ended, err)
			break
		}
		<-ended
	}
	mustShell("", "make -j 2")
	same("near.csv", "near-alone.csv")
}
