package query

import (
	"errors"
	"math"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/rows"
)

// Programs pass settings as values of any suitable Go type.
func TestOptionInfo_Check(t *testing.T) {
	integer := help.Option{Name: "o", Type: "int"}
	number := help.Option{Name: "o", Type: "float"}
	text := help.Option{Name: "o", Type: "text", Choices: []string{"one", "two"}}
	truth := help.Option{Name: "o", Type: "bool"}
	cases := []struct {
		option help.Option
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
		{integer, rows.Untyped("3"), int64(3)},
		{integer, rows.Untyped("three"), nil},
		{number, rows.Untyped("1e-2"), 0.01},
		{number, rows.Untyped("nan"), nil},
		{text, rows.Untyped("two"), "two"},
		{truth, rows.Untyped("TRUE"), true},
		{truth, rows.Untyped("1"), nil},
	}
	for _, c := range cases {
		got, err := bind.CheckOption(c.option, c.given)
		if (err == nil) != (c.want != nil) || got != c.want {
			t.Errorf("%s from %v (%T): %v, %v; expected %v", c.option.Type, c.given, c.given, got, err, c.want)
		}
		if err != nil && !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%v is no fault.ErrInvalid", err)
		}
	}
}
