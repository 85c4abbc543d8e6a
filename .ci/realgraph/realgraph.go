// Package realgraph finds the published graphs that tests and benchmarks run
// on. They are not part of the module: they are in the folder that
// HEAVYTAIL_DATA names, or in ../shared/data next to the repository.
//
// It is for tests only: instead of returning errors, it fails or skips the test
// that calls it.
package realgraph

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"heavytail/storage/csr"
)

// Path returns the path of a file of the collection. If the file is missing, the
// test is skipped with the reason, or fails if HEAVYTAIL_REQUIRE_DATA is 1.
func Path(tb testing.TB, file string) string {
	tb.Helper()
	path := filepath.Join(folder(tb), file)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("HEAVYTAIL_REQUIRE_DATA") == "1" {
			tb.Fatalf("HEAVYTAIL_REQUIRE_DATA is set: %v", err)
		}
		tb.Skipf("real graphs are not here (set HEAVYTAIL_DATA): %v", err)
	}
	return path
}

// folder is where the collection should be.
func folder(tb testing.TB) string {
	tb.Helper()
	if dir := os.Getenv("HEAVYTAIL_DATA"); dir != "" {
		return dir
	}
	root, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return filepath.Join(root, "..", "shared", "data")
		}
		if root == filepath.Dir(root) {
			tb.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
}

// Load reads name.txt.gz, a list of edges between numbers, with code that is as
// simple as possible: Load is the oracle of the importer. Vertices are numbered
// in order of their first appearance; those whose only edge is a self-loop, and
// the "n m" line that begins some files, are left out.
func Load(tb testing.TB, name string) *csr.Graph {
	tb.Helper()
	f, err := os.Open(Path(tb, name+".txt.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	ids := map[int]uint32{}
	id := func(text string) uint32 {
		key, err := strconv.Atoi(text)
		if err != nil {
			tb.Fatal(err)
		}
		v, ok := ids[key]
		if !ok {
			v = uint32(len(ids))
			ids[key] = v
		}
		return v
	}
	var edges []csr.Edge
	header := strings.HasPrefix(name, "dp-spectral")
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") || fields[0] == fields[1] {
			continue
		}
		if header {
			header = false
			continue
		}
		edges = append(edges, csr.Edge{U: id(fields[0]), V: id(fields[1])})
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	g, err := csr.FromEdges(len(ids), edges)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}
