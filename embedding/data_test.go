package embedding

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"heavytail/storage/csr"
)

// dataFile finds a file of the real graphs, by HEAVYTAIL_DATA or beside the
// repository, and skips the test if it is not there; with
// HEAVYTAIL_REQUIRE_DATA=1 it fails.
func dataFile(tb testing.TB, name string) string {
	tb.Helper()
	dir := os.Getenv("HEAVYTAIL_DATA")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			tb.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			if filepath.Dir(root) == root {
				tb.Fatal("no go.mod above the working directory")
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("HEAVYTAIL_REQUIRE_DATA") == "1" {
			tb.Fatalf("required data: %v", err)
		}
		tb.Skipf("real graphs are not here (set HEAVYTAIL_DATA): %v", err)
	}
	return path
}

// graphs caches what realGraph has read.
type graphs struct {
	mu sync.Mutex
	m  map[string]*csr.Graph
}

var realGraphs = graphs{m: map[string]*csr.Graph{}}

// realGraph reads a gzipped list of edges between numbers. Vertices without an
// edge are left out.
func realGraph(tb testing.TB, name string) *csr.Graph {
	tb.Helper()
	path := dataFile(tb, name+".txt.gz")
	realGraphs.mu.Lock()
	defer realGraphs.mu.Unlock()
	if g := realGraphs.m[name]; g != nil {
		return g
	}
	f, err := os.Open(path)
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
	lines := bufio.NewScanner(z)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] == "#" || fields[0] == fields[1] {
			continue
		}
		if len(edges) == 0 && strings.HasPrefix(name, "dp-spectral") && fields[0] == "2000" {
			continue // "n m" header
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
	realGraphs.m[name] = g
	return g
}

// largestComponent returns the induced subgraph of the largest component.
func largestComponent(g *csr.Graph) *csr.Graph {
	return g.Induced(g.Components().Vertices()[0])
}
