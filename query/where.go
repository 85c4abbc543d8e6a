package query

import (
	"fmt"

	"heavytail/query/parser"
)

// This file turns the conditions of WHERE into functions. A condition is of one
// of two types, number and truth, and a mistake in it is found before anything
// runs.

// operand is a compiled side of a comparison; one of the two is set.
type operand struct {
	number func(Candidate) float64
	truth  func(Candidate) bool
}

// where compiles a condition; nil for nil. Linked is defined only where the
// query is a vertex.
func (b *binder) where(e parser.Expr, byVertex bool) (func(Candidate) bool, error) {
	if e == nil {
		return nil, nil
	}
	return b.condition(e, byVertex)
}

func (b *binder) condition(e parser.Expr, byVertex bool) (func(Candidate) bool, error) {
	switch e := e.(type) {
	case parser.Or:
		terms, err := b.conditions(e.Terms, byVertex)
		return func(c Candidate) bool {
			for _, term := range terms {
				if term(c) {
					return true
				}
			}
			return false
		}, err
	case parser.And:
		terms, err := b.conditions(e.Terms, byVertex)
		return func(c Candidate) bool {
			for _, term := range terms {
				if !term(c) {
					return false
				}
			}
			return true
		}, err
	case parser.Not:
		term, err := b.condition(e.Term, byVertex)
		return func(c Candidate) bool { return !term(c) }, err
	case parser.Compare:
		return b.compare(e, byVertex)
	case parser.Flag:
		o, err := b.column(e.Name, byVertex)
		if err == nil && o.truth == nil {
			b.mark(partWhere, e)
			err = mistake(partWhere, "%s is a number, and not true or false by itself", e.Name.Name)
			err.(*Error).Hint = "compare it, as in " + e.Name.Name + " >= 2"
		}
		return o.truth, err
	}
	return nil, fmt.Errorf("a condition of the type %T is not known", e)
}

func (b *binder) conditions(list []parser.Expr, byVertex bool) ([]func(Candidate) bool, error) {
	terms := make([]func(Candidate) bool, len(list))
	for i, e := range list {
		var err error
		if terms[i], err = b.condition(e, byVertex); err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// compare compiles a comparison of two numbers or of two truths.
func (b *binder) compare(e parser.Compare, byVertex bool) (func(Candidate) bool, error) {
	left, err := b.operand(e.Left, byVertex)
	if err != nil {
		return nil, err
	}
	right, err := b.operand(e.Right, byVertex)
	if err != nil {
		return nil, err
	}
	b.mark(partWhere, e)
	if (left.number == nil) != (right.number == nil) {
		return nil, mistake(partWhere, "%s compares a number with true or false", shorten(e.String()))
	}
	if left.number != nil {
		return compareNumbers(e.Op, left.number, right.number), nil
	}
	switch e.Op {
	case parser.Equal:
		return func(c Candidate) bool { return left.truth(c) == right.truth(c) }, nil
	case parser.NotEqual:
		return func(c Candidate) bool { return left.truth(c) != right.truth(c) }, nil
	}
	m := mistake(partWhere, "true and false have no order for %s", e.Op)
	m.Expected = []string{"=", "<>"}
	return nil, m
}

func compareNumbers(op parser.Operator, left, right func(Candidate) float64) func(Candidate) bool {
	switch op {
	case parser.Equal:
		return func(c Candidate) bool { return left(c) == right(c) }
	case parser.NotEqual:
		return func(c Candidate) bool { return left(c) != right(c) }
	case parser.Less:
		return func(c Candidate) bool { return left(c) < right(c) }
	case parser.LessEqual:
		return func(c Candidate) bool { return left(c) <= right(c) }
	case parser.Greater:
		return func(c Candidate) bool { return left(c) > right(c) }
	default:
		return func(c Candidate) bool { return left(c) >= right(c) }
	}
}

// operand compiles a side of a comparison.
func (b *binder) operand(node parser.Operand, byVertex bool) (operand, error) {
	if column, ok := node.(parser.Ident); ok {
		return b.column(column, byVertex)
	}
	literal, ok := node.(parser.Value)
	if !ok {
		return operand{}, fmt.Errorf("an operand of the type %T is not known", node)
	}
	value, err := b.value(partWhere, literal)
	if err != nil {
		return operand{}, err
	}
	switch v := value.(type) {
	case int64:
		return operand{number: func(Candidate) float64 { return float64(v) }}, nil
	case float64:
		return operand{number: func(Candidate) float64 { return v }}, nil
	case bool:
		return operand{truth: func(Candidate) bool { return v }}, nil
	}
	return operand{}, unexpected(partWhere, value, "a number", "TRUE", "FALSE")
}

// column compiles a name.
func (b *binder) column(node parser.Ident, byVertex bool) (operand, error) {
	b.mark(partWhere, node)
	switch node.Name {
	case "degree":
		return operand{number: func(c Candidate) float64 { return float64(c.Degree) }}, nil
	case "linked":
		if !byVertex {
			return operand{}, mistake(partWhere, "linked means linked to the vertex that is sought, and a vector is sought")
		}
		return operand{truth: func(c Candidate) bool { return c.Linked }}, nil
	}
	e := mistake(partWhere, "unknown name %s", quote(node.Name))
	return operand{}, e.withHint(node.Name, []string{"degree", "linked"}, func(s string) string { return s })
}
