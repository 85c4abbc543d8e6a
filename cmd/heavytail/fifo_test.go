//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// hangs is the time after which a process counts as hanging. It is long because other tests
// and programs may take the processors.
const hangs = 5 * time.Minute

// TestExec_Pipe stops exec while its script is a named pipe that no process has opened for
// writing, and then one that is open but stays empty.
func TestExec_Pipe(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts several processes, and waits")
	}
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "script")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	signals := []syscall.Signal{syscall.SIGINT}
	for _, s := range endings() {
		signals = append(signals, s.(syscall.Signal))
	}
	for _, signal := range signals {
		for _, writer := range []bool{false, true} {
			// A signal that arrives before the command handles signals ends it without a message. On
			// a busy machine, where the command starts slowly, that is not an error.
			pause := 300 * time.Millisecond
			code, messages := signalled(t, dir, pipe, signal, writer, pause)
			for ; code < 0 && pause < hangs; code, messages = signalled(t, dir, pipe, signal, writer, pause) {
				pause *= 3
			}
			if code != exitFailed || !strings.Contains(messages, "cancelled") {
				t.Errorf("%v, writer %v: exit code %d, %q", signal, writer, code, messages)
			}
		}
	}
}

// signalled starts exec with a named pipe as its script, and sends it a signal after a
// pause. It returns the exit code, -1 if the signal ended the process, and what the process
// wrote to standard error.
func signalled(t *testing.T, dir, pipe string, signal syscall.Signal, writer bool, pause time.Duration) (code int, messages string) {
	t.Helper()
	cmd := child(t, "exec", filepath.Join(dir, "g.ht"), "-f", pipe)
	var status bytes.Buffer
	cmd.Stderr = &status
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if writer {
		// Opening a pipe for writing waits until it is open for reading.
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
		t.Fatalf("it did not wait for the script: %s", &status)
	case <-time.After(pause):
	}
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
	case <-time.After(hangs):
		_ = cmd.Process.Kill()
		t.Fatalf("%v, writer %v: the signal did not end it", signal, writer)
	}
	return cmd.ProcessState.ExitCode(), status.String()
}
