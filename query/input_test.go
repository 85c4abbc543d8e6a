package query_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
)

// TestInput_EveryForm passes files of all forms to '-' as streams that cannot be read at other places: the graph is that
// of the file, a part of the file is an error that leaves no graph, and no temporary file stays.
func TestInput_EveryForm(t *testing.T) {
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	db := querytest.Open(t, &query.Options{Folder: dir})
	run := func(ctx context.Context, text string, in io.Reader) error {
		rows, err := db.Execute(ctx, query.Request{Source: parser.Source{Text: text}, Input: in})
		if err == nil {
			err = rows.Close()
		}
		return err
	}
	stream := func(data []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(data)} } // without its other methods
	for _, text := range []string{
		"GENERATE preferential_attachment(n := 300, m := 4, seed := 1) INTO g", "EMBED g USING fastrp(dim := 4) AS e",
		"UPDATE VERTICES IN g SET hub := TRUE WHERE degree > 20",
	} {
		if err := run(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	edges := func(graph string) (list []string) { // sorted, each with the lesser end first
		rows, err := db.Query(t.Context(), "SHOW EDGES IN "+graph, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			ends := []string{rows.Row()[0].(string), rows.Row()[1].(string)}
			slices.Sort(ends)
			list = append(list, ends[0]+" "+ends[1])
		}
		slices.Sort(list)
		return list
	}
	want, dice := edges("g"), rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"edges.arrow", "edges.arrows", "edges.parquet", "edges.csv", "edges.zip"} {
		if name == "edges.zip" {
			var archive bytes.Buffer
			w := zip.NewWriter(&archive)
			inner, err := w.Create("edges.csv")
			if err == nil {
				_, err = inner.Write(read("edges.csv"))
			}
			if err := errors.Join(err, w.Close(), os.WriteFile(filepath.Join(dir, name), archive.Bytes(), 0o600)); err != nil {
				t.Fatal(err)
			}
		} else if err := run(t.Context(), "SHOW EDGES IN g INTO FILE '"+name+"'", nil); err != nil {
			t.Fatal(err)
		}
		data := read(name)
		if err := run(t.Context(), "IMPORT '-' INTO h", stream(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := edges("h"); !slices.Equal(got, want) {
			t.Errorf("%s: %d edges of %d", name, len(got), len(want))
		}
		if err := run(t.Context(), "DELETE EDGES FILE '-' FROM h", stream(data)); err != nil || len(edges("h")) != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if err := run(t.Context(), "DROP GRAPH h", nil); err != nil {
			t.Error(name, err)
		}
		if name == "edges.csv" {
			continue // a part of it is a file as well
		}
		broken := errors.New("the pipe is broken")
		ctx, stop := context.WithCancel(t.Context())
		for _, in := range []io.Reader{
			stream(data[:dice.IntN(len(data)-20)]), stream(data[:5]), io.MultiReader(stream(data), failing{broken, nil}), io.MultiReader(stream(data[:9]), failing{nil, stop}, stream(data)),
		} {
			if err := run(ctx, "IMPORT '-' INTO h", in); err == nil {
				t.Errorf("%s: a part is read as a whole", name)
			}
			if err := run(t.Context(), "DROP GRAPH h", nil); err == nil {
				t.Errorf("%s: a part has made a graph", name)
			}
		}
		stop()
	}
	for _, name := range []string{"e.arrow", "e.arrows", "e.parquet"} {
		if err := run(t.Context(), "EXPORT EMBEDDING e INTO FILE '"+name+"'", nil); err != nil {
			t.Fatal(err)
		}
		form := map[string]string{".arrow": "arrow", ".arrows": "arrow_stream", ".parquet": "parquet"}[filepath.Ext(name)]
		if err := run(t.Context(), "IMPORT EMBEDDING '-' INTO g AS theirs WITH (format := '"+form+"')", stream(read(name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if files, err := os.ReadDir(temp); runtime.GOOS != "windows" && (err != nil || len(files) > 0) {
		t.Errorf("%v stay, %v", files, err)
	}
}

// failing is a reader that fails, or calls a function and ends.
type failing struct {
	err  error
	call func()
}

func (f failing) Read([]byte) (int, error) {
	if f.call != nil {
		f.call()
		return 0, io.EOF
	}
	return 0, f.err
}
