package query_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/internal/querytest"
	"heavytail/storage/atomicfile"
)

// TestFolder_Confines names files inside and outside the folder in every
// statement that opens one.
func TestFolder_Confines(t *testing.T) {
	db, parent := querytest.Confined(t)
	absolute := filepath.Join(parent, "secret.txt")
	inputs := []string{
		"IMPORT $f INTO h", "IMPORT VERTICES $f INTO h", "SCORE FILE $f IN social WITH jaccard", "DELETE EDGES FILE $f FROM h",
	}
	outputs := []string{
		"EXPORT GRAPH social INTO FILE $f",
		"EXPORT VERTICES OF social INTO FILE $f",
		"EXPORT PAIRS OF social INTO FILE $f WITH (format := 'csv', share := 0.2)",
		"BACKUP INTO FILE $f",
		"EXPORT EMBEDDING pos INTO FILE $f",
		"RECONSTRUCT pos RADIUS 2 INTO FILE $f",
		"SCORE FILE 'pairs.csv' IN social WITH jaccard INTO FILE $f",
	}
	for _, tt := range []struct {
		statements []string
		path       string
		want       error // nil for success
	}{
		{inputs, "edges.txt", nil},
		{inputs, "sub/edges.txt", nil},
		{inputs, "sub/../edges.txt", nil},
		{inputs, "near", nil},
		{inputs, "far", fault.ErrOutside},
		{inputs, "out/secret.txt", fault.ErrOutside},
		{inputs, "out/inside/edges.txt", fault.ErrOutside},
		{inputs, "../secret.txt", fault.ErrOutside},
		{inputs, "sub/../../secret.txt", fault.ErrOutside},
		{inputs, absolute, fault.ErrOutside},
		{inputs, filepath.Join(parent, "inside", "edges.txt"), fault.ErrOutside},
		{inputs, "missing.txt", os.ErrNotExist},
		{inputs, "sub", atomicfile.ErrNotRegular},
		{outputs, "result", nil},
		{outputs, "sub/result", nil},
		{outputs, "edges.txt", atomicfile.ErrExists},
		{outputs, "near", atomicfile.ErrNotRegular},
		{outputs, "far", atomicfile.ErrNotRegular},
		{outputs, "../result", fault.ErrOutside},
		{outputs, "out/result", fault.ErrOutside},
		{outputs, "sub/../../result", fault.ErrOutside},
		{outputs, absolute, fault.ErrOutside},
		{outputs, "missing/result", os.ErrNotExist},
	} {
		for _, statement := range tt.statements {
			rows, err := db.Query(t.Context(), statement, map[string]any{"f": tt.path})
			for err == nil && rows.Next() {
			}
			if err == nil {
				err = rows.Err()
			}
			if tt.want == nil && err != nil || !errors.Is(err, tt.want) {
				t.Errorf("%s, f = %s: %v", statement, tt.path, err)
			}
			var mistake *fault.Error
			if err != nil && (!errors.As(err, &mistake) || mistake.Start.Line != 1) {
				t.Errorf("%s, f = %s: %v has no position", statement, tt.path, err)
			}
			os.Remove(filepath.Join(parent, "inside", tt.path, "result"))
			if strings.HasSuffix(tt.path, "result") {
				os.Remove(filepath.Join(parent, "inside", tt.path))
			}
		}
	}
	if left := querytest.Listing(t, parent); left != "inside secret.txt" {
		t.Errorf("outside the folder there are %s", left)
	}
	if text, err := os.ReadFile(absolute); err != nil || string(text) != "a b\n" {
		t.Errorf("the file outside holds %q, %v", text, err)
	}
}

// TestFolder_HoldsAgainstRaces replaces a folder by a link that leads out, and back, while
// statements write into it: the file that was checked must be the file that is used.
func TestFolder_HoldsAgainstRaces(t *testing.T) {
	db, parent := querytest.Confined(t)
	door := filepath.Join(parent, "inside", "door")
	aside := filepath.Join(parent, "inside", "aside")
	if err := os.Mkdir(door, 0o700); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(door, aside)
			os.Symlink("..", door)
			os.Remove(door)
			os.Rename(aside, door)
		}
	})
	written := 0
	for i := range 200 {
		_, err := db.Graphs().Export(t.Context(), files.ExportRequest{Name: "social", Path: fmt.Sprintf("door/%d", i)})
		if err == nil {
			written++
		}
	}
	close(stop)
	swapping.Wait()
	if left := querytest.Listing(t, parent); left != "inside secret.txt" {
		t.Errorf("outside the folder there are %s", left)
	}
	if there := len(strings.Fields(querytest.Listing(t, door))); there < written {
		t.Errorf("%d files were written, and %d are in the folder", written, there)
	}
}

func TestFolder_MustExist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.ht")
	if _, err := query.Open(path, &query.Options{Folder: filepath.Join(t.TempDir(), "missing")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	db, err := query.Open(path, nil) // which no process has locked
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
