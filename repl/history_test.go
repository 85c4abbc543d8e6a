package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines returns what a new shell finds in a history.
func lines(path string) []string {
	h := &history{path: path}
	list := make([]string, h.Len())
	for i := range list {
		list[i], _ = h.GetLine(i)
	}
	return list
}

// TestHistory_Entries keeps entries of any length and with line breaks, in a file
// that only its owner reads.
func TestHistory_Entries(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "heavytail", "history")
	h := &history{path: path}
	long := "NEAREST 1 TO [" + strings.Repeat("0.5, ", 100_000) + "1] USING e;"
	for _, entry := range []string{"CHECK;", "CHECK;", "SHOW\n\tGRAPHS;", long, "NEAREST 1 TO '世界\\n' USING e;"} {
		h.add(entry)
	}
	if err := h.failed(); err != nil {
		t.Fatal(err)
	}
	want := []string{"CHECK;", "SHOW\n\tGRAPHS;", long, "NEAREST 1 TO '世界\\n' USING e;"}
	if got := lines(path); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %.200q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// TestHistory_Shells adds from several shells at a time, some of which find the
// file too long and shorten it.
func TestHistory_Shells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	var old strings.Builder
	for i := range historyEntries * 3 / 2 {
		old.Write(encodeEntry(fmt.Sprintf("old %d", i)))
	}
	old.WriteString("\"cut by a cra")
	if err := os.WriteFile(path, []byte(old.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	const shells, each = 8, 10
	var group sync.WaitGroup
	for s := range shells {
		group.Go(func() {
			h := &history{path: path, wait: time.Hour} // a busy machine may stop the one that has the lock
			for i := range each {
				h.add(fmt.Sprintf("shell %d entry %d", s, i))
			}
			if err := h.failed(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	got := lines(path)
	if len(got) > historyEntries {
		t.Errorf("%d entries are kept", len(got))
	}
	seen := map[string]int{}
	for _, entry := range got {
		seen[entry]++
	}
	for s := range shells {
		for i := range each {
			if n := seen[fmt.Sprintf("shell %d entry %d", s, i)]; n != 1 {
				t.Errorf("entry %d of shell %d is there %d times", i, s, n)
			}
		}
	}
	if seen["old 0"] > 0 || seen[fmt.Sprintf("old %d", historyEntries*3/2-1)] != 1 {
		t.Error("not the newest of the old entries are kept")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestHistory_Hostile reads a file with lines that no shell has written.
func TestHistory_Hostile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	text := "no json\n\"\\u001b[2JCHECK;\"\n[1,2]\n\n\"\\u202eHELP;\"\n\"\xff\"\n\"SHOW GRAPHS;\""
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%q", lines(path)), `["[2JCHECK;" "�" "SHOW GRAPHS;"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHistory_Fails continues without a file if it cannot be created, and reports
// this once.
func TestHistory_Fails(t *testing.T) {
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(blocked, "history"), t.TempDir()} {
		h := &history{path: path}
		h.add("CHECK;")
		if h.failed() == nil {
			t.Errorf("%s: no error", path)
		}
		h.add("HELP;")
		if err := h.failed(); err != nil {
			t.Errorf("%s: a second error %v", path, err)
		}
		if h.Len() != 2 {
			t.Errorf("%s: %d entries in memory", path, h.Len())
		}
	}
}

func TestHistoryFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for want, env := range map[string]map[string]string{
		"/state/heavytail/history":             {"XDG_STATE_HOME": "/state", "HOME": "/home"},
		"/home/.local/state/heavytail/history": {"XDG_STATE_HOME": "relative", "HOME": "/home"},
		"":                                     {},
	} {
		if got := HistoryFile(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: got %q, want %q", env, got, want)
		}
	}
}

func TestStartupFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for want, env := range map[string]map[string]string{
		"/config/heavytail/init":       {"XDG_CONFIG_HOME": "/config", "HOME": "/home"},
		"/home/.config/heavytail/init": {"XDG_CONFIG_HOME": "relative", "HOME": "/home"},
		"":                             {},
	} {
		if got := StartupFile(func(name string) string { return env[name] }); got != want {
			t.Errorf("%v: got %q, want %q", env, got, want)
		}
	}
}

func TestPrivate(t *testing.T) {
	for text, want := range map[string]bool{
		"CHECK;": false, " CHECK;": true, ".param set key secret": true, ":PARAM SET key secret": true, ".param list": false,
		"NEAREST 1 TO 'a\u202eb' USING e;": true,
	} {
		if private(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
