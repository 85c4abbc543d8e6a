package scan

import (
	"bytes"
	"cmp"
	"slices"

	"heavytail/query/where"
	"heavytail/storage"
)

// The numbers of the columns that are not attributes.
const (
	degreeColumn = -1
	keyColumn    = -2
)

func (s *Vertices) Column(name string) int {
	switch name {
	case "degree":
		return degreeColumn
	case "key":
		return keyColumn
	}
	return slices.Index(s.Columns.Names, name)
}

func (s *Vertices) Value(column int, v uint32) storage.Value {
	if column == degreeColumn {
		return storage.IntegerValue(int64(s.Graph.Graph.Degree(v)))
	}
	return s.Columns.At(column, v)
}

// Compare returns the order of two vertices by a column: vertices without a value come
// last in both directions, and of equal values the smaller vertex comes first.
func (s *Vertices) Compare(column int, descending bool) func(a, b uint32) int {
	sign := 1
	if descending {
		sign = -1
	}
	if column == keyColumn {
		var left, right []byte
		return func(a, b uint32) int {
			left, right = s.Graph.AppendKey(left[:0], a), s.Graph.AppendKey(right[:0], b)
			return cmp.Or(sign*bytes.Compare(left, right), cmp.Compare(a, b))
		}
	}
	return func(a, b uint32) int {
		x, y := s.Value(column, a), s.Value(column, b)
		order, ok := where.CompareValues(x, y)
		if !ok {
			return cmp.Or(cmp.Compare(Without(x.IsMissing()), Without(y.IsMissing())), cmp.Compare(a, b))
		}
		return cmp.Or(sign*order, cmp.Compare(a, b))
	}
}

// Without is the place of a value in an order: those that are missing come last.
func Without(missing bool) int {
	if missing {
		return 1
	}
	return 0
}

// Kept shortens a growing list to the first elements in the order, once it is more than
// twice as long as the limit.
func Kept[T any](list []T, limit int, order func(a, b T) int) []T {
	if limit == 0 || len(list) < 2*limit+1024 {
		return list
	}
	return FirstOf(list, limit, order)
}

// FirstOf sorts a list, and returns its first elements up to a limit; 0 means no limit.
func FirstOf[T any](list []T, limit int, order func(a, b T) int) []T {
	slices.SortFunc(list, order)
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return list
}
