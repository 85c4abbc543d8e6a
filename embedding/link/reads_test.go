package link

import (
	"testing"

	"heavytail/storage/csr"
)

// rowsRead is a RowReader of a graph in memory that notes what was read.
type rowsRead struct {
	g    *csr.Graph
	read map[uint32]bool
}

func (r rowsRead) Read(vertices ...uint32) error {
	for _, v := range vertices {
		r.read[v] = true
	}
	return nil
}

func (r rowsRead) Neighbors(v uint32) []uint32 {
	if !r.read[v] {
		return nil
	}
	return r.g.Neighbors(v)
}

// graph has the rows that were read; all others are empty.
func (r rowsRead) graph() *csr.Graph {
	g := &csr.Graph{Offsets: []int64{0}}
	for v := range uint32(r.g.Vertices()) {
		g.Targets = append(g.Targets, r.Neighbors(v)...)
		g.Offsets = append(g.Offsets, int64(len(g.Targets)))
	}
	return g
}

// TestReadPair expects the scores of the whole graph from the rows that ReadPair reads.
func TestReadPair(t *testing.T) {
	t.Parallel()
	g := groupsSplit(t, 1).Graph
	most := map[string]int{}
	for _, s := range Scorers() {
		if s.NeedsEmbedding != (s.Name == "l2" || s.Name == "cosine" || s.Name == "dot" || s.Name == "probability") || ReadsRows(s.Name) == NeedsTimes(s.Name) {
			t.Errorf("%s: ReadsRows is %v", s.Name, ReadsRows(s.Name))
		}
		if NeedsTimes(s.Name) {
			continue
		}
		for _, pair := range [][2]uint32{{7, 0}, {0, 7}, {1, 2}, {299, 7}, {3, 3}, {298, 299}, {200, 0}, {12, 280}} {
			r := rowsRead{g, map[uint32]bool{}}
			if err := ReadPair(r, s.Name, pair[0], pair[1]); err != nil {
				t.Fatal(err)
			}
			most[s.Name] = max(most[s.Name], len(r.read))
			if s.NeedsEmbedding {
				continue
			}
			whole, err := New(s.Name, g, nil)
			if err != nil {
				t.Fatal(err)
			}
			part, err := New(s.Name, r.graph(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if have, want := part(pair[0], pair[1]), whole(pair[0], pair[1]); have != want {
				t.Errorf("%s of %v: %v of the rows read, %v of the graph", s.Name, pair, have, want)
			}
		}
	}
	if most["cosine"] != 0 || most["jaccard"] != 2 || most["preferential_attachment"] != 2 || most["adamic_adar"] <= 2 || most["adamic_adar"] >= g.Vertices()/2 || most["l3"] <= most["adamic_adar"] {
		t.Errorf("rows read at most: %v", most)
	}
	if ReadsRows("none") {
		t.Error("an unknown scorer")
	}
}
