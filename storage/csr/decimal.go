package csr

import (
	"math"
	"math/bits"
	"strconv"

	"heavytail/storage/vec"
)

// A weight is stored as the float32 that is nearest to what was written: 0.1 as
// 0.100000001490116. What was written is taken to be the shortest decimal number that is nearest
// to the same float32. That is certain of numbers of up to six digits. Sums of weights are sums of
// these decimals, counted in units of the last decimal place that one of them has: whole numbers,
// whose sums are exact up to 2⁵³. So 0.1 and 0.2 are 0.3.

// Decimal returns the shortest decimal number that is stored as the weight w, which must be
// positive and finite: 0.1 and not 0.10000000149011612, the exact value of the nearest float32.
func Decimal(w float32) float64 {
	m, exponent := digitsOf(w)
	return timesTen(m, exponent)
}

// Sum returns the sum of the shortest decimals of weights, which must be positive and finite. It is
// the float64 that is nearest to the exact sum if the sum has at most 15 digits; otherwise its
// relative error is at most 2⁻⁵³ for each weight. It takes some 15 ns a weight.
func Sum(weights []float32) float64 {
	sum, places := 0.0, noPlaces
	for _, w := range weights {
		x, finest := unitsOf(w, places)
		if finest > places {
			sum *= math.Pow10(finest - places)
			places = finest
		}
		sum += x
	}
	return timesTen(sum, -places)
}

// Units are weights as numbers of units. The unit is 10⁻ᵖ, p the most decimal places that the
// shortest decimal of a weight has. But if all weights are multiples of a power of two that is at
// least as large, the unit is 1: weights such as 3·2⁻⁸⁰ were not written as decimals, which would
// only be near them, and their sums are exact as they are.
type Units struct {
	Weights []float32 // of each weight; nil without weights, and where Wide is not nil
	Wide    []float64 // of each weight, where a float32 does not hold all numbers of units
	// Certain reports that the weights are what was written: decimals of up to six digits, whole
	// numbers below 2²⁴, or numbers of up to 20 bits. Others may have been rounded, by up to
	// 2⁻²⁴ of them.
	Certain bool
	places  int  // p
	binary  bool // the unit is 1
}

// UnitsOf counts weights, which must be positive and finite, in units. Weights aliases them if
// the unit is 1, which takes some 2 ns a weight; otherwise it takes some 5 to 20 ns and 4 or 8 bytes a
// weight. The result does not depend on the workers.
func UnitsOf(weights []float32, workers int) Units {
	if len(weights) == 0 {
		return Units{Certain: true, binary: true}
	}
	least, bits, most := lastBits(weights)
	if least >= 1 && most < wholes {
		return Units{Weights: weights, Certain: true, binary: true}
	}
	const block = 1 << 14
	parts := make([]decimals, (len(weights)+block-1)/block)
	vec.Parallel(len(weights), block, workers, func(i, lo, hi int) { parts[i] = decimalsOf(weights[lo:hi], least) })
	all := decimals{places: noPlaces}
	for _, d := range parts {
		all = decimals{max(all.places, d.places), all.long || d.long}
	}
	if math.Pow10(-all.places) <= least {
		return Units{Weights: weights, Certain: bits <= 20, binary: true}
	}
	u := Units{Certain: !all.long, places: all.places}
	if power := math.Pow10(all.places); most*power < few-1 {
		// A weight differs from its decimal by less than half of a unit.
		u.Weights = make([]float32, len(weights))
		for i, w := range weights {
			u.Weights[i] = float32(int32(float64(w)*power + 0.5))
		}
		return u
	}
	u.Wide = make([]float64, len(weights))
	vec.Parallel(len(weights), block, workers, func(_, lo, hi int) {
		for i, w := range weights[lo:hi] {
			u.Wide[lo+i], _ = unitsOf(w, u.places)
		}
	})
	return u
}

// wholes is the number up to which a float32 holds all whole numbers.
const wholes = 1 << 24

// decimals is what the decimals of some weights have in common.
type decimals struct {
	places int  // the most decimal places
	long   bool // one has more than six digits
}

// decimalsOf stops where 10 to the power of minus places is not above least.
func decimalsOf(weights []float32, least float64) decimals {
	d := decimals{places: noPlaces}
	var seen [64]float32 // many graphs have few different weights
	for _, w := range weights {
		known := &seen[math.Float32bits(w)*0x9e3779b1>>26]
		if *known == w {
			continue
		}
		*known = w
		x, finest := unitsOf(w, d.places)
		if finest > d.places {
			if d.places = finest; math.Pow10(-finest) <= least {
				break
			}
		}
		if x >= 1e6 && !d.long {
			m, _ := digitsOf(w)
			d.long = m >= 1e6
		}
	}
	return d
}

