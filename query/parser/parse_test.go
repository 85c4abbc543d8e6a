package parser

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestParse_Tree compares trees with hand-written ones, without positions.
func TestParse_Tree(t *testing.T) {
	id := func(name string) Ident { return Ident{Name: name} }
	idp := func(name string) *Ident { n := id(name); return &n }
	num := func(n int64) Int { return Int{Value: n} }
	str := func(s string) String { return String{Value: s} }
	tests := []struct {
		text string
		want Statement
	}{
		{"create Graph g", &CreateGraph{Graph: id("g")}},
		{`CREATE GRAPH "where ""it"" is"`, &CreateGraph{Graph: id(`where "it" is`)}},
		{"DROP GRAPH Model", &DropGraph{Graph: id("Model")}},
		{"DROP GRAPH g CASCADE;", &DropGraph{Graph: id("g"), Cascade: true}},
		{"DROP EMBEDDING e", &DropEmbedding{Embedding: id("e")}},
		{"create index on e", &CreateIndex{Embedding: id("e")}},
		{"create index on e with (m := 8) in background", &CreateIndex{Embedding: id("e"), Options: []Option{{Name: id("m"), Value: num(8)}}, Background: true}},
		{"ALTER EMBEDDING e AUTO REFRESH AFTER 8 CHANGES", &AutoRefresh{Embedding: id("e"), Changes: num(8)}},
		{"ALTER GRAPH g RENAME TO h", &Rename{What: RenamedGraph, Name: id("g"), To: id("h")}},
		{"alter attribute rename in rename rename to rename", &Rename{What: RenamedAttribute, Name: id("rename"), Graph: &Ident{Name: "rename"}, To: id("rename")}},
		{"alter embedding off auto refresh off", &AutoRefresh{Embedding: id("off")}},
		{"ALTER EMBEDDING e AUTO REFRESH EVERY '1h'", &AutoRefresh{Embedding: id("e"), Every: String{Value: "1h"}}},
		{"REFRESH e IN BACKGROUND", &Refresh{Embedding: id("e"), Background: true}},
		{"REFRESH MEASURE a IN g IN BACKGROUND", &RefreshMeasure{Attribute: id("a"), Graph: id("g"), Background: true}},
		{"REFRESH PREDICTIONS FROM model(m) IN g IN BACKGROUND", &RefreshPredictions{Scorer: Scorer{Name: id("model"), Of: idp("m")}, Graph: id("g"), Background: true}},
		{"REFRESH predictions", &Refresh{Embedding: id("predictions")}},
		{"REFRESH measure IN BACKGROUND", &Refresh{Embedding: id("measure"), Background: true}},
		{"REFRESH all", &Refresh{Embedding: id("all")}},
		{"REFRESH all IN BACKGROUND", &Refresh{Embedding: id("all"), Background: true}},
		{`REFRESH ALL IN "background"`, &RefreshAll{Graph: id("background")}},
		{"VERIFY e WITH (sample := 8) IN BACKGROUND", &Verify{Embedding: id("e"), Options: []Option{{Name: id("sample"), Value: num(8)}}, Background: true}},
		{"CREATE INDEX ON on WITH (m := 8)", &CreateIndex{Embedding: id("on"), Options: []Option{{Name: id("m"), Value: num(8)}}}},
		{"DROP INDEX ON e", &DropIndex{Embedding: id("e")}},
		{"SHOW INDEXES", &Show{What: Indexes}},
		{"IMPORT '-' INTO g", &Import{File: str("-"), Graph: id("g")}},
		{"IMPORT $f INTO g WITH (header := 'auto', max := 3)", &Import{
			File: Param{Name: "f"}, Graph: id("g"),
			Options: []Option{{Name: id("header"), Value: str("auto")}, {Name: id("max"), Value: num(3)}},
		}},
		{"EXPORT GRAPH g INTO FILE 'f''s'", &ExportGraph{Graph: id("g"), File: str("f's")}},
		{"EXPORT EMBEDDING e INTO FILE 'f' WITH (overwrite := true)", &ExportEmbedding{
			Embedding: id("e"), File: str("f"), Options: []Option{{Name: id("overwrite"), Value: Bool{Value: true}}},
		}},
		{"GENERATE ring() INTO g", &Generate{Generator: Call{Name: id("ring")}, Graph: id("g")}},
		{"DESCRIBE GRAPH g", &DescribeGraph{Graph: id("g")}},
		{"DESCRIBE EMBEDDING e", &DescribeEmbedding{Embedding: id("e")}},
		{"SHOW graphs", &Show{What: Graphs}},
		{"SHOW GENERATORS", &Show{What: Generators}},
		{"DROP ATTRIBUTE \"degree of\" FROM g", &DropAttribute{Attribute: id("degree of"), Graph: id("g")}},
		{"INSERT VERTEX 'a' (age := 41, city := $c), 107 INTO g", &InsertVertices{
			Vertices: []NewVertex{
				{Key: str("a"), Values: []Option{{Name: id("age"), Value: num(41)}, {Name: id("city"), Value: Param{Name: "c"}}}},
				{Key: num(107)},
			},
			Graph: id("g"),
		}},
		{"INSERT VERTICES 'a' (x := missing) INTO g", &InsertVertices{
			Vertices: []NewVertex{{Key: str("a"), Values: []Option{{Name: id("x"), Value: Missing{}}}}}, Graph: id("g"),
		}},
		{"INSERT EDGES ('a', 2), ('b', $v, time := '2024-01-01', Weight := 2.5) INTO g", &InsertEdges{
			Edges: []NewEdge{
				{U: str("a"), V: num(2)},
				{U: str("b"), V: Param{Name: "v"}, Values: EdgeValues{Weight: Float{Value: 2.5}, Time: str("2024-01-01")}},
			},
			Graph: id("g"),
		}},
		{"UPDATE VERTEX 'a', 2 SET age := 1, city := MISSING IN g", &UpdateVertices{
			Keys:   []Value{str("a"), num(2)},
			Values: []Option{{Name: id("age"), Value: num(1)}, {Name: id("city"), Value: Missing{}}}, Graph: id("g"),
		}},
		{"UPDATE VERTICES IN g SET x := TRUE WHERE x IS MISSING", &UpdateVertices{
			Values: []Option{{Name: id("x"), Value: Bool{Value: true}}}, Graph: id("g"), Where: IsMissing{Operand: id("x")},
		}},
		{"UPDATE EDGE ('a', 'b'), (1, 2) SET weight := 3, time := MISSING IN g", &UpdateEdges{
			Pairs:  []Pair{{U: str("a"), V: str("b")}, {U: num(1), V: num(2)}},
			Values: EdgeValues{Weight: num(3), Time: Missing{}}, Graph: id("g"),
		}},
		{"DELETE VERTEX 'a', $v FROM g", &DeleteVertices{Keys: []Value{str("a"), Param{Name: "v"}}, Graph: id("g")}},
		{"DELETE VERTICES FROM g WHERE degree = 0", &DeleteVertices{
			Graph: id("g"), Where: Compare{Left: id("degree"), Right: num(0)},
		}},
		{"DELETE EDGE ('a', 'b') FROM g", &DeleteEdges{Pairs: []Pair{{U: str("a"), V: str("b")}}, Graph: id("g")}},
		{"delete edge from g where both (x)", &DeleteEdges{Graph: id("g"), Where: Ends{Both: true, Term: Flag{Name: id("x")}}}},
		{"DELETE EDGES FILE 'f' FROM g WITH (header := 'none')", &DeleteEdgesFile{
			File: str("f"), Graph: id("g"), Options: []Option{{Name: id("header"), Value: str("none")}},
		}},
		{"IMPORT VERTICES 'p' INTO g WITH (key := 'id')", &ImportVertices{
			File: str("p"), Graph: id("g"), Options: []Option{{Name: id("key"), Value: str("id")}},
		}},
		{"EXPORT VERTICES OF g INTO FILE 'v'", &ExportVertices{Graph: id("g"), File: str("v")}},
		{"EXPORT WALKS OF g USING dp_walker(beta := 2) INTO FILE 'w' WITH (overwrite := TRUE)", &ExportWalks{
			Graph: id("g"), Method: Call{Name: id("dp_walker"), Options: []Option{{Name: id("beta"), Value: num(2)}}},
			File: str("w"), Options: []Option{{Name: id("overwrite"), Value: Bool{Value: true}}},
		}},
		{"EXPORT PAIRS OF g INTO FILE 'p'", &ExportPairs{Graph: id("g"), File: str("p")}},
		{"EXPORT PAIRS OF g USING m(x := 1), n INTO FILE 'p' WITH (seed := 2)", &ExportPairs{
			Graph: id("g"), Methods: []Call{{Name: id("m"), Options: []Option{{Name: id("x"), Value: num(1)}}}, {Name: id("n")}},
			File: str("p"), Options: []Option{{Name: id("seed"), Value: num(2)}},
		}},
		{"DESCRIBE GRAPH g WITH (bootstrap := 100)", &DescribeGraph{
			Graph: id("g"), Options: []Option{{Name: id("bootstrap"), Value: num(100)}},
		}},
		{"DESCRIBE VERTEX 'a' IN g", &DescribeVertex{Vertex: str("a"), Graph: idp("g")}},
		{"SHOW STATS", &Show{What: Stats}},
		{"SHOW VERTICES", &ShowVertices{}},
		{"SHOW EDGES", &ShowEdges{}},
		{"show edges in both where both or both (both) and not either (either > 1)", &Tail{Statement: &ShowEdges{Graph: &Ident{Name: "both"}}, Where: Or{Terms: []Expr{
			Flag{Name: Ident{Name: "both"}},
			And{Terms: []Expr{
				Ends{Both: true, Term: Flag{Name: Ident{Name: "both"}}},
				Not{Term: Ends{Term: Compare{Left: Ident{Name: "either"}, Op: Greater, Right: Int{Value: 1}}}},
			}},
		}}}},
		{"COUNT VERTICES", &CountVertices{}},
		{"COUNT EDGES IN g WHERE weight > 1 BY time WITH sum(weight)", &CountEdges{
			Graph: idp("g"), Where: Compare{Left: id("weight"), Op: Greater, Right: num(1)}, By: idp("time"), With: []Summary{{Function: id("sum"), Of: id("weight")}},
		}},
		{"COMPUTE core IN g", &Compute{Measure: Call{Name: id("core")}, Graph: id("g")}},
		{"COMPUTE pagerank(damping := 1) IN g FROM 'a', 7 AS rank WITH (overwrite := TRUE) IN BACKGROUND", &Compute{
			Measure: Call{Name: id("pagerank"), Options: []Option{{Name: id("damping"), Value: num(1)}}}, Graph: id("g"),
			From: []Value{str("a"), num(7)}, As: idp("rank"), Options: []Option{{Name: id("overwrite"), Value: Bool{Value: true}}}, Background: true,
		}},
		{"count vertices in by where by by by", &CountVertices{Graph: &Ident{Name: "by"}, Where: Flag{Name: Ident{Name: "by"}}, By: &Ident{Name: "by"}}},
		{"SHOW VERTICES WHERE links_to 'a' AND NOT linked_from $v OR linked -7 OR links_to = linked", &Tail{
			Statement: &ShowVertices{}, Where: Or{Terms: []Expr{
				And{Terms: []Expr{Linked{How: LinksTo, Vertex: str("a")}, Not{Term: Linked{How: LinkedFrom, Vertex: Param{Name: "v"}}}}},
				Linked{How: LinkedWith, Vertex: num(-7)},
				Compare{Left: id("links_to"), Op: Equal, Right: id("linked")},
			}},
		}},
		{"SHOW VERTICES IN g WHERE city NOT IN ('Bern', 3) LIMIT 5", &Tail{
			Statement: &ShowVertices{Graph: idp("g")}, Where: In{Operand: id("city"), Not: true, Values: []Value{str("Bern"), num(3)}}, Limit: num(5),
		}},
		{"SHOW NEIGHBORS OF 'a' IN g WHERE age IS NOT MISSING LIMIT $n", &Tail{
			Statement: &ShowNeighbors{Of: str("a"), Graph: idp("g")}, Where: IsMissing{Operand: id("age"), Not: true}, Limit: Param{Name: "n"},
		}},
		{"SHOW ATTRIBUTES IN g", &ShowAttributes{Graph: idp("g")}},
		{"COMPACT", &Compact{}},
		{"BACKUP INTO FILE 'b' WITH (overwrite := TRUE)", &Backup{
			File: str("b"), Options: []Option{{Name: id("overwrite"), Value: Bool{Value: true}}},
		}},
		{"RECOVER INTO FILE 'r'", &Recover{File: str("r")}},
		{"EMBED g USING dp_spectral(beta := 0.5) AS e", &Embed{
			Graph:     id("g"),
			Method:    Call{Name: id("dp_spectral"), Options: []Option{{Name: id("beta"), Value: Float{Value: 0.5}}}},
			Embedding: id("e"),
		}},
		{"NEAREST 10 TO 'alice' USING e", &Nearest{Count: num(10), To: str("alice"), Using: Space{Embedding: id("e")}}},
		{"NEAREST 10 TO ('alice', 1, $v) USING e", &Nearest{Count: num(10), Examples: []Value{str("alice"), num(1), Param{Name: "v"}}, Using: Space{Embedding: id("e")}}},
		{"NEAREST 10 TO 1 USING e EXACT", &Nearest{Count: num(10), To: num(1), Using: Space{Embedding: id("e")}, Exact: true}},
		{"NEAREST $k TO [1, -2.5, 1e-4] USING dot(e) WHERE linked", &Tail{
			Statement: &Nearest{Count: Param{Name: "k"}, To: Vector{Values: []float64{1, -2.5, 1e-4}}, Using: Space{Metric: idp("dot"), Embedding: id("e")}},
			Where:     Flag{Name: id("linked")},
		}},
		{"WITHIN EPSILON 0.45 OF 107 USING e LIMIT 5", &Tail{
			Statement: &Within{Threshold: Threshold{Kind: Epsilon, Value: Float{Value: 0.45}}, Of: num(107), Using: Space{Embedding: id("e")}}, Limit: num(5),
		}},
		{"RECONSTRUCT e AUTO", &Reconstruct{Embedding: id("e"), Threshold: Threshold{Kind: Auto}}},
		{"EVALUATE LINKS IN g USING m", &EvaluateLinks{Graph: id("g"), Methods: []Call{{Name: id("m")}}}},
		{"EVALUATE LINKS IN g USING m(x := 1), n WITH (y := 2)", &EvaluateLinks{
			Graph:   id("g"),
			Methods: []Call{{Name: id("m"), Options: []Option{{Name: id("x"), Value: Int{Value: 1}}}}, {Name: id("n")}},
			Options: []Option{{Name: id("y"), Value: Int{Value: 2}}},
		}},
		{"EVALUATE PARAMETERS IN g USING m(a := 1)", &EvaluateParameters{Graph: id("g"), Method: Call{Name: id("m"), Options: []Option{{Name: id("a"), Value: Int{Value: 1}}}}}},
		{"EVALUATE LABELS 'a' OF e", &EvaluateLabels{Attribute: String{Value: "a"}, Embedding: id("e")}},
		{"EVALUATE RECONSTRUCTION OF e", &EvaluateReconstruction{Embedding: id("e")}},
		{"PREDICT 3 LINKS WITH katz", &Predict{Count: Int{Value: 3}, Scorer: &Scorer{Name: id("katz")}}},
		{"predict $n links for 7 in g with cosine(e) with (near := 1) where linked", &Tail{
			Statement: &Predict{
				Count: Param{Name: "n"}, For: Int{Value: 7}, Graph: idp("g"), Scorer: &Scorer{Name: id("cosine"), Of: idp("e")},
				Options: []Option{{Name: id("near"), Value: Int{Value: 1}}},
			},
			Where: Flag{Name: id("linked")},
		}},
		{"TUNE g FOR LABELS AS e", &Tune{Graph: id("g"), For: ForLabels, Embedding: id("e")}},
		{"TUNE g FOR LINKS AS e IN BACKGROUND", &Tune{Graph: id("g"), For: ForLinks, Embedding: id("e"), Background: true}},
		{"tune g using m, n(x := 1) for links as e with (trials := 2)", &Tune{
			Graph: id("g"), Methods: []Call{{Name: id("m")}, {Name: id("n"), Options: []Option{{Name: id("x"), Value: num(1)}}}},
			For: ForLinks, Embedding: id("e"), Options: []Option{{Name: id("trials"), Value: num(2)}},
		}},
		{"RECONSTRUCT e RADIUS 1 INTO GRAPH h", &Reconstruct{
			Embedding: id("e"), Threshold: Threshold{Kind: Radius, Value: num(1)}, Graph: idp("h"),
		}},
		{"RECONSTRUCT e RADIUS $r INTO FILE 'f' WITH (sweep := FALSE)", &Reconstruct{
			Embedding: id("e"), Threshold: Threshold{Kind: Radius, Value: Param{Name: "r"}}, File: str("f"),
			Options: []Option{{Name: id("sweep"), Value: Bool{}}},
		}},
		{"SCORE ('a', 2), ($u, 'd') IN g WITH jaccard, cosine(e) WITH (x := -1)", &Score{
			Pairs: []Pair{{U: str("a"), V: num(2)}, {U: Param{Name: "u"}, V: str("d")}}, Graph: idp("g"),
			Scorers: []Scorer{{Name: id("jaccard")}, {Name: id("cosine"), Of: idp("e")}},
			Options: []Option{{Name: id("x"), Value: num(-1)}},
		}},
		{"SCORE FILE 'p' WITH jaccard INTO FILE 's' WITH (overwrite := true)", &ScoreFile{
			Pairs: str("p"), Scorers: []Scorer{{Name: id("jaccard")}}, File: str("s"),
			Options: []Option{{Name: id("overwrite"), Value: Bool{Value: true}}},
		}},
		{"HELP", &Help{}},
		{"HELP export Where", &Help{Topic: []string{"export", "Where"}}},
		{"HELP 'export, Where' 1 last", &Help{Topic: []string{"export", "Where", "last"}}},
		{`HELP "export"`, &Help{Topic: []string{"export"}}},
		{"CHECK", &Check{}},
		{"PROFILE CHECK", &Explain{Profile: true, Statement: &Check{}}},
		{"/* first */ EXPLAIN -- then\n CHECK", &Explain{Statement: &Check{}}},
		{"EXPLAIN SCORE ('a', 'b'), ('a', 'c') WITH jaccard INTO FILE 's'", &Explain{Statement: &Tail{
			Statement: &Score{
				Pairs:   []Pair{{U: str("a"), V: str("b")}, {U: str("a"), V: str("c")}},
				Scorers: []Scorer{{Name: id("jaccard")}},
			}, File: str("s"),
		}}},
	}
	for _, tt := range tests {
		got, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
		} else if got := withoutRanges(got); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s\n got %#v\nwant %#v", tt.text, got, tt.want)
		}
	}
}

