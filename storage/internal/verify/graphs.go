package verify

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

func (c *Checker) checkGraphs() error {
	return c.TryEach("catalogue of graphs", fault.RemedyRestore, block.GraphsName, func(key, _ []byte) error {
		name := string(key)
		where := graphs.DescribeGraph(name)
		c.Report.Graphs++
		c.Report.Records++
		defer c.Step()
		return c.Try(where, remedyGraph, func() error {
			if err := block.CheckName("graph", name); err != nil {
				return fault.Record("%v", err)
			}
			r, err := graphs.Find(c.Tx, name)
			if err != nil {
				return Damage(err)
			}
			if other := c.graphs[r.ID]; other != nil {
				c.Fault(where, fmt.Sprintf("has the number %d of graph %q", r.ID, other.Name), fault.RemedyRestore)
			}
			c.graphs[r.ID] = &Graph{Name: name, Record: *r}
			if r.Object == 0 {
				return nil
			}
			c.Refer(r.Object, where, tree.GraphParts[:]...)
			return c.checkContents(where, r)
		})
	})
}

// checkContents verifies the three parts of a graph object.
func (c *Checker) checkContents(where string, r *graphs.Record) error {
	keys := block.NewKeySet(0)
	keysOK := false
	c.Try(where+", keys", remedyGraph, func() error {
		p, err := c.Tx.Part(r.Object, block.KeysName)
		if err == nil {
			err = graphs.ReadKeys(c.Tx, &keys, p, r)
		}
		keysOK = err == nil
		return err
	})
	slots := block.SlotMap{Slots: r.Slots}
	c.Try(where+", empty slots", remedyGraph, func() (err error) {
		if slots, err = graphs.SlotsOf(c.Tx, r); err != nil {
			return err
		}
		c.graphs[r.ID].Slots = &slots
		if keysOK {
			err = checkEmpty(&keys, &slots)
		}
		return err
	})
	c.Try(where+", ids", remedyGraph, func() error { return c.checkIDs(r, &keys, keysOK) })
	contents := graphs.Contents{}
	c.Try(where+", arcs", remedyGraph, func() error {
		first := func() error { return nil }
		if r.Directed {
			p, err := graphs.ReadPairs(c.Tx, r, int(r.Slots), nil, first)
			if err == nil {
				err = checkNoEdges(&p.Rows, &slots)
			}
			if err != nil {
				return err
			}
			contents.Directed = p.Directed()
			return mirrored(c.Tx.Ctx, p)
		}
		g, err := graphs.ReadArcs(c.Tx, r, int(r.Slots), nil, first)
		if err != nil {
			return err
		}
		if err := checkNoEdges(g, &slots); err != nil {
			return err
		}
		contents.Graph = g
		return Symmetric(c.Tx.Ctx, g)
	})
	vertices := slots.Table()
	err := checkAttributes[uint32](c, where, r, func(a graphs.AttributeRecord) error {
		_, err := graphs.ReadColumn(c.Tx, r, a, slots.Vertices(), vertices)
		return err
	})
	if err != nil || len(r.EdgeAttributes) == 0 && r.NextEdgeAttribute == 0 {
		return err
	}
	return checkAttributes[block.Arc](c, where, r, func(a graphs.AttributeRecord) error {
		if contents.Graph == nil && contents.Directed == nil {
			return graphs.EachValue(c.Tx, r, a, func(block.Arc, block.Value) error { return nil })
		}
		_, err := graphs.ReadEdgeColumn(c.Tx, r, a, contents.Order(), nil)
		return err
	})
}

// checkIDs verifies that the ids are the inverse of the keys: as many, strictly
// ascending, and each with the key that it has there.
func (c *Checker) checkIDs(r *graphs.Record, keys *block.KeySet, compare bool) error {
	p, err := c.Tx.Part(r.Object, block.IDsName)
	if err != nil {
		return err
	}
	var last []byte
	count := uint64(0)
	err = c.Tx.Scan(p, func(first, payload []byte) error {
		return block.DecodeIDs(first, payload, func(key []byte, id uint32) error {
			if count > 0 && bytes.Compare(last, key) >= 0 {
				return fault.Record("keys do not ascend from block to block")
			}
			last = append(last[:0], key...)
			count++
			if uint64(id) >= r.Slots {
				return fault.Record("key %q has slot %d of %d", fault.Clip(string(key)), id, r.Slots)
			}
			if compare && !bytes.Equal(keys.At(id), key) {
				return fault.Record("key %q has slot %d, whose key is %q", fault.Clip(string(key)), id, fault.Clip(string(keys.At(id))))
			}
			return nil
		})
	})
	if err == nil && count != r.Vertices {
		err = fault.Record("%d keys for %d vertices", count, r.Vertices)
	}
	return err
}

