package option

import (
	"cmp"
	"errors"
	"slices"

	"heavytail/storage"
)

// Schema is the options that O has, in their order.
type Schema[O any] []Field[O]

// Field is an option with its place in O. The functions of this package make fields, and its methods
// return changed copies.
type Field[O any] struct {
	Info
	set     func(o *O, v any) error     // v is an int64, float64, string or bool as Type says
	get     func(o O) (v any, set bool) // the value as set takes it, and whether it is not the default
	valid   func(v any) bool            // whether a value is in range; nil for all
	allowed string                      // what valid accepts, in words
	rules   []func(o O) error
	with    string // what the option applies only with
	applies func(o O) bool
	always  bool
}

// In are the options of a part of O.
func In[O, P any](part Schema[P], at func(*O) *P) Schema[O] {
	var list Schema[O]
	for _, f := range part {
		g := Field[O]{
			Info: f.Info, valid: f.valid, allowed: f.allowed, with: f.with, always: f.always,
			set: func(o *O, v any) error { return f.set(at(o), v) },
			get: func(o O) (any, bool) { return f.get(*at(&o)) },
		}
		for _, rule := range f.rules {
			g.rules = append(g.rules, func(o O) error { return rule(*at(&o)) })
		}
		if f.applies != nil {
			g.applies = func(o O) bool { return f.applies(*at(&o)) }
		}
		list = append(list, g)
	}
	return list
}

// Infos returns the descriptions of the options.
func (s Schema[O]) Infos() []Info {
	list := make([]Info, len(s))
	for i, f := range s {
		list[i] = f.Info
		list[i].Choices = slices.Clone(f.Choices) // callers may change what they get
	}
	return list
}

// WithDefaults returns the schema with those defaults that o has.
func (s Schema[O]) WithDefaults(o O) Schema[O] {
	s = slices.Clone(s)
	for i, f := range s {
		v, _ := f.get(o)
		s[i].Default = literal(v)
	}
	return s
}

// Bind puts the options that were given for owner into o. The error for the first option that is
// unknown, given twice, of the wrong type, out of range, or without what it applies only with is an
// *Error.
func (s Schema[O]) Bind(owner string, given []Given, o *O) error {
	values, err := Check(owner, s.Infos(), given)
	if err != nil {
		return err
	}
	for _, f := range s {
		if v, ok := values[f.Name]; ok {
			if err := f.put(owner, v, o); err != nil {
				return err
			}
		}
	}
	for _, f := range s {
		if _, ok := values[f.Name]; ok && f.applies != nil && !f.applies(*o) {
			return &Error{Owner: owner, Option: f.Name, Value: values[f.Name], Message: "applies only with " + f.with}
		}
	}
	return nil
}

// put sets a value of the type of the option, if it is in range.
func (f Field[O]) put(owner string, v any, o *O) error {
	if !f.inRange(v) {
		return f.outside(owner, v)
	}
	return f.wrong(owner, f.set(o, v))
}

// inRange reports whether a value of the type of the option is valid. A word in place of a number is.
func (f Field[O]) inRange(v any) bool {
	_, text := v.(string)
	return f.valid == nil || text && (f.Type == "int" || f.Type == "float") || f.valid(v)
}

func (f Field[O]) outside(owner string, v any) *Error {
	if f.allowed == "" {
		return &Error{Owner: owner, Option: f.Name, Value: v, Message: "is " + Text(v) + ", and must not be negative"}
	}
	return &Error{Owner: owner, Option: f.Name, Value: v, Allowed: f.allowed}
}

// wrong is the error of the option for a reason.
func (f Field[O]) wrong(owner string, err error) error {
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		own.Owner, own.Option = owner, f.Name
		return own
	}
	return &Error{Owner: owner, Option: f.Name, Err: err}
}

// BindValid is Bind for options whose ranges only valid knows, which returns an error if an O is
// invalid. If the options are invalid only in combination, the error names the first option with
// which they become invalid. checked are the options in the order of s, with values of their types.
func (s Schema[O]) BindValid(owner string, given []Given, valid func(O) error) (o O, checked []Given, err error) {
	values, err := Check(owner, s.Infos(), given)
	if err != nil {
		return o, nil, err
	}
	var first error
	for _, g := range given {
		f, v := s.field(g.Name), values[g.Name]
		if err := f.put(owner, v, &o); err != nil {
			return o, nil, cmp.Or(first, err)
		}
		if first == nil && valid(o) != nil {
			first = f.outside(owner, v)
		}
	}
	if first != nil && valid(o) != nil {
		return o, nil, first
	}
	for _, f := range s {
		if v, ok := values[f.Name]; ok {
			checked = append(checked, Given{f.Name, v})
		}
	}
	return o, checked, nil
}

// field returns the option of a name that the schema has.
func (s Schema[O]) field(name string) Field[O] {
	return s[slices.IndexFunc(s, func(f Field[O]) bool { return f.Name == name })]
}

// Check returns an *Error for the first option of o that is out of range or breaks a rule, whether a
// statement or a program has set it.
func (s Schema[O]) Check(o O) error {
	for _, f := range s {
		if v, set := f.get(o); set {
			v, err := f.Convert(v)
			if err != nil {
				return err
			}
			if !f.inRange(v) {
				return f.outside("", v)
			}
		}
	}
	for _, f := range s {
		for _, rule := range f.rules {
			if err := rule(o); err != nil {
				return f.wrong("", err)
			}
		}
	}
	return nil
}

// Given returns the options that are not their defaults, in order: as a statement gives them that
// Bind makes o of.
func (s Schema[O]) Given(o O) []Given {
	var list []Given
	for _, f := range s {
		if v, set := f.get(o); set || f.always || f.Default == "" {
			list = append(list, Given{f.Name, v})
		}
	}
	return list
}

// Differing returns the options of o whose values are not those of another O, in order.
func (s Schema[O]) Differing(o, other O) []Given {
	var list []Given
	for _, f := range s {
		v, _ := f.get(o)
		if w, _ := f.get(other); v != w {
			list = append(list, Given{f.Name, v})
		}
	}
	return list
}

// Settings returns every option in canonical text, except texts that are empty.
func (s Schema[O]) Settings(o O) []storage.Setting {
	var list []storage.Setting
	for _, f := range s {
		v, _ := f.get(o)
		if text := Text(v); text != "" {
			list = append(list, storage.Setting{Name: f.Name, Value: text})
		}
	}
	return list
}

// Only returns the options for which use reports true.
func (s Schema[O]) Only(use func(Info) bool) Schema[O] {
	return slices.DeleteFunc(slices.Clone(s), func(f Field[O]) bool { return !use(f.Info) })
}

// With is Field.With of every option.
func (s Schema[O]) With(what string, given func(O) bool) Schema[O] {
	s = slices.Clone(s)
	for i, f := range s {
		s[i] = f.With(what, given)
	}
	return s
}

// About returns the options with a text before each explanation.
func (s Schema[O]) About(before string) Schema[O] {
	s = slices.Clone(s)
	for i := range s {
		s[i].Doc = before + s[i].Doc
	}
	return s
}
