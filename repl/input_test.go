package repl

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/parser"
)

func TestWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "  ": true, "CHECK;": true, "CHECK": false, "CHECK; SHOW": false, "CHECK -- a;": false, "CHECK; -- a": true,
		"-- a": true, "/* a": false, "/* a */": true, "'a;": false, ".mode": true, ".mode\nCHECK": false, ".mode\nCHECK;": true,
		"CHECK;\n.mode csv": true, "CHECK\n.mode csv": false, "quit": true, " Exit ": true, "help": true, "help me": false, `\q`: true, ";": true,
	} {
		if whole(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestHint(t *testing.T) {
	for text, want := range map[string]string{
		"SHOW GRAPS": "", "SHOW GRAPS ": "did you mean GRAPHS?", "SHOW GRAPHS; DORP ": "did you mean DROP?", "IMPORT 'a": "",
		"IMPORT 'a\n": "a quote is open", ".mdoe ": "", "NEAREST 1 TO 'a\u202e": `the text has characters that cannot be seen: \u202e`,
		strings.Repeat("x", 1<<20) + " ": "",
	} {
		if got := hint(text); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
}

// sgr are the colours of input.
var sgr = regexp.MustCompile("\x1b\\[[0-9;]+m")

// FuzzInput passes any text to every function that handles typed text. Only
// visible characters and colours may be drawn, and every candidate must be safe
// to type.
func FuzzInput(f *testing.F) {
	for _, text := range []string{
		"NEAREST 3 TO 'al", "EMBED g USING dp_spectral(dim", ".mode c", ":param set x '", "$", "'\x1b[31m", "\x00\u202e\"x", "/* --\n;",
		"DESCRIBE VERTEX '", "IMPORT './", "HELP ne", "\xff\xfe", "SHOW VERTICES IN g WHERE ",
	} {
		f.Add(text)
	}
	db := completionStore(f)
	c := &completer{wait: time.Hour, db: db, params: func() map[string]any { return map[string]any{"p": 1} }}
	f.Fuzz(func(t *testing.T, text string) {
		for _, color := range []bool{false, true} {
			shown := sgr.ReplaceAllString(shownInput(cleanInput(text), color), "")
			if shown != visible(cleanInput(text)) {
				t.Fatalf("%q is drawn as %q", text, shown)
			}
			if left := strings.NewReplacer("\n", "", "\t", "").Replace(shown); parser.Escape(left) != left {
				t.Fatalf("%q is drawn as %q", text, shown)
			}
		}
		if h := hint(text); parser.Escape(h) != h {
			t.Fatalf("hint %q", h)
		}
		whole(text)
		clean := cleanInput(text)
		if cleanInput(clean) != clean {
			t.Fatalf("%q is cleaned twice", text)
		}
		start, list, _ := c.at(clean)
		if start < 0 || start > len(clean) {
			t.Fatalf("%q: a word at %d", clean, start)
		}
		for _, x := range list {
			if parser.Escape(x.text+x.tail+x.detail) != x.text+x.tail+x.detail {
				t.Fatalf("%q: candidate %q", clean, x)
			}
		}
	})
}

// completionStore has graphs, keys and attributes to complete.
func completionStore(t testing.TB) *query.DB {
	t.Helper()
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for _, edges := range []struct{ graph, text string }{
		{"social", "alice alan\nalan bob\nbob o'neill\nbob b\u202ead\n"}, {"my graph", "x y\n"}, {"limit", "alma b\n"},
	} {
		req := graphs.ImportRequest{Graph: edges.graph}
		if _, err := db.Graphs().ImportReader(t.Context(), strings.NewReader(edges.text), req); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{"EMBED social USING laplacian_eigenmaps(dim := 2) AS spec", `UPDATE VERTEX 'alice' SET "it's" := 3, area := 'x' IN social`} {
		if _, err := db.Query(t.Context(), text, nil); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestCompleter_At completes the words at the ends of texts.
func TestCompleter_At(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"edges.csv", "it's", "\x1b[2J", "pairs.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Skipf("a file cannot have that name here: %v", err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "pairs"), 0o700); err != nil {
		t.Fatal(err)
	}
	store := completionStore(t)
	c := &completer{wait: time.Hour, params: func() map[string]any { return map[string]any{"who": 1, "what": 2} }, plots: []string{"graph", "links"}}
	for text, want := range map[string]string{
		"sho":                               "[SHOW]",
		"DROP GRAPH ":                       `["limit" "my graph" social]`,
		`DROP GRAPH "m`:                     `["my graph"]`,
		"DESCRIBE EMBEDDING s":              "[spec]",
		"NEAREST 1 TO 'al' USING ":          "[cosine dot l2 spec]",
		"NEAREST 1 TO 'al":                  "['alan' 'alice' 'alma']",
		"EVALUATE LABELS 'i":                "['it''s']",
		"EVALUATE LABELS ":                  "['it''s' 'area']",
		"SCORE ('o":                         "['o''neill']",
		"SCORE ('o''":                       "['o''neill']",
		"NEAREST 1 TO 'b":                   "['b' 'bob']", // without the keys that cannot be typed
		"EMBED social USING dp_s":           "[dp_spectral]",
		"EXPORT WALKS OF social USING ":     "[dp_walker deepwalk node2vec]",
		"EMBED social USING dp_spectral(no": "[normalization]",
		"EMBED social USING dp_spectral(normalization := ":    "['auto' 'strength' 'degree']",
		"MATERIALIZE PREDICTIONS FROM katz IN social WITH (t": "[top]",
		"GENERATE pref":         "[preferential_attachment]",
		"NEAREST $wh":           "[$what $who]",
		"HELP wit":              "[WITHIN]",
		"SHOW GRAPHS; .mo":      "[]",
		".mo":                   "[.mode]",
		"  :MO":                 "[:mode]",
		".mode t":               "[table tsv]",
		".timer ":               "[on off]",
		".plot \"my":            `["my graph"]`,
		".plot link":            "[links]",
		".param unset w":        "[what who]",
		".param set x ":         "[]",
		"IMPORT '" + dir + "/p": "['" + dir + "/pairs/ '" + dir + "/pairs.csv']",
		"IMPORT '" + dir + "/":  "['" + dir + "/edges.csv' '" + dir + "/pairs/ '" + dir + "/pairs.csv']",
		".read " + dir + "/e":   "[" + dir + "/edges.csv]",
		"IMPORT '/nonexistent/": "[]",
		"SHOW GRAPHS ":          "[COLUMNS WHERE ORDER LIMIT OFFSET INTO]",
		"-- SHO":                "[]",
	} {
		for _, c.db = range []Database{store, statementsOnly{store}} {
			_, list, _ := c.at(text)
			texts := []string{}
			for _, x := range list {
				texts = append(texts, x.text)
			}
			if got := fmt.Sprint(texts); got != want {
				t.Errorf("%s, with %T: got %s, want %s", text, c.db, got, want)
			}
		}
	}
}

// statementsOnly is a database that answers statements and nothing else, as that of a server does.
type statementsOnly struct{ Database }

// TestCompleter_More says that there are more keys than it lists.
func TestCompleter_More(t *testing.T) {
	db := completionStore(t)
	statement := fmt.Sprintf("GENERATE preferential_attachment(n := %d, m := 1) INTO social", mostCandidates+1)
	if _, err := db.Query(t.Context(), "DROP GRAPH social CASCADE", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), statement, nil); err != nil {
		t.Fatal(err)
	}
	c := &completer{wait: time.Hour, db: db, params: func() map[string]any { return nil }}
	for text, want := range map[string]bool{"DESCRIBE VERTEX '": true, "DESCRIBE VERTEX '1": false} {
		for _, c.db = range []Database{db, statementsOnly{db}} {
			if _, list, more := c.at(text); more != want || len(list) > mostCandidates || len(list) < 10 {
				t.Errorf("%s, with %T: %d candidates, more: %v", text, c.db, len(list), more)
			}
		}
	}
}

func TestQuoteName(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "graph": "graph", "limit": `"limit"`, "my graph": `"my graph"`, `a"b`: `"a""b"`, "größe": `"größe"`, "": `""`} {
		if got := quoteName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
