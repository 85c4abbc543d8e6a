package evaluate

import "math"

// The Hurwitz zeta function ζ(s, q) = Σ (q+k)^-s, k = 0, 1, …, normalises the
// discrete power law. It is used as the scaled sum q^s·ζ(s, q) = Σ (1+k/q)^-s,
// which neither underflows for large q and s nor loses digits in ratios. gonum's
// mathext.Zeta has neither the scale nor the derivative; the tests compare with it.

// bernoulli are B_2j/(2j)!, j = 1, 2, ….
var bernoulli = [12]float64{
	1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160,
	-691. / 1307674368000, 1. / 74724249600, -3617. / 10670622842880000,
	43867. / 5109094217170944000, -174611. / 802857662698291200000,
	77683. / 14101100039391805440000, -236364091. / 1693824136731743669452800000,
}

// remainderFrom is how large the first term that is not summed has to be, for
// the terms of the Euler–Maclaurin formula to fall below the rounding error.
func remainderFrom(s float64) float64 { return max(16, s) }

// scaledZeta returns q^s·ζ(s, q) for s > 1 and q ≥ 1, by the Euler–Maclaurin
// formula (NIST Digital Library of Mathematical Functions, 25.11.28).
func scaledZeta(s, q float64) float64 {
	sum, weight, a := 0.0, 1.0, q
	for from := remainderFrom(s); a < from; {
		sum += weight
		a++
		if weight = math.Pow(a/q, -s); weight < 1e-18*sum {
			return sum
		}
	}
	rest, power, square := a/(s-1)+0.5, s/a, a*a
	for j, b := range bernoulli {
		term := b * power
		rest += term
		if math.Abs(term) < 1e-17*rest {
			break
		}
		i := float64(2 * j)
		power *= (s + i + 1) * (s + i + 2) / square
	}
	return sum + weight*rest
}

// scaledZetaSlope returns q^s·ζ(s, q) and its derivative by s.
func scaledZetaSlope(s, q float64) (value, slope float64) {
	weight, log, a := 1.0, 0.0, q
	for from := remainderFrom(s); a < from; {
		value += weight
		slope -= weight * log
		a++
		log = math.Log(a / q)
		if weight = math.Exp(-s * log); weight < 1e-18*value {
			return value, slope
		}
	}
	rest, restSlope := a/(s-1)+0.5, -a/((s-1)*(s-1))
	power, inverses, square := s/a, 1/s, a*a
	for j, b := range bernoulli {
		term := b * power
		rest += term
		restSlope += term * inverses
		if math.Abs(term*inverses) < 1e-17*math.Abs(restSlope) {
			break
		}
		i := float64(2 * j)
		power *= (s + i + 1) * (s + i + 2) / square
		inverses += 1/(s+i+1) + 1/(s+i+2)
	}
	return value + weight*rest, slope + weight*(restSlope-log*rest)
}
