package query

import (
	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
)

// rowRange is a part of numbered rows, as the options first and count give it.
type rowRange struct {
	first int64
	count *int64 // nil for all that follow
}

// rangeOptions are the options of a statement that writes some of its rows, such as walks.
func rangeOptions(one, many string) []OptionInfo {
	return []OptionInfo{
		{Name: "first", Type: "int", Default: "0", Doc: "number of the first " + one + ", from 0"},
		{Name: "count", Type: "int", Default: "'all'", Choices: []string{"all"}, Doc: "number of " + many + "; all takes all that follow the first one"},
	}
}

// rangeIn is what the options of a statement say.
func rangeIn(set bind.Settings) rowRange {
	r := rowRange{first: set.Integer("first")}
	if n, given := set["count"].(int64); given {
		r.count = &n
	}
	return r
}

// all reports whether no row is left out.
func (r rowRange) all() bool { return r.first == 0 && r.count == nil }

// check refuses negative numbers.
func (r rowRange) check() error {
	if r.first < 0 {
		return fault.OfOption("first", "is %d, and must not be negative", r.first)
	}
	if r.count != nil && *r.count < 0 {
		return fault.OfOption("count", "is %d, and must not be negative", *r.count)
	}
	return nil
}

// end is the number behind the last row, of those that there are.
func (r rowRange) end(rows int64) (int64, error) {
	switch {
	case r.first > rows:
		return 0, fault.OfOption("first", "is %d, and must be at most %d", r.first, rows)
	case r.count == nil:
		return rows, nil
	case *r.count > rows-r.first:
		return 0, fault.OfOption("count", "is %d, and must be at most %d", *r.count, rows-r.first)
	}
	return r.first + *r.count, nil
}
