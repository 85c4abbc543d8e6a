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
	return Field[O]{
		Info: Info{Name: name, Type: "int", Default: "0", Doc: doc},
		set:  func(o *O, v any) error { *at(o) = whole[N](v.(int64)); return nil },
		get:  func(o O) (any, bool) { n := *at(&o); return int64(n), n != 0 },
	}
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
	return Field[O]{
		Info: Info{Name: name, Type: "float", Default: "0", Doc: doc},
		set:  func(o *O, v any) error { *at(o) = v.(float64); return nil },
		get:  func(o O) (any, bool) { x := *at(&o); return x, x != 0 },
	}
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
	return f.orWord(word)
}

// FloatOr is an option for a number, or a word, which is the default and nil.
func FloatOr[O any](name, word, doc string, at func(*O) **float64) Field[O] {
	return FloatOrNil(name, doc, at).orWord(word)
}

// BoolOrNil is an option whose default depends on other things; nil is the default. OrElse gives
// its usual value.
func BoolOrNil[O any](name, doc string, at func(*O) **bool) Field[O] {
	f := orNil(name, doc, at, func(v any) bool { return v.(bool) })
	f.Type, f.Default = "bool", "FALSE"
	return f
}

func orNil[O, V any](name, doc string, at func(*O) **V, of func(any) V) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Doc: doc},
		set:  func(o *O, v any) error { *at(o) = new(of(v)); return nil },
		get: func(o O) (v any, set bool) {
			p := *at(&o)
			if p == nil {
				return *new(V), false
			}
			return *p, true
		},
	}
}

// orWord makes a word of the default.
func (f Field[O]) orWord(word string) Field[O] {
	set, get := f.set, f.get
	f.Choices, f.Default = []string{word}, literal(word)
	f.set = func(o *O, v any) error {
		if v == any(word) {
			return nil // o is fresh
		}
		return set(o, v)
	}
	f.get = func(o O) (any, bool) {
		if v, given := get(o); given {
			return v, true
		}
		return word, false
	}
	return f
}

// OrWord adds to an option for a number a word that sets a truth value of its own.
func (f Field[O]) OrWord(word string, at func(*O) *bool) Field[O] {
	set, get := f.set, f.get
	f.Choices = []string{word}
	f.set = func(o *O, v any) error {
		if *at(o) = v == any(word); *at(o) {
			return nil
		}
		return set(o, v)
	}
	f.get = func(o O) (any, bool) {
		if *at(&o) {
			return word, true
		}
		return get(o)
	}
	return f
}

// Bool is an option for a truth value.
func Bool[O any](name, doc string, at func(*O) *bool) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Type: "bool", Default: "FALSE", Doc: doc},
		set:  func(o *O, v any) error { *at(o) = v.(bool); return nil },
		get:  func(o O) (any, bool) { return *at(&o), *at(&o) },
	}
}

// Unless is an option for a truth value that is true by default; the field is its opposite.
func Unless[O any](name, doc string, not func(*O) *bool) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Type: "bool", Default: "TRUE", Doc: doc},
		set:  func(o *O, v any) error { *not(o) = !v.(bool); return nil },
		get:  func(o O) (any, bool) { return !*not(&o), *not(&o) },
	}
}

// String is an option for a text.
func String[O any, S ~string](name, doc string, at func(*O) *S) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Type: "text", Default: "''", Doc: doc},
		set:  func(o *O, v any) error { *at(o) = S(v.(string)); return nil },
		get:  func(o O) (any, bool) { return string(*at(&o)), *at(&o) != "" },
	}
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
	get := f.get
	f.get = func(o O) (any, bool) {
		if v, set := get(o); set {
			return v, true
		}
		return choices[0], false
	}
	return f
}

// Auto is Choice of the word auto and other texts; an empty text is auto.
func Auto[O any, S ~string](name, doc string, choices []string, at func(*O) *S) Field[O] {
	return Choice(name, doc, append([]string{auto}, choices...), at).Absent(auto)
}

const auto = "auto"

// Absent makes a word the default of an option for a text: the same as an empty one.
func (f Field[O]) Absent(word string) Field[O] {
	set, get := f.set, f.get
	f.Default = literal(word)
	f.set = func(o *O, v any) error {
		if v == any(word) {
			v = ""
		}
		return set(o, v)
	}
	f.get = func(o O) (any, bool) {
		if v, given := get(o); given {
			return v, true
		}
		return word, false
	}
	return f
}

