package link

import (
	"math"
	"slices"
)

// Candidate is a model that was compared: a set of terms, and what their weights were learned
// from.
type Candidate struct {
	// Name is "heuristics", "features", "all", or the name of one scorer; followed by
	// ", by vertex" if a conditional model gave the weights, and by " + " and a second name
	// if the weights of two models were added.
	Name string `json:"name"`
	// AUC is the probability that a link scores higher than a non-link: for weights learned
	// from random pairs that of each part by a model of the other parts, the mean over the
	// parts.
	AUC float64 `json:"auc"`
	// MAP is the mean average precision of ten recommendations to vertices with held-out
	// links.
	MAP    float64 `json:"map"`
	Chosen bool    `json:"chosen"`
	// Single says that the candidate is one scorer.
	Single bool `json:"single,omitempty"`
}

type trial struct {
	Candidate
	choice  Choice
	columns []int
	bias    float64
	whole   linear    // learned from everything
	parts   []linear  // for the vertices of each part of the sample: learned without that part
	of      []float64 // average precision of each vertex of the sample
	scores  []float64 // of pairs, by models that have not seen them where they are many
	linked  []bool    // the same pairs
	// heuristic is the name of a scorer of the graph that is the only term: there is nothing to
	// learn, and its recommendations are those of its Predictor.
	heuristic string
	// tie says that the trial is the best single scorer plus such a small multiple of another
	// trial that the multiple decides little except ties.
	tie bool
}

// single reports whether a trial is one scorer.
func single(c *trial) bool { return c.Single }

// bestByMAP returns the trial with the highest MAP among the wanted ones, or among all if wanted
// is nil; of equal trials the first.
func bestByMAP(list []*trial, wanted func(c *trial) bool) *trial {
	var best *trial
	for _, c := range list {
		if (wanted == nil || wanted(c)) && (best == nil || c.MAP > best.MAP) {
			best = c
		}
	}
	return best
}

// choose returns the trial of the highest AUC among those whose MAP is not clearly below the
// highest: by at most one standard error of the difference over the vertices (Breiman,
// Friedman, Olshen and Stone, "Classification and Regression Trees", 1984, section 3.4.3). Only
// the best single scorer, what decides its ties with no lower MAP, and trials whose MAP is above
// its by at least a standard error can be chosen, so that the model recommends no worse than a
// scorer alone. Of equal ones it is the first.
func choose(list []*trial) *trial {
	if alone := bestByMAP(list, single); alone != nil {
		list = slices.DeleteFunc(slices.Clone(list), func(c *trial) bool {
			least := standardError(c.of, alone.of)
			if c.tie {
				least = 0
			}
			return c != alone && !(c.MAP-alone.MAP >= least)
		})
	}
	top := bestByMAP(list, nil)
	best := top
	for _, c := range list {
		if top.MAP-c.MAP <= standardError(top.of, c.of) && c.AUC > best.AUC {
			best = c
		}
	}
	return best
}

// standardError is that of the mean of a − b.
func standardError(a, b []float64) float64 {
	n, sum, square := float64(len(a)), 0.0, 0.0
	for i := range a {
		d := a[i] - b[i]
		sum, square = sum+d, square+d*d
	}
	if n < 2 {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, square-sum*sum/n) / (n - 1) / n)
}
