package gather

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

func TestColumn_Guess(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		texts string
		want  block.Type
	}{
		{"1,-2,0,9223372036854775807", block.Integer},
		{"1,2.5,-3e2", block.Float},
		{"0.5,.5,5.", block.Float},
		{"007", block.Text},
		{"1,00.5", block.Text},
		{"-007.5", block.Text},
		{"9223372036854775808", block.Text},
		{"9007199254740993,0.5", block.Text},
		{"+1", block.Text},
		{"-0", block.Float},
		{"1e999", block.Text},
		{"nan", block.Text},
		{"0x10", block.Text},
		{"1_000", block.Text},
		{"e", block.Text},
		{"-", block.Text},
		{"true,False", block.Boolean},
		{"-9223372036854775808,0.5", block.Text},
		{"true,1", block.Text},
		{"", block.Text},
		{"none", block.Text},
		{"NA,NULL", block.Text},
		{"1,NA", block.Integer},
		{"1,0.5,inf", block.Float},
		{"true,None", block.Boolean},
		{"x,NA", block.Text},
		{"true,1,NA", block.Text},
	} {
		column, err := newColumn(format.Column{Name: "a"}, "")
		if err != nil {
			t.Fatal(err)
		}
		for v, text := range strings.Split(c.texts, ",") {
			if err := column.set(uint32(v), []byte("replaced later")); err != nil {
				t.Fatal(err)
			}
			if err := column.set(uint32(v), []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := column.guess(ctx); got != c.want || err != nil {
			t.Errorf("%q is %v, want %v; %v", c.texts, got, c.want, err)
		}
		if _, err := column.parse(ctx, block.Attribute{Name: "a", Type: c.want}, nil); err != nil {
			t.Errorf("%q: %v", c.texts, err)
		}
	}
	column, err := newColumn(format.Column{Name: "a"}, "")
	if err != nil {
		t.Fatal(err)
	}
	if kind, err := column.guess(ctx); kind != 0 || err != nil {
		t.Errorf("a column without values is %v, %v", kind, err)
	}
	for _, text := range []string{"a\x00", "\xff", strings.Repeat("x", block.MaxText+1)} {
		if err := column.set(0, []byte(text)); !errors.Is(err, fault.ErrInvalid) && !errors.Is(err, fault.ErrLimit) {
			t.Errorf("%q: %v", fault.Clip(text), err)
		}
	}
}

// TestColumn_Written checks that texts which look like values of another type are texts again
// after [rowtext.WriteVertices], which states the types that [Column.guess] would not find.
func TestColumn_Written(t *testing.T) {
	for _, text := range []string{"a", "007", "12", "1.5", "-0", "true", "True", "FALSE", "9223372036854775808", ""} {
		g := format.Graph{
			Vertices: 1,
			Key:      func(dst []byte, _ uint32) []byte { return append(dst, 'k') },
			Columns:  []format.Column{{Name: "a", Type: format.Text}},
			Value:    func(dst []byte, _ int, _ uint32) ([]byte, bool) { return append(dst, text...), true },
		}
		var written bytes.Buffer
		if err := rowtext.WriteVertices(t.Context(), &written, g, rowtext.CSVOptions{}); err != nil {
			t.Fatal(err)
		}
		var column *Column
		_, err := graphfile.Read(t.Context(), &written, format.Options{Layout: format.LayoutVertices}, format.Handler{
			Columns: func(columns []format.Column) (err error) {
				column, err = newColumn(columns[0], "")
				return err
			},
			Vertex: func(_ []byte, values [][]byte) error { return column.set(0, values[0]) },
		})
		if err != nil {
			t.Fatal(err)
		}
		if kind, err := column.Type(t.Context()); kind != block.Text || err != nil {
			t.Errorf("the text %q is read as %v, %v", text, kind, err)
		}
	}
}
