package vectorfile

import (
	"encoding/binary"
	"math"

	"heavytail/storage/format/internal/columnfile"
)

type npyNumber struct {
	bytes int
	order binary.ByteOrder
}

// npyNumberOf returns the number format with a description such as "<f8". It returns nil for
// "<f4", which vectorReader reads without conversion.
func npyNumberOf(text string) *npyNumber {
	n := &npyNumber{int(text[2] - '0'), binary.LittleEndian}
	switch {
	case text == "<f4":
		return nil
	case text[0] == '>':
		n.order = binary.BigEndian
	}
	return n
}

func (n *npyNumber) width() int {
	if n == nil {
		return 4
	}
	return n.bytes
}

func (n *npyNumber) value(b []byte) float64 {
	switch n.bytes {
	case 2:
		return columnfile.Half(n.order.Uint16(b))
	case 4:
		return float64(math.Float32frombits(n.order.Uint32(b)))
	}
	return math.Float64frombits(n.order.Uint64(b))
}
