package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pieces of a text give the bytes of the whole text, whatever its header, separator and lines
// are. A text that cannot be cut at every line feed is copied row by row.
func TestMake_Texts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: cuts many texts; TestShards_SameBytes cuts one")
	}
	t.Parallel()
	ctx := context.Background()
	db, _ := open(t)
	rows := strings.Repeat("1,2\n3,4\nsource,target\n7,nobody\n", 25)
	tabs, lines := strings.ReplaceAll(rows, ",", "\t"), strings.ReplaceAll(rows, "\n", "\r\n")
	numbers := []int{1, 7}
	for i, c := range []struct {
		text string
		cut  bool
		rows int64
	}{
		{rows, true, 100},
		{"\ufeff" + rows, true, 100},
		{"source,target\n" + rows, true, 100},
		{"\ufefftarget,source\r\n" + lines, true, 100},
		{"from,to\n" + rows + "5,6\n5,6", true, 102}, // no line feed at the end
		{strings.ReplaceAll(rows, ",", "  "), true, 100},
		{tabs, true, 100},
		{strings.ReplaceAll(rows, ",", ";"), true, 100},
		{"1,2\n\n\n3,4\n", true, 4}, // empty lines count
		{"1,2\n", true, 1},
		{"1,2", false, 1},
		{"", false, 0},
		{"\n" + rows, false, 100},
		{"# from to\n" + rows, false, 100},
		{rows + "# key,2\n", false, 100},
		{"source,target,x\n" + rows, false, 100},
		{rows + "\"a\nb\",7\n", false, 101},
	} {
		dir := t.TempDir()
		pairs, alone, into := filepath.Join(dir, "pairs"), filepath.Join(dir, "alone.csv"), filepath.Join(dir, "into.csv")
		if err := os.WriteFile(pairs, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		separator := "auto"
		if strings.Contains(c.text, ";") {
			separator = "semicolon"
		}
		statement := "SCORE FILE '%s' IN g WITH jaccard INTO FILE '%s' WITH (columns := 'all', overwrite := TRUE, separator := '%s')"
		rows, err := db.Query(ctx, fmt.Sprintf(statement, pairs, alone, separator), nil)
		if err == nil {
			err = drain(rows)
		}
		if err != nil {
			t.Fatalf("text %d: %v", i, err)
		}
		for _, n := range numbers {
			m := plan(t, db, fmt.Sprintf(statement, pairs, into, separator), n)
			if (m.Text != "") != c.cut {
				t.Errorf("text %d: text %q", i, m.Text)
			}
			last := m.Shards[n-1]
			if got := last.First + last.Rows; got != c.rows {
				t.Errorf("text %d: %d rows, expected %d", i, got, c.rows)
			}
			for s := range m.Shards {
				if err := m.Run(ctx, db, s); err != nil {
					t.Fatalf("text %d: %v", i, err)
				}
			}
			if err := m.Merge(ctx, "", true); err != nil {
				t.Fatalf("text %d: %v", i, err)
			}
			if got, want := read(t, into), read(t, alone); got != want {
				t.Errorf("text %d in %d shards: %q, expected %q", i, n, got, want)
			}
		}
	}
}

// If there are more rows than recorded places, rows are divided at places, and none is lost.
func TestPlaces(t *testing.T) {
	t.Parallel()
	p := places{step: 1, most: 8}
	var offsets []int64
	for i := range int64(100) {
		offsets = append(offsets, p.bytes)
		p.add(int(1 + i%3))
	}
	last := int64(-1)
	for i := range int64(100) {
		row, offset := p.near(i)
		if row > i || row < last || offset != offsets[row] || i-row >= 16 {
			t.Errorf("row %d: got the place of row %d at %d", i, row, offset)
		}
		last = row
	}
	if row, offset := p.near(100); row != 100 || offset != p.bytes {
		t.Errorf("end: row %d at %d", row, offset)
	}
}
