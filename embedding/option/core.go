package option

import (
	"errors"
	"fmt"
	"slices"

	"heavytail/storage"
)

// core is an option without the type of its struct, which set, get, rules and applies receive as a
// pointer. What fields and schemas do is written for it, because a program that calls methods by name
// has the exported methods of every Field[O] and Schema[O].
type core struct {
	Info
	set     func(o, v any) error          // v is an int64, float64, string or bool as Type says
	get     func(o any) (v any, set bool) // the value as set takes it, and whether it is not the default
	valid   func(v any) bool              // whether a value is in range; nil for all
	allowed string                        // what valid accepts, in words
	rules   []func(o any) error
	with    string // what the option applies only with
	applies func(o any) bool
	always  bool
}

// of makes a field.
func of[O any](info Info, set func(o *O, v any) error, get func(o *O) (v any, set bool)) Field[O] {
	return Field[O]{&core{
		Info: info,
		set:  func(o, v any) error { return set(o.(*O), v) },
		get:  func(o any) (any, bool) { return get(o.(*O)) },
	}}
}

// copied is a copy, which may be changed.
func (c *core) copied() *core {
	other := *c
	return &other
}

// orWord makes a word of the default.
func (c *core) orWord(word string) {
	set := c.set
	c.Choices, c.Default = []string{word}, literal(word)
	c.set = func(o, v any) error {
		if v == any(word) {
			return nil // o is fresh
		}
		return set(o, v)
	}
	c.get = instead(c.get, word)
}

// instead is get with a word in place of the default.
func instead(get func(any) (any, bool), word string) func(any) (any, bool) {
	return func(o any) (any, bool) {
		if v, given := get(o); given {
			return v, true
		}
		return word, false
	}
}

// orElseWord adds a word that sets a truth value of its own.
func (c *core) orElseWord(word string, at func(o any) *bool) *core {
	c = c.copied()
	set, get := c.set, c.get
	c.Choices = []string{word}
	c.set = func(o, v any) error {
		if *at(o) = v == any(word); *at(o) {
			return nil
		}
		return set(o, v)
	}
	c.get = func(o any) (any, bool) {
		if *at(o) {
			return word, true
		}
		return get(o)
	}
	return c
}

func (c *core) absent(word string) *core {
	c = c.copied()
	set := c.set
	c.Default = literal(word)
	c.set = func(o, v any) error {
		if v == any(word) {
			v = ""
		}
		return set(o, v)
	}
	c.get = instead(c.get, word)
	return c
}

func (c *core) among(choices []string) *core {
	c = c.copied()
	c.Choices, c.Default = choices, literal(choices[0])
	get := c.get
	c.get = func(o any) (any, bool) {
		v, given := get(o)
		return v, given && v != any(choices[0])
	}
	return c
}

func (c *core) zeroIs(n int64) *core {
	c = c.copied()
	set, get := c.set, c.get
	c.set = func(o, v any) error {
		if v == any(int64(0)) {
			v = n
		}
		return set(o, v)
	}
	c.get = func(o any) (any, bool) {
		v, given := get(o)
		if v == any(n) {
			return int64(0), true
		}
		return v, given
	}
	return c
}

func (c *core) between(least, most int64) *core {
	return c.where(fmt.Sprintf("from %d to %d", least, most), func(v any) bool { return v.(int64) >= least && v.(int64) <= most })
}

func (c *core) notNegative() *core {
	return c.where("", func(v any) bool {
		if x, ok := v.(float64); ok {
			return x >= 0
		}
		return v.(int64) >= 0
	})
}

func (c *core) where(allowed string, valid func(any) bool) *core {
	c = c.copied()
	c.allowed, c.valid = allowed, valid
	return c
}

func (c *core) withDefault(text string) *core {
	c = c.copied()
	c.Default = text
	return c
}

