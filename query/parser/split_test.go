package parser

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// split returns all statements of a script, with an error of the splitter as
// one more text.
func split(r io.Reader) (texts []string, sources []Source) {
	s := NewSplitter(r)
	for {
		src, err := s.Next()
		switch {
		case err == io.EOF:
			return texts, sources
		case errors.Is(err, ErrSyntax):
			texts = append(texts, "error: "+err.Error())
		case err != nil:
			return append(texts, "error: "+err.Error()), sources
		default:
			texts = append(texts, src.Text)
			sources = append(sources, src)
		}
	}
}

func TestSplitter(t *testing.T) {
	tests := []struct {
		name, script string
		want         []string
	}{
		{"empty", "", nil},
		{"blank", " \n;;\t; -- nothing\n/* ; */ --", nil},
		{"one", "CHECK", []string{"CHECK"}},
		{"two", "CHECK;\nSHOW GRAPHS ; ", []string{"CHECK;", "SHOW GRAPHS ;"}},
		{"semicolons in quotes", `IMPORT 'a;''b;' INTO "c;""d;";CHECK`, []string{`IMPORT 'a;''b;' INTO "c;""d;";`, "CHECK"}},
		{"semicolons in comments", "CHECK -- ;\n/* ; * ; **/;/**/CHECK;", []string{"CHECK -- ;\n/* ; * ; **/;", "CHECK;"}},
		{"quotes in comments", "-- don't\nCHECK /* it's */;", []string{"CHECK /* it's */;"}},
		{"comment signs in quotes", "IMPORT '--' INTO g; IMPORT '/*' INTO g;", []string{"IMPORT '--' INTO g;", "IMPORT '/*' INTO g;"}},
		{"signs that begin no comment", "- 1; / 2;-", []string{"- 1;", "/ 2;", "-"}},
		{"unclosed string", "CHECK; IMPORT 'a; CHECK;", []string{"CHECK;", "IMPORT 'a; CHECK;"}},
		{"unclosed comment", "CHECK; SHOW /* ; CHECK;", []string{"CHECK;", "SHOW /* ; CHECK;"}},
		{"unclosed comment alone", "CHECK;\n -- /*\n /* ; CHECK;", []string{"CHECK;", "error: line 3, column 2: comment is never closed; it ends with */"}},
		{"unclosed comment by a star", "CHECK; /* ; CHECK;*", []string{"CHECK;", "error: line 1, column 8: comment is never closed; it ends with */"}},
		{"closed comment before an unclosed one", "/**/ /*", []string{"error: line 1, column 6: comment is never closed; it ends with */"}},
		{"byte order mark", "\uFEFFCHECK;", []string{"CHECK;"}},
		{"too long", "CHECK; A" + strings.Repeat(" ", MaxText) + "B; SHOW;", []string{
			"CHECK;", "error: line 1, column 8: statement is longer than 1048576 bytes; SCORE FILE reads many pairs from a file", "SHOW;",
		}},
		{"too long to the end", "A" + strings.Repeat(" ", 2*MaxText), []string{
			"error: line 1, column 1: statement is longer than 1048576 bytes; SCORE FILE reads many pairs from a file",
		}},
	}
	for _, tt := range tests {
		for _, reader := range []io.Reader{strings.NewReader(tt.script), iotest.OneByteReader(strings.NewReader(tt.script))} {
			got, sources := split(reader)
			if strings.Join(got, "|") != strings.Join(tt.want, "|") {
				t.Errorf("%s: got %.200q, want %.200q", tt.name, got, tt.want)
			}
			for _, src := range sources {
				if want := advance(start, tt.script[:src.Pos.Offset]); tt.name != "byte order mark" && src.Pos != want {
					t.Errorf("%s: %q is at %+v, want %+v", tt.name, src.Text, src.Pos, want)
				}
				if got := tt.script[src.Pos.Offset:][:len(src.Text)]; got != src.Text {
					t.Errorf("%s: the script has %q where the splitter found %q", tt.name, got, src.Text)
				}
			}
		}
	}
}

// TestSplitter_AsSoonAsComplete writes a statement only after the one before it
// was given out, as a person or another program at a pipe does.
func TestSplitter_AsSoonAsComplete(t *testing.T) {
	r, w := io.Pipe()
	s := NewSplitter(r)
	for _, text := range []string{"CHECK;", "SHOW GRAPHS;", "HELP;"} {
		sent := make(chan error, 1)
		go func() {
			_, err := io.WriteString(w, text)
			sent <- err
		}()
		src, err := s.Next()
		if err != nil || src.Text != text {
			t.Fatalf("got %q, %v, want %q", src.Text, err, text)
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
	}
	w.CloseWithError(iotest.ErrTimeout)
	if _, err := s.Next(); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got error %v, want that of the reader", err)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "CHECK": false, "CHECK;": true, "CHECK; ": true, "CHECK; -- done": true, "CHECK; /* done */": true,
		"CHECK; /* open": false, "CHECK; SHOW": false, "IMPORT ';": false, "IMPORT 'a' INTO \";": false, "-- ;": false, ";": true,
		"CHECK; -": false,
	} {
		if got := Complete(text); got != want {
			t.Errorf("Complete(%q) = %v", text, got)
		}
	}
}

// TestSplitter_TakeLines takes lines of a shell out of a script: only where a
// statement could begin.
func TestSplitter_TakeLines(t *testing.T) {
	const script = ".mode csv  \r\n-- .comment\n/* .no */ CHECK\n.5;\n  .read 'a;b'\nSHOW GRAPHS; :timer on\n.quit"
	s := NewSplitter(strings.NewReader(script))
	s.TakeLines(".:")
	want := []Source{
		{".mode csv", Pos{0, 1, 1}},
		{"CHECK\n.5;", Pos{35, 3, 11}},
		{".read 'a;b'", Pos{47, 5, 3}},
		{"SHOW GRAPHS;", Pos{59, 6, 1}},
		{":timer on", Pos{72, 6, 14}},
		{".quit", Pos{82, 7, 1}},
	}
	for _, w := range want {
		got, err := s.Next()
		if err != nil || got != w {
			t.Errorf("got %+v, %v, want %+v", got, err, w)
		}
	}
	if got, err := s.Next(); err != io.EOF {
		t.Errorf("got %+v, %v behind the script", got, err)
	}
	s = NewSplitter(strings.NewReader("." + strings.Repeat("x", MaxText+1) + "\nCHECK;"))
	s.TakeLines(".")
	if _, err := s.Next(); !errors.Is(err, ErrLimit) {
		t.Errorf("a line without end: %v", err)
	}
	if got, err := s.Next(); err != nil || got.Text != "CHECK;" {
		t.Errorf("behind it: %+v, %v", got, err)
	}
}
