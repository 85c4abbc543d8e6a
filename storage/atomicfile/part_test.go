package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Two writers of one part would overwrite each other. The second is refused until the first
// has ended, whichever function opens it.
func TestPart_InUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	first, err := CreatePart(nil, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.Write([]byte("first\n")); err != nil {
		t.Fatal(err)
	}
	if err := first.Section([]byte("1")); err != nil {
		t.Fatal(err)
	}
	if lockPart(first.file) == nil && lockPart(open(t, path+".part")) == nil {
		t.Skip("there are no locks here")
	}
	if _, _, err := OpenPart(nil, path); !errors.Is(err, ErrPartInUse) {
		t.Errorf("going on: %v", err)
	}
	if _, err := CreatePart(nil, path, true); !errors.Is(err, ErrPartInUse) {
		t.Errorf("beginning again: %v", err)
	}
	if _, err := first.Write([]byte("second\n")); err != nil {
		t.Fatal(err)
	}
	if err := first.Suspend(); err != nil {
		t.Fatal(err)
	}
	again, state, err := OpenPart(nil, path)
	if err != nil || string(state) != "1" {
		t.Fatalf("%q, %v", state, err)
	}
	if err := again.Commit(false); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "first\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// A state file without its part, as a writer leaves it that was killed between the last two
// steps of Commit, is ignored for the next part.
func TestPart_StateOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.csv")
	part, err := CreatePart(nil, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := part.Section([]byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := part.Suspend(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".part"); err != nil {
		t.Fatal(err)
	}
	next, err := CreatePart(nil, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Suspend(); err != nil {
		t.Fatal(err)
	}
	if _, state, err := OpenPart(nil, path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("continued with state %q, %v", state, err)
	}
}
