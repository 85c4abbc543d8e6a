package tune

import (
	"cmp"
	"math"
)

// Stage is a part of a search.
type Stage uint8

// The stages. Trials of Select and Confirm come between trials of the other stages.
const (
	Defaults Stage = iota
	Survey
	Select
	Refine
	Confirm
)

// String returns the name of the stage.
func (s Stage) String() string {
	return [...]string{"defaults", "survey", "select", "refine", "confirm"}[min(s, Confirm)]
}

// Trial is one embedding that was computed and judged.
type Trial struct {
	Number  int      `json:"number"` // from 1, in the order of the search
	Method  string   `json:"method"`
	Options []Option `json:"options"` // the searched parameters; the others are as given
	Stage   Stage    `json:"stage"`
	// Confirmed reports that the embedding was computed in full and judged
	// exactly: embedding the graph with these options and measuring it again
	// gives the same score.
	Confirmed bool `json:"confirmed"`
	Judgement
	// Err is the reason why the method refused these parameters on this graph,
	// such as a penalty beyond the precision of its matrix. The score is then
	// NaN, and there are no measures.
	Err error `json:"error"`
	// Seconds is the wall time that the trial took, also beside another one. If several trials
	// share a solve, the first includes the time of the solve.
	Seconds float64 `json:"seconds"`
}

// Option is a parameter with its value, a float64 or a string, by the name that
// it has in the language.
type Option struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// compareTrials orders the better trial first.
func compareTrials(a, b Trial) int {
	return cmp.Or(
		compareBool(a.Err != nil, b.Err != nil), compareBool(math.IsNaN(a.Score), math.IsNaN(b.Score)),
		cmp.Compare(a.rank(), b.rank()), cmp.Compare(value(b.Score), value(a.Score)),
		cmp.Compare(a.length(), b.length()),
	)
}

// length orders trials with equal scores: the number of walks if it was searched.
func (t Trial) length() float64 {
	for _, o := range t.Options {
		if o.Name == "walks" && !math.IsNaN(t.Score) {
			return o.Value.(float64)
		}
	}
	return 0
}

// compareBool puts false first.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank is lower for trials with more reliable figures.
func (t Trial) rank() int {
	switch {
	case t.Stage == Survey:
		return 2
	case t.Confirmed:
		return 0
	}
	return 1
}

// value returns a score for comparison: NaN is worse than all numbers.
func value(score float64) float64 {
	if math.IsNaN(score) {
		return math.Inf(-1)
	}
	return score
}

// Reason is why a search ended.
type Reason string

// The reasons.
const (
	Finished Reason = "finished" // nothing was left to try
	Budget   Reason = "budget"   // the time was over
	Trials   Reason = "trials"   // the number of trials was reached
)

// Result of a search.
type Result struct {
	// Trials are all trials, the best first: the confirmed ones by their
	// scores, then others in full, then those of the survey, then trials
	// without a score, and last those that were refused. Of equal ones that
	// with fewer walks is first, then the earlier.
	Trials  []Trial
	Reason  Reason
	Stage   Stage   // stage in which the search ended
	Left    int     // trials of the survey that were not run
	Missing int     // methods whose defaults were not tried
	Seconds float64 // wall time
}

// Best returns the best trial.
func (r *Result) Best() Trial { return r.Trials[0] }