// TestParse_Condition shows what binds to what, by the canonical text with all
// parentheses that the tree would have.
func TestParse_Condition(t *testing.T) {
	tests := []struct{ text, want string }{
		{"a", "a"},
		{"a OR b AND c", "(a OR (b AND c))"},
		{"a AND b OR c AND d", "((a AND b) OR (c AND d))"},
		{"(a OR b) AND c", "((a OR b) AND c)"},
		{"a AND (b AND c) AND d", "(a AND (b AND c) AND d)"},
		{"NOT a AND b", "((NOT a) AND b)"},
		{"NOT (a AND b)", "(NOT (a AND b))"},
		{"NOT NOT a", "(NOT (NOT a))"},
		{"NOT degree >= 3 OR linked = false", "((NOT (degree >= 3)) OR (linked = FALSE))"},
		{"((a))", "a"},
		{"3 <= degree and degree != $d", "((3 <= degree) AND (degree <> $d))"},
		{"-0.5 < x and 'it''s' = name", "((-0.5 < x) AND ('it''s' = name))"},
		{"x<-1", "(x < -1)"},
		{`"or" or a`, `("or" OR a)`},
		{"x in (1) or not y not in ('a', $b) and z is missing", "((x IN (1)) OR ((NOT (y NOT IN ('a', $b))) AND (z IS MISSING)))"},
		{"NOT x IS NOT MISSING", "(NOT (x IS NOT MISSING))"},
		{"3 IN (1, TRUE, -2.5)", "(3 IN (1, TRUE, -2.5))"},
	}
	for _, tt := range tests {
		st, err := Parse("NEAREST 1 TO 'a' USING e WHERE " + tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := fullText(st.(*Tail).Where); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func fullText(e Expr) string {
	join := func(terms []Expr, word string) string {
		parts := make([]string, len(terms))
		for i, term := range terms {
			parts[i] = fullText(term)
		}
		return "(" + strings.Join(parts, word) + ")"
	}
	switch e := e.(type) {
	case Or:
		return join(e.Terms, " OR ")
	case And:
		return join(e.Terms, " AND ")
	case Not:
		return "(NOT " + fullText(e.Term) + ")"
	case Compare, In, Like, IsMissing:
		return "(" + e.String() + ")"
	default:
		return e.String()
	}
}

// TestParse_Range holds the range of every node against the text it covers.
func TestParse_Range(t *testing.T) {
	text := "/* é */ PROFILE\n\tNEAREST $k TO 'änne' USING cosine(spec) WHERE (a OR linked 'b') AND NOT degree >= -3 ;  "
	st, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	walk(reflect.ValueOf(st), func(n Node) {
		r, canonical := n.Source(), ""
		switch n := n.(type) {
		case fmt.Stringer:
			canonical = n.String()
		case Statement:
			canonical = Text(n)
		}
		got[strings.TrimPrefix(reflect.Indirect(reflect.ValueOf(n)).Type().Name(), "parser.")+" "+canonical] = text[r.Start.Offset:r.End.Offset]
		for _, p := range []Pos{r.Start, r.End} {
			if want := advance(start, text[:p.Offset]); p != want {
				t.Errorf("%s: position %+v, want %+v", canonical, p, want)
			}
		}
	})
	body := "NEAREST $k TO 'änne' USING cosine(spec) WHERE (a OR linked 'b') AND NOT degree >= -3"
	want := map[string]string{
		"Explain PROFILE " + body: "PROFILE\n\t" + body,
		"Tail " + body:            body,
		"Nearest NEAREST $k TO 'änne' USING cosine(spec)": "NEAREST $k TO 'änne' USING cosine(spec)",
		"Param $k":           "$k",
		"String 'änne'":      "'änne'",
		"Space cosine(spec)": "cosine(spec)",
		"Ident cosine":       "cosine",
		"Ident spec":         "spec",
		"And (a OR linked 'b') AND NOT degree >= -3": "(a OR linked 'b') AND NOT degree >= -3",
		"Or a OR linked 'b'":                         "a OR linked 'b'",
		"Flag a":                                     "a",
		"Ident a":                                    "a",
		"Linked linked 'b'":                          "linked 'b'",
		"String 'b'":                                 "'b'",
		"Not NOT degree >= -3":                       "NOT degree >= -3",
		"Compare degree >= -3":                       "degree >= -3",
		"Ident degree":                               "degree",
		"Int -3":                                     "-3",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// walk calls f for every node below v, parents first.
func walk(v reflect.Value, f func(Node)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), f)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if _, isPart := v.Elem().Interface().(fmt.Stringer); !isPart {
			if n, isStatement := v.Interface().(Statement); isStatement {
				f(n)
				fields(v.Elem(), f)
				return
			}
		}
		walk(v.Elem(), f)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), f)
		}
	case reflect.Struct:
		if n, ok := v.Interface().(Node); ok {
			f(n)
		}
		fields(v, f)
	}
}

