package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/wire"
	"heavytail/query/serve"
	"heavytail/storage/format"
	_ "heavytail/storage/format/arrow"
	"heavytail/storage/format/graphfile"
)

// An answer in the format arrow is a stream with the rows of the statement, in several frames, and one
// that fails ends with an error.
func TestServe_Arrow(t *testing.T) {
	s := start(t, query.Options{}, nil)
	conn, in := s.raw()
	ask := func(id int, statement string) (stream []byte, frames int, end wire.Frame) {
		request, err := json.Marshal(wire.Message{ID: int64(id), Statement: statement, Format: wire.Arrow})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(append(request, '\n')); err != nil {
			t.Fatal(err)
		}
		for end.End == nil && end.Error == nil {
			line, err := in.ReadBytes('\n')
			if err != nil {
				t.Fatal(err)
			}
			end = wire.Frame{}
			if err := json.Unmarshal(line, &end); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if end.Arrow > 0 {
				part := make([]byte, end.Arrow)
				if _, err := io.ReadFull(in, part); err != nil {
					t.Fatal(err)
				}
				stream, frames = append(stream, part...), frames+1
			}
			if len(end.Rows) > 0 {
				t.Errorf("rows beside a stream: %s", line)
			}
		}
		return stream, frames, end
	}
	read := func(stream []byte) (texts []string) {
		h := format.Handler{Columns: func([]format.Column) error { return nil }, Vertex: func(key []byte, values [][]byte) error {
			texts = append(texts, string(key)+" "+string(bytes.Join(values, []byte(" "))))
			return nil
		}}
		if _, err := graphfile.Read(context.Background(), bytes.NewReader(stream), format.Options{Layout: format.LayoutVertices}, h); err != nil {
			t.Fatal(err)
		}
		return texts
	}
	const statement = "SHOW EDGES IN g" // some 6,000 rows
	stream, _, end := ask(1, statement)
	var want []string
	rows, err := s.client().Query(t.Context(), statement, nil)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		want = append(want, rows.Row()[0].(string)+" "+rows.Row()[1].(string))
	}
	if got := read(stream); len(want) < 5000 || !slices.Equal(got, want) || end.End == nil || end.End.Rows != int64(len(want)) {
		t.Errorf("%d rows of %d, %+v", len(got), len(want), end)
	}
	if stream, frames, end := ask(2, "NEAREST 100 FOR ALL USING e"); frames < 2 || len(stream) < 4<<20 || end.End == nil {
		t.Errorf("%d bytes in %d frames", len(stream), frames)
	}
	if stream, _, end := ask(3, "SHOW VERTICES IN g WHERE degree < 0"); end.End == nil || end.End.Rows != 0 || len(read(stream)) != 0 {
		t.Errorf("no rows: %+v", end)
	}
	if stream, _, end := ask(4, "CREATE GRAPH empty"); end.Error != nil || len(stream) == 0 && len(end.Columns) > 0 {
		t.Errorf("a statement without rows: %d bytes, %+v", len(stream), end)
	}
	if _, _, end := ask(5, "SHOW NOTHING"); end.Error == nil {
		t.Error("a mistake")
	}
	if _, _, end := ask(6, "NEAREST 10 FOR ALL USING e"); end.End == nil {
		t.Errorf("after a mistake: %+v", end.Error)
	}

	limited := start(t, query.Options{}, &serve.Options{MaxRows: 10})
	conn, in = limited.raw()
	if _, _, end := ask(7, statement); end.Error == nil || !strings.Contains(end.Error.Message, "rows") || errors.Is(end.Error.Err(), io.EOF) {
		t.Errorf("more rows than may be: %+v", end)
	}
}