// Among makes an option for a text one for one of several, of which the first one is the default.
func (f Field[O]) Among(choices []string) Field[O] {
	f.Choices, f.Default = choices, literal(choices[0])
	get := f.get
	f.get = func(o O) (any, bool) {
		v, given := get(o)
		return v, given && v != any(choices[0])
	}
	return f
}

// ZeroIs makes an explicit zero of a whole number another number in the field, where zero is the
// default.
func (f Field[O]) ZeroIs(n int64) Field[O] {
	set, get := f.set, f.get
	f.set = func(o *O, v any) error {
		if v == any(int64(0)) {
			v = n
		}
		return set(o, v)
	}
	f.get = func(o O) (any, bool) {
		v, given := get(o)
		if v == any(n) {
			return int64(0), true
		}
		return v, given
	}
	return f
}

// Enum is an option for one of several texts, the value being the number of the text; the first
// one is the default.
func Enum[O any, E ~int | ~uint8](name, doc string, choices []string, at func(*O) *E) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Type: "text", Default: literal(choices[0]), Choices: choices, Doc: doc},
		set:  func(o *O, v any) error { *at(o) = E(slices.Index(choices, v.(string))); return nil },
		get: func(o O) (any, bool) {
			e := *at(&o)
			if int(e) < 0 || int(e) >= len(choices) {
				return strconv.Itoa(int(e)), true // which Check refuses
			}
			return choices[e], e != 0
		},
	}
}

// Either is an option for one of two texts: the first one, the default, is false and the second
// one true.
func Either[O any](name, doc, no, yes string, at func(*O) *bool) Field[O] {
	words := map[bool]string{false: no, true: yes}
	return Field[O]{
		Info: Info{Name: name, Type: "text", Default: literal(no), Choices: []string{no, yes}, Doc: doc},
		set:  func(o *O, v any) error { *at(o) = v == any(yes); return nil },
		get:  func(o O) (any, bool) { return words[*at(&o)], *at(&o) },
	}
}

// Parsed is an option for a text with a form of its own. An error of parse becomes that of the
// option. text writes a value; an empty text is the default.
func Parsed[O, T any](name, doc string, at func(*O) *T, parse func(string) (T, error), text func(T) string) Field[O] {
	return Field[O]{
		Info: Info{Name: name, Type: "text", Default: "''", Doc: doc},
		set:  func(o *O, v any) (err error) { *at(o), err = parse(v.(string)); return err },
		get:  func(o O) (any, bool) { s := text(*at(&o)); return s, s != "" },
	}
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

// Value returns the value of the option in o, as Bind would receive it, and whether it is not the default.
func (f Field[O]) Value(o O) (v any, given bool) { return f.get(o) }

// OrElse gives the value of a field that is zero, as an int, float64, bool or string.
func (f Field[O]) OrElse(value any) Field[O] {
	f.Default = literal(Plain(value))
	return f
}

// Needed makes an option one that must be given.
func (f Field[O]) Needed() Field[O] {
	f.Default = ""
	return f
}

// Between bounds a whole number that is given.
func (f Field[O]) Between(least, most int64) Field[O] {
	return f.Where(fmt.Sprintf("from %d to %d", least, most), func(v any) bool { return v.(int64) >= least && v.(int64) <= most })
}

// NotNegative bounds a number that is given.
func (f Field[O]) NotNegative() Field[O] {
	return f.Where("", func(v any) bool {
		if x, ok := v.(float64); ok {
			return x >= 0
		}
		return v.(int64) >= 0
	})
}

// Where bounds the values that may be given: valid receives an int64, float64, bool or string, and
// allowed follows the words "must be".
func (f Field[O]) Where(allowed string, valid func(v any) bool) Field[O] {
	f.allowed, f.valid = allowed, valid
	return f
}

// Must says what is valid, where only the function valid of BindValid knows it; allowed follows the
// words "must be".
func (f Field[O]) Must(allowed string) Field[O] {
	f.allowed = allowed
	return f
}

// Rule adds a check of the option together with others: the error that it returns is that of the
// option.
func (f Field[O]) Rule(check func(O) error) Field[O] {
	f.rules = append(slices.Clip(f.rules), check)
	return f
}

// With makes an option one that a statement may give only with something else, such as the clause
// INTO FILE.
func (f Field[O]) With(what string, given func(O) bool) Field[O] {
	f.with, f.applies = what, given
	return f
}

// Always lists the option in Given although it is the default.
func (f Field[O]) Always() Field[O] {
	f.always = true
	return f
}
