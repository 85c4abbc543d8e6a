//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestExec_Pipe stops exec while its script is a named pipe that nobody writes to,
// and then one that nobody writes anything into.
func TestExec_Pipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "script")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, writer := range []bool{false, true} {
			cmd := child(t, "exec", filepath.Join(dir, "g.ht"), "-f", pipe)
			var messages bytes.Buffer
			cmd.Stderr = &messages
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if writer {
				// Opening waits for the reader.
				w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			// A signal that came before the command listens would end it without words.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			select {
			case <-done:
				t.Fatalf("it did not wait for the script: %s", &messages)
			case <-time.After(500 * time.Millisecond):
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			select {
			case <-done:
			case <-ctx.Done():
				_ = cmd.Process.Kill()
				t.Fatalf("%v, writer %v: the signal did not end it", signal, writer)
			}
			if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(messages.String(), "cancelled") {
				t.Errorf("%v, writer %v: exit code %d, %q", signal, writer, code, &messages)
			}
		}
	}
}
