package link

import "slices"

// RowReader reads rows of a graph that is not in memory. Out and In return the vertices to which edges lead from a
// vertex that was read, and those from which edges lead to it, each ascending; of an undirected graph both are the
// neighbours.
type RowReader struct {
	Read    func(vertices ...uint32) error // reads the rows of vertices, unless it has them
	Out, In func(vertex uint32) []uint32
}

// ReadsRows reports whether the score of a pair by a scorer depends on nothing of the graph but
// the rows that ReadPair reads. RecentNeighbors depends on the times of all edges. It is false
// for an unknown name.
func ReadsRows(scorer string) bool {
	heuristic, vector := lookup(scorer)
	return heuristic != nil && scorer != recentNeighbors || vector != nil
}

// ReadPair reads the rows on which the score of a pair depends, by a scorer for which ReadsRows
// is true, of New or along the edges of NewAlong: those of both; where the degrees of common neighbours count, of these; and where
// paths of three edges count, of the vertices on such paths.
func ReadPair(r RowReader, scorer string, u, v uint32) error {
	if _, vector := lookup(scorer); vector != nil {
		return nil
	}
	if err := r.Read(u, v); err != nil {
		return err
	}
	s := summedBy(scorer)
	switch {
	case s != nil && !s.counts:
		return r.Read(intersect(r.Out(u), r.In(v))...)
	case s != nil || scorer == "preferential_attachment":
		return nil
	}
	// Paths are counted from the end of lower degree; ends of the same degree may take turns.
	from, to, row := r.Out(u), r.In(v), r.Out
	if len(from) > len(to) || len(from) == len(to) && u > v {
		from, to, row = to, from, r.In
	}
	if err := r.Read(from...); err != nil {
		return err
	}
	if pathWeights(scorer) != nil {
		if len(from) == len(to) {
			return r.Read(to...)
		}
		return nil
	}
	for _, x := range from {
		if err := r.Read(intersect(row(x), to)...); err != nil {
			return err
		}
	}
	return nil
}

// intersect returns the elements that two ascending lists have in common.
func intersect(a, b []uint32) []uint32 {
	var list []uint32
	for _, x := range a {
		if _, found := slices.BinarySearch(b, x); found {
			list = append(list, x)
		}
	}
	return list
}
