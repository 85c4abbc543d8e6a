package run

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/storage"
)

// field is an option with its place in the options O of an algorithm. The tables
// of fields are the only lists of options: descriptions, checks and provenance
// come from them.
type field[O any] struct {
	OptionInfo
	allowed string                  // the valid values, in words
	set     func(o *O, v any)       // v is an int64, float64, string or bool as Type says
	get     func(o O) (text string) // canonical text, of options with defaults
}

// table is the options of one method in their order.
type table[O any] []field[O]

// describe returns the options, with the defaults as the language writes them.
func (t table[O]) describe(defaults O) []OptionInfo {
	var list []OptionInfo
	for _, f := range t {
		f.Default = f.get(defaults)
		switch f.Type {
		case "text":
			f.Default = "'" + f.Default + "'"
		case "bool":
			f.Default = strings.ToUpper(f.Default)
		}
		list = append(list, f.OptionInfo)
	}
	return list
}

// parse sets the given options; validate returns an error if O is invalid. If the options
// are invalid only in combination, the error names the first option with which they
// become invalid.
func (t table[O]) parse(method string, options []Option, validate func(O) error) (o O, err error) {
	var first *OptionError
	for _, given := range options {
		i := slices.IndexFunc(t, func(f field[O]) bool { return f.Name == given.Name })
		if i < 0 {
			e := &OptionError{Method: method, Option: given.Name, Value: given.Value}
			for _, f := range t {
				e.Known = append(e.Known, f.Name)
			}
			return o, e
		}
		fault := &OptionError{Method: method, Option: given.Name, Value: given.Value, Allowed: t[i].allowed}
		value, ok := t[i].convert(given.Value)
		if !ok {
			return o, cmp.Or(first, fault)
		}
		if t[i].set(&o, value); first == nil && validate(o) != nil {
			first = fault
		}
	}
	if first != nil && validate(o) != nil {
		return o, first
	}
	return o, nil
}

// settings returns every option in canonical text, except names that were not given.
func (t table[O]) settings(o O) []storage.Setting {
	var list []storage.Setting
	for _, f := range t {
		if value := f.get(o); value != "" {
			list = append(list, storage.Setting{Name: f.Name, Value: value})
		}
	}
	return list
}

// convert converts a value to the type of the option. A whole number is
// accepted as a float.
func (f field[O]) convert(value any) (any, bool) {
	if v, ok := value.(int); ok {
		value = int64(v)
	}
	switch v := value.(type) {
	case int64:
		if f.Type == "float" {
			return float64(v), true
		}
		return v, f.Type == "int"
	case float64:
		if f.Type == "int" && v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), true
		}
		return v, f.Type == "float"
	case string:
		if f.Type == "text" && f.Choices == nil {
			return v, true
		}
		return v, slices.Contains(f.Choices, v) // of a text, or a word in place of a number
	case bool:
		return v, f.Type == "bool"
	}
	return nil, false
}

// count is the field of a whole number. Zero would mean the default, so an
// explicit zero is converted to an invalid number.
func count[O any](name, doc, allowed string, at func(*O) *int) field[O] {
	return field[O]{OptionInfo{Name: name, Type: "int", Doc: doc}, allowed,
		func(o *O, v any) {
			*at(o) = int(min(max(v.(int64), -1), math.MaxInt32))
			if *at(o) == 0 {
				*at(o) = -1
			}
		},
		func(o O) string { return strconv.Itoa(*at(&o)) }}
}

// positive is the field of a number. Zero would mean the default, so an
// explicit zero is converted to an invalid number.
func positive[O any](name, doc, allowed string, at func(*O) *float64) field[O] {
	return field[O]{OptionInfo{Name: name, Type: "float", Doc: doc}, allowed,
		func(o *O, v any) {
			if *at(o) = v.(float64); *at(o) == 0 {
				*at(o) = -1
			}
		},
		func(o O) string { return number(*at(&o)) }}
}

// float is the field of a number for which zero is a valid value.
func float[O any](name, doc, allowed string, at func(*O) **float64) field[O] {
	return field[O]{OptionInfo{Name: name, Type: "float", Doc: doc}, allowed,
		func(o *O, v any) { *at(o) = new(v.(float64)) },
		func(o O) string { return number(**at(&o)) }}
}

// seed is any whole number.
func seed[O any](doc string, at func(*O) *uint64) field[O] {
	return field[O]{OptionInfo{Name: "seed", Type: "int", Doc: doc}, "a whole number",
		func(o *O, v any) { *at(o) = uint64(v.(int64)) },
		func(o O) string { return strconv.FormatInt(int64(*at(&o)), 10) }}
}

// weights is the field of the option weights: whether the weights of edges are used.
func weights[O any](ignored func(*O) *bool) field[O] {
	return field[O]{OptionInfo{Name: "weights", Type: "bool", Doc: "use the weights of edges, if the graph has any"}, "true or false",
		func(o *O, v any) { *ignored(o) = !v.(bool) },
		func(o O) string { return strconv.FormatBool(!*ignored(&o)) }}
}

// choice is the field of one of several texts; set receives the index of the text.
func choice[O any](name, doc string, choices []string, set func(*O, int), get func(O) string) field[O] {
	return field[O]{OptionInfo{Name: name, Type: "text", Choices: choices, Doc: doc},
		fmt.Sprintf("'%s'", strings.Join(choices, "' or '")),
		func(o *O, v any) { set(o, slices.Index(choices, v.(string))) }, get}
}

// number returns the shortest text that parses to x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
