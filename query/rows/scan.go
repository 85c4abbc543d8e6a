package rows

import (
	"fmt"
	"iter"

	"heavytail/storage"
)

// All yields the rows that are left, and in the end the error that ended them, if there is one.
// A row is valid until the next one. It closes the rows, also when the loop ends early.
func (r *Rows) All() iter.Seq2[[]Value, error] {
	return func(yield func([]Value, error) bool) {
		defer r.Close()
		for r.Next() {
			if !yield(r.Row(), nil) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(nil, err)
		}
	}
}

// Scan copies the current row, one pointer for each column: a *string, *int64, *int, *float64 or
// *bool of the type of the value, a *float64 also for an integer, and a *any for any value. A
// missing value sets the zero value. The error is storage.ErrInvalid where the number of pointers
// or a type differs; then later pointers are not written.
func (r *Rows) Scan(dest ...any) error {
	if len(dest) != len(r.row) {
		return fmt.Errorf("%d pointers for %d columns: %w", len(dest), len(r.row), storage.ErrInvalid)
	}
	for i, value := range r.row {
		if !scan(value, dest[i]) {
			return fmt.Errorf("column %s is %T, which a %T does not take: %w", r.columns[i], value, dest[i], storage.ErrInvalid)
		}
	}
	return nil
}

// scan stores a value, and reports whether the type of the pointer takes it.
func scan(value Value, dest any) (ok bool) {
	switch d := dest.(type) {
	case *any:
		*d, ok = value, true
	case *string:
		*d, ok = valueAs[string](value)
	case *int64:
		*d, ok = valueAs[int64](value)
	case *int:
		var n int64
		n, ok = valueAs[int64](value)
		*d = int(n)
		ok = ok && int64(*d) == n
	case *float64:
		if n, isInteger := value.(int64); isInteger {
			*d = float64(n)
			return true
		}
		*d, ok = valueAs[float64](value)
	case *bool:
		*d, ok = valueAs[bool](value)
	}
	return ok
}

// valueAs is a value of a type, the zero value where it is missing.
func valueAs[T any](value Value) (T, bool) {
	var zero T
	if value == nil {
		return zero, true
	}
	v, ok := value.(T)
	return v, ok
}
