package block

import (
	"encoding/binary"
	"math"

	"heavytail/storage/internal/fault"
)

// SlotScore is a link of a vertex, given by the slot of the other vertex, with its score.
type SlotScore struct {
	Slot  uint32
	Score float64 // not NaN
}

// MaxLinkBytes is the largest number of bytes of a link in a record.
const MaxLinkBytes = binary.MaxVarintLen32 + 8

// NewLinks begins an unsealed record with room for the given number of links.
func NewLinks(links int) []byte { return make([]byte, ChecksumSize, ChecksumSize+MaxLinkBytes*links) }

// AppendLink appends a link to a record.
func AppendLink(b []byte, l SlotScore) []byte {
	b = binary.AppendUvarint(b, uint64(l.Slot))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(l.Score))
}

// DecodeLinks reads the links of a vertex: at most top, in a graph with the given number of
// slots.
func DecodeLinks(payload []byte, top, slots uint64) ([]SlotScore, error) {
	var links []SlotScore
	for len(payload) > 0 {
		slot, n := uvarint(payload)
		if n == 0 || slot >= slots || len(payload) < n+8 || uint64(len(links)) == top {
			return nil, fault.Record("%d bytes after %d of %d links", len(payload), len(links), top)
		}
		score := math.Float64frombits(binary.LittleEndian.Uint64(payload[n:]))
		if math.IsNaN(score) {
			return nil, fault.Record("score of slot %d is not a number", slot)
		}
		links = append(links, SlotScore{uint32(slot), score})
		payload = payload[n+8:]
	}
	return links, nil
}
