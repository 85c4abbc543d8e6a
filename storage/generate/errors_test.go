package generate

import (
	"errors"
	"testing"
)

// TestOptionError expects a fault to name its option, its place, the value and what
// is allowed, as fields and in the message.
func TestOptionError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		m    Model
		want OptionError
		text string
	}{
		{Vazquez{N: 9, P: 1}, OptionError{"vazquez", "p", "", 1.0, "at least 0 and below 1"}, "invalid options: vazquez: p is 1, and must be at least 0 and below 1"},
		{
			StochasticBlock{Sizes: []int{1, 1}, Matrix: [][]float64{{0, 7}, {7, 0}}},
			OptionError{"stochastic block", "matrix", "entry 2 of row 1", 7.0, "from 0 to 1"},
			"invalid options: stochastic block: entry 2 of row 1 of matrix is 7, and must be from 0 to 1",
		},
	} {
		err := c.m.Validate()
		var got *OptionError
		if !errors.As(err, &got) || *got != c.want || got.Error() != c.text || !errors.Is(err, ErrOptions) {
			t.Errorf("%v, want %s", err, c.text)
		}
	}
}