func (c *core) rule(check func(o any) error) *core {
	c = c.copied()
	c.rules = append(slices.Clip(c.rules), check)
	return c
}

func (c *core) onlyWith(what string, applies func(o any) bool) *core {
	c = c.copied()
	c.with, c.applies = what, applies
	return c
}

func (c *core) listed() *core {
	c = c.copied()
	c.always = true
	return c
}

// put sets a value of the type of the option, if it is in range.
func (c *core) put(owner string, v, o any) error {
	if !c.inRange(v) {
		return c.outside(owner, v)
	}
	return c.wrong(owner, c.set(o, v))
}

// inRange reports whether a value of the type of the option is valid. A word in place of a number is.
func (c *core) inRange(v any) bool {
	_, text := v.(string)
	return c.valid == nil || text && (c.Type == "int" || c.Type == "float") || c.valid(v)
}

func (c *core) outside(owner string, v any) *Error {
	if c.allowed == "" {
		return &Error{Owner: owner, Option: c.Name, Value: v, Message: "is " + Text(v) + ", and must not be negative"}
	}
	return &Error{Owner: owner, Option: c.Name, Value: v, Allowed: c.allowed}
}

// wrong is the error of the option for a reason.
func (c *core) wrong(owner string, err error) error {
	var own *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		own.Owner, own.Option = owner, c.Name
		return own
	}
	return &Error{Owner: owner, Option: c.Name, Err: err}
}

// cores are the options of a schema.
type cores []*core

func (s cores) infos() []Info {
	list := make([]Info, len(s))
	for i, c := range s {
		list[i] = c.Info
		list[i].Choices = slices.Clone(c.Choices) // callers may change what they get
	}
	return list
}

func (s cores) bind(owner string, given []Given, o any) error {
	values, err := Check(owner, s.infos(), given)
	if err != nil {
		return err
	}
	for _, c := range s {
		if v, ok := values[c.Name]; ok {
			if err := c.put(owner, v, o); err != nil {
				return err
			}
		}
	}
	for _, c := range s {
		if v, ok := values[c.Name]; ok && c.applies != nil && !c.applies(o) {
			return &Error{Owner: owner, Option: c.Name, Value: v, Message: "applies only with " + c.with}
		}
	}
	return nil
}

func (s cores) bindValid(owner string, given []Given, o any, valid func() error) (checked []Given, err error) {
	values, err := Check(owner, s.infos(), given)
	if err != nil {
		return nil, err
	}
	var first error
	for _, g := range given {
		c, v := s[slices.IndexFunc(s, func(c *core) bool { return c.Name == g.Name })], values[g.Name]
		if err := c.put(owner, v, o); err != nil {
			if first != nil {
				err = first
			}
			return nil, err
		}
		if first == nil && valid() != nil {
			first = c.outside(owner, v)
		}
	}
	if first != nil && valid() != nil {
		return nil, first
	}
	for _, c := range s {
		if v, ok := values[c.Name]; ok {
			checked = append(checked, Given{c.Name, v})
		}
	}
	return checked, nil
}

func (s cores) check(o any) error {
	for _, c := range s {
		if v, set := c.get(o); set {
			v, err := c.Convert(v)
			if err != nil {
				return err
			}
			if !c.inRange(v) {
				return c.outside("", v)
			}
		}
	}
	for _, c := range s {
		for _, rule := range c.rules {
			if err := rule(o); err != nil {
				return c.wrong("", err)
			}
		}
	}
	return nil
}

func (s cores) given(o any) []Given {
	var list []Given
	for _, c := range s {
		if v, set := c.get(o); set || c.always || c.Default == "" {
			list = append(list, Given{c.Name, v})
		}
	}
	return list
}

func (s cores) differing(o, other any) []Given {
	var list []Given
	for _, c := range s {
		v, _ := c.get(o)
		if w, _ := c.get(other); v != w {
			list = append(list, Given{c.Name, v})
		}
	}
	return list
}

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
