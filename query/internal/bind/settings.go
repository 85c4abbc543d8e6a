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

// Settings are options that were checked against a table: each known, of the
// right type, and given once.
type Settings map[string]any // int64, float64, string or bool

// Check checks what was given for owner, such as "method dp_spectral"
// or "IMPORT", against the table of its options.
func Check(owner string, table []option.Info, given []option.Given) (Settings, error) {
	checked, err := option.Check(owner, table, given)
	return Settings(checked), Mistake(err)
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

// Text returns a setting that is a text, or "" if it was not given.
func (s Settings) Text(name string) string { v, _ := s[name].(string); return v }

// Integer returns a setting that is an integer, or 0 if it was not given.
func (s Settings) Integer(name string) int64 { v, _ := s[name].(int64); return v }

// Number returns a setting that is a number, or 0 if it was not given.
func (s Settings) Number(name string) float64 { v, _ := s[name].(float64); return v }

// Bool returns a setting that is a truth value, or false if it was not given.
func (s Settings) Bool(name string) bool { v, _ := s[name].(bool); return v }

// Seed returns the setting of this name.
func (s Settings) Seed() uint64 { return uint64(s.Integer("seed")) }

// Size returns an integer whose range the caller checks later, limited to the
// range of int.
func (s Settings) Size(name string) int {
	return int(max(math.MinInt, min(math.MaxInt, s.Integer(name))))
}
