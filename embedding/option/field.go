package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file has the kinds of options. Where a comment names no other default, zero is the default,
// and its value in the language is 0, FALSE or an empty text unless OrElse gives another one.

// Whole is the types of fields for whole numbers.
type Whole interface{ ~int | ~int64 | ~uint64 }

// Int is an option for a whole number. An int receives the nearest number that it can have.
func Int[O any, N Whole](name, doc string, at func(*O) *N) Field[O] {
	return of(Info{Name: name, Type: "int", Default: "0", Doc: doc},
		func(o *O, v any) error { *at(o) = whole[N](v.(int64)); return nil },
		func(o *O) (any, bool) { n := *at(o); return int64(n), n != 0 })
}

func whole[N Whole](v int64) N {
	if n := N(v); int64(n) == v {
		return n
	}
	return N(max(math.MinInt, min(math.MaxInt, v)))
}

// Seed is the option seed: any whole number, whose bits are those of the seed.
func Seed[O any](doc string, at func(*O) *uint64) Field[O] { return Int("seed", doc, at) }

// Float is an option for a number.
func Float[O any](name, doc string, at func(*O) *float64) Field[O] {
	return of(Info{Name: name, Type: "float", Default: "0", Doc: doc},
		func(o *O, v any) error { *at(o) = v.(float64); return nil },
		func(o *O) (any, bool) { x := *at(o); return x, x != 0 })
}

// FloatOrNil is an option for a number for which zero is a value of its own; nil is the default.
func FloatOrNil[O any](name, doc string, at func(*O) **float64) Field[O] {
	f := orNil(name, doc, at, func(v any) float64 { return v.(float64) })
	f.Type, f.Default = "float", "0"
	return f
}

// IntOr is an option for a whole number, or a word, which is the default and nil.
func IntOr[O any](name, word, doc string, at func(*O) **int64) Field[O] {
	f := orNil(name, doc, at, func(v any) int64 { return v.(int64) })
	f.Type = "int"
	f.core.orWord(word)
	return f
}

// FloatOr is an option for a number, or a word, which is the default and nil.
func FloatOr[O any](name, word, doc string, at func(*O) **float64) Field[O] {
	f := FloatOrNil(name, doc, at)
	f.core.orWord(word)
	return f
}

// BoolOrNil is an option whose default depends on other things; nil is the default. OrElse gives
// its usual value.
func BoolOrNil[O any](name, doc string, at func(*O) **bool) Field[O] {
	f := orNil(name, doc, at, func(v any) bool { return v.(bool) })
	f.Type, f.Default = "bool", "FALSE"
	return f
}

func orNil[O, V any](name, doc string, at func(*O) **V, as func(any) V) Field[O] {
	return of(Info{Name: name, Doc: doc},
		func(o *O, v any) error { *at(o) = new(as(v)); return nil },
		func(o *O) (v any, set bool) {
			p := *at(o)
			if p == nil {
				return *new(V), false
			}
			return *p, true
		})
}

// Bool is an option for a truth value.
func Bool[O any](name, doc string, at func(*O) *bool) Field[O] {
	return of(Info{Name: name, Type: "bool", Default: "FALSE", Doc: doc},
		func(o *O, v any) error { *at(o) = v.(bool); return nil },
		func(o *O) (any, bool) { return *at(o), *at(o) })
}

// Unless is an option for a truth value that is true by default; the field is its opposite.
func Unless[O any](name, doc string, not func(*O) *bool) Field[O] {
	return of(Info{Name: name, Type: "bool", Default: "TRUE", Doc: doc},
		func(o *O, v any) error { *not(o) = !v.(bool); return nil },
		func(o *O) (any, bool) { return !*not(o), *not(o) })
}

// String is an option for a text.
func String[O any, S ~string](name, doc string, at func(*O) *S) Field[O] {
	return of(Info{Name: name, Type: "text", Default: "''", Doc: doc},
		func(o *O, v any) error { *at(o) = S(v.(string)); return nil },
		func(o *O) (any, bool) { return string(*at(o)), *at(o) != "" })
}