// At is weight i in units.
func (u Units) At(i int64) float64 {
	switch {
	case u.Wide != nil:
		return u.Wide[i]
	case u.Weights != nil:
		return float64(u.Weights[i])
	}
	return 1
}

// Value is what a number of units is.
func (u Units) Value(units float64) float64 {
	if u.binary {
		return units
	}
	return timesTen(units, -u.places)
}

// noPlaces is fewer decimal places than any weight has.
const noPlaces = -40

// lastBits returns the largest power of two of which all weights are multiples, how many bits the
// longest of them has, and the largest of them.
func lastBits(weights []float32) (last float64, most int, largest float64) {
	const mantissa = 23
	at, all, top := math.MaxInt, uint32(0), uint32(0)
	for _, w := range weights {
		b := math.Float32bits(w)
		exponent, m := int(b>>mantissa), b&(1<<mantissa-1)|1<<mantissa
		if exponent == 0 {
			exponent, m = 1, m&^(1<<mantissa)
		}
		at, all, top = min(at, exponent+bits.TrailingZeros32(m)), all|m, max(top, b) // positive numbers have the order of their bits
	}
	return math.Ldexp(1, at-127-mantissa), mantissa + 1 - bits.TrailingZeros32(all), float64(math.Float32frombits(top))
}

// exact are the powers of ten that a float64 holds.
var exact = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// few is the number below which two whole numbers of units are never the same float32: the
// distance of neighbouring float32 is at most 2⁻²³ of them.
const few = 1 << 23

// unitsOf returns a weight as a multiple of 10 to the power of minus places, or minus finest if
// it has more decimal places.
func unitsOf(w float32, places int) (units float64, finest int) {
	if places >= 0 && places < len(exact) {
		if x := float64(w)*exact[places] + 0.5; x < few {
			// A decimal of at most so many places that is stored as w is the only one, and so
			// the shortest, whose places are not more.
			if units = float64(int64(x)); float32(units/exact[places]) == w {
				return units, places
			}
		}
	}
	m, exponent := digitsOf(w)
	if -exponent >= places {
		return m, -exponent
	}
	return m * math.Pow10(places+exponent), places
}

// digitsOf returns the shortest decimal m·10^exponent of a weight, m without a zero at its end.
func digitsOf(w float32) (m float64, exponent int) {
	if digits, exponent, ok := sevenDigits(w); ok {
		return digits, exponent
	}
	var room [24]byte
	digits, exponent := 0, 1
	text := strconv.AppendFloat(room[:0], float64(w), 'e', -1, 32) // as 1.2345e-06
	for i, c := range text {
		if c == 'e' {
			power, _ := strconv.Atoi(string(text[i+1:])) // digits with a sign
			exponent += power
			break
		}
		if c != '.' {
			digits, exponent = 10*digits+int(c-'0'), exponent-1
		}
	}
	return float64(digits), exponent
}

// sevenDigits is digitsOf for most weights of up to seven digits, without their text.
func sevenDigits(w float32) (m float64, exponent int, ok bool) {
	const log = 0.30103 // lg 2
	x := float64(w)
	_, power := math.Frexp(x)
	places := 6 - int(math.Floor(float64(power-1)*log))
	if places < 0 || places >= len(exact) {
		return 0, 0, false
	}
	digits := int64(x*exact[places] + 0.5)
	if digits >= 1e7 {
		if places == 0 {
			return 0, 0, false
		}
		places--
		digits = int64(x*exact[places] + 0.5)
	}
	if float32(float64(digits)/exact[places]) != w || digits == 0 || digits >= few && digits%10 != 0 {
		return 0, 0, false
	}
	for digits%10 == 0 {
		digits, places = digits/10, places-1
	}
	return float64(digits), -places, true
}

// timesTen is x·10^exponent, x a whole number.
func timesTen(x float64, exponent int) float64 {
	switch {
	case exponent >= 0 && exponent < len(exact):
		return x * exact[exponent]
	case exponent < 0 && -exponent < len(exact):
		return x / exact[-exponent]
	}
	value, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'f', -1, 64)+"e"+strconv.Itoa(exponent), 64) // 0 or Inf beyond a float64
	return value
}