func fields(v reflect.Value, f func(Node)) {
	for i := range v.NumField() {
		if v.Type().Field(i).Type != reflect.TypeFor[Range]() {
			walk(v.Field(i), f)
		}
	}
}

// withoutRanges returns a copy of a tree with zero positions.
func withoutRanges(st Statement) Statement {
	if st == nil {
		return nil
	}
	return bare(reflect.ValueOf(st)).Interface().(Statement)
}

func bare(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(bare(v.Elem()))
		return out
	case reflect.Pointer:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(bare(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(bare(v.Index(i)))
		}
		return out
	case reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			if v.Type().Field(i).Type != reflect.TypeFor[Range]() {
				out.Field(i).Set(bare(v.Field(i)))
			}
		}
		return out
	default:
		return v
	}
}

// production is a rule of the grammar in doc.go with its example.
type production struct{ name, rule, example string }

func grammar(t testing.TB) []production {
	t.Helper()
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(doc), "# Grammar")
	first := regexp.MustCompile(`^//\t(\w+) +=(.*)$`)
	var rules []production
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rule, example, _ := strings.Cut(line, "e.g. ")
		if m := first.FindStringSubmatch(rule); m != nil {
			rules = append(rules, production{name: m[1], rule: m[2]})
		} else if strings.HasPrefix(rule, "//\t") && len(rules) > 0 {
			rules[len(rules)-1].rule += strings.TrimPrefix(rule, "//\t")
		}
		if example != "" {
			rules[len(rules)-1].example = example
		}
	}
	return rules
}

