package parser

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// The generators below make any tree that the parser can make.

func genText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,8}`),
		rapid.SampledFrom([]string{"where", "AND", "graph", "", "'", "''", `"`, `a"b`, "a;b", "--", "/*", "\n", "\t", "\u202e", "é", "世界", "$x", "\x01"}),
		rapid.StringN(0, 12, 48),
	).Filter(func(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) })
}

func genIdent() *rapid.Generator[Ident] {
	return rapid.Map(genText().Filter(func(s string) bool { return s != "" }), func(s string) Ident { return Ident{Name: s} })
}

func genFinite() *rapid.Generator[float64] {
	return rapid.Float64().Filter(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) })
}

func genValue(allowed kinds) *rapid.Generator[Value] {
	choices := []*rapid.Generator[Value]{
		rapid.Map(rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,8}`), func(s string) Value { return Param{Name: s} }),
	}
	if allowed&aString != 0 {
		choices = append(choices, rapid.Map(genText(), func(s string) Value { return String{Value: s} }))
	}
	if allowed&anInt != 0 {
		choices = append(choices, rapid.Map(rapid.Int64(), func(n int64) Value { return Int{Value: n} }))
	}
	if allowed&aFloat != 0 {
		choices = append(choices, rapid.Map(genFinite(), func(x float64) Value { return Float{Value: x} }))
	}
	if allowed&aBool != 0 {
		choices = append(choices, rapid.Map(rapid.Bool(), func(b bool) Value { return Bool{Value: b} }))
	}
	if allowed&aVector != 0 {
		choices = append(choices, rapid.Map(rapid.SliceOfN(genFinite(), 1, 5), func(v []float64) Value { return Vector{Values: v} }))
	}
	if allowed&aMissing != 0 {
		choices = append(choices, rapid.Just[Value](Missing{}))
	}
	return rapid.OneOf(choices...)
}

func genOptions(least int) *rapid.Generator[[]Option] {
	return rapid.Custom(func(t *rapid.T) []Option {
		var options []Option
		for range rapid.IntRange(least, 3).Draw(t, "options") {
			options = append(options, Option{Name: genIdent().Draw(t, "name"), Value: genValue(aScalar).Draw(t, "value")})
		}
		return options
	})
}

func genAssignments(least int) *rapid.Generator[[]Option] {
	return rapid.Custom(func(t *rapid.T) []Option {
		var values []Option
		for range rapid.IntRange(least, 3).Draw(t, "values") {
			values = append(values, Option{Name: genIdent().Draw(t, "name"), Value: genValue(aScalar|aMissing).Draw(t, "value")})
		}
		return values
	})
}

// genEdgeValues draws the values of an edge; which are there: 1 the weight, 2
// the time, 3 both.
func genEdgeValues(least int) *rapid.Generator[EdgeValues] {
	return rapid.Custom(func(t *rapid.T) (v EdgeValues) {
		which := rapid.IntRange(least, 3).Draw(t, "which")
		if which&1 != 0 {
			v.Weight = genValue(aNumber|aMissing).Draw(t, "weight")
		}
		if which&2 != 0 {
			v.Time = genValue(aTime|aMissing).Draw(t, "time")
		}
		if which == 3 {
			v.Others = genAssignments(0).Draw(t, "others")
		}
		return v
	})
}

func genCall() *rapid.Generator[Call] {
	return rapid.Custom(func(t *rapid.T) Call {
		return Call{Name: genIdent().Draw(t, "call"), Options: genOptions(0).Draw(t, "options")}
	})
}

func genMaybe(t *rapid.T) *Ident {
	if rapid.Bool().Draw(t, "left out") {
		return nil
	}
	n := genIdent().Draw(t, "ident")
	return &n
}

func genSpace() *rapid.Generator[Space] {
	return rapid.Custom(func(t *rapid.T) Space {
		return Space{Metric: genMaybe(t), Embedding: genIdent().Draw(t, "embedding")}
	})
}

func genThreshold(auto bool) *rapid.Generator[Threshold] {
	return rapid.Custom(func(t *rapid.T) Threshold {
		kind := rapid.SampledFrom([]ThresholdKind{Radius, Epsilon, Auto}).Draw(t, "kind")
		if kind == Auto && auto {
			return Threshold{}
		}
		return Threshold{Kind: max(kind, Radius), Value: genValue(aNumber).Draw(t, "value")}
	})
}

