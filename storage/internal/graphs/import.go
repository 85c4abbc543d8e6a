package graphs

import (
	"context"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/gather"
)

// AttributeFor returns the attribute that takes the values of a column, as its
// number in r.Attributes; r gets one if it has none by this name. A column
// without a type and without values adds no attribute; the result is then -1.
func (r *Record) AttributeFor(ctx context.Context, read *gather.Column) (int, error) {
	if at := r.FindAttribute(read.Name); at >= 0 {
		return at, nil
	}
	kind, err := read.Type(ctx)
	if kind == 0 || err != nil {
		return -1, err
	}
	return r.AddAttribute(block.Attribute{Name: read.Name, Type: kind})
}