// TestGrammar_Examples parses the example of every production in doc.go, and
// checks that the grammar uses nothing that it does not define.
func TestGrammar_Examples(t *testing.T) {
	rules := grammar(t)
	if len(rules) < 30 {
		t.Fatalf("found %d productions in doc.go, expected more than 30", len(rules))
	}
	defined := map[string]bool{"name": true, "word": true, "string": true, "number": true, "integer": true} // lexical
	for _, r := range rules {
		defined[r.name] = true
	}
	quoted := regexp.MustCompile(`"[^"]*"`)
	keyword := regexp.MustCompile(`^"[A-Z]+"$`)
	mentioned := map[string]bool{}
	for _, r := range rules {
		if r.example == "" {
			t.Errorf("production %s has no example", r.name)
		} else if _, err := ParseScript(r.example); err != nil {
			t.Errorf("production %s: %s: %v", r.name, r.example, err)
		}
		for _, word := range quoted.FindAllString(r.rule, -1) {
			if word = strings.Trim(word, `"`); keyword.MatchString(`"` + word + `"`) {
				mentioned[word] = true
			}
		}
		for _, word := range regexp.MustCompile(`\w+`).FindAllString(quoted.ReplaceAllString(r.rule, ""), -1) {
			if !defined[word] {
				t.Errorf("production %s uses %q, which is not defined", r.name, word)
			}
		}
	}
	for word := range mentioned {
		if !IsKeyword(word) {
			t.Errorf("the grammar has %s, which is not among the keywords", word)
		}
	}
	later := map[string]bool{"FOR": true, "NULL": true}
	for _, word := range Keywords() {
		if !mentioned[word] && !later[word] {
			t.Errorf("keyword %s is not in the grammar", word)
		}
	}
}

