package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// readColumn reads the values of an attribute into a column of length n.
// vertices, where not nil, gives the place of each slot.
func (t *tx) readColumn(r *graphRecord, a attributeRecord, n int, vertices []uint32) (*Column, error) {
	c := NewColumn(a.attribute(), n)
	next := uint64(0)
	err := t.eachValue(r, a, func(slot uint32, v Value) error {
		if uint64(slot) < next {
			return fault.Record("attribute blocks do not ascend")
		}
		next = uint64(slot) + 1
		if vertices != nil && next <= uint64(len(vertices)) {
			slot = vertices[slot]
		}
		if uint64(slot) >= uint64(n) {
			return fault.Record("value of slot %d, which is empty or beyond the graph", next-1)
		}
		block.PutValue(c, slot, v)
		return nil
	})
	if err == nil && uint64(c.Count()) != a.Values {
		err = fault.Record("%d values where the catalogue says %d", c.Count(), a.Values)
	}
	block.CompactColumn(c)
	return c, err
}

// eachValue calls yield with every value of an attribute, in the order of the
// blocks. A text is valid during the call only.
func (t *tx) eachValue(r *graphRecord, a attributeRecord, yield func(slot uint32, v Value) error) error {
	if r.Object == 0 {
		return nil
	}
	p, found, err := t.findPart(r.Object, block.AttrsName)
	if err != nil || !found {
		return err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	cursor := p.bucket.Cursor()
	for key, record := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, record = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("%w", err)
		}
		payload, err := p.seed.Open(key, record)
		if err != nil {
			return err
		}
		if err := block.DecodeValues(a.Type, key, payload, yield); err != nil {
			return err
		}
		t.scanned++
	}
	return nil
}

// valuesAt returns the values of an attribute at slots in ascending order. It
// reads each block that can hold one of them once.
func (t *tx) valuesAt(r *graphRecord, a attributeRecord, slots []uint32) ([]Value, error) {
	values := make([]Value, len(slots))
	if r.Object == 0 {
		return values, nil
	}
	p, found, err := t.findPart(r.Object, block.AttrsName)
	if err != nil || !found {
		return values, err
	}
	prefix := binary.BigEndian.AppendUint16(nil, a.ID)
	for at := 0; at < len(slots); {
		if err := t.ctx.Err(); err != nil {
			return nil, fmt.Errorf("%w", err)
		}
		b := p.blockOf(prefix, block.AttrKey(a.ID, slots[at]))
		if b.Key == nil {
			return values, nil
		}
		payload, err := p.seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		err = block.DecodeValues(a.Type, b.Key, payload, func(slot uint32, v Value) error {
			for at < len(slots) && slots[at] < slot {
				at++
			}
			if at < len(slots) && slots[at] == slot {
				values[at] = block.CloneValue(v)
				at++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		// The next block has the next value, or there is none.
		next := p.after(prefix, b.Key)
		if next.Key == nil {
			return values, nil
		}
		if len(next.Key) != block.AttrKeySize {
			return nil, fault.Record("attribute block with a key of %d bytes", len(next.Key))
		}
		for first := binary.BigEndian.Uint32(next.Key[2:]); at < len(slots) && slots[at] < first; {
			at++
		}
	}
	return values, nil
}
