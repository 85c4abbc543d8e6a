package querytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query"
)

// Confined makes a database whose files are confined to the folder inside, and
// next to that folder a file that no statement may read. It returns the folder
// that both are in.
//
//	parent/secret.txt
//	parent/inside/edges.txt, pairs.csv, sub/edges.txt
//	parent/inside/near → sub/edges.txt, far → ../secret.txt, out → ..
func Confined(t *testing.T) (*query.DB, string) {
	t.Helper()
	parent := t.TempDir()
	inside := filepath.Join(parent, "inside")
	if err := os.MkdirAll(filepath.Join(inside, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"secret.txt": "a b\n", "inside/edges.txt": "a b\nb c\n", "inside/sub/edges.txt": "a b\n", "inside/pairs.csv": "a,b\n",
	} {
		if err := os.WriteFile(filepath.Join(parent, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"near": "sub/edges.txt", "far": "../secret.txt", "out": ".."} {
		if err := os.Symlink(target, filepath.Join(inside, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	db := Open(t, &query.Options{Folder: inside})
	TwoTriangles(t, db)
	return db, parent
}

// Listing lists the content of a folder.
func Listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return strings.Join(names, " ")
}
