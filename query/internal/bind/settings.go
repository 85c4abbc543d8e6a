package bind

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
)

// SortedSettings lists a map by name, so that of several mistakes the same one
// is reported every time.
func SortedSettings(m map[string]any) []option.Given {
	var list []option.Given
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, option.Given{Name: name, Value: m[name]})
	}
	return list
}

// Mistake returns the fault.Error for an *option.Error, and other errors unchanged.
func Mistake(err error) error {
	var e *option.Error
	if !errors.As(err, &e) {
		return err
	}
	var inner *fault.Error
	switch {
	case e.Unknown:
		return unknown(e)
	case e.Missing != "":
		return fault.New(fault.Method, "%s needs the option %s: %s", e.Owner, e.Option, e.Missing)
	case e.Message != "":
		return fault.OfOption(e.Option, "%s", e.Message)
	case errors.As(e.Err, &inner):
		return inner.About(e.Option)
	case e.Err != nil:
		return e.Err
	case e.Allowed != "":
		return fault.OfOption(e.Option, "is %v, and must be %s", e.Value, e.Allowed).WithErr(errors.Join(fault.ErrInvalid, err))
	case e.Type == "":
		return fault.OfOption(e.Option, "is %s", fault.QuoteKey(fmt.Sprint(e.Value))).WithExpected(fault.QuoteKeys(e.Choices)...)
	}
	m := fault.OfOption(e.Option, "is %s", Describe(e.Value)).WithExpected(option.TypeName(e.Type))
	if e.Type != "text" && e.Type != "column" {
		m.WithExpected(fault.QuoteKeys(e.Choices)...)
	}
	return m
}

// unknown is the error for an option that its owner does not have.
func unknown(e *option.Error) error {
	at := fault.Option(e.Option)
	if len(e.Known) == 0 {
		return fault.New(at, "%s has no options, found %s", e.Owner, fault.Quote(e.Option))
	}
	m := fault.New(at, "%s has no option %s", e.Owner, fault.Quote(e.Option))
	// The user may have written a longer form, such as dimension for dim.
	if j := slices.IndexFunc(e.Known, func(n string) bool { return len(n) >= 3 && strings.HasPrefix(e.Option, n) }); j >= 0 {
		m.Nearest = e.Known[j]
		return m
	}
	return m.WithNearest(e.Option, e.Known, nil)
}

// Describe says what a value is, in an error.
func Describe(value any) string {
	switch v := option.Plain(value).(type) {
	case int64, bool:
		return fmt.Sprint(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64) // 3 would look like an integer
		}
		return fmt.Sprint(v)
	case string:
		return "the text " + fault.QuoteKey(v)
	case []float32:
		return fmt.Sprintf("a vector of %s", fault.Count(int64(len(v)), "number"))
	case []float64:
		return fmt.Sprintf("a vector of %s", fault.Count(int64(len(v)), "number"))
	case nil:
		return "nothing"
	}
	return fmt.Sprintf("a value of the Go type %T", value)
}
