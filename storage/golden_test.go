package storage

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// goldenFile unpacks a file that was written by the code of an earlier format.
func goldenFile(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "golden")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A file from before the first release is refused by name, however it is opened, and not touched.
func TestOpen_BeforeFirstRelease(t *testing.T) {
	path := goldenFile(t, "format3.ht.gz")
	before := fileSum(t, path)
	for name, open := range map[string]func() error{
		"reading": func() error { _, err := Open(path, &Options{ReadOnly: true}); return err },
		"writing": func() error { _, err := Open(path, nil); return err },
		"recovery": func() error {
			_, err := Recover(context.Background(), path, path+".new", RecoverOptions{})
			return err
		},
	} {
		err := open()
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "format 3") || !strings.Contains(err.Error(), "export its graphs") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if before != fileSum(t, path) {
		t.Error("the file changed")
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("recovery left a file: %v", err)
	}
}
