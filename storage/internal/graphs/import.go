package graphs

import (
	"context"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/gather"
)

// For returns the attribute that takes the values of a column, as its number in the list, which gets
// one if it has none by this name. A column without a type and without values adds no attribute;
// the result is then -1.
func (s Schema) For(ctx context.Context, read *gather.Column) (int, error) {
	if at := s.Find(read.Name); at >= 0 {
		return at, nil
	}
	kind, err := read.Type(ctx)
	if kind == 0 || err != nil {
		return -1, err
	}
	return s.Add(block.Attribute{Name: read.Name, Type: kind})
}
