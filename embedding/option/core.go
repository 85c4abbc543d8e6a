package option

import (
	"errors"
	"fmt"
	"slices"
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
