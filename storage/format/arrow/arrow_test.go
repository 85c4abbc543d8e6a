package arrow

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	repeats "heavytail/.ci/repeat"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/columntest"
)

var forms = []columnfile.Form{columnfile.Arrow, columnfile.ArrowStream}

// What is read from a file is what was written: all kinds, missing values, empty lists, no row,
// one batch and many.
func TestWriter_RoundTrip(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		columntest.RoundTrip(t, form, map[string]columntest.Set{
			"none": {Rows: 0, Key: columntest.FewKeys}, "one": {Rows: 1, Key: columntest.FewKeys}, "many": {Rows: 70_000, Key: columntest.FewKeys},
			"batches": {Rows: 5000, Key: columntest.FewKeys, Opts: columnfile.WriteOptions{RowGroup: 3000}},
			"long":    {Rows: 300, Key: columntest.LongKeys},
		})
	}
}

// Lists of one length are read as they were written, and one of another length is refused.
func TestWriter_FixedLists(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		var out bytes.Buffer
		w := columnfile.NewWriter(form, &out, []columnfile.Column{{Name: "v", Kind: columnfile.FloatList, Length: 3}}, nil, columnfile.WriteOptions{RowGroup: 100})
		for i := range 50 {
			w.Floats(0, []float32{float32(i), 0.5, -1})
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lines, err := columntest.ReadAll(form, out.Bytes(), columntest.Limits)
		if err != nil || len(lines) != 50 || lines[49] != "[49 0.5 -1]|" {
			t.Errorf("%s: %v, %v", form, lines, err)
		}
		w = columnfile.NewWriter(form, &out, []columnfile.Column{{Name: "v", Kind: columnfile.FloatList, Length: 3}}, nil, columnfile.WriteOptions{})
		w.Floats(0, []float32{1, 2})
		if err := w.EndRow(); err == nil || !strings.Contains(err.Error(), `"v" has another length than 3`) {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// The columns and the metadata are read as they were written.
func TestOpen_Columns(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		f := columntest.Head(t, form, 30)
		if list := f.Entries(); !slices.Equal(list, []columnfile.Entry{{Key: "graph", Text: "social"}, {Key: "a", Text: "ü\n"}}) {
			t.Errorf("metadata: %v", list)
		}
	}
}

// The files of testdata were written by arrow-go 18.8.0: types.arrow with columns of all types, and the same
// compressed by LZ4 and zstd and as a stream; deltas.arrows with a dictionary that grows, and
// replaced.arrows with one that is replaced. The text beside them has the values that were written.
func testdata(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	names, _ := filepath.Glob("testdata/*.arrow*")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = data
	}
	if len(files) != 7 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

func TestRows_OtherLibrary(t *testing.T) {
	t.Parallel()
	for name, data := range testdata(t) {
		stem, _, _ := strings.Cut(name, ".")
		stem, _, _ = strings.Cut(stem, "-")
		text, err := os.ReadFile("testdata/" + stem + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		lines, err := columntest.ReadAll(columnfile.FormOf(data), data, columntest.Limits)
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s: %v, read\n%s\nwant\n%s", name, err, strings.Join(lines, "\n"), text)
		}
		f, err := columnfile.Open(columnfile.FormOf(data), bytes.NewReader(data), int64(len(data)), columntest.Limits)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Columns() {
			if _, err := f.Read(i); (c.Kind == columnfile.Other) != errors.Is(err, columnfile.ErrUnread) {
				t.Errorf("%s: column %+v: %v", name, c, err)
			}
		}
	}
}

// A file that is cut off anywhere, or has a flipped bit, gives an error of a known kind or the rows; it
// never panics, and takes no more memory than the limit.
func TestOpen_Damaged(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages files in many places")
	}
	files := testdata(t)
	for _, form := range forms {
		files[string(form)] = columntest.Write(t, form, 300, columntest.FewKeys, columnfile.WriteOptions{RowGroup: 3000})
	}
	for name, data := range files {
		form := columnfile.FormOf(data)
		for n := 0; n < len(data); n += 137 {
			lines, err := columntest.ReadAll(form, data[:n], columntest.Limits)
			// A stream may end behind any message.
			if !errors.Is(err, columnfile.ErrDamaged) && !(form == columnfile.ArrowStream && err == nil) {
				t.Fatalf("%s: %d of %d bytes: %d rows, %v", name, n, len(data), len(lines), err)
			}
		}
		for n := len(name) % 7; n < len(data); n += 5 * repeats.Every(4) {
			flipped := bytes.Clone(data)
			if flipped[n] ^= 1 << (n % 8); n%3 == 0 {
				flipped[n] ^= 0xff
			}
			columntest.Known(t, form, flipped)
		}
	}
}

func TestOpen_Limits(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		columntest.Limited(t, form)
	}
}

func FuzzOpen(f *testing.F) {
	for _, data := range testdata(f) {
		f.Add(data)
	}
	for _, form := range forms {
		f.Add(columntest.Write(f, form, 40, columntest.FewKeys, columnfile.WriteOptions{RowGroup: 1000}))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, form := range forms {
			columntest.Known(t, form, data)
		}
	})
}
