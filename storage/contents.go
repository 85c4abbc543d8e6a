package storage

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// contents are the vertices and edges of one version of a graph, by slot where
// they are to be written.
type contents struct {
	graph *csr.Graph
	keys  block.KeySet
	slots block.SlotMap

	// Attributes of the vertices, by slot, in ascending order of their numbers.
	attributes    []attributeRecord
	nextAttribute uint16
	columns       []*Column
}

// digest identifies the contents and the input that they were made from (all zero where
// there is none). An import that was killed continues where it stopped if the same
// import, run again, has the same digest. The input is hashed by SHA-256, the contents,
// which also depend on options, by CRC-32C: a digest of the contents that nobody can
// forge would take as long as sorting them.
func (c *contents) digest(ctx context.Context, input [sha256.Size]byte) ([]byte, error) {
	d := block.Digester{Ctx: ctx, Sums: input[:]}
	block.DigestList(&d, c.keys.Offsets)
	block.DigestList(&d, c.keys.Blob)
	block.DigestList(&d, c.graph.Offsets)
	block.DigestList(&d, c.graph.Targets)
	block.DigestList(&d, c.graph.Weights)
	block.DigestList(&d, c.graph.Times)
	for i, a := range c.attributes {
		d.Sums = fmt.Appendf(d.Sums, "%d %q %d ", a.ID, a.Name, a.Type)
		block.DigestColumn(c.columns[i], &d)
	}
	if d.Err != nil {
		return nil, d.Err
	}
	digest := sha256.Sum256(d.Sums)
	return digest[:], nil
}

// readContents reads the keys and edges of a graph and checks ranges, order and counts;
// only Check verifies that every edge is there in both directions. If dense is set,
// keys and edges are by vertex. Otherwise they are by slot, where empty slots have
// neither, and the attributes are read too.
func (t *tx) readContents(name string, r *graphRecord, dense bool) (contents, error) {
	c := contents{keys: block.NewKeySet(int(r.Slots))}
	if r.Object == 0 {
		c.graph = &csr.Graph{Offsets: []int64{0}}
		return c, nil
	}
	if r.Edges > math.MaxInt/8 || r.Slots > math.MaxInt/8 {
		return c, fmt.Errorf("graph %q is too large for this machine: %w", name, ErrLimit)
	}
	var err error
	if c.slots, err = t.slotsOf(r); err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", empty slots", err)
	}
	if err := t.readKeys(&c.keys, r); err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", keys", err)
	}
	n := int(r.Slots)
	var vertices []uint32
	if dense {
		n, vertices = int(r.Vertices), c.slots.Table()
		if err := c.keys.Drop(c.slots.Empty); err != nil {
			return c, fault.Corrupt(t.path, describeGraph(name)+", keys", err)
		}
	} else if err := t.readAttributes(name, r, &c); err != nil {
		return c, err
	}
	g, err := t.readArcs(r, n, vertices)
	if err != nil {
		return c, fault.Corrupt(t.path, describeGraph(name)+", arcs", err)
	}
	c.graph = g
	return c, nil
}

// readKeys fills the set with the keys of all slots.
func (t *tx) readKeys(keys *block.KeySet, r *graphRecord) error {
	p, err := t.part(r.Object, block.KeysName)
	if err != nil {
		return err
	}
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := block.DecodeKeys(keys, key, payload); err != nil {
			return err
		}
		if uint64(keys.Len()) > r.Slots {
			return fault.Record("more keys than the %d slots", r.Slots)
		}
		return nil
	})
	if err == nil && uint64(keys.Len()) != r.Slots {
		err = fault.Record("%d keys for %d slots", keys.Len(), r.Slots)
	}
	return err
}

// readArcs builds n rows from the arc blocks. vertices, where not nil, gives the
// row of each slot.
func (t *tx) readArcs(r *graphRecord, n int, vertices []uint32) (*csr.Graph, error) {
	p, err := t.part(r.Object, block.ArcsName)
	if err != nil {
		return nil, err
	}
	b := block.NewRowBuilder(r.Edges, r.Weighted, r.Timed, n, vertices)
	var block block.ArcBlock
	t.readAhead(p.bucket)
	err = t.scan(p, func(key, payload []byte) error {
		if err := block.Decode(key, payload); err != nil {
			return err
		}
		if err := b.Add(block.Arcs); err != nil {
			return err
		}
		return b.AddColumns(&block)
	})
	if err != nil {
		return nil, err
	}
	return b.Finish()
}

// readAttributes reads the columns of all attributes by slot.
func (t *tx) readAttributes(graph string, r *graphRecord, c *contents) error {
	c.attributes, c.nextAttribute = slices.Clone(r.Attributes), r.NextAttribute
	for _, a := range r.Attributes {
		column, err := t.readColumn(r, a, int(r.Slots), nil)
		if err != nil {
			return fault.Corrupt(t.path, describeAttribute(graph, a.Name), err)
		}
		c.columns = append(c.columns, column)
	}
	return nil
}
