package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/links"
	"heavytail/storage/format"
)

// The pieces of a text together give the pairs of the whole text, wherever it is cut between
// lines; cuts inside lines are refused.
func TestDB_ScoreFile_Bytes(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	mustExec(t, db, "CREATE GRAPH g")
	mustExec(t, db, "INSERT EDGE ('a', 'b'), ('b', 'c'), ('a', 'c'), ('c', 'source') INTO g")
	path := filepath.Join(t.TempDir(), "pairs.txt")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	scored := func(span *format.Span) (out string, err error) {
		_, err = db.Links().Score(context.Background(), links.ScoreRequest{Path: path, With: []catalogue.Scorer{{Name: "jaccard"}}, Bytes: span, Each: func(p links.ScoredPair) error {
			out += fmt.Sprintln(p.Source, p.Target, p.Scores)
			return nil
		}})
		return out, err
	}
	for _, head := range []string{"", "target,source\n", "\ufeff"} {
		pairs := "a,b\nsource,target\r\nb,source\nc,a" // one pair could be a header
		write(head + pairs)
		want, err := scored(nil)
		if err != nil || strings.Count(want, "\n") != 4 {
			t.Fatalf("%q, %v", want, err)
		}
		size := int64(len(head + pairs))
		for at := int64(len(head)); at <= size; at++ {
			first, err := scored(&format.Span{From: int64(len(head)), To: at})
			if between := at == int64(len(head)) || at == size || (head + pairs)[at-1] == '\n'; between != (err == nil) {
				t.Errorf("bytes to %d: %v", at, err)
			} else if !between {
				if !errors.Is(err, format.ErrSpan) || !errors.Is(err, fault.ErrInvalid) {
					t.Errorf("bytes to %d: %v", at, err)
				}
				continue
			}
			if second, err := scored(&format.Span{From: at, To: size}); err != nil || first+second != want {
				t.Errorf("cut at %d: %q and %q, %v", at, first, second, err)
			}
		}
	}
	for span, want := range map[string]string{
		"4": "option bytes is '4', and must be two offsets", "8-4": "two offsets", "-4-8": "two offsets", "0-99": "not in all of 0-99", "4-6": "first one of a line",
	} {
		var wrong *fault.Error
		_, err := db.Query(context.Background(), "SCORE FILE '"+path+"' WITH jaccard INTO FILE '"+path+".csv' WITH (bytes := '"+span+"')", nil)
		if !errors.As(err, &wrong) || wrong.Option != "bytes" || !strings.Contains(err.Error(), want) {
			t.Errorf("bytes %s: %v", span, err)
		}
	}
	write("a,b,note\n")
	if _, err := scored(&format.Span{From: 0, To: 9}); !errors.Is(err, format.ErrSpan) {
		t.Errorf("three columns: %v", err)
	}
	if _, err := db.Query(context.Background(), "SCORE FILE '-' IN g WITH jaccard INTO FILE '"+path+".csv' WITH (bytes := '0-0')", nil); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("standard input: %v", err)
	}
}
