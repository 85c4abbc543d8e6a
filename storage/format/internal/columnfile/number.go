package columnfile

import (
	"math"
	"math/big"
	"strconv"
)

// MaxScale is far above the digits of any decimal that is of use: those of a float64.
const MaxScale = 1000

// Decimal is the number of a decimal: an integer with a sign in two's complement, the highest byte first,
// divided by 10 to the power of the scale.
func Decimal(bytes []byte, scale int) float64 {
	x := new(big.Int).SetBytes(bytes)
	if len(bytes) > 0 && bytes[0] > math.MaxInt8 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	number, _ := strconv.ParseFloat(x.String()+"e"+strconv.Itoa(-scale), 64)
	return number
}

// FloorDiv divides by a number above 0, and rounds down, also below 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// Half is the value of a number of 16 bits: a sign, five bits of an exponent and ten of a
// fraction, as IEEE 754 has it.
func Half(x uint16) float64 {
	exponent, fraction := int(x>>10&31), float64(x&1023)
	value := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		value = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction > 0:
		return math.NaN()
	case exponent == 31:
		value = math.Inf(1)
	}
	if x>>15 == 1 {
		return -value
	}
	return value
}
