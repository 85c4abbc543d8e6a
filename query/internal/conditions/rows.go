package conditions

import (
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"
)

// CompileRows compiles a condition on the rows of an answer, by the names and types of its
// columns; nil admits all. A column without a type can be compared with anything: a value of
// another type is neither equal nor different.
func CompileRows(values *bind.Values, e parser.Expr, columns []string, types []rows.ColumnType) func([]rows.Value) bool {
	if e == nil {
		return nil
	}
	c := &compiler[[]rows.Value]{Values: values}
	c.column = func(node parser.Ident) operand[[]rows.Value] {
		c.Mark(fault.Where, node)
		i := slices.Index(columns, node.Name)
		if i < 0 {
			c.Fail(NoColumn(fault.Where, node.Name, columns))
			return operand[[]rows.Value]{}
		}
		kind := types[i].Type
		if kind == 0 {
			kind = anything
		}
		return operand[[]rows.Value]{kind: kind, value: func(row []rows.Value) storage.Value { return ValueOf(row[i]) }}
	}
	f := c.condition(e)
	return func(row []rows.Value) bool { return f(row) == isTrue }
}

// ValueOf is a cell as a value of an attribute.
func ValueOf(cell rows.Value) storage.Value {
	v, _ := AttributeValue(cell, 0)
	return v
}

// NoColumn is the error of a name that is none of the columns of an answer.
func NoColumn(at fault.Part, name string, columns []string) *fault.Error {
	return fault.New(at, "the rows have no column %s", fault.Quote(name)).WithNearest(name, columns, func(s string) string { return parser.Ident{Name: s}.String() })
}
