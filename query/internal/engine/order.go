package engine

import (
	"fmt"
	"math"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// This file has what statements take from the clauses behind them.

// PartOrder is the column of ORDER BY.
const PartOrder fault.Part = "order"

// PartColumn is the i-th column of COLUMNS.
func PartColumn(i int) fault.Part { return fault.Part(fmt.Sprintf("column %d", i)) }

// TakeColumns takes COLUMNS and returns the names, without those that the rows have in any case; nil
// where there is no COLUMNS. The names behind DISTINCT are not taken: only they are in the answer.
func (b *Binder) TakeColumns(always ...string) (names []string) {
	for i, column := range b.Tail.Columns {
		if name := b.Name(PartColumn(i), column); !slices.Contains(always, name) {
			names = append(names, name)
		} else if names == nil {
			names = []string{}
		}
	}
	if !b.Tail.Distinct {
		b.Tail.Columns = nil
	}
	return names
}

// TakeWhere takes the terms of WHERE, joined by AND, that use none of some columns of the rows.
// The attributes of a graph come before columns with the same name.
func (b *Binder) TakeWhere(graph storage.GraphInfo, columns ...string) (taken parser.Expr) {
	taken, b.Tail.Where = conditions.Split(b.Tail.Where, func(name string) bool { return ofRows(graph, columns, name) })
	return taken
}

// TakeOrder takes ORDER BY, unless it is by one of some columns, as in TakeWhere; by is empty for
// none.
func (b *Binder) TakeOrder(graph storage.GraphInfo, columns ...string) (by string, descending bool) {
	o := b.Tail.Order
	if o == nil || ofRows(graph, columns, o.By.Name) {
		return "", false
	}
	b.Tail.Order = nil
	return b.Name(PartOrder, o.By), o.Descending
}

func ofRows(graph storage.GraphInfo, columns []string, name string) bool {
	_, attribute := session.AttributeOf(graph, name)
	return !attribute && slices.Contains(columns, name)
}

// TakeLimit takes LIMIT, if WHERE and ORDER BY have been taken and there is no DISTINCT, and returns how many rows are
// needed, with those before OFFSET; 0 for all.
func (b *Binder) TakeLimit() int {
	t := &b.Tail
	if t.Limit == nil || t.Where != nil || t.Order != nil || t.Distinct {
		return 0
	}
	limit, offset := b.RowLimit(t.Limit), b.rowOffset(t.Offset)
	t.Limit = nil
	return limit + min(offset, math.MaxInt-limit)
}

// rowOffset returns the number of an optional OFFSET.
func (b *Binder) rowOffset(v parser.Value) int {
	if v == nil {
		return 0
	}
	n := b.Size(partOffset, v)
	if n < 0 {
		b.Fail(fault.New(partOffset, "the offset is %d, and must be at least 0", n))
	}
	return n
}

// partOffset is the number of OFFSET.
const partOffset fault.Part = "offset"

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