func TestParse_OneStatement(t *testing.T) {
	for _, text := range []string{"", " ; ", "-- nothing", "CHECK; CHECK", "CHECK CHECK"} {
		if st, err := Parse(text); !errors.Is(err, ErrSyntax) {
			t.Errorf("%q: got %v, %v, want a syntax error", text, st, err)
		}
	}
	if _, err := Parse(";; CHECK ;; -- done"); err != nil {
		t.Error(err)
	}
}

func TestParseScript(t *testing.T) {
	got, err := ParseScript("CHECK;; SHOW GRAPHS ;\n-- the end\nSHOW EMBEDDINGS")
	if err != nil || len(got) != 3 || Text(got[2]) != "SHOW EMBEDDINGS" || got[2].Source().Start.Line != 3 {
		t.Errorf("got %v, %v", got, err)
	}
	got, err = ParseScript("CHECK; SHOW; CHECK")
	var perr *Error
	if !errors.As(err, &perr) || len(got) != 1 || perr.Start.Column != 12 {
		t.Errorf("got %v, %v, want one statement and an error at column 12", got, err)
	}
	if got, err := ParseScript(" \n"); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v for a blank script", got, err)
	}
	if got, err := ParseScript("CHECK\nCHECK"); err == nil || len(got) != 0 {
		t.Errorf("got %v, %v without a semicolon between two statements", got, err)
	}
}

