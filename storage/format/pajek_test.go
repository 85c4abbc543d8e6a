package format_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
)

func TestRead_Pajek(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, want string
		directed         bool
	}{
		{name: "networkx", text: "*vertices 3\n1 a 0.0 0.0 ellipse\n2 \"b c\" 0.0 0.0 ellipse age 3\n3 é 0.0 0.0 ellipse\n*edges\n1 2 2.5\n2 3 1.0\n", want: "vertex a\nvertex b c\nvertex é\nedge a>b c*2.5\nedge b c>é*1\n"},
		{name: "sections, comments, no labels", text: "% made by hand\r\n*Network x\r\n*Vertices 4\r\n2 \"two\"\r\n*Arcs :1 \"knows\"\r\n1 2\r\n*Edgeslist\r\n4 1 3\r\n\r\n*Arcslist\r\n3 2\r\n", want: "vertex 1\nvertex two\nvertex 3\nvertex 4\ndirected\nedge 1>two\nedge 4>1 both\nedge 4>3 both\nedge 3>two\n", directed: true},
		{name: "no edges", text: "*Vertices 2", want: "vertex 1\nvertex 2\n"},
	} {
		got, stats, err := transcript(t, strings.NewReader(c.text), format.Options{EdgeListOptions: format.EdgeListOptions{Name: "g.net"}})
		if err != nil || got != c.want || stats.Directed != c.directed || stats.Layout != format.LayoutPajek {
			t.Errorf("%s: %v, %+v\n%swant\n%s", c.name, err, stats, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"":                                      "g:1:1: expected *Vertices",
		"1 2\n":                                 "g:1:1: expected *Vertices",
		"*Vertices\n":                           "g:1:1: expected the number of vertices",
		"*Vertices 9999999999\n":                "more than the limit",
		"*Vertices 2\n3 \"x\"\n":                "g:2:1: expected a vertex from 1 to 2",
		"*Vertices 2\n1 \"x\n":                  "g:2:3: a text in quotes is not closed",
		"*Vertices 2\n1 x\n2 x\n":               "g:3:1: vertices 1 and 2 are both called \"x\"",
		"*Vertices 2\n1 x\n1 y\n":               "g:3:1: vertex 1 is there twice",
		"*Vertices 2\n1 \"2\"\n*Edges\n":        "vertex 2 has no label, and \"2\" is that of vertex 1",
		"*Vertices 2\n*Edges\n1\n":              "g:3:1: expected two vertices",
		"*Vertices 2\n*Edges\n1 3\n":            "g:3:1: expected a vertex from 1 to 2",
		"*Vertices 2\n*Edges\n1 2 -1\n":         "weight \"-1\"",
		"*Vertices 2\n*Matrix\n0 1\n":           "g:2:1: the section \"Matrix\" is not read",
		"*Vertices 1\n*Edges\n*Vertices 1\n":    "a second network",
		"*Vertices 1\n1 \"\"\n*Edges\n":         "column 2 is empty",
		"*Vertices 1\n1 \"a\xff\"\n*Edges\n1 1": "not valid UTF-8",
	} {
		_, err := graphfile.Read(t.Context(), strings.NewReader(text), format.Options{Layout: format.LayoutPajek, EdgeListOptions: format.EdgeListOptions{Name: "g"}}, format.Handler{})
		var line *format.LineError
		if !errors.As(err, &line) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestWritePajek_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := samples().Draw(r, "graph")
		s.timed = false
		s.columns, s.edgeColumns = nil, nil
		for i := range s.values {
			s.values[i] = nil
		}
		var text bytes.Buffer
		err := graphtext.WritePajek(context.Background(), &text, s.graph())
		var key *format.KeyError
		if errors.As(err, &key) && strings.ContainsAny(key.Key, "\"\\\r\n") {
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		written := text.String()
		got, _, err := transcript(t, &text, format.Options{Layout: format.LayoutPajek})
		if want := s.text(true, true); err != nil || got != want {
			r.Fatalf("error %v, read\n%swant\n%sfrom\n%s", err, got, want, written)
		}
	})
}

func FuzzReadPajek(f *testing.F) {
	for _, text := range []string{"*Vertices 3\n1 \"a\" 0.1 0.2\n3 c\n*Arcs\n1 2 3\n*Edgeslist\n1 2 3\n", "*vertices 1 1\n*edges\n1 1\n", "%\n*network x\n*Vertices 2\n1 1\n"} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) { fuzzLayout(t, format.LayoutPajek, text, skip) })
}
