package engine

import (
	"fmt"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file has what the clauses COLUMNS and ORDER BY of statements have in common.

// PartOrder is the column of ORDER BY.
const PartOrder fault.Part = "order"

// PartColumn is the i-th column of COLUMNS.
func PartColumn(i int) fault.Part { return fault.Part(fmt.Sprintf("column %d", i)) }

// Columns marks and returns the names of COLUMNS.
func Columns(b *Binder, list []parser.Ident) (names []string) {
	for i, column := range list {
		names = append(names, b.Name(PartColumn(i), column))
	}
	return names
}

// Order marks the column of ORDER BY, where there is one, and returns it.
func Order(b *Binder, o *parser.Order) (by string, descending bool) {
	if o == nil {
		return "", false
	}
	return b.Name(PartOrder, o.By), o.Descending
}

// WithColumn is a list of attributes with those of some columns added.
func WithColumn(attributes []string, columns ...string) []string {
	list := slices.Clip(attributes)
	for _, name := range columns {
		if !isPlain(name) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

func isPlain(column string) bool { return column == "" || column == "degree" || column == "key" }

// OrderText describes an order in a plan.
func OrderText(by string, descending bool) string {
	text := "by " + fault.Name(by)
	if descending {
		text += ", highest first"
	}
	return text
}

// CheckColumn returns an Error for a column that the vertices of a graph do not have.
func CheckColumn(info storage.GraphInfo, name string, at fault.Part) error {
	if isPlain(name) {
		return nil
	}
	return session.CheckAttributes(info, at, name)
}
