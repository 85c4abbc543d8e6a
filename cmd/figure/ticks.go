package figure

import (
	"math"
	"strconv"
)

// tick is a position on an axis with its text; intermediate marks have none.
type tick struct {
	at    float64
	label string
}

// ticks returns the marks of an axis, ascending: about five with texts.
func (a Axis) ticks(s span) []tick {
	switch {
	case a.Bare:
		return nil
	case a.Log:
		return logTicks(s)
	}
	return linearTicks(s)
}

// linearTicks are the multiples of a round number: one, two or five times a power
// of ten.
func linearTicks(s span) []tick {
	const wanted = 5
	rough := (s.max - s.min) / wanted
	power := math.Floor(math.Log10(rough))
	unit := math.Pow(10, power)
	step := 10 * unit
	for _, factor := range []float64{1, 2, 5} {
		if factor*unit >= rough {
			step = factor * unit
			break
		}
	}
	var list []tick
	first, last := math.Ceil(s.min/step), math.Floor(s.max/step)
	// A step below the spacing of float64 values has no distinct multiples;
	// the loop is bounded for any range.
	for i := range 2*wanted + 2 {
		k := first + float64(i)
		if k > last {
			break
		}
		list = append(list, tick{k * step, shortNumber(k*step, step)})
	}
	return list
}

// logTicks are the powers of ten, with marks without texts between them. If
// there are few powers, twos and fives have texts too; if there are many, some
// powers have no text.
func logTicks(s span) []tick {
	low, high := int(math.Floor(math.Log10(s.min))), int(math.Ceil(math.Log10(s.max)))
	decades := math.Log10(s.max) - math.Log10(s.min)
	every := int(decades/7) + 1
	var list []tick
	for power := low; power <= high; power++ {
		for factor := 1; factor <= 9; factor++ {
			at := float64(factor) * math.Pow(10, float64(power))
			if at < s.min || at > s.max || every > 1 && factor > 1 {
				continue
			}
			t := tick{at: at}
			if factor == 1 && power%every == 0 || decades < 2 && (factor == 2 || factor == 5) {
				t.label = shortNumber(at, at)
			}
			list = append(list, t)
		}
	}
	return list
}

// shortNumber writes a number with as many digits as steps of this size need.
func shortNumber(v, step float64) string {
	if v == 0 {
		return "0"
	}
	digits := max(0, int(-math.Floor(math.Log10(math.Abs(step))+1e-9)))
	if size := math.Abs(v); size >= 1e6 || digits > 4 {
		precision := max(0, int(math.Floor(math.Log10(size)+1e-9))+digits)
		return strconv.FormatFloat(v, 'e', min(precision, 4), 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
