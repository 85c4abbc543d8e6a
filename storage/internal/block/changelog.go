package block

import (
	"encoding/binary"

	"heavytail/storage/internal/fault"
)

// The change log has one or more records per version of a graph, with the keys
// graph id, version and part, big-endian. A record is
//
//	kind   1 byte   what became of the slots; see below
//	count  2 bytes  slots, little-endian
//	first  uvarint  first slot
//	rest            uvarint each, slot − previous slot − 1
//
// The slots of each kind ascend over all parts, and the kinds are in the order of the list
// below. Every version has part 0, even if no slot changed. Records of versions more than
// MaxLog before the current one are deleted.
const (
	changeEdges   = 0 // new vertices, and those whose edges changed
	changeAll     = 1 // instead of the above: any vertex; no slots follow
	changeValues  = 2 // vertices of which only attributes changed
	changeColumns = 3 // instead of these: any vertex; no slots follow
	changeDeleted = 4 // slots that became empty

	ChangesKeySize = 8 + 8 + 4
	changesHead    = ChecksumSize + 1 + 2

	MaxLog = 1 << 16
)

// Change is what one version changed, as lists of ascending slots.
type Change struct {
	All     bool     // everything may have changed; Edges is nil
	Edges   []uint32 // new vertices, and those whose edges changed
	Columns bool     // the attributes of everything may have changed; Values is nil
	Values  []uint32 // vertices of which only attributes changed
	Deleted []uint32 // slots that became empty
}

// ChangesKey returns the key of a record of the change log.
func ChangesKey(graph, version uint64, part uint32) []byte {
	key := binary.BigEndian.AppendUint64(Key64(graph), version)
	return binary.BigEndian.AppendUint32(key, part)
}

// Records makes the unsealed records of a change, at least one.
func (c *Change) Records() [][]byte {
	var records [][]byte
	switch {
	case c.All:
		records = appendChange(records, changeAll, nil)
	case len(c.Edges) > 0:
		records = appendChange(records, changeEdges, c.Edges)
	}
	switch {
	case c.Columns:
		records = appendChange(records, changeColumns, nil)
	case len(c.Values) > 0:
		records = appendChange(records, changeValues, c.Values)
	}
	if len(c.Deleted) > 0 {
		records = appendChange(records, changeDeleted, c.Deleted)
	}
	if len(records) == 0 {
		records = appendChange(records, changeValues, nil)
	}
	return records
}

// appendChange appends the unsealed records of the slots of one kind, at least
// one.
func appendChange(records [][]byte, kind byte, slots []uint32) [][]byte {
	for first := true; first || len(slots) > 0; first = false {
		record := make([]byte, changesHead, MaxBlock)
		record[ChecksumSize] = kind
		count := 0
		for i, slot := range slots {
			if len(record)+binary.MaxVarintLen32 > MaxBlock-ChangesKeySize {
				break
			}
			if i == 0 {
				record = binary.AppendUvarint(record, uint64(slot))
			} else {
				record = binary.AppendUvarint(record, uint64(slot-slots[i-1]-1))
			}
			count++
		}
		slots = slots[count:]
		binary.LittleEndian.PutUint16(record[ChecksumSize+1:], uint16(count))
		records = append(records, record)
	}
	return records
}

// Decode adds one record to the change.
func (c *Change) Decode(payload []byte) (err error) {
	if len(payload) < changesHead-ChecksumSize || payload[0] > changeDeleted {
		return fault.Record("change of %d bytes", len(payload))
	}
	kind, count := payload[0], int(binary.LittleEndian.Uint16(payload[1:]))
	// Only one of changeEdges and changeAll occurs, and only one of changeValues and
	// changeColumns. Kinds occur in their order.
	if (kind <= changeAll && (c.All || c.Columns || len(c.Values) > 0)) ||
		(kind == changeAll && len(c.Edges) > 0) || (kind == changeColumns && len(c.Values) > 0) ||
		(kind < changeDeleted && (c.Columns || len(c.Deleted) > 0)) {
		return fault.Record("change of kind %d out of turn", kind)
	}
	switch kind {
	case changeEdges:
		c.Edges, err = decodeChange(c.Edges, count, payload[3:])
	case changeValues:
		c.Values, err = decodeChange(c.Values, count, payload[3:])
	case changeDeleted:
		c.Deleted, err = decodeChange(c.Deleted, count, payload[3:])
	default:
		c.All, c.Columns = c.All || kind == changeAll, c.Columns || kind == changeColumns
		if count != 0 || len(payload) != changesHead-ChecksumSize {
			err = fault.Record("change of everything names slots")
		}
	}
	return err
}

// decodeChange appends the slots of one record to dst.
func decodeChange(dst []uint32, count int, b []byte) ([]uint32, error) {
	for i := range count {
		step, size := uvarint(b)
		if size == 0 || step >= MaxVertices {
			return dst, fault.Record("change is cut off")
		}
		v := step
		if i > 0 {
			v += uint64(dst[len(dst)-1]) + 1
		} else if len(dst) > 0 && v <= uint64(dst[len(dst)-1]) {
			return dst, fault.Record("slots of a change do not ascend")
		}
		if v >= MaxVertices {
			return dst, fault.Record("change of slot %d", v)
		}
		dst, b = append(dst, uint32(v)), b[size:]
	}
	if len(b) != 0 {
		return dst, fault.Record("%d bytes after the change", len(b))
	}
	return dst, nil
}
