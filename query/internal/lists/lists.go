// Package lists has what slices lacks.
package lists

import "slices"

// Map returns what of gives for each entry of a list.
func Map[T, U any](list []T, of func(T) U) []U {
	results := make([]U, len(list))
	for i, entry := range list {
		results[i] = of(entry)
	}
	return results
}

// Kept shortens a growing list to the first elements in the order, once it is more than
// twice as long as the limit.
func Kept[T any](list []T, limit int, order func(a, b T) int) []T {
	if limit == 0 || (len(list)-1024)/2 < limit {
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