func TestParse_Numbers(t *testing.T) {
	good := map[string]Value{
		"0": Int{}, "-0": Int{}, "12": Int{Value: 12}, "-3": Int{Value: -3}, "- 3": Int{Value: -3},
		"9223372036854775807":  Int{Value: 1<<63 - 1},
		"-9223372036854775808": Int{Value: -1 << 63},
		"0.5":                  Float{Value: 0.5}, "1e-4": Float{Value: 1e-4}, "1E+2": Float{Value: 100},
		"1e-999": Float{}, "0.1e1": Float{Value: 1},
	}
	for text, want := range good {
		st, err := Parse("RECONSTRUCT e RADIUS " + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := withoutRanges(st).(*Reconstruct).Threshold.Value; got != want {
			t.Errorf("%s: got %#v, want %#v", text, got, want)
		}
	}
	for _, text := range []string{
		"9223372036854775808", "-9223372036854775809", "1e999", "-1e999", "nan", "Inf", "-Inf", "0x10", "1_000",
		".5", "5.", "1.2.3", "1e", "1e+", "007", "00.5", "+5", "--5", "１", "12a", "1.e5",
	} {
		if st, err := Parse("RECONSTRUCT e RADIUS " + text); err == nil {
			t.Errorf("%s: got %v, want an error", text, st)
		}
	}
}

func TestParse_Limits(t *testing.T) {
	where := "NEAREST 1 TO 'a' USING e WHERE "
	nested := func(open, end string, n int) string {
		return where + strings.Repeat(open, n) + "linked" + strings.Repeat(end, n)
	}
	pairs := func(n int) string { return "SCORE " + strings.Repeat("(1,2),", n-1) + "(1,2) WITH jaccard" }
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"depth of parentheses", nested("(", ")", MaxDepth), true},
		{"too many parentheses", nested("(", ")", MaxDepth+1), false},
		{"a million parentheses", nested("(", ")", 1_000_000), false},
		{"depth of NOT", nested("NOT ", "", MaxDepth), true},
		{"too many NOT", nested("NOT ", "", 100_000), false},
		{"a chain is not nested", where + strings.Repeat("linked AND ", 10_000) + "linked", true},
		{"tokens", pairs(MaxTokens/6 - 1), true},
		{"too many tokens", pairs(MaxTokens/6 + 1), false},
		{"text", "CHECK" + strings.Repeat(" ", MaxText-6) + ";", true},
		{"too much text", "CHECK" + strings.Repeat(" ", MaxText-5) + ";", false},
		{"long string", "IMPORT '" + strings.Repeat("x", maxString-2) + "' INTO g", true},
		{"too long string", "IMPORT '" + strings.Repeat("x", maxString-1) + "' INTO g", false},
		{"many short statements", strings.Repeat("CHECK;\n", MaxTokens), true},
		{"comments between statements", "CHECK;" + strings.Repeat(" ", 2*MaxText) + "CHECK", true},
	}
	for _, tt := range tests {
		_, err := ParseScript(tt.text)
		if tt.ok && err != nil || !tt.ok && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: got error %v, want limit error: %v", tt.name, err, !tt.ok)
		}
	}
}

func TestTokens(t *testing.T) {
	text := "EMBED \"my g\" -- why\n USING m(x := -1.5, y := $p) 'it''s' § /* open"
	var got []string
	for _, token := range Tokens(text) {
		if text[token.Start.Offset:token.End.Offset] != token.Text {
			t.Errorf("token %q has range %+v", token.Text, token.Range)
		}
		got = append(got, string("?wqsnp.#!"[token.Kind])+token.Text)
	}
	want := []string{
		"wEMBED", `q"my g"`, "#-- why", "wUSING", "wm", ".(", "wx", ".:=", ".-", "n1.5", ".,", "wy", ".:=", "p$p", ".)",
		"s'it''s'", "!§", "!/* open",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestKeywords(t *testing.T) {
	words := Keywords()
	for i, w := range words {
		if i > 0 && words[i-1] >= w {
			t.Errorf("%s does not come after %s", w, words[i-1])
		}
		if !IsKeyword(w) || !IsKeyword(strings.ToLower(w)) {
			t.Errorf("%s is not found among the keywords", w)
		}
	}
	if Reserved("graph") || !Reserved("where") || IsKeyword("social") {
		t.Error("graph is a keyword that is not reserved, where is reserved, social is no keyword")
	}
}
