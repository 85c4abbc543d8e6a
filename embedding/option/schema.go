package option

import (
	"slices"

	"heavytail/storage"
)

// Schema is the options that O has, in their order.
type Schema[O any] []Field[O]

// Field is an option with its place in O. The functions of this package make fields, and its methods
// return changed copies.
type Field[O any] struct{ *core }

// In are the options of a part of O.
func In[O, P any](part Schema[P], at func(*O) *P) Schema[O] {
	in := func(o any) any { return at(o.(*O)) }
	list := make(Schema[O], len(part))
	for i, f := range part {
		c := f.copied()
		c.set = func(o, v any) error { return f.set(in(o), v) }
		c.get = func(o any) (any, bool) { return f.get(in(o)) }
		c.rules = nil
		for _, rule := range f.rules {
			c.rules = append(c.rules, func(o any) error { return rule(in(o)) })
		}
		if f.applies != nil {
			c.applies = func(o any) bool { return f.applies(in(o)) }
		}
		list[i] = Field[O]{c}
	}
	return list
}

func (s Schema[O]) cores() cores {
	list := make(cores, len(s))
	for i := range s {
		list[i] = s[i].core
	}
	return list
}

// changed returns a copy of the schema with changed options.
func (s Schema[O]) changed(change func(c *core)) Schema[O] {
	list := make(Schema[O], len(s))
	for i, f := range s {
		list[i] = Field[O]{f.copied()}
		change(list[i].core)
	}
	return list
}

// Infos returns the descriptions of the options.
func (s Schema[O]) Infos() []Info { return s.cores().infos() }

// WithDefaults returns the schema with those defaults that o has.
func (s Schema[O]) WithDefaults(o O) Schema[O] {
	return s.changed(func(c *core) {
		v, _ := c.get(&o)
		c.Default = literal(v)
	})
}

// Bind puts the options that were given for owner into o. The error for the first option that is
// unknown, given twice, of the wrong type, out of range, or without what it applies only with is an
// *Error.
func (s Schema[O]) Bind(owner string, given []Given, o *O) error {
	return s.cores().bind(owner, given, o)
}

// BindValid is Bind for options whose ranges only valid knows, which returns an error if an O is
// invalid. If the options are invalid only in combination, the error names the first option with
// which they become invalid. checked are the options in the order of s, with values of their types.
func (s Schema[O]) BindValid(owner string, given []Given, valid func(O) error) (o O, checked []Given, err error) {
	checked, err = s.cores().bindValid(owner, given, &o, func() error { return valid(o) })
	return o, checked, err
}

// Check returns an *Error for the first option of o that is out of range or breaks a rule, whether a
// statement or a program has set it.
func (s Schema[O]) Check(o O) error { return s.cores().check(&o) }

// Given returns the options that are not their defaults, in order: as a statement gives them that
// Bind makes o of.
func (s Schema[O]) Given(o O) []Given { return s.cores().given(&o) }

// Differing returns the options of o whose values are not those of another O, in order.
func (s Schema[O]) Differing(o, other O) []Given { return s.cores().differing(&o, &other) }

// Settings returns every option in canonical text, except texts that are empty.
func (s Schema[O]) Settings(o O) []storage.Setting {
	var list []storage.Setting
	for _, c := range s.cores() {
		v, _ := c.get(&o)
		if text := Text(v); text != "" {
			list = append(list, storage.Setting{Name: c.Name, Value: text})
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
	return s.changed(func(c *core) { *c = *c.onlyWith(what, func(o any) bool { return given(*o.(*O)) }) })
}

// About returns the options with a text before each explanation.
func (s Schema[O]) About(before string) Schema[O] {
	return s.changed(func(c *core) { c.Doc = before + c.Doc })
}

// Value returns the value of the option in o, as Bind would receive it, and whether it is not the default.
func (f Field[O]) Value(o O) (v any, given bool) { return f.get(&o) }

// OrWord adds to an option for a number a word that sets a truth value of its own.
func (f Field[O]) OrWord(word string, at func(*O) *bool) Field[O] {
	return Field[O]{f.orElseWord(word, func(o any) *bool { return at(o.(*O)) })}
}

// Absent makes a word the default of an option for a text: the same as an empty one.
func (f Field[O]) Absent(word string) Field[O] { return Field[O]{f.absent(word)} }

// Among makes an option for a text one for one of several, of which the first one is the default.
func (f Field[O]) Among(choices []string) Field[O] { return Field[O]{f.among(choices)} }

// ZeroIs makes an explicit zero of a whole number another number in the field, where zero is the
// default.
func (f Field[O]) ZeroIs(n int64) Field[O] { return Field[O]{f.zeroIs(n)} }

// OrElse gives the value of a field that is zero, as an int, float64, bool or string.
func (f Field[O]) OrElse(value any) Field[O] { return Field[O]{f.withDefault(literal(Plain(value)))} }

// Needed makes an option one that must be given.
func (f Field[O]) Needed() Field[O] { return Field[O]{f.withDefault("")} }

// Between bounds a whole number that is given.
func (f Field[O]) Between(least, most int64) Field[O] { return Field[O]{f.between(least, most)} }

// NotNegative bounds a number that is given.
func (f Field[O]) NotNegative() Field[O] { return Field[O]{f.notNegative()} }

// Where bounds the values that may be given: valid receives an int64, float64, bool or string, and
// allowed follows the words "must be".
func (f Field[O]) Where(allowed string, valid func(v any) bool) Field[O] {
	return Field[O]{f.where(allowed, valid)}
}

// Must says what is valid, where only the function valid of BindValid knows it; allowed follows the
// words "must be".
func (f Field[O]) Must(allowed string) Field[O] { return Field[O]{f.where(allowed, f.valid)} }

// Rule adds a check of the option together with others: the error that it returns is that of the
// option.
func (f Field[O]) Rule(check func(O) error) Field[O] {
	return Field[O]{f.rule(func(o any) error { return check(*o.(*O)) })}
}

// With makes an option one that a statement may give only with something else, such as the clause
// INTO FILE.
func (f Field[O]) With(what string, given func(O) bool) Field[O] {
	return Field[O]{f.onlyWith(what, func(o any) bool { return given(*o.(*O)) })}
}

// Always lists the option in Given although it is the default.
func (f Field[O]) Always() Field[O] { return Field[O]{f.listed()} }
