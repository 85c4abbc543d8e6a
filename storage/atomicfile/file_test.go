package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"heavytail/storage/internal/compress"
)

// commit writes a file and puts it in place.
func commit(path string, overwrite bool, text []byte) error {
	f, err := Create(path, overwrite)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Commit()
}

// onlyFiles fails unless a directory holds just these.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(names) {
		t.Errorf("files %v, want %v", entries, names)
		return
	}
	for i, entry := range entries {
		if entry.Name() != names[i] {
			t.Errorf("files %v, want %v", entries, names)
		}
	}
}

func TestCreate_RoundTrip(t *testing.T) {
	text := bytes.Repeat([]byte("1 2\n"), 30_000)
	for _, name := range []string{"g.txt", "g.txt.gz", "g.txt.zst"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := commit(path, false, text); err != nil {
			t.Fatal(err)
		}
		onlyFiles(t, dir, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v", name, info.Mode())
		}
		r, size, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(t, r); !bytes.Equal(got, text) {
			t.Errorf("%s: %d bytes, want %d", name, len(got), len(text))
		}
		if size != info.Size() {
			t.Errorf("%s: size %d, want %d", name, size, info.Size())
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCreate_Taken(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g")
	if err := commit(path, false, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := commit(path, false, []byte("second")); !errors.Is(err, ErrExists) {
		t.Errorf("error %v", err)
	}
	if err := commit(path, true, []byte("third")); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "third" {
		t.Errorf("the file holds %q", text)
	}
	onlyFiles(t, dir, "g")
}

// TestCreate_TakenMeanwhile lets another file appear before Commit.
func TestCreate_TakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); !errors.Is(err, ErrExists) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("the file holds %q", text)
	}
	onlyFiles(t, dir, "g")
}

func TestCreate_NotCommitted(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "g.gz")
	f, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("1 2\n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	onlyFiles(t, dir)
	if err := f.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if err := f.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Commit after Close: %v", err)
	}
}

func TestCreate_NotRegular(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, path := range []string{dir, link, os.DevNull} {
		if err := commit(path, true, []byte("x")); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := commit(filepath.Join(dir, "none", "g"), false, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	onlyFiles(t, dir, "link", "target")
}

// textOf reads a file, which may be compressed.
func textOf(t *testing.T, r io.Reader) (text []byte) {
	t.Helper()
	in := compress.Start(r, "file", false)
	defer in.Close()
	for {
		b := in.Next(t.Context())
		text = append(text, b.Text...)
		if b.Err == io.EOF {
			return text
		} else if b.Err != nil {
			t.Fatal(b.Err)
		}
		in.Release(b)
	}
}

// TestFile_WriteError causes an error of the disk by closing the underlying file.
func TestFile_WriteError(t *testing.T) {
	for _, name := range []string{"g", "g.gz", "g.zst"} {
		dir := t.TempDir()
		f, err := Create(filepath.Join(dir, name), false)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.temp.Close(); err != nil {
			t.Fatal(err)
		}
		var failed error
		writes := 100
		if testing.Short() {
			writes = 12
		}
		for range writes {
			if _, err := f.Write(bytes.Repeat([]byte("0123456789abcdef"), 1<<14)); err != nil {
				failed = err
			}
		}
		if name == "g" && failed == nil {
			t.Error("no write failed")
		}
		if err := f.Commit(); err == nil {
			t.Errorf("%s: Commit after a failed write succeeded", name)
		}
		onlyFiles(t, dir)
	}
}

func TestOpen_Refused(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Open(dir); !errors.Is(err, ErrNotRegular) {
		t.Errorf("directory: %v", err)
	}
	if _, _, err := Open(os.DevNull); !errors.Is(err, ErrNotRegular) {
		t.Errorf("device: %v", err)
	}
	if _, _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// TestInFolder_Confined opens and makes files inside a folder, and what leads
// out of it is refused.
func TestInFolder_Confined(t *testing.T) {
	parent := t.TempDir()
	inside := filepath.Join(parent, "inside")
	for _, dir := range []string{inside, filepath.Join(inside, "sub")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	secret := filepath.Join(parent, "secret")
	if err := os.WriteFile(secret, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder, err := os.OpenRoot(inside)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for _, path := range []string{"g", "sub/g.gz"} {
		f, err := CreateIn(folder, path, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte("1 2\n")); err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		r, size, err := OpenIn(folder, path)
		if err != nil || size == 0 {
			t.Fatalf("%s: %d bytes, %v", path, size, err)
		}
		if text := textOf(t, r); string(text) != "1 2\n" {
			t.Errorf("%s: %q", path, text)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	outside := []string{"../secret", secret, "sub/../../secret", ".."}
	if os.Symlink("..", filepath.Join(inside, "out")) == nil {
		outside = append(outside, "out/secret")
	}
	for _, path := range outside {
		if _, _, err := OpenIn(folder, path); err == nil {
			t.Errorf("%s is read", path)
		}
		if _, err := CreateIn(folder, path, true); err == nil {
			t.Errorf("%s is written", path)
		}
	}
	onlyFiles(t, parent, "inside", "secret")
	onlyFiles(t, filepath.Join(inside, "sub"), "g.gz")
	if text, _ := os.ReadFile(secret); string(text) != "kept" {
		t.Errorf("the file outside holds %q", text)
	}
}