func genOperand() *rapid.Generator[Operand] {
	return rapid.OneOf(
		rapid.Map(genIdent(), func(n Ident) Operand { return n }),
		rapid.Map(genValue(aScalar), func(v Value) Operand { return v.(Operand) }),
	)
}

func genExpr(depth int) *rapid.Generator[Expr] {
	return rapid.Custom(func(t *rapid.T) Expr {
		kind := rapid.IntRange(0, 8).Draw(t, "kind")
		if depth == 0 {
			kind %= 6
		}
		terms := func() []Expr { return rapid.SliceOfN(genExpr(depth-1), 2, 3).Draw(t, "terms") }
		switch kind {
		case 0:
			return Flag{Name: genIdent().Draw(t, "flag")}
		case 1:
			return Compare{
				Left: genOperand().Draw(t, "left"), Op: Operator(rapid.IntRange(0, int(GreaterEqual)).Draw(t, "op")),
				Right: genOperand().Draw(t, "right"),
			}
		case 2:
			return In{
				Operand: genOperand().Draw(t, "operand"), Not: rapid.Bool().Draw(t, "not"),
				Values: rapid.SliceOfN(genValue(aScalar), 1, 3).Draw(t, "values"),
			}
		case 3:
			return IsMissing{Operand: genOperand().Draw(t, "operand"), Not: rapid.Bool().Draw(t, "not")}
		case 4:
			n := Like{Operand: genOperand().Draw(t, "operand"), Not: rapid.Bool().Draw(t, "not"), Pattern: genValue(aString).Draw(t, "pattern")}
			if rapid.Bool().Draw(t, "escape") {
				n.Escape = genValue(aString).Draw(t, "escape")
			}
			return n
		case 5:
			return Linked{How: rapid.SampledFrom(Links).Draw(t, "link"), Vertex: genValue(aKey).Draw(t, "vertex")}
		case 6:
			return Not{Term: genExpr(depth-1).Draw(t, "not")}
		case 7:
			return And{Terms: terms()}
		default:
			return Or{Terms: terms()}
		}
	})
}

func genWhere(t *rapid.T) Expr {
	if rapid.Bool().Draw(t, "no condition") {
		return nil
	}
	return genExpr(3).Draw(t, "where")
}

func genStatement() *rapid.Generator[Statement] {
	return rapid.Custom(func(t *rapid.T) Statement {
		genKind := rapid.SampledFrom([]func(*rapid.T) Statement{genPlain, genUpdate, genLook, genEvaluate, genEmbedding, genLearn, genVectors}).Draw(t, "group")
		st := genInto(t, genKind(t))
		if _, explains := withoutTail(st).(*ExplainScore); explains {
			return st
		}
		if rapid.IntRange(0, 4).Draw(t, "explain") == 0 {
			score, _ := withoutTail(st).(*Score)
			onePair := score != nil && len(score.Pairs) == 1 // EXPLAIN of it is an ExplainScore
			return &Explain{Profile: onePair || rapid.Bool().Draw(t, "profile"), Statement: st}
		}
		return st
	})
}

