package rows

import (
	"errors"
	"fmt"
	"iter"
	"testing"

	"heavytail/storage"
)

func table(values ...Value) *Rows {
	columns := make([]string, len(values))
	for i := range columns {
		columns[i] = fmt.Sprint("c", i)
	}
	r := Of(columns, make([]ColumnType, len(values)), [][]Value{values})
	r.Next()
	return r
}

func TestRows_Scan(t *testing.T) {
	var s string
	var n int
	var long int64
	var x, y float64
	var b bool
	var v any
	if err := table("a", int64(2), int64(3), 0.5, int64(4), true, nil).Scan(&s, &n, &long, &x, &y, &b, &v); err != nil {
		t.Fatal(err)
	}
	if s != "a" || n != 2 || long != 3 || x != 0.5 || y != 4 || !b || v != nil {
		t.Error(s, n, long, x, y, b, v)
	}
	if err := table(nil).Scan(&n); err != nil || n != 0 {
		t.Errorf("a missing value: %d, %v", n, err)
	}
	for name, err := range map[string]error{
		"type": table("a").Scan(&n), "fraction": table(0.5).Scan(&long), "number": table("a").Scan(), "pointer": table("a").Scan(s),
	} {
		if !errors.Is(err, storage.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRows_All(t *testing.T) {
	broken, closed := errors.New("broken"), 0
	open := func() *Rows {
		r := New([]string{"n"}, make([]ColumnType, 1), iter.Seq2[[]Value, error](func(yield func([]Value, error) bool) {
			_ = yield([]Value{int64(1)}, nil) && yield([]Value{int64(2)}, nil) && yield(nil, broken)
		}))
		r.AtEnd(func() []Notice { closed++; return nil })
		return r
	}
	var got []Value
	for row, err := range open().All() {
		if err != nil {
			got = append(got, err)
			continue
		}
		got = append(got, row[0])
	}
	if fmt.Sprint(got) != "[1 2 broken]" || closed != 1 {
		t.Error(got, closed)
	}
	for range open().All() {
		break
	}
	if closed != 2 {
		t.Error("a loop that ended early has not closed the rows")
	}
}