// Column is an option for the name or the number of a column.
func Column[O any](name, doc string, at func(*O) *string) Field[O] {
	f := String(name, doc, at)
	f.Type = "column"
	return f
}

// Choice is an option for one of several texts, of which the first one, and an empty text, is the
// default.
func Choice[O any, S ~string](name, doc string, choices []string, at func(*O) *S) Field[O] {
	f := String(name, doc, at)
	f.Choices, f.Default = choices, literal(choices[0])
	f.get = instead(f.get, choices[0])
	return f
}

// Auto is Choice of the word auto and other texts; an empty text is auto.
func Auto[O any, S ~string](name, doc string, choices []string, at func(*O) *S) Field[O] {
	return Choice(name, doc, append([]string{auto}, choices...), at).Absent(auto)
}

const auto = "auto"

// Enum is an option for one of several texts, the value being the number of the text; the first
// one is the default.
func Enum[O any, E ~int | ~uint8](name, doc string, choices []string, at func(*O) *E) Field[O] {
	return of(Info{Name: name, Type: "text", Default: literal(choices[0]), Choices: choices, Doc: doc},
		func(o *O, v any) error { *at(o) = E(slices.Index(choices, v.(string))); return nil },
		func(o *O) (any, bool) {
			e := *at(o)
			if int(e) < 0 || int(e) >= len(choices) {
				return strconv.Itoa(int(e)), true // which Check refuses
			}
			return choices[e], e != 0
		})
}

// Either is an option for one of two texts: the first one, the default, is false and the second
// one true.
func Either[O any](name, doc, no, yes string, at func(*O) *bool) Field[O] {
	words := map[bool]string{false: no, true: yes}
	return of(Info{Name: name, Type: "text", Default: literal(no), Choices: []string{no, yes}, Doc: doc},
		func(o *O, v any) error { *at(o) = v == any(yes); return nil },
		func(o *O) (any, bool) { return words[*at(o)], *at(o) })
}

// Parsed is an option for a text with a form of its own. An error of parse becomes that of the
// option. text writes a value; an empty text is the default.
func Parsed[O, T any](name, doc string, at func(*O) *T, parse func(string) (T, error), text func(T) string) Field[O] {
	return of(Info{Name: name, Type: "text", Default: "''", Doc: doc},
		func(o *O, v any) (err error) { *at(o), err = parse(v.(string)); return err },
		func(o *O) (any, bool) { s := text(*at(o)); return s, s != "" })
}

// Names is an option for texts with commas between them. A word, if there is one, is the default:
// the same as an empty text, which is a nil list.
func Names[O any, S ~string](name, word, doc string, at func(*O) *[]S) Field[O] {
	f := Parsed(name, doc, at, func(text string) (list []S, err error) {
		if text == "" || text == word {
			return nil, nil
		}
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, S(strings.TrimSpace(part)))
		}
		return list, nil
	}, func(list []S) string { return joined(list, func(s S) string { return string(s) }) })
	f.Default = literal(word)
	return f
}

// Numbers is an option for numbers with commas between them; an empty text is a nil list.
func Numbers[O any](name, doc string, at func(*O) *[]float64) Field[O] {
	return Parsed(name, doc, at, ParseNumbers, FormatNumbers)
}

// ParseNumbers reads numbers with commas between them; nil for an empty text. Its error is an *Error
// without an option.
func ParseNumbers(text string) (list []float64, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, &Error{Message: fmt.Sprintf("is '%s', expected numbers with commas between", text)}
		}
		list = append(list, x)
	}
	return list, nil
}

// FormatNumbers writes numbers with commas between them.
func FormatNumbers(list []float64) string {
	return joined(list, func(x float64) string { return Text(x) })
}

func joined[T any](list []T, text func(T) string) string {
	var parts []string
	for _, t := range list {
		parts = append(parts, text(t))
	}
	return strings.Join(parts, ",")
}
