package evaluate

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// This file measures how well scores separate positives from negatives. Equal
// scores are one step of a ranking: no measure depends on their order in the
// input. NaN is below every number.

// AUC returns the probability that a positive has a higher score than a
// negative, a tie counting half: the area under the ROC curve, by rank sums and
// without approximation. NaN if one of the lists is empty.
func AUC(positive, negative []float64) float64 {
	return rankScores(slices.Clone(positive), slices.Clone(negative)).auc()
}

// AveragePrecision returns the mean, over all positives, of the precision among
// those whose score is as high or higher: the area under the steps of the curve
// of precision and recall. NaN if one of the lists is empty.
func AveragePrecision(positive, negative []float64) float64 {
	return rankScores(slices.Clone(positive), slices.Clone(negative)).averagePrecision()
}

// AUCInterval returns the AUC with the interval in which the AUC of a second sample is in 95 of 100
// cases: of as many other positives and negatives, drawn in the same way. It is wider than a
// confidence interval by a factor of √2, because both samples vary.
//
// The variance is that of DeLong, DeLong and Clarke-Pearson ("Comparing the areas under two or more
// correlated receiver operating characteristic curves", 1988), which takes scores as independent.
// The interval is that of Wilson ("Probable inference, the law of succession, and statistical
// inference", 1927) for a fraction of AUC among so many cases that it has twice this variance, and
// at most as many as the shorter list has. To the variance that of half a case of each list on the
// wrong side is added: where nearly all positives are above all negatives, a sample often has none of
// the rare cases that make the difference. So the interval is within [0, 1] and never empty. All are
// NaN if one of the lists is empty. It takes O(n log n).
func AUCInterval(positive, negative []float64) Interval {
	r := rankScores(slices.Clone(positive), slices.Clone(negative))
	auc := r.auc()
	if math.IsNaN(auc) {
		return Interval{auc, auc, auc}
	}
	p, n := float64(r.positives), float64(r.negatives)
	variance := r.aucVariance(auc) + 0.25/(p*p) + 0.25/(n*n)
	low, high := WilsonInterval(auc, min(p, n, max(1, auc*(1-auc)/(2*variance))))
	return Interval{auc, min(low, auc), max(high, auc)}
}

// WilsonInterval returns the ends of the 95 % interval of a fraction that was seen among n cases
// (Wilson 1927); n need not be whole, and is above 0.
func WilsonInterval(fraction, n float64) (low, high float64) {
	const z = 1.959963984540054 // of the normal distribution, 2.5 % on each side
	middle := (fraction + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(fraction*(1-fraction)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}

type scoreStep struct {
	score                float64
	positives, negatives int64
}

// scoreRanking has two ascending lists of scores.
type scoreRanking struct {
	positive, negative   []float64
	positives, negatives int64 // their lengths
}

// rankScores sorts scores, in place, in O(n log n).
func rankScores(positive, negative []float64) scoreRanking {
	slices.Sort(positive)
	slices.Sort(negative)
	return scoreRanking{positive, negative, int64(len(positive)), int64(len(negative))}
}

// steps are those of the ranking, by descending score.
func (r scoreRanking) steps() iter.Seq[scoreStep] {
	return func(yield func(scoreStep) bool) {
		positive, negative := r.positive, r.negative
		for len(positive)+len(negative) > 0 {
			s := scoreStep{score: highest(positive, negative)}
			positive, s.positives = cutRun(positive, s.score)
			negative, s.negatives = cutRun(negative, s.score)
			if !yield(s) {
				return
			}
		}
	}
}

// highest returns the highest value of two ascending lists, one of which may
// be empty.
func highest(a, b []float64) float64 {
	switch {
	case len(a) == 0:
		return b[len(b)-1]
	case len(b) == 0 || cmp.Compare(a[len(a)-1], b[len(b)-1]) > 0:
		return a[len(a)-1]
	}
	return b[len(b)-1]
}

// cutRun counts the last elements that equal a score, and returns the rest of
// the list.
func cutRun(scores []float64, score float64) (rest []float64, run int64) {
	for len(scores) > 0 && cmp.Compare(scores[len(scores)-1], score) == 0 {
		scores = scores[:len(scores)-1]
		run++
	}
	return scores, run
}

func (r scoreRanking) auc() float64 {
	if r.positives == 0 || r.negatives == 0 {
		return math.NaN()
	}
	// Twice the number of pairs in the right order; a product of two counts of
	// pairs fits an int64 for billions of each.
	won, below := int64(0), r.negatives
	for s := range r.steps() {
		below -= s.negatives
		won += s.positives * (2*below + s.negatives)
	}
	return float64(won) / 2 / float64(r.positives) / float64(r.negatives)
}

// aucVariance is the variance of the AUC: that of the fraction of negatives below a positive, over the
// number of positives, plus that of the fraction of positives above a negative, over theirs.
func (r scoreRanking) aucVariance(auc float64) float64 {
	above, below := int64(0), r.negatives
	won, beaten := 0.0, 0.0 // sums of squared differences from the mean, which is auc for both
	for s := range r.steps() {
		below -= s.negatives
		d := (float64(below)+float64(s.negatives)/2)/float64(r.negatives) - auc
		won += float64(s.positives) * d * d
		d = (float64(above)+float64(s.positives)/2)/float64(r.positives) - auc
		beaten += float64(s.negatives) * d * d
		above += s.positives
	}
	p, n := float64(r.positives), float64(r.negatives)
	return won/p/max(1, p-1) + beaten/n/max(1, n-1)
}

func (r scoreRanking) averagePrecision() float64 {
	if r.positives == 0 || r.negatives == 0 {
		return math.NaN()
	}
	sum, found, seen := 0.0, int64(0), int64(0)
	for s := range r.steps() {
		found += s.positives
		seen += s.positives + s.negatives
		sum += float64(s.positives) * float64(found) / float64(seen)
	}
	return sum / float64(r.positives)
}

func (r scoreRanking) hits(k int64) float64 {
	if r.positives == 0 || k < 1 || r.negatives < k {
		return math.NaN()
	}
	above, passed := int64(0), int64(0)
	for s := range r.steps() {
		if passed += s.negatives; passed >= k {
			break
		}
		above += s.positives
	}
	return float64(above) / float64(r.positives)
}

// bestThreshold returns the least score to classify as positive for the best
// F1; of several equally good ones the highest.
func (r scoreRanking) bestThreshold() float64 {
	best, threshold := -1.0, math.Inf(1)
	found, wrong := int64(0), int64(0)
	for s := range r.steps() {
		found += s.positives
		wrong += s.negatives
		if f1 := 2 * float64(found) / float64(found+wrong+r.positives); f1 > best {
			best, threshold = f1, s.score
		}
	}
	return threshold
}

// divides reports whether a threshold has scores on both sides.
func (r scoreRanking) divides(threshold float64) bool {
	above := int64(0)
	for s := range r.steps() {
		if cmp.Compare(s.score, threshold) < 0 {
			return above > 0
		}
		above += s.positives + s.negatives
	}
	return false
}

// decide returns precision, recall and F1 for classifying scores from a
// threshold on as positive, NaN if undefined.
func (r scoreRanking) decide(threshold float64) (precision, recall, f1 float64) {
	found, wrong := int64(0), int64(0)
	for s := range r.steps() {
		if cmp.Compare(s.score, threshold) < 0 {
			break
		}
		found += s.positives
		wrong += s.negatives
	}
	return share(found, float64(found+wrong)), share(found, float64(r.positives)), share(2*found, float64(found+wrong+r.positives))
}
