package engine

import (
	"testing"

	"heavytail/query/internal/session"
	"heavytail/query/rows"
)

// A limit without an order ends the rows of the statement as soon as it has enough of them, and
// rows that are closed before the first one was read are closed for the statement, too.
func TestTail_EndsEarly(t *testing.T) {
	for _, read := range []bool{true, false} {
		made, closed := 0, 0
		inner := rows.New([]string{"n"}, make([]rows.ColumnType, 1), func(yield func([]rows.Value, error) bool) {
			for yield([]rows.Value{int64(made)}, nil) {
				made++
			}
		})
		inner.AtEnd(func() []rows.Notice { closed++; return nil })
		tail := TailRequest{limit: 3, offset: 2, columns: []string{"n"}, types: make([]rows.ColumnType, 1)}
		answer, err := tail.of(&Call{Call: new(session.Call)}, inner)
		if err != nil {
			t.Fatal(err)
		}
		var got []rows.Value
		for read && answer.Next() {
			got = append(got, answer.Row()[0])
		}
		answer.Close()
		if read && (len(got) != 3 || got[0] != int64(2) || made != 4) || !read && made != 0 || closed != 1 {
			t.Errorf("read %v: got %v of %d rows, closed %d times", read, got, made+1, closed)
		}
	}
}
