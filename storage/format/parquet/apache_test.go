package parquet

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/columntest"
)

// apacheFiles returns the files of github.com/apache/parquet-testing, which many programs wrote.
// The test is skipped if they are not here.
func apacheFiles(t *testing.T) []string {
	t.Helper()
	folder := realgraph.Path(t, filepath.Join("..", "cases", "parquet"))
	files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// wide are limits that no file of the collection exceeds.
var wide = columnfile.Limits{Memory: 1 << 28, Bytes: 1 << 28, Columns: 1000}

// column returns the values of a column as text, and the error that ended them.
func column(f columnfile.File, i int) (values []string, err error) {
	rows, err := f.Read(i)
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values = append(values, string(columntest.AppendCell(nil, rows, 0, f.Columns()[i].Kind)))
	}
	return values, rows.Err()
}

// Each column of each file has the values that testdata/apache.txt says (their number, a hash and
// the first ones), or is refused for the reason there. After a change: go test -update, and read
// the difference.
func TestApache(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	for _, path := range apacheFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(data), int64(len(data)), wide)
		if err != nil {
			fmt.Fprintf(&got, "%s: %v\n", filepath.Base(path), err)
			continue
		}
		fmt.Fprintf(&got, "%s: %d rows\n", filepath.Base(path), f.Rows())
		for i, c := range f.Columns() {
			values, err := column(f, i)
			if err != nil {
				fmt.Fprintf(&got, "  %v\n", err)
				continue
			}
			sum := fnv.New32a()
			fmt.Fprint(sum, strings.Join(values, "\n"))
			fmt.Fprintf(&got, "  %s, %s: %d, %08x, %.60q\n", c.Name, c.Kind, len(values), sum.Sum32(), values[:min(3, len(values))])
		}
	}
	meetFile(t, columnfiles, "apache.txt", got.Bytes())
}

// Files with a CSV have its values. Columns of one file that has the same values in two encodings
// are equal.
func TestApache_Values(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, path := range apacheFiles(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(data), int64(len(data)), wide)
		if err != nil {
			continue // TestApache has the reason
		}
		plain := map[string][]string{}
		for i, c := range f.Columns() {
			if name, ok := strings.CutSuffix(c.Name, "_plain"); ok {
				plain[name], _ = column(f, i)
			}
			if name, ok := strings.CutSuffix(c.Name, "_byte_stream_split"); ok && plain[name] != nil {
				compared++
				if split, err := column(f, i); err != nil || strings.Join(split, "\n") != strings.Join(plain[name], "\n") {
					t.Errorf("%s: %s differs from its plain values, %v", filepath.Base(path), c.Name, err)
				}
			}
		}
		text, err := os.ReadFile(strings.TrimSuffix(path, ".parquet") + "_expect.csv")
		if err != nil {
			continue
		}
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		compared++
		for i := range f.Columns() {
			values, err := column(f, i)
			if err != nil || len(values) != len(records)-1 {
				t.Fatalf("%s: %d values, %v", path, len(values), err)
			}
			for row, value := range values {
				if value != records[row+1][i] {
					t.Fatalf("%s, column %s, row %d: %q, want %q", filepath.Base(path), records[0][i], row+1, value, records[row+1][i])
				}
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d comparisons", compared)
	}
}
