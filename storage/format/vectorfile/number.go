package vectorfile

import (
	"encoding/binary"
	"math"
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
		return halfFloat(n.order.Uint16(b))
	case 4:
		return float64(math.Float32frombits(n.order.Uint32(b)))
	}
	return math.Float64frombits(n.order.Uint64(b))
}

// halfFloat returns the value of an IEEE 754 binary16 number: a sign bit, 5 bits of exponent
// and 10 bits of fraction.
func halfFloat(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if bits>>15 == 1 {
		x = -x
	}
	return x
}
