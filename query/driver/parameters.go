package driver

import (
	"database/sql/driver"
	"slices"
	"time"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// parameterNames lists the parameters of a statement, each once, without the $.
func parameterNames(text string) []string {
	var names []string
	for _, t := range parser.Tokens(text) {
		if t.Kind == parser.KindParam && !slices.Contains(names, t.Text[1:]) {
			names = append(names, t.Text[1:])
		}
	}
	return names
}

// arguments assigns values to the parameters of a statement. A parameter without a value
// is reported later by the binder, which knows its position.
func arguments(names []string, args []driver.NamedValue) (map[string]any, error) {
	params := make(map[string]any, len(args))
	for _, a := range args {
		if a.Name == "" {
			return nil, fault.New(fault.Statement, "value %d has no name", a.Ordinal).WithRemedy(`pass sql.Named("name", value) for $name`)
		}
		if !slices.Contains(names, a.Name) {
			e := fault.New(fault.Statement, "the statement has no parameter $%s", a.Name)
			return nil, e.WithNearest(a.Name, names, func(s string) string { return "$" + s })
		}
		if _, twice := params[a.Name]; twice {
			return nil, fault.New(fault.Statement, "parameter $%s is given twice", a.Name)
		}
		params[a.Name] = a.Value
	}
	return params, nil
}

func unnamed(args []driver.Value) []driver.NamedValue {
	var list []driver.NamedValue
	for i, a := range args {
		list = append(list, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return list
}

// CheckNamedValue converts a value of database/sql to a value that package query
// accepts.
func (c *Conn) CheckNamedValue(v *driver.NamedValue) error {
	switch v.Value.(type) {
	case []float32, []float64, rows.Untyped:
		return nil
	}
	value, err := driver.DefaultParameterConverter.ConvertValue(v.Value)
	if err != nil {
		return fault.New(fault.Statement, "parameter $%s is a value of the Go type %T", v.Name, v.Value).
			WithExpected("a text", "a number", "a boolean", "a vector of floats")
	}
	switch x := value.(type) {
	case []byte:
		value = string(x)
	case time.Time:
		value = x.UTC().Format(time.RFC3339)
	}
	v.Value = value
	return nil
}
