package conditions

import (
	"cmp"
	"math"
	"strings"

	"heavytail/query/parser"
	"heavytail/storage"
)

// truth is the result of a condition, with three values as in SQL: a
// comparison with a missing value is unknown. In the order of the constants,
// AND is the minimum of its terms and OR the maximum.
type truth int8

const (
	isFalse truth = iota
	isUnknown
	isTrue
)

func truthOf(b bool) truth {
	if b {
		return isTrue
	}
	return isFalse
}

func (t truth) not() truth { return isTrue - t }

// allOf is AND. It stops at the first term that is false.
func allOf[T any](terms []predicate[T]) predicate[T] {
	return func(v T) truth {
		all := isTrue
		for _, term := range terms {
			if all = min(all, term(v)); all == isFalse {
				break
			}
		}
		return all
	}
}

// anyOf is OR. It stops at the first term that is true.
func anyOf[T any](terms []predicate[T]) predicate[T] {
	return func(v T) truth {
		some := isFalse
		for _, term := range terms {
			if some = max(some, term(v)); some == isTrue {
				break
			}
		}
		return some
	}
}

// compareBy returns holds of the order of two values, or unknown if a value
// is missing.
func compareBy(left, right storage.Value, holds func(order int) bool) truth {
	order, ok := CompareValues(left, right)
	if !ok {
		return isUnknown
	}
	return truthOf(holds(order))
}

// operatorFunc returns, for an operator, the function that reports whether it
// is true for an order of its two sides.
func operatorFunc(op parser.Operator) func(order int) bool {
	switch op {
	case parser.Equal:
		return func(order int) bool { return order == 0 }
	case parser.NotEqual:
		return func(order int) bool { return order != 0 }
	case parser.Less:
		return func(order int) bool { return order < 0 }
	case parser.LessEqual:
		return func(order int) bool { return order <= 0 }
	case parser.Greater:
		return func(order int) bool { return order > 0 }
	default:
		return func(order int) bool { return order >= 0 }
	}
}

// isNumber reports whether a type is compared by size.
func isNumber(t storage.Type) bool { return t == storage.Integer || t == storage.Float }

// canCompare reports whether values of two types have an order: both are
// numbers, or both of one type.
func canCompare(a, b storage.Type) bool {
	return a == b || isNumber(a) && isNumber(b) || a == anything || b == anything
}

// CompareValues returns the order of two values: texts by their bytes, numbers
// by their size, exactly, and false before true. It returns false if a value
// is missing, or if they cannot be compared.
func CompareValues(a, b storage.Value) (order int, ok bool) {
	if a.IsMissing() || b.IsMissing() || !canCompare(a.Type(), b.Type()) {
		return 0, false
	}
	switch {
	case a.Type() == storage.Text:
		return strings.Compare(a.Text(), b.Text()), true
	case a.Type() == storage.Boolean:
		return cmp.Compare(bit(a.Boolean()), bit(b.Boolean())), true
	case a.Type() == storage.Integer && b.Type() == storage.Integer:
		return cmp.Compare(a.Integer(), b.Integer()), true
	case a.Type() == storage.Integer:
		return compareIntegerFloat(a.Integer(), b.Float()), true
	case b.Type() == storage.Integer:
		return -compareIntegerFloat(b.Integer(), a.Float()), true
	}
	return cmp.Compare(a.Float(), b.Float()), true
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compareIntegerFloat compares without rounding the integer to a float, which
// above 2^53 would make different numbers equal.
func compareIntegerFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	whole := math.Floor(f)
	if order := cmp.Compare(i, int64(whole)); order != 0 {
		return order
	}
	return cmp.Compare(whole, f)
}

// member returns a function that reports whether a value is in a list. Numbers
// are compared by their size, whatever their types.
func member(list []storage.Value) func(storage.Value) bool {
	set := make(map[storage.Value]struct{}, len(list))
	for _, v := range list {
		set[canonical(v)] = struct{}{}
	}
	return func(v storage.Value) bool {
		_, found := set[canonical(v)]
		return found
	}
}

// canonical converts a float with an integer value to an integer, so that
// equal numbers are equal values.
func canonical(v storage.Value) storage.Value {
	if v.Type() != storage.Float {
		return v
	}
	f := v.Float()
	if f == math.Floor(f) && f >= -1<<63 && f < 1<<63 {
		return storage.IntegerValue(int64(f))
	}
	return v
}
