package format_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/rowtext"
)

// seeds are texts that reach every branch of the reader.
var seeds = []string{
	"", "1 2\n2 3\n", "1\t2\r\n3\t4\r\n", "\ufeffa,b\nc,d", "# source target\n1 2\n", "source,target\na,\"b\"\"c\"\n",
	"3 2\n1 2\n2 3\n", "person friend\n1 2\n", "ada l\tbob m\n", "\"a,b\",c\n\"d", "1 2 3\n4\n", "\xff\xfe1", "a\x00b c\n", "1 2\r3 4\r", ",,\n", " \n%\n", "e,t\na,\"\n\"",
}

// FuzzReadEdgeList reads any bytes as text, and compressed by gzip, and checks what holds
// for all input: both give the same edges, keys have the documented form, all lines are
// counted, and errors are of the documented kinds.
func FuzzReadEdgeList(f *testing.F) {
	for i, seed := range seeds {
		f.Add([]byte(seed), uint8(i), i%2 == 0)
	}
	separators := []string{"", " ", "\t", ",", ";", "|"}
	f.Fuzz(func(t *testing.T, text []byte, mode uint8, skip bool) {
		opts := format.EdgeListOptions{
			Separator: separators[int(mode)%len(separators)],
			Header:    format.HeaderMode(int(mode) / len(separators) % 4),
			SkipBad:   skip,
			MaxKey:    20,
			MaxLine:   100,
		}
		var edges [][2]string
		stats, err := rowtext.ReadEdgeList(context.Background(), bytes.NewReader(text), opts, func(e format.Edge) error {
			for _, key := range [][]byte{e.Source, e.Target} {
				broken := bytes.ContainsAny(key, "\n\r") && bytes.IndexByte(text, '"') < 0 // line breaks stand in quotes
				if len(key) == 0 || len(key) > opts.MaxKey || !utf8.Valid(key) || bytes.IndexByte(key, 0) >= 0 || broken {
					t.Fatalf("key %q from %q", key, text)
				}
			}
			edges = append(edges, [2]string{string(e.Source), string(e.Target)})
			return nil
		})
		checkReadError(t, err)
		if stats.Edges != int64(len(edges)) || stats.Edges+stats.Comments+stats.Skipped > stats.Lines {
			t.Fatalf("%d edges, stats %+v", len(edges), stats)
		}
		if !skip && stats.Skipped > 0 || (stats.Skipped > 0) != (stats.FirstSkipped != nil) {
			t.Fatalf("stats %+v", stats)
		}
		if errors.Is(err, format.ErrDamaged) {
			return // the text looks compressed itself
		}
		i := 0
		again, gzErr := rowtext.ReadEdgeList(context.Background(), bytes.NewReader(gzipped(t, text)), opts, func(e format.Edge) error {
			if string(e.Source) != edges[i][0] || string(e.Target) != edges[i][1] {
				t.Fatalf("edge %d differs in gzip", i)
			}
			i++
			return nil
		})
		if (err == nil) != (gzErr == nil) || i != len(edges) || again.Lines != stats.Lines {
			t.Fatalf("plain: %+v, %v\ngzip: %+v, %v", stats, err, again, gzErr)
		}
	})
}

// FuzzReadCompressed reads arbitrary bytes behind the magic numbers of both
// compressions. The text may be up to a megabyte.
func FuzzReadCompressed(f *testing.F) {
	text := numbers(50, ' ')
	for _, data := range [][]byte{gzipped(f, text), gzipped(f, text, text), zstdped(f, text), []byte("\x1f\x8b"), []byte("\x28\xb5\x2f\xfd")} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := rowtext.ReadEdgeList(context.Background(), bytes.NewReader(data), format.EdgeListOptions{MaxBytes: 1 << 20, SkipBad: true}, func(format.Edge) error { return nil })
		checkReadError(t, err)
	})
}

// checkReadError fails for an error of a kind that is not documented.
func checkReadError(t *testing.T, err error) {
	t.Helper()
	var line *format.LineError
	var stream *format.StreamError
	switch {
	case err == nil:
	case errors.As(err, &line):
		if line.Line < 1 || line.Column < 1 || line.Reason == "" || !errors.Is(err, format.ErrSyntax) && !errors.Is(err, format.ErrLimit) {
			t.Fatalf("line error %#v", line)
		}
		// %q leaves nothing that moves a cursor.
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Fatalf("raw text in %q", err)
		}
	case errors.As(err, &stream):
		if stream.Offset < 0 || !errors.Is(err, format.ErrDamaged) {
			t.Fatalf("stream error %#v", stream)
		}
	default:
		t.Fatalf("%T: %v", err, err)
	}
}

// FuzzEdgeListRoundTrip writes one edge between two arbitrary keys and reads it.
func FuzzEdgeListRoundTrip(f *testing.F) {
	for _, key := range []string{"1", "source", "#", "a b", "a,b", `"`, "\ufeff", "ä", "ä,", "a\nb", "a\r\nb", "\n"} {
		f.Add(key, "target")
	}
	f.Fuzz(func(t *testing.T, source, target string) {
		var text bytes.Buffer
		err := rowtext.WriteEdgeList(context.Background(), &text, 2, appendKeys([]string{source, target}), pairSeq([][2]uint32{{0, 1}, {1, 0}}))
		if err != nil {
			if !errors.Is(err, format.ErrKey) {
				t.Fatal(err)
			}
			return
		}
		want := [2]string{source, target}
		seen := 0
		_, err = rowtext.ReadEdgeList(context.Background(), &text, format.EdgeListOptions{}, func(e format.Edge) error {
			if string(e.Source) != want[seen%2] || string(e.Target) != want[1-seen%2] {
				t.Fatalf("%q, %q came back as %q, %q", source, target, e.Source, e.Target)
			}
			seen++
			return nil
		})
		if err != nil || seen != 2 {
			t.Fatalf("%d edges, error %v", seen, err)
		}
	})
}