// Symmetric verifies that every arc has its reverse, with the same weight
// and timestamp, in O(n + m).
func Symmetric(ctx context.Context, g *csr.Graph) error {
	rows := csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights, Times: g.Times}
	return Transposed(ctx, &rows, &rows)
}

// Transposed verifies that every entry of out has its reverse in rows by the other end, with the same
// weight and timestamp, in O(n + m). Both have as many entries.
func Transposed(ctx context.Context, out, in *csr.Rows) error {
	if (out.Weights == nil) != (in.Weights == nil) || (out.Times == nil) != (in.Times == nil) {
		return fault.Record("only one direction has weights or timestamps")
	}
	return eachReverse(ctx, out, in, func(u, v uint32, at, back int64) error {
		if out.Weights != nil && out.Weights[at] != in.Weights[back] {
			return fault.Record("edge (%d, %d) has two weights", u, v)
		}
		if out.Times != nil && out.Times[at] != in.Times[back] {
			return fault.Record("edge (%d, %d) has two timestamps", u, v)
		}
		return nil
	})
}

// mirrored verifies the same of a directed graph: both arcs between two vertices say the same of
// the edges in both directions.
func mirrored(ctx context.Context, p *block.Pairs) error {
	rows := csr.Rows{Offsets: p.Rows.Offsets, Targets: p.Rows.Targets}
	return eachReverse(ctx, &rows, &rows, func(u, v uint32, at, back int64) error {
		if !p.Mirrored(at, back) {
			return fault.Record("the rows of %d and %d differ in the edges between these", u, v)
		}
		return nil
	})
}

// eachReverse calls f with the places of every entry and of its reverse, in rows by the other end.
// Visited in ascending order, the sources of the entries of a target must be its row.
func eachReverse(ctx context.Context, out, in *csr.Rows, f func(u, v uint32, at, back int64) error) error {
	next := make([]int64, out.Vertices())
	for u := range uint32(out.Vertices()) {
		if u%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i, v := range out.Neighbors(u) {
			back := in.Offsets[v] + next[v]
			if back >= in.Offsets[v+1] || in.Targets[back] != u {
				return fault.Record("edge (%d, %d) is stored in one direction only", u, v)
			}
			next[v]++
			if err := f(u, v, out.Offsets[u]+int64(i), back); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEmpty verifies that the slots without a key are the empty ones.
func checkEmpty(keys *block.KeySet, slots *block.SlotMap) error {
	empty := slots.Empty
	for slot := range uint32(keys.Len()) {
		listed := len(empty) > 0 && empty[0] == slot
		if hasKey := len(keys.At(slot)) > 0; hasKey == listed {
			return fault.Record("slot %d has the key %q, and is listed as empty: %t", slot, fault.Clip(string(keys.At(slot))), listed)
		}
		if listed {
			empty = empty[1:]
		}
	}
	return nil
}

// checkNoEdges verifies that empty slots have no edges.
func checkNoEdges(g *csr.Graph, slots *block.SlotMap) error {
	for _, slot := range slots.Empty {
		if g.Degree(slot) > 0 {
			return fault.Record("empty slot %d has %d edges", slot, g.Degree(slot))
		}
	}
	return nil
}

const remedyAttribute = "drop the attribute and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"

// checkAttributes verifies every attribute of the vertices or of the edges: read verifies the types of
// its blocks, that its places ascend and exist, and the number of its values. It verifies that every
// block belongs to an attribute.
func checkAttributes[P block.Place](c *Checker, where string, r *graphs.Record, read func(a graphs.AttributeRecord) error) error {
	prefixes := make(map[string]bool)
	for _, a := range *graphs.SchemaOf[P](r).List {
		prefixes[string(binary.BigEndian.AppendUint16(nil, a.ID))] = true
		c.Try(where+", "+graphs.NameValues[P](a.Name), remedyAttribute, func() error { return read(a) })
	}
	return c.Try(where+", attributes", remedyAttribute, func() error {
		p, found, err := c.Tx.FindPart(r.Object, block.ValuePart[P]())
		if err != nil || !found {
			return err
		}
		cursor := p.Bucket.Cursor()
		for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
			if !block.IsAttrKey[P](key) || !prefixes[string(key[:2])] {
				return fault.Record("block %x belongs to no attribute", key)
			}
		}
		return nil
	})
}
