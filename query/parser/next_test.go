package parser

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestNext_Cases writes the place of completion as |. What is expected are the
// keywords, then the classes in parentheses, then what was named.
func TestNext_Cases(t *testing.T) {
	tests := []struct{ text, want string }{
		{"NEAREST 10 |", "TO FOR"},
		{"NEAREST 10 T|", "TO FOR"},
		{"NEAREST 10 FOR |", "ALL FILE"},
		{"NEAREST 10 FOR FILE '|", "(file)"},
		{"NEAREST 10 FOR ALL USING cosine(spec) |", "FRESH EXACT WITH COLUMNS WHERE ORDER LIMIT OFFSET INTO spec"},
		{"NEAREST 10 TO |", "(vertex value)"},
		{"NEAREST 10 TO 'al|", "(vertex value)"},
		{"NEAREST 10 TO 'alice'|", "USING"},
		{"NEAREST 10 TO 'alice' USING |", "(metric embedding)"},
		{"NEAREST 10 TO 'alice' USING cosine(|", "(embedding)"},
		{"NEAREST 10 TO 'alice' USING cosine(\"my e|", "(embedding)"},
		{"NEAREST 10 TO 'alice' USING cosine(spec) |", "FRESH EXACT WITH COLUMNS WHERE ORDER LIMIT OFFSET INTO spec"},
		{"NEAREST 10 TO 'alice' USING spec WHERE |", "NOT TRUE FALSE (attribute value) spec"},
		{"NEAREST 10 TO 'alice' USING spec WHERE age |", "NOT IN LIKE IS AND OR ORDER LIMIT OFFSET INTO spec"},
		{"SHOW VERTICES WHERE age IS |", "NOT MISSING"},
		{"SHOW VERTICES WHERE links_to |", "NOT IN LIKE IS AND OR ORDER LIMIT OFFSET INTO (vertex)"},
		{"SHOW VERTICES IN |", "(graph)"},
		{"SHOW VERTICES IN g |", "COLUMNS WHERE ORDER LIMIT OFFSET INTO g"},
		{"SHOW VERTICES IN g WHERE city NOT |", "IN LIKE g"},
		{"ALTER EMBEDDING e |", "AUTO RENAME e"},
		{"ALTER ATTRIBUTE a IN g RENAME TO |", "(name) g"},
		{"SHOW EDGES IN g |", "COLUMNS WHERE ORDER LIMIT OFFSET INTO g"},
		{"SHOW EDGES IN g WHERE |", "NOT BOTH EITHER TRUE FALSE (attribute value) g"},
		{"SHOW EDGES IN g WHERE NOT BOTH (|", "NOT TRUE FALSE (attribute value) g"},
		{"SHOW EDGES IN g WHERE BOTH (age > 3) |", "AND OR ORDER LIMIT OFFSET INTO g"},
		{"COUNT |", "VERTICES EDGES"},
		{"COUNT EDGES IN g WHERE |", "NOT BOTH EITHER TRUE FALSE (attribute value) g"},
		{"COUNT VERTICES IN g |", "WHERE BY WITH COLUMNS ORDER LIMIT OFFSET INTO g"},
		{"COUNT VERTICES IN g BY city WITH |", "(function) g"},
		{"COUNT VERTICES IN g WITH mean(|", "(attribute) g"},
		{"COUNT VERTICES IN g BY |", "(attribute) g"},
		{"SHOW |", "GRAPHS EMBEDDINGS INDEXES MODELS PREDICTIONS METHODS MEASURES SCORERS GENERATORS STATS JOBS GENERATIONS VECTOR VERTICES EDGES NEIGHBORS ATTRIBUTES"},
		{"CREATE GRAPH |", "(name)"},
		{"EMBED social USING |", "(method) social"},
		{"EMBED social USING dp_spectral(|", "(option) social dp_spectral"},
		{"EMBED social USING dp_spectral(dim := |", "TRUE FALSE (value) social dp_spectral dim"},
		{"EMBED social USING dp_spectral(dim := 20|", "TRUE FALSE (value) social dp_spectral dim"},
		{"EMBED social USING dp_spectral(dim := 20, b|", "(option) social dp_spectral"},
		{"EMBED social USING dp_spectral(dim := 20) |", "AS social"},
		{"EMBED social USING dp_spectral(dim := 20) AS s|", "(name) social"},
		{"CREATE INDEX |", "ON"},
		{"CREATE INDEX ON |", "(embedding)"},
		{"CREATE INDEX ON spec WITH (|", "(option) spec CREATE INDEX"},
		{"DROP INDEX ON spec |", "spec"},
		{"PREDICT 20 LINKS |", "FOR IN WITH"},
		{"PREDICT 20 LINKS FOR 'a' IN social WITH |", "(scorer) social"},
		{"PREDICT 20 LINKS WITH cosine(|", "(embedding)"},
		{"REFRESH |", "MEASURE PREDICTIONS ALL (embedding)"},
		{"REFRESH PREDICTIONS |", "FROM WITH IN COLUMNS WHERE ORDER LIMIT OFFSET INTO PREDICTIONS"},
		{"REFRESH PREDICTIONS FROM |", "(scorer)"},
		{"REFRESH MEASURE |", "WITH IN COLUMNS WHERE ORDER LIMIT OFFSET INTO (attribute) MEASURE"},
		{"REFRESH MEASURE rank IN |", "(graph)"},
		{"REFRESH ALL IN |", "BACKGROUND (graph)"},
		{"TUNE social |", "USING FOR social"},
		{"TUNE social USING dp_spectral, |", "(method) social"},
		{"TUNE social FOR |", "RECONSTRUCTION LINKS LABELS social"},
		{"TUNE social FOR LINKS AS best WITH (|", "(option) social TUNE"},
		{"TRAIN MODEL |", "(name)"},
		{"TRAIN MODEL m IN |", "(graph)"},
		{"TRAIN MODEL m IN g |", "USING WITH IN COLUMNS WHERE ORDER LIMIT OFFSET INTO g"},
		{"TRAIN MODEL m IN g USING |", "(terms embedding) g"},
		{"TRAIN MODEL m IN g USING e, |", "(terms embedding) g"},
		{"TRAIN MODEL m IN g USING e, heuristics(|", "(heuristic) g e"},
		{"TRAIN MODEL m IN g USING heuristics(jaccard), |", "(embedding) g"},
		{"TRAIN MODEL m IN g WITH (|", "(option) g TRAIN MODEL"},
		{"DROP MODEL |", "(model)"},
		{"MATERIALIZE PREDICTIONS FROM katz IN g WITH (|", "(option) g MATERIALIZE PREDICTIONS"},
		{"EXPLAIN SCORE ('a', 'b') |", "IN WITH COLUMNS WHERE ORDER LIMIT OFFSET INTO"},
		{"EXPLAIN SCORE ('a', 'b'), ('a', 'c') |", "IN WITH"},
		{"SCORE ('a', 'b') WITH model(|", "(model)"},
		{"EXPORT WALKS OF g USING |", "(walks) g"},
		{"EXPORT WALKS OF g USING dp_walker(|", "(option) g dp_walker"},
		{"EXPORT GRAPH g INTO FILE 'x' WITH (|", "(option) g EXPORT GRAPH"},
		{"EXPORT GRAPH g INTO FILE 'x' WITH (format := '|", "TRUE FALSE (value) g EXPORT GRAPH format"},
		{"EXPORT GRAPH g INTO FILE 'x' WITH (format := 'csv') |", "g"},
		{"IMPORT 'x|", "VERTICES EMBEDDING (file)"},
		{"UPDATE VERTEX 'a' SET |", "(attribute)"},
		{"UPDATE VERTICES IN g SET a|", "(attribute) g"},
		{"UPDATE VERTICES IN g SET age := |", "TRUE FALSE MISSING (value) g age"},
		{"INSERT EDGE ('a', 'b', |", "WEIGHT TIME (attribute)"},
		{"INSERT EDGE ('a', 'b', weight := 2, |", "TIME (attribute)"},
		{"SCORE ('a', '|", "(vertex)"},
		{"SCORE ('a', 'b') WITH |", "(scorer)"},
		{"HELP ex|", "(topic)"},
		{"CHECK; SHOW GRAPHS; DESCRIBE |", "GRAPH VERTEX MODEL EMBEDDING"},
		{"SHOW VERTICES IN g; NEAREST |", "(value)"},
		{"-- first\nEXPLAIN DROP /* what? */ |", "GRAPH ATTRIBUTE EDGE INDEX JOB MODEL PREDICTIONS EMBEDDING"},
		{"CHECK |", "COLUMNS WHERE ORDER LIMIT OFFSET INTO"},
		{"COUNT VERTICES IN g BY city |", "WITH COLUMNS WHERE ORDER LIMIT OFFSET INTO g"},
		{"COMPACT |", ""},
		{"SHOW NONSENSE and |", ""},
		{"DROP -- GR|", ""},
		{"DROP /* GR|", ""},
		{"DROP GRÄ|", ""},
	}
	for _, tt := range tests {
		c := Next(strings.TrimSuffix(tt.text, "|"))
		var words []string
		words = append(words, c.Keywords...)
		if len(c.Classes) > 0 {
			var list []string
			for _, class := range c.Classes {
				list = append(list, string(class))
			}
			words = append(words, "("+strings.Join(list, " ")+")")
		}
		for _, named := range []string{c.Graph, c.Embedding, c.Call, c.Option} {
			if named != "" {
				words = append(words, named)
			}
		}
		if got := strings.Join(words, " "); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
	first := Next("").Keywords
	words := map[string]bool{"EXPLAIN": true, "PROFILE": true}
	for _, r := range statements {
		words[r.words[0][0]] = true
	}
	if len(first) != len(words) || !slices.Equal(first, Next("CHECK; ").Keywords) {
		t.Errorf("got %q at the beginning, want every statement", first)
	}
}

// TestNext_OwnerOfOptions holds the owner of the options of every statement with
// WITH (…) against the heading of the statement, by which a shell finds its help.
func TestNext_OwnerOfOptions(t *testing.T) {
	owners := map[string]bool{}
	for _, r := range grammar(t) {
		statements, err := ParseScript(r.example)
		if err != nil {
			t.Fatalf("%s: %v", r.example, err)
		}
		for _, st := range statements {
			text := Text(st)
			before, _, _ := strings.Cut(text, " WITH (")
			text = before + " WITH ("
			if owner := Next(text).Call; owner != "" {
				want := strings.TrimPrefix(Heading(st), "ESTIMATE ") // options of what is estimated
				if tail, is := st.(*Tail); is && tail.File != nil {
					want = "INTO FILE"
				}
				if owner != want {
					t.Errorf("%s: the options are those of %q, want %q", text, owner, want)
				}
				owners[owner] = true
			}
		}
	}
	if len(owners) < 15 {
		t.Errorf("found options only of %d statements: %v", len(owners), owners)
	}
}

func TestNext_Start(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, " SHO": 1, "SHOW": 0, "SHOW ": 5, "DROP GRAPH \"my": 11, "IMPORT 'a b": 7, "IMPORT 'a'": 10,
		"NEAREST 12": 8, "NEAREST $k": 8, "SCORE (": 7, "CHECK;": 6, "CHECK; -- x": 11, "SHOW /* x */": 12,
	} {
		if got := Next(text).Start; got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}

// FuzzNext holds Next against the parser. Whatever the text, the parser takes
// every keyword that Next offers there. And where a text is right, Next offers,
// before each of its words, the word itself or a class that it may be of.
func FuzzNext(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			return
		}
		checkNext(t, text)
		if _, err := ParseScript(text); err != nil {
			return
		}
		for _, token := range Tokens(text) {
			c := checkNext(t, text[:token.Start.Offset]+" ")
			switch token.Kind {
			case KindWord:
				if !slices.Contains(c.Keywords, strings.ToUpper(token.Text)) && len(c.Classes) == 0 {
					t.Fatalf("%q: %q is not offered, only %q", text, token.Text, c.Keywords)
				}
			case KindQuoted, KindString, KindNumber:
				if len(c.Classes) == 0 && !strings.HasSuffix(strings.TrimRight(text[:token.Start.Offset], blanks), "-") {
					t.Fatalf("%q: no class is offered for %q", text, token.Text)
				}
			}
		}
	})
}

func checkNext(t *testing.T, text string) Completion {
	t.Helper()
	c := Next(text)
	if c.Start < 0 || c.Start > len(text) {
		t.Fatalf("%q: starts at %d", text, c.Start)
	}
	for _, word := range c.Keywords {
		tried := text[:c.Start] + " " + word
		_, err := ParseScript(tried)
		var perr *Error
		if errors.As(err, &perr) && perr.Start.Offset < len(tried) {
			t.Fatalf("%q: %s is offered, but %v", text, word, err)
		}
	}
	return c
}
