package link

import (
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/csr"
)

// rowsRead notes which rows of a graph in memory were read.
type rowsRead struct {
	ways
	read map[uint32]bool
}

func (r rowsRead) reader() RowReader {
	return RowReader{Read: func(vertices ...uint32) error {
		for _, v := range vertices {
			r.read[v] = true
		}
		return nil
	}, Out: r.row(r.out), In: r.row(r.in)}
}

func (r rowsRead) row(of *csr.Graph) func(v uint32) []uint32 {
	return func(v uint32) []uint32 {
		if !r.read[v] {
			return nil
		}
		return of.Neighbors(v)
	}
}

// part has the rows that were read; all others are empty.
func (r rowsRead) part() (part ways) {
	rows := func(of *csr.Graph) *csr.Graph {
		g := &csr.Graph{Offsets: []int64{0}}
		for v := range uint32(of.Vertices()) {
			g.Targets = append(g.Targets, r.row(of)(v)...)
			g.Offsets = append(g.Offsets, int64(len(g.Targets)))
		}
		return g
	}
	if part.out = rows(r.out); !r.directed() {
		return undirected(part.out)
	}
	part.in = rows(r.in)
	return part
}

// TestReadPair_Along expects the scores of pairs along the edges from the rows that ReadPair reads.
func TestReadPair_Along(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := arcsGraph(t, rapid.Bool().Draw(t, "mutual"))
		w := along(d)
		for _, s := range Scorers() {
			if s.NeedsEmbedding || NeedsTimes(s.Name) {
				continue
			}
			whole, err := newScore(s.Name, w, nil)
			if err != nil {
				t.Fatal(err)
			}
			for range 10 {
				u, v := rapid.Uint32Range(0, uint32(d.Vertices()-1)).Draw(t, "u"), rapid.Uint32Range(0, uint32(d.Vertices()-1)).Draw(t, "v")
				r := rowsRead{w, map[uint32]bool{}}
				if err := ReadPair(r.reader(), s.Name, u, v); err != nil {
					t.Fatal(err)
				}
				part, err := newScore(s.Name, r.part(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if have, want := part(u, v), whole(u, v); have != want {
					t.Fatalf("%s of %d→%d: %v of the rows read, %v of the graph", s.Name, u, v, have, want)
				}
			}
		}
	})
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
			r := rowsRead{undirected(g), map[uint32]bool{}}
			if err := ReadPair(r.reader(), s.Name, pair[0], pair[1]); err != nil {
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
			part, err := newScore(s.Name, r.part(), nil)
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
