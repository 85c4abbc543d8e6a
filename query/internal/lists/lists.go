// Package lists has what slices lacks.
package lists

// Map returns what of gives for each entry of a list.
func Map[T, U any](list []T, of func(T) U) []U {
	results := make([]U, len(list))
	for i, entry := range list {
		results[i] = of(entry)
	}
	return results
}
