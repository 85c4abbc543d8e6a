package rescue

import (
	"context"
	"encoding/binary"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// Remains are what is left of a damaged graph: the vertices whose keys are known,
// numbered in the order of their slots, and the edges between them.
type Remains struct {
	Slots    []uint32 // of the vertices, ascending
	Keys     []string // of the vertices
	Graph    *csr.Graph
	Directed *csr.Directed   // in place of Graph, of a directed graph
	Values   []*block.Column // of the attributes that are known

	EdgeValues []*block.Column // of those of the edges, in the order of csr.EdgeOrder

	vertex map[uint32]uint32 // by slot
}

// Parts reads the objects of a file of salvaged records.
type Parts interface {
	// Each calls f with the records of a part, if the object has it. An error of f ends
	// the reading of that record only.
	Each(object uint64, part []byte, f func(key, payload []byte) error) error
}

// Attribute is an attribute of a graph with its number.
type Attribute struct {
	block.Attribute
	ID uint16
}

// RemainsOf collects what is left of a graph object, all of whose records have right
// checksums, with the values of the given attributes of vertices and of edges. It takes some 100 bytes
// per edge and 200 per vertex.
func RemainsOf(ctx context.Context, from Parts, object uint64, attributes, edgeAttributes []Attribute) (*Remains, error) {
	left := &Remains{vertex: make(map[uint32]uint32), Graph: &csr.Graph{Offsets: []int64{0}}}
	if object == 0 {
		return left, nil
	}
	if err := left.readKeys(from, object); err != nil {
		return nil, err
	}
	if err := left.readEdges(ctx, from, object); err != nil {
		return nil, err
	}
	var err error
	left.Values, err = readValues(from, object, attributes, len(left.Slots), func() func(slot uint32) (uint32, bool) {
		return func(slot uint32) (uint32, bool) { v, known := left.vertex[slot]; return v, known }
	})
	if err != nil {
		return nil, err
	}
	left.EdgeValues, err = readValues(from, object, edgeAttributes, int(left.Edges()), func() func(arc block.Arc) (uint32, bool) {
		order := left.order()
		return func(arc block.Arc) (uint32, bool) {
			u, knownU := left.vertex[arc.Source()]
			v, knownV := left.vertex[arc.Target()]
			if !knownU || !knownV {
				return 0, false
			}
			if left.Directed == nil && u > v {
				return 0, false
			}
			i, found := order.Number(u, v)
			return uint32(i), found
		}
	})
	return left, err
}

// readKeys reads the keys from both lists. If they contradict each other, which happens
// only in a hostile file, the first one counts.
func (left *Remains) readKeys(from Parts, object uint64) error {
	bySlot, byKey := make(map[uint32]string), make(map[string]uint32)
	add := func(slot uint32, key []byte) error {
		if _, known := bySlot[slot]; known || len(key) == 0 {
			return nil
		}
		if _, taken := byKey[string(key)]; !taken {
			text := string(key)
			bySlot[slot], byKey[text] = text, slot
		}
		return nil
	}
	err := from.Each(object, block.KeysName, func(first, payload []byte) error { return block.EachKey(first, payload, add) })
	if err != nil {
		return err
	}
	err = from.Each(object, block.IDsName, func(first, payload []byte) error {
		return block.DecodeIDs(first, payload, func(key []byte, slot uint32) error { return add(slot, key) })
	})
	if err != nil {
		return err
	}
	for slot := range bySlot {
		left.Slots = append(left.Slots, slot)
	}
	slices.Sort(left.Slots)
	left.Keys = make([]string, len(left.Slots))
	for v, slot := range left.Slots {
		left.Keys[v] = bySlot[slot]
		left.vertex[slot] = uint32(v)
	}
	return nil
}

// readEdges reads every edge of which one direction is left and both ends are
// known.
func (left *Remains) readEdges(ctx context.Context, from Parts, object uint64) error {
	var arcs []block.ArcValue
	var directed bool
	content := make([]block.ArcValue, 0, block.MaxBlockArcs)
	err := from.Each(object, block.ArcsName, func(key, payload []byte) error {
		found, is, err := block.DecodeArcValues(content[:0], key, payload)
		if err != nil {
			return err
		}
		directed = directed || is
		for _, a := range found {
			u, knownU := left.vertex[a.Arc.Source()]
			v, knownV := left.vertex[a.Arc.Target()]
			if knownU && knownV && u != v {
				switch a.Arc = block.NewArc(u, v); {
				case u > v && is:
					a = a.Turned()
				case u > v:
					a.Arc = a.Arc.Reverse()
				}
				arcs = append(arcs, a)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	arcs, err = block.MergeSort(ctx, arcs, block.ArcValue.Compare)
	if err != nil {
		return err
	}
	// Of the directions of an edge that contradict each other the first one counts.
	arcs = slices.CompactFunc(arcs, func(a, b block.ArcValue) bool { return a.Arc == b.Arc })
	if directed {
		left.Graph = nil
		left.Directed, err = directedOf(ctx, len(left.Slots), arcs)
		return err
	}
	edges, weights, times := make([]csr.Edge, len(arcs)), make([]float32, len(arcs)), make([]int64, len(arcs))
	weighted, timed := false, false
	for i, a := range arcs {
		edges[i] = csr.Edge{U: a.Arc.Source(), V: a.Arc.Target()}
		weights[i], times[i] = a.Weight, a.Time
		weighted, timed = weighted || a.Weight != 1, timed || a.Time != csr.NoTime
	}
	if !weighted {
		weights = nil
	}
	if !timed {
		times = nil
	}
	left.Graph = csr.FromSorted(len(left.Slots), edges, weights, times)
	return nil
}

// directedOf is the directed graph of n vertices with the edges of pairs of vertices.
func directedOf(ctx context.Context, n int, pairs []block.ArcValue) (*csr.Directed, error) {
	var arcs []block.ArcValue
	weighted, timed := false, false
	for _, pair := range pairs {
		for _, a := range [2]block.ArcValue{pair, pair.Turned()} {
			if a.Weight != 0 {
				arcs = append(arcs, a)
				weighted, timed = weighted || a.Weight != 1, timed || a.Time != csr.NoTime
			}
		}
	}
	arcs, err := block.MergeSort(ctx, arcs, block.ArcValue.Compare)
	if err != nil {
		return nil, err
	}
	out := csr.Rows{Offsets: make([]int64, n+1)}
	for _, a := range arcs {
		out.Offsets[a.Arc.Source()+1]++
		out.Targets = append(out.Targets, a.Arc.Target())
		if weighted {
			out.Weights = append(out.Weights, a.Weight)
		}
		if timed {
			out.Times = append(out.Times, a.Time)
		}
	}
	for v := range n {
		out.Offsets[v+1] += out.Offsets[v]
	}
	return csr.NewDirected(out), nil
}

func (left *Remains) order() *csr.EdgeOrder {
	if left.Directed != nil {
		return left.Directed.Out.Order()
	}
	return left.Graph.Order()
}

// Edges is the number of edges that are left.
func (left *Remains) Edges() int64 {
	if left.Directed != nil {
		return left.Directed.Arcs()
	}
	return left.Graph.Edges()
}

// readValues reads what is left of attributes into columns of n values. Each column has a function
// of its own, from numbers, that gives the number of a place, if that is left.
func readValues[P block.Place](from Parts, object uint64, attributes []Attribute, n int, numbers func() func(place P) (uint32, bool)) (list []*block.Column, err error) {
	byID, numberOf := make(map[uint16]*block.Column), make(map[uint16]func(place P) (uint32, bool))
	names := make(map[string]bool)
	for _, a := range attributes {
		if byID[a.ID] == nil && !names[a.Name] {
			column := block.NewColumn(a.Attribute, n)
			byID[a.ID], numberOf[a.ID], names[a.Name] = column, numbers(), true
			list = append(list, column)
		}
	}
	if len(byID) == 0 {
		return nil, nil
	}
	return list, from.Each(object, block.ValuePart[P](), func(key, payload []byte) error {
		if !block.IsAttrKey[P](key) || byID[binary.BigEndian.Uint16(key)] == nil {
			return nil
		}
		column, number := byID[binary.BigEndian.Uint16(key)], numberOf[binary.BigEndian.Uint16(key)]
		return block.DecodeValues(column.Type, key, payload, func(place P, v block.Value) error {
			if i, left := number(place); left {
				return column.Set(i, block.CloneValue(v))
			}
			return nil
		})
	})
}
