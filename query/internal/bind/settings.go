package bind

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/rows"
)

// Given is an option as it was given: a name and a value of some Go type.
type Given struct {
	Name  string
	Value any
}

// SortedSettings lists a map by name, so that of several mistakes the same one
// is reported every time.
func SortedSettings(m map[string]any) []Given {
	var list []Given
	for _, name := range slices.Sorted(maps.Keys(m)) {
		list = append(list, Given{name, m[name]})
	}
	return list
}

// Settings are options that were checked against a table: each known, of the
// right type, and given once.
type Settings map[string]any // int64, float64, string or bool

// Check checks what was given for owner, such as "method dp_spectral"
// or "IMPORT", against the table of its options.
func Check(owner string, table []help.Option, given []Given) (Settings, error) {
	checked := Settings{}
	names := make([]string, len(table))
	for i, o := range table {
		names[i] = o.Name
	}
	for _, g := range given {
		at := fault.Option(g.Name)
		i := slices.Index(names, g.Name)
		if i < 0 && len(table) == 0 {
			return nil, fault.New(at, "%s has no options, found %s", owner, fault.Quote(g.Name))
		}
		if i < 0 {
			e := fault.New(at, "%s has no option %s", owner, fault.Quote(g.Name))
			// The user may have written a longer form, such as dimension for dim.
			if j := slices.IndexFunc(names, func(n string) bool { return len(n) >= 3 && strings.HasPrefix(g.Name, n) }); j >= 0 {
				e.Nearest = names[j]
				return nil, e
			}
			return nil, e.WithNearest(g.Name, names, nil)
		}
		if _, twice := checked[g.Name]; twice {
			return nil, fault.OfOption(g.Name, "is given twice")
		}
		value, err := CheckOption(table[i], g.Value)
		if err != nil {
			return nil, err
		}
		checked[g.Name] = value
	}
	for _, o := range table {
		if _, ok := checked[o.Name]; !ok && o.Default == "" {
			return nil, fault.New(fault.Method, "%s needs the option %s: %s", owner, o.Name, o.Doc)
		}
	}
	return checked, nil
}

// CheckOption returns the value as int64, float64, string or bool, if it is of the
// type of the option.
func CheckOption(o help.Option, value any) (any, error) {
	if text, ok := value.(rows.Untyped); ok {
		if value = any(string(text)); o.Type != "text" && o.Type != "column" {
			value = text.Infer()
		}
	}
	switch v := plain(value).(type) {
	case int64:
		if o.Type == "int" {
			return v, nil
		}
		if o.Type == "float" {
			return float64(v), nil
		}
		if o.Type == "column" {
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if o.Type == "float" {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fault.OfOption(o.Name, "is %v, and must be a finite number", v)
			}
			return v, nil
		}
	case bool:
		if o.Type == "bool" {
			return v, nil
		}
		if word := strconv.FormatBool(v); slices.Contains(o.Choices, word) {
			return word, nil
		}
	case string:
		if o.Type != "text" && o.Type != "column" && !slices.Contains(o.Choices, v) {
			break
		}
		if o.Choices != nil && !slices.Contains(o.Choices, v) {
			return nil, fault.OfOption(o.Name, "is %s", fault.QuoteKey(v)).WithExpected(fault.QuoteKeys(o.Choices)...)
		}
		return v, nil
	}
	e := fault.OfOption(o.Name, "is %s", Describe(value)).WithExpected(TypeName(o.Type))
	if o.Type != "text" && o.Type != "column" {
		e.WithExpected(fault.QuoteKeys(o.Choices)...)
	}
	return nil, e
}

// TypeName names the type of an option in a sentence.
func TypeName(t string) string {
	return cmp.Or(map[string]string{
		"int": "an integer", "float": "a number", "bool": "TRUE or FALSE", "column": "the name of a column in quotes or its number",
	}[t], "a text in quotes")
}

// plain turns the numeric types of Go into int64 and float64. An unsigned
// number that exceeds int64 becomes a float64, which no integer option
// accepts.
func plain(value any) any {
	switch v := value.(type) {
	case int:
		return int64(v)
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint:
		return plain(uint64(v))
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		if v > math.MaxInt64 {
			return float64(v)
		}
		return int64(v)
	case float32:
		return float64(v)
	}
	return value
}

// Describe says what a value is, in an error.
func Describe(value any) string {
	switch v := plain(value).(type) {
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
