package shard

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/storage/format"
)

// A changed Parquet part is refused by the merge and by the next run, and no merged file is
// left. After the part is removed and the shard is run again, it has the same bytes.
func TestMerge_DamagedTable(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	m := plan(t, db, statements(f, filepath.Join(t.TempDir(), "merged.csv"))["score typed"], 3)
	if err := m.RunAll(ctx, db, 0, 2); err != nil {
		t.Fatal(err)
	}
	whole := read(t, m.output(one(1)))
	changed := []byte(whole)
	changed[len(changed)/2] ^= 1
	if err := os.WriteFile(m.output(one(1)), changed, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{"merge": m.Merge(ctx, "", false), "run": m.Run(ctx, db, 1)} {
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "run shard 1 again") || !strings.Contains(err.Error(), "00001.parquet") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := os.Stat(m.Output); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a merged file was left: %v", err)
	}
	if err := errors.Join(os.Remove(m.state(one(1))), m.Run(ctx, db, 1), m.Merge(ctx, "", false)); err != nil {
		t.Fatal(err)
	}
	if read(t, m.output(one(1))) != whole {
		t.Error("the shard has different bytes")
	}
}

// A file of pairs with two columns named source cannot be divided.
func TestMake_TwoColumns(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	dir := t.TempDir()
	var file bytes.Buffer
	p := format.NewParquetRows(&file, []string{"target", "Source", "source"}, []format.Type{format.Text, format.Text, format.Text}, nil)
	if err := errors.Join(p.Row([]any{"1", "2", "3"}), p.Close(), os.WriteFile(filepath.Join(dir, "pairs.parquet"), file.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	statement := "SCORE FILE '" + filepath.Join(dir, "pairs.parquet") + "' IN g WITH jaccard INTO FILE '" + filepath.Join(dir, "x.parquet") + "'"
	if _, err := Make(context.Background(), db, filepath.Join(dir, "D"), statement, 2); !errors.Is(err, ErrStatement) || !strings.Contains(err.Error(), "rename one") {
		t.Error(err)
	}
}