func genPlain(t *rapid.T) Statement {
	ident := func() Ident { return genIdent().Draw(t, "name") }
	value := func(allowed kinds) Value { return genValue(allowed).Draw(t, "value") }
	options := func() []Option { return genOptions(0).Draw(t, "options") }
	scorers := func() (list []Scorer) {
		for range rapid.IntRange(1, 3).Draw(t, "scorers") {
			list = append(list, Scorer{Name: ident(), Of: genMaybe(t)})
		}
		return list
	}
	switch rapid.IntRange(0, 21).Draw(t, "statement") {
	case 20:
		verb := rapid.SampledFrom([]JobVerb{CancelJob, ResumeJob, WaitJob, DropJob}).Draw(t, "verb")
		return &Job{Verb: verb, Number: value(anInt), Background: verb == ResumeJob && rapid.Bool().Draw(t, "background")}
	case 21:
		s := &Estimate{Embed{Graph: ident(), Method: genCall().Draw(t, "method")}}
		if rapid.Bool().Draw(t, "named") {
			s.Embedding, s.Options, s.Background = ident(), genOptions(0).Draw(t, "options"), rapid.Bool().Draw(t, "background")
		}
		return s
	case 0:
		return &CreateGraph{Graph: ident(), Directed: rapid.Bool().Draw(t, "directed")}
	case 1:
		return &DropGraph{Graph: ident(), Cascade: rapid.Bool().Draw(t, "cascade")}
	case 2:
		return &DropEmbedding{Embedding: ident()}
	case 3:
		return &Import{File: value(aString), Graph: ident(), Options: options()}
	case 4:
		return &ExportGraph{Graph: ident(), File: value(aString), Options: options()}
	case 5:
		return &ExportEmbedding{Embedding: ident(), File: value(aString), Options: options()}
	case 6:
		return &Generate{Generator: genCall().Draw(t, "generator"), Graph: ident()}
	case 7:
		return &DescribeGraph{Graph: ident(), All: rapid.Bool().Draw(t, "all"), Options: options()}
	case 8:
		return &DescribeEmbedding{Embedding: ident(), All: rapid.Bool().Draw(t, "all")}
	case 9:
		return &Show{What: rapid.SampledFrom(listings).Draw(t, "what")}
	case 10:
		return &Embed{Graph: ident(), Method: genCall().Draw(t, "method"), Embedding: ident(), Options: options(), Background: rapid.Bool().Draw(t, "background")}
	case 11:
		st := &Nearest{Count: value(anInt), Using: genSpace().Draw(t, "space"), Fresh: rapid.Bool().Draw(t, "fresh"), Exact: rapid.Bool().Draw(t, "exact"), Options: options()}
		switch rapid.IntRange(0, 2).Draw(t, "of whom") {
		case 0:
			st.Each = genEach(t)
		case 1:
			st.Examples = rapid.SliceOfN(genValue(aKey), 1, 3).Draw(t, "keys")
		default:
			st.To = value(aVertex)
		}
		return st
	case 12:
		return &Within{Threshold: genThreshold(false).Draw(t, "threshold"), Of: value(aVertex), Using: genSpace().Draw(t, "space")}
	case 13:
		st := &Reconstruct{Embedding: ident(), Threshold: genThreshold(true).Draw(t, "threshold"), Options: options()}
		if st.Graph = genMaybe(t); st.Graph == nil && rapid.Bool().Draw(t, "to a file") {
			st.File = value(aString)
		}
		return st
	case 14:
		st := &Score{Graph: genMaybe(t), Scorers: scorers(), Options: options()}
		for range rapid.IntRange(1, 3).Draw(t, "pairs") {
			st.Pairs = append(st.Pairs, Pair{U: value(aKey), V: value(aKey)})
		}
		return st
	case 15:
		st := &ScoreFile{Pairs: value(aString), Graph: genMaybe(t), Scorers: scorers(), Options: options()}
		if rapid.Bool().Draw(t, "to a file") {
			st.File = value(aString)
		}
		return st
	case 16:
		st := &Help{}
		for range rapid.IntRange(0, 3).Draw(t, "words") {
			st.Topic = append(st.Topic, rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,8}`).Draw(t, "word"))
		}
		return st
	case 17:
		return &Backup{File: value(aString), Options: options()}
	case 18:
		return &Recover{File: value(aString), Options: options()}
	default:
		return rapid.SampledFrom([]Statement{&Check{}, &Compact{}}).Draw(t, "word")
	}
}

// genEvaluate draws a statement that judges embeddings.
func genEvaluate(t *rapid.T) Statement {
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 4:
		return genEvaluateTest(t)
	case 3:
		return &EvaluateParameters{Graph: genIdent().Draw(t, "graph"), Method: genCall().Draw(t, "method"), Options: genOptions(0).Draw(t, "options")}
	case 0:
		return &EvaluateLinks{Graph: genIdent().Draw(t, "graph"), Methods: rapid.SliceOfN(genCall(), 1, 3).Draw(t, "methods"), Options: genOptions(0).Draw(t, "options")}
	case 1:
		return &EvaluateLabels{Attribute: genValue(aString).Draw(t, "attribute"), Embedding: genIdent().Draw(t, "name"), Options: genOptions(0).Draw(t, "options")}
	}
	return &EvaluateReconstruction{Embedding: genIdent().Draw(t, "name"), Options: genOptions(0).Draw(t, "options")}
}

// genEmbedding draws a statement that makes an embedding or keeps it up to date.
func genEmbedding(t *rapid.T) Statement {
	embedding := genIdent().Draw(t, "embedding")
	options := genOptions(0).Draw(t, "options")
	background := rapid.Bool().Draw(t, "background")
	switch rapid.IntRange(0, 10).Draw(t, "statement") {
	case 10:
		s := &EstimateCompute{Compute{Measure: genCall().Draw(t, "measure"), Graph: genIdent().Draw(t, "graph"), Options: options, Background: background}}
		if rapid.Bool().Draw(t, "stored") {
			s.As = &embedding
		}
		return s
	case 8:
		return &RefreshMeasure{Attribute: embedding, Graph: genIdent().Draw(t, "graph"), Background: background}
	case 9:
		return &RefreshAll{Graph: genIdent().Draw(t, "graph")}
	case 0:
		return &Refresh{Embedding: embedding, Options: options, Background: background}
	case 1:
		st := &AutoRefresh{Embedding: embedding}
		switch rapid.IntRange(0, 2).Draw(t, "when") {
		case 0:
			st.Changes = genValue(anInt).Draw(t, "changes")
		case 1:
			st.Every = genValue(aString).Draw(t, "every")
		}
		return st
	case 2:
		return &Verify{Embedding: embedding, Options: options, Background: background}
	case 3:
		return &CreateIndex{Embedding: embedding, Options: options, Background: background}
	case 4:
		return &DropIndex{Embedding: embedding}
	case 5:
		return &ShowGenerations{Embedding: embedding}
	case 6:
		return &Diff{Before: embedding, After: genIdent().Draw(t, "after")}
	default:
		var methods []Call // nil for none
		for range rapid.IntRange(0, 2).Draw(t, "methods") {
			methods = append(methods, genCall().Draw(t, "method"))
		}
		return &Tune{
			Graph: genIdent().Draw(t, "graph"), Methods: methods,
			For: rapid.SampledFrom([]Goal{ForLinks, ForLabels, ForReconstruction}).Draw(t, "goal"), Embedding: embedding, Options: options, Background: background,
		}
	}
}

// genLearn draws a statement about links that are learned or predicted.
func genLearn(t *rapid.T) Statement {
	ident := func() Ident { return genIdent().Draw(t, "name") }
	scorer := func() Scorer { return Scorer{Name: ident(), Of: genMaybe(t)} }
	options := genOptions(0).Draw(t, "options")
	background := rapid.Bool().Draw(t, "background")
	switch rapid.IntRange(0, 8).Draw(t, "statement") {
	case 8:
		return &RefreshPredictions{Scorer: scorer(), Graph: ident(), Background: background}
	case 0:
		st := &TrainModel{Model: ident(), Graph: ident(), Options: options, Background: background}
		for range rapid.IntRange(0, 2).Draw(t, "heuristics") {
			st.Heuristics = append(st.Heuristics, ident())
		}
		return st
	case 1:
		return &DropModel{Model: ident()}
	case 2:
		return &DescribeModel{Model: ident(), All: rapid.Bool().Draw(t, "all")}
	case 3:
		return &Materialize{Scorer: scorer(), Graph: ident(), Options: options, Background: background}
	case 4:
		return &DropPredictions{Scorer: scorer(), Graph: ident()}
	case 5:
		st := &Predict{Count: genValue(anInt).Draw(t, "count"), Graph: genMaybe(t), Scorer: new(scorer()), Options: options}
		if rapid.Bool().Draw(t, "replayed") {
			st.AsOf = genValue(aString|anInt).Draw(t, "time")
		}
		switch rapid.IntRange(0, 2).Draw(t, "for whom") {
		case 1:
			st.For = genValue(aKey).Draw(t, "key")
		case 2:
			st.Each = genEach(t)
		}
		return st
	case 6:
		st := &Predict{Count: genValue(anInt).Draw(t, "count"), Graph: genMaybe(t), Stored: true}
		if rapid.Bool().Draw(t, "for one vertex") {
			st.For = genValue(aKey).Draw(t, "key")
		} else {
			st.Each = genEach(t)
		}
		if rapid.Bool().Draw(t, "from a scorer") {
			st.Scorer = new(scorer())
		}
		return st
	default:
		st := &ExplainScore{Pair: Pair{U: genValue(aKey).Draw(t, "u"), V: genValue(aKey).Draw(t, "v")}, Graph: genMaybe(t)}
		for range rapid.IntRange(0, 2).Draw(t, "scorers") {
			st.Scorers = append(st.Scorers, scorer())
		}
		st.Options = options
		return st
	}
}

// genUpdate draws a statement that changes vertices, edges or attributes.
func genUpdate(t *rapid.T) Statement {
	graph := genIdent().Draw(t, "graph")
	keys := rapid.SliceOfN(genValue(aKey), 1, 3)
	pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pair {
		return Pair{U: genValue(aKey).Draw(t, "u"), V: genValue(aKey).Draw(t, "v")}
	}), 1, 3)
	switch rapid.IntRange(0, 10).Draw(t, "statement") {
	case 10:
		if rapid.Bool().Draw(t, "rename") {
			return genRename(t)
		}
		return genDerived(t)
	case 0:
		return &DropAttribute{Attribute: genIdent().Draw(t, "attribute"), Graph: graph, OfEdges: rapid.Bool().Draw(t, "of edges")}
	case 1:
		vertex := rapid.Custom(func(t *rapid.T) NewVertex {
			return NewVertex{Key: genValue(aKey).Draw(t, "key"), Values: genAssignments(0).Draw(t, "values")}
		})
		return &InsertVertices{Vertices: rapid.SliceOfN(vertex, 1, 3).Draw(t, "vertices"), Graph: graph}
	case 2:
		edge := rapid.Custom(func(t *rapid.T) NewEdge {
			return NewEdge{
				U: genValue(aKey).Draw(t, "u"), V: genValue(aKey).Draw(t, "v"),
				Values: genEdgeValues(0).Draw(t, "values"),
			}
		})
		return &InsertEdges{Edges: rapid.SliceOfN(edge, 1, 3).Draw(t, "edges"), Graph: graph}
	case 3:
		return &UpdateVertices{Keys: keys.Draw(t, "keys"), Values: genAssignments(1).Draw(t, "values"), Graph: graph}
	case 4:
		return &UpdateVertices{Values: genAssignments(1).Draw(t, "values"), Graph: graph, Where: genExpr(3).Draw(t, "where")}
	case 5:
		return &UpdateEdges{Pairs: pairs.Draw(t, "pairs"), Values: genEdgeValues(1).Draw(t, "values"), Graph: graph}
	case 6:
		return &DeleteVertices{Keys: keys.Draw(t, "keys"), Graph: graph}
	case 7:
		return &DeleteVertices{Graph: graph, Where: genExpr(3).Draw(t, "where")}
	case 8:
		if rapid.Bool().Draw(t, "where") {
			return &DeleteEdges{Graph: graph, Where: Ends{Both: rapid.Bool().Draw(t, "both"), Term: genExpr(2).Draw(t, "ends")}}
		}
		return &DeleteEdges{Pairs: pairs.Draw(t, "pairs"), Graph: graph}
	default:
		return &DeleteEdgesFile{File: genValue(aString).Draw(t, "file"), Graph: graph, Options: genOptions(0).Draw(t, "options")}
	}
}

// genLook draws a statement about vertices and attributes that changes nothing
// of them but by a file.
func genLook(t *rapid.T) Statement {
	file := genValue(aString)
	switch rapid.IntRange(0, 11).Draw(t, "statement") {
	case 10:
		return &ShowEdges{Graph: genMaybe(t)}
	case 11:
		return &ExportPairs{
			Graph: genIdent().Draw(t, "graph"), Methods: rapid.SliceOfN(genCall(), 1, 2).Draw(t, "methods"),
			File: file.Draw(t, "file"), Options: genOptions(0).Draw(t, "options"),
		}
	case 9:
		if rapid.Bool().Draw(t, "several") {
			return genPaths(t)
		}
		return &Path{From: genValue(aKey).Draw(t, "from"), To: genValue(aKey).Draw(t, "to"), Graph: genMaybe(t), ByWeight: rapid.Bool().Draw(t, "weight"), Options: genOptions(0).Draw(t, "options")}
	case 8:
		s := &Compute{Measure: genCall().Draw(t, "measure"), Graph: genIdent().Draw(t, "graph"), As: genMaybe(t), Options: genOptions(0).Draw(t, "options"), Background: rapid.Bool().Draw(t, "background")}
		if rapid.Bool().Draw(t, "from") {
			s.From = rapid.SliceOfN(genValue(aKey), 1, 3).Draw(t, "keys")
		}
		return s
	case 7:
		s := &CountVertices{Graph: genMaybe(t), Where: genWhere(t), By: genMaybe(t)}
		for range rapid.IntRange(0, 2).Draw(t, "figures") {
			s.With = append(s.With, Summary{Function: genIdent().Draw(t, "function"), Of: genIdent().Draw(t, "of")})
		}
		if rapid.Bool().Draw(t, "edges") {
			return &CountEdges{Graph: s.Graph, Where: genEdgesWhere(t), By: s.By, With: s.With}
		}
		return s
	case 6:
		return &ExportWalks{
			Graph: genIdent().Draw(t, "graph"), Method: genCall().Draw(t, "method"),
			File: file.Draw(t, "file"), Options: genOptions(0).Draw(t, "options"),
		}
	case 0:
		return &ImportVertices{File: file.Draw(t, "file"), Graph: genIdent().Draw(t, "graph"), Options: genOptions(0).Draw(t, "options")}
	case 1:
		return &ExportVertices{File: file.Draw(t, "file"), Graph: genIdent().Draw(t, "graph"), Options: genOptions(0).Draw(t, "options")}
	case 2:
		return &DescribeVertex{Vertex: genValue(aKey).Draw(t, "vertex"), Graph: genMaybe(t)}
	case 3:
		return &ShowVertices{Graph: genMaybe(t)}
	case 4:
		s := &ShowNeighbors{Of: genValue(aKey).Draw(t, "of"), Graph: genMaybe(t), Options: genOptions(0).Draw(t, "options")}
		if rapid.Bool().Draw(t, "within") {
			s.Within = genValue(anInt).Draw(t, "edges")
		}
		return s
	default:
		return &ShowAttributes{Graph: genMaybe(t)}
	}
}

// TestLaw_PrintThenParse makes trees, and checks that their canonical text
// parses to the same tree, also from a script.
func TestLaw_PrintThenParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genStatement().Draw(t, "statement")
		text := Text(want)
		got, err := Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		_, isExplain := want.(*Explain)
		if kind := Heading(want); kind == "" || !isExplain && !strings.HasPrefix(text+" ", kind+" ") {
			t.Fatalf("%q is of the kind %q", text, kind)
		}
		if got := withoutRanges(got); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\n got %#v\nwant %#v", text, got, want)
		}
		if !Complete(text+";") || Complete(text) {
			t.Fatalf("%q is complete with its semicolon and only with it", text)
		}
		texts, _ := split(strings.NewReader(text + ";\n" + text))
		if len(texts) != 2 || texts[0] != text+";" || texts[1] != text {
			t.Fatalf("%q is split into %q", text, texts)
		}
	})
}

// TestLaw_Idents puts any text through a name, a string and back.
func TestLaw_Idents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, key := genIdent().Draw(t, "name").Name, genText().Draw(t, "key")
		st, err := Parse("NEAREST 1 TO " + String{Value: key}.String() + " USING " + Ident{Name: name}.String())
		if err != nil {
			t.Fatal(err)
		}
		n := st.(*Nearest)
		if n.Using.Embedding.Name != name || n.To.(String).Value != key {
			t.Fatalf("got %q and %q, want %q and %q", n.Using.Embedding.Name, n.To, name, key)
		}
	})
}

// seeds are texts with some of everything: the examples of the grammar, the
// mistakes of the golden file, and all that the golden scripts of package query
// run, of which a third in -short mode.
func seeds(f *testing.F) {
	for _, r := range grammar(f) {
		f.Add(r.example)
	}
	golden, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		if text, ok := strings.CutPrefix(line, "> "); ok {
			f.Add(strings.TrimSuffix(text, "\n"))
		}
	}
	scripts, err := filepath.Glob("../testdata/*.script")
	if err != nil {
		f.Fatal(err)
	}
	for i, script := range scripts {
		if testing.Short() && i%6 > 0 {
			continue
		}
		text, err := os.ReadFile(script)
		if err != nil {
			f.Fatal(err)
		}
		for block := range strings.SplitSeq(string(text), "\n\n") {
			if _, input, ok := strings.Cut(block, "\n"); ok { // behind the directive
				statement, _, _ := strings.Cut(input, "\n----")
				f.Add(statement)
			}
		}
	}
	f.Add("CHECK; SHOW GRAPHS -- ;\n; /* ' */ IMPORT ';' INTO \"\xff;\" ; CHECK \x00;")
}

// checkError holds an error against the text that it is about.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	var perr *Error
	if !errors.As(err, &perr) {
		t.Fatalf("%q: got error %T %v, want a parser.Error", text, err, err)
	}
	checkRange(t, text, perr.Range)
	if perr.Message == "" && (perr.Found == "" || len(perr.Expected) == 0) {
		t.Fatalf("%q: the error says nothing: %#v", text, perr)
	}
	detail := perr.Detail(Source{Text: text})
	if !utf8.ValidString(detail) || strings.ContainsAny(detail, "\x00\x1b\r\t\u202e") || strings.Count(detail, "\n") != 2 {
		t.Fatalf("%q: detail is %q", text, detail)
	}
}

func checkRange(t *testing.T, text string, r Range) {
	t.Helper()
	if r.Start.Offset < 0 || r.End.Offset < r.Start.Offset || r.End.Offset > len(text) {
		t.Fatalf("%q: range %+v is not in the text", text, r)
	}
	if strings.HasPrefix(text, byteOrderMark) {
		return // not counted as a column
	}
	if r.Start != advance(start, text[:r.Start.Offset]) || r.End != advance(start, text[:r.End.Offset]) {
		t.Fatalf("%q: range %+v has wrong lines or columns", text, r)
	}
}

// FuzzParse checks the laws of Parse on any text: it returns a tree with ranges
// inside the text, whose canonical text is a fixed point and gives the tree
// again; or an error with a position inside the text.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		st, err := Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		walk(reflect.ValueOf(st), func(n Node) { checkRange(t, text, n.Source()) })
		canonical := Text(st)
		again, err := Parse(canonical)
		if err != nil {
			t.Fatalf("%q\n gives %q\n which fails: %v", text, canonical, err)
		}
		if !reflect.DeepEqual(withoutRanges(again), withoutRanges(st)) || Text(again) != canonical {
			t.Fatalf("%q\n gives %q\n  then %q", text, canonical, again)
		}
	})
}

// FuzzScript checks that the splitter cuts a script where the parser does, and
// that both give the same positions.
func FuzzScript(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		want, err := ParseScript(text)
		if err != nil {
			checkError(t, text, err)
		}
		_, sources := split(strings.NewReader(text))
		for i, src := range sources {
			if i < len(want) {
				st, err := src.Parse()
				if err != nil {
					t.Fatalf("statement %d of %q is %q for the splitter: %v", i, text, src.Text, err)
				}
				if utf8.ValidString(text) && !reflect.DeepEqual(st, want[i]) {
					t.Fatalf("statement %d of %q:\n got %#v\nwant %#v", i, text, st, want[i])
				}
				continue
			}
			if i == len(want) {
				if _, err := src.Parse(); err == nil {
					t.Fatalf("statement %d of %q is %q for the splitter, and an error in the script", i, text, src.Text)
				}
			}
		}
		if err == nil && len(sources) != len(want) {
			t.Fatalf("%q: the splitter found %d statements, the parser %d", text, len(sources), len(want))
		}
	})
}

// FuzzTokens checks that the tokens follow each other through the whole text,
// with nothing but blanks between them.
func FuzzTokens(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		if strings.HasPrefix(text, byteOrderMark) {
			end = len(byteOrderMark)
		}
		for _, token := range Tokens(text) {
			checkRange(t, text, token.Range)
			if strings.Trim(text[end:token.Start.Offset], blanks) != "" || token.Text == "" ||
				token.Text != text[token.Start.Offset:token.End.Offset] {
				t.Fatalf("%q: token %+v after offset %d", text, token, end)
			}
			end = token.End.Offset
		}
		if strings.Trim(text[end:], blanks) != "" {
			t.Fatalf("%q: nothing after offset %d", text, end)
		}
	})
}
