package option

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// Programs pass settings as values of any suitable Go type.
func TestInfo_Convert(t *testing.T) {
	integer := Info{Name: "o", Type: "int"}
	number := Info{Name: "o", Type: "float"}
	text := Info{Name: "o", Type: "text", Choices: []string{"one", "two"}}
	truth := Info{Name: "o", Type: "bool"}
	cases := []struct {
		option Info
		given  any
		want   any // nil: refused
	}{
		{integer, 3, int64(3)},
		{integer, uint8(3), int64(3)},
		{integer, uint64(math.MaxInt64), int64(math.MaxInt64)},
		{integer, uint64(math.MaxUint64), nil},
		{integer, 3.0, nil},
		{integer, "3", nil},
		{integer, nil, nil},
		{number, 3, 3.0},
		{number, float32(0.5), 0.5},
		{number, math.NaN(), nil},
		{number, math.Inf(1), nil},
		{number, true, nil},
		{text, "two", "two"},
		{text, "three", nil},
		{text, 2, nil},
		{truth, true, true},
		{truth, 1, nil},
		{truth, "true", nil},
		{truth, []float64{1}, nil},
		{truth, struct{}{}, nil},
		{integer, untyped("3"), int64(3)},
		{integer, untyped("three"), nil},
		{number, untyped("1e-2"), 0.01},
		{number, untyped("nan"), nil},
		{text, untyped("two"), "two"},
		{truth, untyped("TRUE"), true},
		{truth, untyped("1"), nil},
	}
	for _, c := range cases {
		got, err := c.option.Convert(c.given)
		if (err == nil) != (c.want != nil) || got != c.want {
			t.Errorf("%s from %v (%T): %v, %v; expected %v", c.option.Type, c.given, c.given, got, err, c.want)
		}
		if err != nil && (err.Option != "o" || err.Error() == "") {
			t.Errorf("the error is %v", err)
		}
	}
}

// untyped is a text of a command line.
type untyped string

func (u untyped) Infer() any {
	if n, err := strconv.ParseInt(string(u), 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(string(u), 64); err == nil {
		return x
	}
	if truth, err := strconv.ParseBool(strings.ToLower(string(u))); err == nil && len(u) > 1 {
		return truth
	}
	return string(u)
}
