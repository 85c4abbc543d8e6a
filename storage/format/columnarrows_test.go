package format_test

import (
	"bytes"
	"errors"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
)

// Columns of given types do not depend on the rows, and a value of another type is refused.
func TestParquetRows_Typed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := columnar.NewRows(&out, format.Parquet, []string{"n"}, []format.Type{format.Integer}, nil)
	if err := errors.Join(p.Row([]any{nil}), p.Row([]any{int64(1)})); err != nil {
		t.Error(err)
	}
	if err := p.Row([]any{"x"}); !errors.Is(err, format.ErrValue) {
		t.Error(err)
	}
}
