package job

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding"
)

// Method describes an embedding method.
type Method struct {
	Name    string
	Summary string // one line
	Options []OptionInfo
}

// OptionInfo describes one option of a method.
type OptionInfo struct {
	Name    string
	Type    string   // "int", "float" or "text"
	Default string   // in the language
	Choices []string // the texts that are allowed; nil for any
	Doc     string   // one line
}

// Option is an option as it is given: its value an int, int64, float64 or string.
type Option struct {
	Name  string
	Value any
}

// field is an option with its place in embedding.SpectralOptions. The tables
// below are the only list of options: descriptions, checks and provenance come
// from it.
type field struct {
	OptionInfo
	allowed string                                          // what a value may be, in words
	set     func(o *embedding.SpectralOptions, v any)       // v is an int64, float64 or string as Type says
	get     func(o embedding.SpectralOptions) (text string) // canonical text, of options with defaults
}

// Methods lists the methods, with the options of each in their order.
func Methods() []Method {
	describe := func(name, summary string) Method {
		m := Method{Name: name, Summary: summary}
		for _, f := range fields(name) {
			m.Options = append(m.Options, f.OptionInfo)
		}
		return m
	}
	return []Method{
		describe(embedding.MethodDPSpectral, "largest eigenvectors of the degree-penalised common-neighbour matrix"),
		describe(embedding.MethodLaplacianEigenmaps, "largest eigenvectors of the normalised adjacency matrix"),
	}
}

// Check reports the first of the options that the method does not have or take,
// as an *OptionError, or a *MethodError.
func Check(method string, options []Option) error {
	_, err := parse(method, options)
	return err
}

// parse turns options into those of the algorithm, with defaults.
func parse(method string, options []Option) (embedding.SpectralOptions, error) {
	var o embedding.SpectralOptions
	table := fields(method)
	if table == nil {
		e := &MethodError{Method: method}
		for _, m := range Methods() {
			e.Known = append(e.Known, m.Name)
		}
		return o, e
	}
	for _, given := range options {
		i := slices.IndexFunc(table, func(f field) bool { return f.Name == given.Name })
		if i < 0 {
			e := &OptionError{Method: method, Option: given.Name, Value: given.Value}
			for _, f := range table {
				e.Known = append(e.Known, f.Name)
			}
			return o, e
		}
		value, ok := table[i].convert(given.Value)
		if ok {
			table[i].set(&o, value)
			ok = o.Validate() == nil
		}
		if !ok {
			return o, &OptionError{Method: method, Option: given.Name, Value: given.Value, Allowed: table[i].allowed}
		}
	}
	return o.WithDefaults(method), nil
}

// convert returns a value as the type of the option has it. A whole number is a
// float too.
func (f field) convert(value any) (any, bool) {
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
		return v, f.Type == "text" && slices.Contains(f.Choices, v)
	}
	return nil, false
}

// fields returns the options of a method, nil for an unknown one.
func fields(method string) []field {
	penalty := []field{
		float("beta", "degree penalty, from 0 (none) to 8; 0.5 by default with degree", "a number from 0 to 8",
			func(o *embedding.SpectralOptions) **float64 { return &o.Beta }),
		choice("normalization", "by degrees, as the paper, or by the row sums of the penalised matrix, as the authors' code",
			[]string{embedding.Normalization(0).String(), embedding.Normalization(1).String()},
			func(o *embedding.SpectralOptions, i int) { o.Normalization = embedding.Normalization(i) },
			func(o embedding.SpectralOptions) string { return o.Normalization.String() }),
	}
	common := []field{
		float("scale", "power of the eigenvalue that every coordinate is multiplied by", "a number from 0 to 4",
			func(o *embedding.SpectralOptions) **float64 { return &o.Scale }),
		float("row_scale", "power of the degree that every row is divided by", "a number from 0 to 4",
			func(o *embedding.SpectralOptions) **float64 { return &o.RowScale }),
		{OptionInfo{Name: "tolerance", Type: "float", Doc: "largest residual of an eigenpair, relative to the largest eigenvalue"},
			"a number above 0 and at most 0.1",
			// Zero would take the default.
			func(o *embedding.SpectralOptions, v any) { o.Tolerance = v.(float64); negateZero(&o.Tolerance) },
			func(o embedding.SpectralOptions) string { return number(o.Tolerance) }},
		{OptionInfo{Name: "seed", Type: "int", Doc: "of the random start"}, "a whole number",
			func(o *embedding.SpectralOptions, v any) { o.Seed = uint64(v.(int64)) },
			func(o embedding.SpectralOptions) string { return strconv.FormatInt(int64(o.Seed), 10) }},
		choice("components", "solve connected components by themselves and keep them apart, or all as one matrix",
			[]string{embedding.ComponentMode(0).String(), embedding.ComponentMode(1).String()},
			func(o *embedding.SpectralOptions, i int) { o.Components = embedding.ComponentMode(i) },
			func(o embedding.SpectralOptions) string { return o.Components.String() }),
	}
	table := []field{
		{OptionInfo{Name: "dim", Type: "int", Doc: "coordinates per vertex, at most the number of vertices"},
			"a whole number from 1 to 4096",
			func(o *embedding.SpectralOptions, v any) {
				o.Dim = int(min(max(v.(int64), -1), math.MaxInt32))
				if o.Dim == 0 {
					o.Dim = -1 // zero would take the default
				}
			},
			func(o embedding.SpectralOptions) string { return strconv.Itoa(o.Dim) }},
	}
	switch method {
	case embedding.MethodDPSpectral:
		table = append(table, penalty...)
	case embedding.MethodLaplacianEigenmaps:
	default:
		return nil
	}
	table = append(table, common...)
	defaults := embedding.SpectralOptions{}.WithDefaults(method)
	for i, f := range table {
		table[i].Default = f.get(defaults)
		if f.Type == "text" {
			table[i].Default = "'" + table[i].Default + "'"
		}
	}
	return table
}

func negateZero(x *float64) {
	if *x == 0 {
		*x = -1
	}
}

// float is an option that is a pointer to a number.
func float(name, doc, allowed string, at func(*embedding.SpectralOptions) **float64) field {
	return field{OptionInfo{Name: name, Type: "float", Doc: doc}, allowed,
		func(o *embedding.SpectralOptions, v any) { *at(o) = new(v.(float64)) },
		func(o embedding.SpectralOptions) string { return number(**at(&o)) }}
}

// choice is an option whose value is one of some texts; set is given its index.
func choice(name, doc string, choices []string, set func(*embedding.SpectralOptions, int), get func(embedding.SpectralOptions) string) field {
	return field{OptionInfo{Name: name, Type: "text", Choices: choices, Doc: doc},
		fmt.Sprintf("'%s'", strings.Join(choices, "' or '")),
		func(o *embedding.SpectralOptions, v any) { set(o, slices.Index(choices, v.(string))) }, get}
}

// number is the shortest text that reads back as x.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
