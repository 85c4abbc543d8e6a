package format_test

import (
	"bytes"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/format/rowtext"
)

// TestReadEdgeList_RealGraphs counts vertices and simple edges of published
// files in all their forms. The counts are those of their publishers.
func TestReadEdgeList_RealGraphs(t *testing.T) {
	for _, c := range []struct {
		file            string
		vertices, edges int
		long            bool
	}{
		{file: "ego-facebook.txt.gz", vertices: 4_039, edges: 88_234},
		{file: "ca-GrQc.txt.gz", vertices: 5_242, edges: 14_484},
		{file: "dp-spectral-PA2000.txt.gz", vertices: 2_000, edges: 19_945},
		{file: "dblp.txt.gz", vertices: 51_264, edges: 127_968},
		{file: "cora.txt", vertices: 2_708, edges: 5_278},
		{file: "CollegeMsg.txt.gz", vertices: 1_899, edges: 13_838},
		{file: "blogcatalog.csv.gz", vertices: 10_312, edges: 333_983, long: true},
		{file: "soc-Epinions1.txt.gz", vertices: 75_879, edges: 405_740, long: true},
		{file: "dblp-2010.txt.gz", vertices: 300_647, edges: 807_700, long: true},
		{file: "sx-mathoverflow.txt.gz", vertices: 24_818, edges: 187_986, long: true},
		{file: "ego-twitter.txt.gz", vertices: 81_306, edges: 1_342_296, long: true},
	} {
		t.Run(c.file, func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("takes a second for a large graph; without -short it runs")
			}
			r, size, err := atomicfile.Open(realgraph.Path(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			numbers := map[string]uint64{}
			number := func(key []byte) uint64 {
				n, ok := numbers[string(key)]
				if !ok {
					n = uint64(len(numbers))
					numbers[string(key)] = n
				}
				return n
			}
			var edges []uint64
			add := func(source, target []byte) {
				if u, v := number(source), number(target); u != v {
					edges = append(edges, min(u, v)<<32|max(u, v))
				}
			}
			var first [2][]byte // waits for the verdict on the header
			stats, err := rowtext.ReadEdgeList(t.Context(), r, format.EdgeListOptions{Name: c.file, Size: size}, func(e format.Edge) error {
				if first[0] == nil {
					first = [2][]byte{bytes.Clone(e.Source), bytes.Clone(e.Target)}
				} else {
					add(e.Source, e.Target)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !stats.CountsHeader {
				add(first[0], first[1])
			} else if int64(len(numbers)) > stats.DeclaredVertices {
				t.Errorf("%d vertices, declared %d", len(numbers), stats.DeclaredVertices)
			}
			slices.Sort(edges)
			edges = slices.Compact(edges)
			if len(numbers) != c.vertices || len(edges) != c.edges {
				t.Errorf("%d vertices, %d edges; want %d, %d; stats %+v", len(numbers), len(edges), c.vertices, c.edges, stats)
			}
			if want := c.file == "dp-spectral-PA2000.txt.gz"; stats.CountsHeader != want {
				t.Errorf("counts header: %v", stats.CountsHeader)
			}
		})
	}
}
