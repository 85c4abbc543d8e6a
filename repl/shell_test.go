package repl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heavytail/query"
)

// TestShell_Stuck presses Ctrl-C several times while a statement does not end. Ctrl-C
// within patience after the first does nothing; the next one abandons the statement.
func TestShell_Stuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sh := &shell{keyboard: keyboard{interrupts: make(chan os.Signal, 1)}, session: &session{}}
		release := make(chan struct{})
		began := time.Now()
		go func() {
			for _, pause := range []time.Duration{100 * time.Millisecond, 50 * time.Millisecond, 50 * time.Millisecond, 5 * time.Second} {
				time.Sleep(pause)
				sh.interrupts <- os.Interrupt
			}
		}()
		err := sh.interruptible(t.Context(), func(context.Context) error {
			<-release
			return nil
		})
		if waited := time.Since(began); !errors.Is(err, ErrStuck) || waited != 5200*time.Millisecond {
			t.Errorf("%v after %v", err, waited)
		}
		close(release)
	})
}

// TestShell_Yields presses Ctrl-C twice while a statement runs that ends some time
// after the first. The statement is cancelled, and the shell continues.
func TestShell_Yields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sh := &shell{keyboard: keyboard{interrupts: make(chan os.Signal, 1)}, session: &session{}}
		go func() {
			for range 2 {
				time.Sleep(10 * time.Millisecond)
				sh.interrupts <- os.Interrupt
			}
		}()
		err := sh.interruptible(t.Context(), func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(3 * patience)
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRun_Commands runs commands of a script on a database and on files.
func TestRun_Commands(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"inner.sql": "SHOW SCORERS; .quit\nCHECK;",
		"outer.sql": "CREATE GRAPH h;\n.schema\n.read '" + path("bad.sql") + "'\nCREATE GRAPH never;",
		"bad.sql":   "DROP GRAPH hh;",
		"loop.sql":  ".read '" + path("loop.sql") + "'",
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := query.Open(path("test.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	script := func(text string) (out, status string, err error) {
		var o, s bytes.Buffer
		err = Run(t.Context(), Config{DB: db, In: strings.NewReader(text), Out: &o, Status: NewStatus(&s, Terminal{}), Format: CSV, KeepGoing: true})
		return o.String(), s.String(), err
	}

	out, status, err := script(".read '" + path("outer.sql") + "'\n.schema g")
	want := "graph,vertices,edges,attributes,embeddings\nh,0,0,,\n"
	errorsWanted := "error: " + path("bad.sql") + `: line 1, column 12: unknown graph "hh": did you mean "h"?` + "\n  DROP GRAPH hh;\n             ^^\n" +
		"error: line 2: unknown graph \"g\"\n"
	var failure *Failure
	if out != want || status != errorsWanted || !errors.As(err, &failure) || failure.Count != 2 {
		t.Errorf("got %q, %q, %v", out, status, err)
	}

	out, status, err = script(".output '" + path("rows.json") + "'\n.mode json\nDROP GRAPH h; DROP GRAPH never;\n.output\n.read " + path("inner.sql") + "\nCHECK;")
	if err != nil || status != "" || !strings.HasPrefix(out, `[{"scorer":"common_neighbors"`) || strings.Count(out, "\n") != 1 {
		t.Errorf("got %q, %q, %v", out, status, err)
	}
	if rows, err := os.ReadFile(path("rows.json")); err != nil || strings.Count(string(rows), "\n") != 2 {
		t.Errorf("the file has %q, %v", rows, err)
	}

	_, status, err = script(".read " + path("loop.sql"))
	if err == nil || !strings.Contains(status, fmt.Sprintf("more than %d deep", deepest)) {
		t.Errorf("a script that reads itself: %q, %v", status, err)
	}
	_, status, err = script(".output " + dir + "\nCHECK;")
	if err == nil || !strings.Contains(status, "line 1: open ") {
		t.Errorf("output to a folder: %q, %v", status, err)
	}
}
