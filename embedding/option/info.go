package option

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Info describes one option.
type Info struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`    // "int", "float", "text", "bool" or "column": a text, or a number from 1 on
	Default string   `json:"default"` // in the language; empty where the option must be given
	Choices []string `json:"choices"` // the texts that are allowed, besides numbers where the type is one; nil for any text
	Doc     string   `json:"doc"`     // explanation in one line
}

// String returns the option with its default, in the form of the language.
func (o Info) String() string {
	if o.Default == "" {
		return o.Name
	}
	return o.Name + " := " + o.Default
}

// Given is an option as it was given: a name and a value of some Go type.
type Given struct {
	Name  string
	Value any
}

// String returns the option as the language assigns it, a number in its shortest form.
func (g Given) String() string { return g.Name + " := " + literal(g.Value) }

// Values are options that were checked, by name: each is an int64, float64, string or bool.
type Values map[string]any

// Untyped is a text whose type follows from what is expected, such as one of a command line.
type Untyped interface {
	// Infer parses the text as an int64, float64 or bool, or returns it unchanged.
	Infer() any
}

// Check returns the values that were given for owner, such as "method dp_spectral" or "IMPORT", if
// each option is known, given once and of its type, and none that must be given is missing; or else
// an *Error for the first mistake, in the order of given.
func Check(owner string, infos []Info, given []Given) (Values, error) {
	checked := Values{}
	for _, g := range given {
		i := slices.IndexFunc(infos, func(o Info) bool { return o.Name == g.Name })
		if i < 0 {
			e := &Error{Owner: owner, Option: g.Name, Value: g.Value, Unknown: true}
			for _, o := range infos {
				e.Known = append(e.Known, o.Name)
			}
			return nil, e
		}
		if _, twice := checked[g.Name]; twice {
			return nil, &Error{Owner: owner, Option: g.Name, Value: g.Value, Message: "is given twice"}
		}
		value, err := infos[i].Convert(g.Value)
		if err != nil {
			err.Owner = owner
			return nil, err
		}
		checked[g.Name] = value
	}
	for _, o := range infos {
		if _, ok := checked[o.Name]; !ok && o.Default == "" {
			return nil, &Error{Owner: owner, Option: o.Name, Missing: o.Doc}
		}
	}
	return checked, nil
}

// Convert returns a value of any suitable Go type as int64, float64, string or bool, if it is of the
// type of the option. A whole number is accepted as a float, and as the number of a column.
func (o Info) Convert(value any) (any, *Error) {
	refused := &Error{Option: o.Name, Value: value, Type: o.Type, Choices: o.Choices}
	if text, ok := value.(Untyped); ok {
		if value = any(fmt.Sprint(text)); o.Type != "text" && o.Type != "column" {
			value = text.Infer()
		}
		refused.Value = value
	}
	switch v := Plain(value).(type) {
	case int64:
		switch o.Type {
		case "int":
			return v, nil
		case "float":
			return float64(v), nil
		case "column":
			return strconv.FormatInt(v, 10), nil
		}
	case float64:
		if o.Type == "float" && (math.IsNaN(v) || math.IsInf(v, 0)) {
			refused.Allowed = "a finite number"
			return nil, refused
		}
		if o.Type == "float" {
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
		texts := o.Type == "text" || o.Type == "column"
		if slices.Contains(o.Choices, v) || o.Choices == nil && texts {
			return v, nil
		}
		if texts {
			refused.Type = "" // one of the choices alone
		}
	}
	return nil, refused
}

// Parse reads a value as Text writes it. A text that is none of the type is returned unchanged, and
// Convert refuses it.
func (o Info) Parse(text string) any {
	switch o.Type {
	case "int":
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			return v
		}
	case "float":
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v
		}
	case "bool":
		if v, err := strconv.ParseBool(text); err == nil {
			return v
		}
	}
	return text
}

// Plain turns the numeric types of Go into int64 and float64, and leaves other values unchanged. An
// unsigned number that exceeds int64 becomes a float64, which no integer option accepts.
func Plain(value any) any {
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
		return Plain(uint64(v))
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

// Text writes a value that was checked as records have it: a number in the shortest form that
// parses to it, a text without quotes.
func Text(value any) string {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return ""
}

// literal writes a value as a default in the language.
func literal(value any) string {
	switch v := value.(type) {
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	return Text(value)
}

// TypeName names the type of an option in a sentence.
func TypeName(t string) string {
	return cmp.Or(map[string]string{
		"int": "an integer", "float": "a number", "bool": "TRUE or FALSE", "column": "the name of a column in quotes or its number",
	}[t], "a text in quotes")
}

// Error is an option that is unknown, missing, or wrong.
type Error struct {
	Owner   string // what has the options, such as "method dp_spectral"; it may be empty
	Option  string
	Value   any      // as it was given
	Unknown bool     // Owner has no such option, but those of Known
	Known   []string // the options of Owner, where the option is unknown
	Missing string   // the explanation of an option that must be given; empty where it was
	Type    string   // the type that Value does not have; empty for another mistake
	Choices []string // the texts that are allowed, where Value is none
	Allowed string   // the valid values in words, for a value of the type that is out of range
	Message string   // anything else; it follows the name of the option
	Err     error    // the reason; it may be nil
}

// Error names the option, the value and what is valid.
func (e *Error) Error() string {
	owner := ""
	if e.Owner != "" {
		owner = " of " + e.Owner
	}
	name := "option " + e.Option + owner
	switch {
	case e.Unknown && len(e.Known) == 0:
		return fmt.Sprintf("%s has no options, found %q", e.Owner, e.Option)
	case e.Unknown:
		return fmt.Sprintf("%s has no option %q: expected %s", e.Owner, e.Option, strings.Join(e.Known, ", "))
	case e.Missing != "":
		return fmt.Sprintf("%s is missing: %s", name, e.Missing)
	case e.Message != "":
		return name + " " + e.Message
	case e.Allowed != "":
		return fmt.Sprintf("%s must be %s, not %v", name, e.Allowed, e.Value)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", name, e.Err)
	}
	var allowed []string
	if e.Type != "" {
		allowed = append(allowed, TypeName(e.Type))
	}
	for _, c := range e.Choices {
		allowed = append(allowed, "'"+c+"'")
	}
	return fmt.Sprintf("%s must be %s, not %v", name, strings.Join(allowed, " or "), e.Value)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
