package link

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

const leastSlope = 1e-6

// mostOdds is the largest log-odds of a pair that calibrates, of which a float64 still
// distinguishes probabilities that differ by 1e-9 in their log-odds; 30 still leaves 1e-3.
const mostOdds = 15

// shiftOf returns the shift that fits best with a given slope: the mean probability is then the
// given one. It takes steps of Newton's method, and halves the interval where they leave it.
func shiftOf(slope float64, scores []float64, mean float64) float64 {
	low, high := -slope*slices.Max(scores)-40, -slope*slices.Min(scores)+40
	shift := (low + high) / 2
	for range 60 {
		sum, slack := 0.0, 0.0
		for _, x := range scores {
			p := 1 / (1 + math.Exp(-(slope*x + shift)))
			sum, slack = sum+p, slack+p*(1-p)
		}
		beyond := sum - mean*float64(len(scores))
		if beyond > 0 {
			high = shift
		} else {
			low = shift
		}
		next := shift - beyond/slack
		if !(low < next && next < high) {
			next = (low + high) / 2
		}
		if math.Abs(next-shift) < 1e-9 {
			return next
		}
		shift = next
	}
	return shift
}

// clipped returns scores of which the highest hundredth is at the lower end of it.
func clipped(scores []float64) []float64 {
	sorted := slices.Sorted(slices.Values(scores))
	list := slices.Clone(scores)
	for i := range list {
		list[i] = min(list[i], sorted[len(sorted)*99/100])
	}
	return list
}

// calibrate returns slope and shift of the log-odds slope·score + shift that fit
// scores best, by maximum likelihood: Platt, "Probabilistic outputs for support
// vector machines", 1999. As in the paper, the target probabilities are those after
// seeing one more link and one more non-link, so that scores that separate the two do not
// get an infinite slope. The order of scores is kept: where no positive slope fits, the scores
// predict nothing, and the slope is so small that the probabilities are about the fraction of
// links.
//
// The slope is small enough that log-odds are at most mostOdds: if scores are informative for
// only some pairs, the best slope is so large that the likeliest pairs would all have a
// probability of 1 and no order (on ca-GrQc 2,000 of 2,300 links).
//
// The unit of the scores changes nothing: they are calibrated in one in which they deviate by about
// 1. It is a power of two, which changes no bit of them.
func calibrate(scores []float64, linked []bool) (slope, shift float64) {
	_, unit := math.Frexp(deviation(scores))
	scaled := make([]float64, len(scores))
	for i, x := range scores {
		scaled[i] = math.Ldexp(x, -unit)
	}
	slope, shift = calibrateUnit(scaled, linked)
	return math.Ldexp(slope, -unit), shift
}

// deviation is the standard deviation of scores, of which no square overflows.
func deviation(scores []float64) float64 {
	largest := floats.Norm(scores, math.Inf(1))
	if largest == 0 || math.IsInf(largest, 0) {
		return 1
	}
	scaled := make([]float64, len(scores))
	for i, x := range scores {
		scaled[i] = x / largest
	}
	return stat.PopStdDev(scaled, nil) * largest
}

// calibrateUnit is calibrate for scores that deviate by about 1, by Newton's method with halved
// steps (Lin, Lin and Weng, "A note on Platt's probabilistic outputs for support vector machines",
// 2007).
func calibrateUnit(scores []float64, linked []bool) (slope, shift float64) {
	var links, others float64
	for _, yes := range linked {
		if yes {
			links++
		} else {
			others++
		}
	}
	high, low := (links+1)/(links+2), 1/(others+2)
	target := func(i int) float64 {
		if linked[i] {
			return high
		}
		return low
	}
	loss := func(slope, shift float64) float64 {
		sum := 0.0
		for i, x := range scores {
			z := slope*x + shift
			sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - target(i)*z
		}
		return sum
	}
	slope = 1
	now := loss(slope, shift)
	for range 100 {
		var ga, gb, haa, hab, hbb float64
		for i, x := range scores {
			p := 1 / (1 + math.Exp(-(slope*x + shift)))
			d, h := p-target(i), p*(1-p)
			ga, gb = ga+d*x, gb+d
			haa, hab, hbb = haa+h*x*x, hab+h*x, hbb+h
		}
		haa, hbb = haa+1e-12, hbb+1e-12
		det := haa*hbb - hab*hab
		if !(det > 0) {
			break
		}
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step, better := 1.0, false
		for range 30 {
			if next := loss(slope-step*da, shift-step*db); next < now {
				slope, shift = slope-step*da, shift-step*db
				better = now-next > 1e-12*now
				now = next
				break
			}
			step /= 2
		}
		if !better {
			break
		}
	}
	if !(slope > leastSlope) || math.IsInf(slope, 0) || math.IsNaN(shift) || math.IsInf(shift, 0) {
		return leastSlope, math.Log((links + 1) / (others + 1))
	}
	if top := slices.Max(scores); slope*top+shift > mostOdds {
		mean := (links*high + others*low) / (links + others)
		least, most := leastSlope, slope
		for range 20 {
			if middle := (least + most) / 2; middle*top+shiftOf(middle, scores, mean) > mostOdds {
				most = middle
			} else {
				least = middle
			}
		}
		slope, shift = least, shiftOf(least, scores, mean)
	}
	return slope, shift
}
