package fault

import "fmt"

// LimitError reports which limit a call would have exceeded, with its
// figures. It answers errors.Is for ErrLimit.
type LimitError struct {
	What  string // what needed too much, such as "the vectors of embedding spec"
	Need  int64  // amount that the call would take
	Limit int64  // amount that is allowed
	Unit  string // "bytes" or "rows"
	Field string // the field of Options that sets the limit
}

// Error names the need, the limit and the option that raises it.
func (e *LimitError) Error() string { return e.in(Words{}) }

func (e *LimitError) in(w Words) string {
	need, limit := Amount(float64(e.Need), e.Unit), Amount(float64(e.Limit), e.Unit)
	if need == limit || e.Unit != "bytes" {
		need, limit = fmt.Sprintf("%d %s", e.Need, e.Unit), fmt.Sprintf("%d %s", e.Limit, e.Unit)
	}
	return fmt.Sprintf("%s would take %s, and %s allows %s", e.What, need, w.field(e.Field), limit)
}

// Unwrap returns ErrLimit.
func (e *LimitError) Unwrap() error { return ErrLimit }
