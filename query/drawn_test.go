package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
	"heavytail/storage"
)

// Statements are drawn from the grammar in the documentation of the parser, with the names of a
// few objects that they make, change and drop. Every text must parse, no statement may fail
// because of damage, and the file is checked after each one that wrote.
func TestStatements_Drawn(t *testing.T) {
	t.Parallel()
	grammar := readGrammar(t)
	image := namesStore(t, "GENERATE preferential_attachment(n := 20, m := 2, seed := 2) INTO h", "EMBED h USING fastrp(dim := 2) AS f")
	var mu sync.Mutex
	succeeded := map[string]int{}
	t.Run("drawn", func(t *testing.T) {
		for seed := range uint64(4) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				d := drawer{Rand: rand.New(rand.NewPCG(seed, 39)), grammar: grammar}
				had := d.runMany(t, image, repeat.Times(400))
				if d.refused > d.drawn/4 {
					t.Errorf("the parser refused %d texts of %d", d.refused, d.drawn)
				}
				mu.Lock()
				defer mu.Unlock()
				for kind, n := range had {
					succeeded[kind] += n
				}
			})
		}
	})
	if repeat.Every(10) > 1 || testing.Short() {
		return // too few to draw all
	}
	for _, h := range query.Helps() {
		// The heading of the first three is another, no job is stopped, and the edges and pairs of a test are
		// rarely both of the graph and different.
		done := slices.Contains([]string{"EXPLAIN", "PROFILE", "INTO FILE", "RESUME JOB", "CANCEL JOB", "EVALUATE TEST"}, h.Statement)
		for heading := range succeeded {
			done = done || strings.HasPrefix(heading+" ", h.Statement+" ")
		}
		if !done {
			t.Errorf("no statement %s that was drawn succeeded", h.Statement)
		}
	}
}

// runMany runs statements on copies of a store, of which each serves for a while, and counts
// those that succeed by their headings.
func (d *drawer) runMany(t *testing.T, image []byte, statements int) map[string]int {
	const perStore = 60 // after which too many objects are dropped, or there are too many
	succeeded := map[string]int{}
	for statements > 0 && !t.Failed() {
		dir := t.TempDir()
		for name, content := range map[string]string{
			"store": string(image), "edges.txt": "1 2\n2 3\n3 new\n", "people.csv": "id,a,b\n1,7,x\n2,8,y\nnew,9,z\n", "vectors.txt": "2 2\n1 0.5 1\n2 1 1\n", "keys.txt": "1\n2\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "store")
		db := d.open(t, path)
		var history []string
		for range min(perStore, statements) {
			statements--
			if d.IntN(40) == 0 {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
				db = d.open(t, path)
				history = append(history, "-- reopened")
			}
			text := d.statement()
			history = append(history, text)
			if heading, ok := d.run(t, db, dir, text); ok {
				succeeded[heading]++
			}
			if t.Failed() {
				t.Logf("after\n%s", strings.Join(history, ";\n"))
				break
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	return succeeded
}

func (d *drawer) open(t *testing.T, path string) *query.DB {
	db, err := query.Open(path, &query.Options{Workers: 1, Folder: filepath.Dir(path), MemoryLimit: 256 << 20, NoCache: d.IntN(2) == 0})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// run runs a statement, and holds what it wrote to CHECK.
func (d *drawer) run(t *testing.T, db *query.DB, dir, text string) (heading string, ok bool) {
	node, err := parser.Parse(text)
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return "", false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // reached by a statement that hangs
	defer cancel()
	before, catalogue := querytest.Engine(db).Store.Epoch(), catalogueOf(t, db)
	rows, err := db.Run(ctx, node, nil)
	if err == nil {
		for rows.Next() {
		}
		err = rows.Err()
	}
	jobs, failed := db.Jobs().List(ctx)
	known, refreshed := d.jobs, false
	d.jobs = nil
	for _, j := range jobs {
		// An automatic refresh may begin beside a statement, which did not change what it writes.
		refreshed = refreshed || j.Kind == "REFRESH" && j.Statement != text && !slices.Contains(known, j.ID)
		d.jobs = append(d.jobs, j.ID)
		if j.State.Active() { // so that the next statement runs alone, as the seed says
			_, waited := db.Jobs().Wait(ctx, j.ID)
			failed = errors.Join(failed, waited)
		}
	}
	err = errors.Join(err, failed)
	for _, bad := range []error{storage.ErrCorrupt, storage.ErrFailed, storage.ErrShared, context.DeadlineExceeded} {
		if errors.Is(err, bad) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if querytest.Engine(db).Store.Epoch() != before {
		querytest.MustBeSound(t, db)
		if now := catalogueOf(t, db); err != nil && !refreshed && !slices.Equal(now, catalogue) {
			t.Errorf("%s: %v, and it changed\n%q to\n%q", text, err, catalogue, now)
		}
	}
	if err != nil {
		if strings.Contains(err.Error(), "catalogue entry") { // a record that the store refuses to write
			t.Errorf("%s: %v", text, err)
		}
		return "", false
	}
	var copied parser.Value
	switch s := node.(type) {
	case *parser.Backup:
		copied = s.File
	case *parser.Recover:
		copied = s.File
	}
	if file, is := copied.(parser.String); is {
		made := d.open(t, filepath.Join(dir, file.Value))
		querytest.MustBeSound(t, made)
		if err := made.Close(); err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		t.Errorf("by %s", text)
	}
	return parser.Heading(node), true
}

// A rule is a piece of the grammar: a word in quotes, the name of a production, or one of the
// operators with its pieces.
type rule struct {
	kind  byte // '"' word, 'n' name, 's' sequence, '|' alternatives, '[' optional, '{' repeated
	text  string
	parts []rule
}

var (
	production  = regexp.MustCompile(`^//\t(\w+) += (.*)$`)
	grammarWord = regexp.MustCompile(`"[^"]*"|\w+|[][{}()|]`)
)

// readGrammar reads the productions of the grammar in the documentation of the parser.
func readGrammar(t *testing.T) map[string]rule {
	t.Helper()
	doc, err := os.ReadFile("parser/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	texts, name := map[string]string{}, ""
	for line := range strings.Lines(string(doc)) {
		line = strings.TrimSuffix(line, "\n")
		if m := production.FindStringSubmatch(line); m != nil {
			name, line = m[1], m[2]
		} else if !strings.HasPrefix(line, "//\t") {
			name = ""
		}
		if name != "" {
			body, _, _ := strings.Cut(strings.TrimPrefix(line, "//\t"), "e.g. ")
			texts[name] += " " + body
		}
	}
	grammar := map[string]rule{}
	for name, text := range texts {
		words := grammarWord.FindAllString(text, -1)
		grammar[name], words = alternatives(words)
		if len(words) > 0 {
			t.Fatalf("%s: %q is left", name, words)
		}
	}
	if len(grammar) < 100 {
		t.Fatalf("the grammar has %d productions", len(grammar))
	}
	return grammar
}

func alternatives(words []string) (rule, []string) {
	first, words := sequence(words)
	all := rule{kind: '|', parts: []rule{first}}
	for len(words) > 0 && words[0] == "|" {
		var next rule
		next, words = sequence(words[1:])
		all.parts = append(all.parts, next)
	}
	return all, words
}

func sequence(words []string) (rule, []string) {
	s := rule{kind: 's'}
	for len(words) > 0 && !strings.Contains("])}|", words[0]) {
		word := words[0]
		words = words[1:]
		switch {
		case strings.Contains("[{(", word):
			var inner rule
			inner, words = alternatives(words)
			words = words[1:]
			if word == "(" {
				s.parts = append(s.parts, inner)
			} else {
				s.parts = append(s.parts, rule{kind: word[0], parts: []rule{inner}})
			}
		case word[0] == '"':
			s.parts = append(s.parts, rule{kind: '"', text: strings.Trim(word, `"`)})
		default:
			s.parts = append(s.parts, rule{kind: 'n', text: word})
		}
	}
	return s, words
}

// drawer draws statements from the grammar.
type drawer struct {
	*rand.Rand
	grammar map[string]rule
	words   []string // of the statement so far
	in      []string // the productions that are being drawn

	jobs []uint64 // of the store

	drawn, refused int // texts, and those that the parser refused
}

// statement draws a statement. The grammar allows more than the parser, which refuses some
// clauses without others and INTO FILE behind what has no rows: these are drawn again. ESTIMATE
// is rare, because it measures the machine for a third of a second.
func (d *drawer) statement() string {
	for {
		d.words, d.in = nil, nil
		switch kind := d.IntN(50); {
		case kind == 0:
			d.draw(rule{kind: 'n', text: "explainscore"})
		case kind < 14:
			d.draw(rule{kind: 'n', text: "tailed"})
		case kind < 20:
			d.emit(d.pick("EXPLAIN", "PROFILE"))
			d.draw(rule{kind: 'n', text: "plain"})
		default:
			d.draw(rule{kind: 'n', text: "plain"})
		}
		text := strings.Join(d.words, " ")
		d.drawn++
		if _, err := parser.Parse(text); err != nil {
			d.refused++
			continue
		}
		if !strings.Contains(text, "ESTIMATE") || d.IntN(20) == 0 {
			return text
		}
	}
}

func (d *drawer) emit(words ...string) { d.words = append(d.words, words...) }

func (d *drawer) draw(r rule) {
	switch r.kind {
	case '"':
		d.emit(r.text)
	case 's':
		for _, part := range r.parts {
			d.draw(part)
		}
	case '|':
		d.draw(r.parts[d.IntN(len(r.parts))])
	case '[':
		if last := r.parts[0].parts[0].parts; last[len(last)-1].text == "BACKGROUND" && d.IntN(3) > 0 { // a job is waited for
			return
		}
		if d.IntN(5) < 2 && len(d.in) < 12 {
			d.draw(r.parts[0])
		}
	case '{':
		for d.IntN(4) == 0 && len(d.in) < 12 {
			d.draw(r.parts[0])
		}
	default:
		if !d.leaf(r.text) {
			d.in = append(d.in, r.text)
			d.draw(d.grammar[r.text])
			d.in = d.in[:len(d.in)-1]
		}
	}
}

// pick draws one of the texts.
func (d *drawer) pick(list ...string) string { return list[d.IntN(len(list))] }

// The names of what statements make and use.
var (
	drawnGraphs     = []string{"g", "g", "g", "h", "G", "my graph"}
	drawnEmbeddings = []string{"e", "e", "f", "e@1", "e@2", "e@3", "f@1", "f@2", "E", "my vectors", "e@02", "@1", strings.Repeat("long", 63) + "x"}
	drawnModels     = []string{"m", "m", "n", "m@1"}
	drawnAttributes = []string{"a", "a", "b", "degree", "key", "my attribute", "weight", "vertex", "a@1"}
	drawnNames      = slices.Concat(drawnGraphs, drawnEmbeddings, drawnModels, drawnAttributes)
	drawnMethods    = []string{
		"dp_spectral(dim := 2)", "dp_spectral(dim := 3, seed := 1)", "laplacian_eigenmaps(dim := 2)", "fastrp(dim := 2)", "deepwalk(dim := 2, walks := 1, length := 3)",
		"dp_walker(dim := 3, walks := 1, length := 3)", "unit_ball(dim := 2, passes := 2)", "unit_ball(dim := 3, passes := 1, start_embedding := 'e')",
	}
)

// leaf draws what the grammar leaves open, and what it says too broadly: whether a call names a
// method, a measure or a generator, and which options a statement has.
func (d *drawer) leaf(name string) bool {
	last, inside := d.words[max(0, len(d.words)-1):], ""
	if len(d.in) > 0 {
		inside = d.in[len(d.in)-1]
	}
	before := strings.Join(last, "")
	switch name {
	case "name":
		d.emit(parser.Ident{Name: d.name(before, inside)}.String())
	case "string":
		d.emit(parser.String{Value: d.text(before, inside)}.String())
	case "integer":
		if before == "AFTER" { // more changes than there are: no refresh in the background
			d.emit("1000000")
			return true
		}
		if strings.HasSuffix(inside, "job") && len(d.jobs) > 0 {
			d.emit(fmt.Sprint(d.jobs[d.IntN(len(d.jobs))]))
			return true
		}
		d.emit(d.pick("0", "1", "2", "3", "5", "40"))
	case "number":
		d.emit(d.pick("0", "0.3", "1", "2.5", "-1"))
	case "key":
		d.emit(d.pick("1", "2", "3", "17", "40", "'x'", "'new'", "'newer'"))
	case "word":
		d.emit(d.pick("EMBED", "graph", "katz", "WHERE"))
	case "call":
		d.emit(d.call(inside))
	case "scorer":
		d.emit(d.pick("katz", "jaccard", "l3", "model(m)", "model(n)", "cosine", "l2", "dot", "cosine"))
		if at := len(d.words) - 1; slices.Contains([]string{"cosine", "l2", "dot"}, d.words[at]) {
			d.words[at] += "(" + parser.Ident{Name: d.pick(drawnEmbeddings...)}.String() + ")"
		}
	case "space":
		d.emit(d.pick("", "l2", "cosine", "dot"))
		if at := len(d.words) - 1; d.words[at] == "" {
			d.words[at] = parser.Ident{Name: d.pick(drawnEmbeddings...)}.String()
		} else {
			d.words[at] += "(" + parser.Ident{Name: d.pick(drawnEmbeddings...)}.String() + ")"
		}
	case "options":
		d.options()
	case "comparison":
		if d.IntN(3) == 0 {
			return false // of any operands, most of which do not go together
		}
		d.emit(d.pick("a", "degree"), d.pick("=", "<", ">=", "<>"), d.pick("1", "2", "3"))
	case "operator":
		d.emit(d.pick("=", "<", ">", ">=", "<>"))
	default:
		return false
	}
	return true
}

// name draws a name of the kind that the words before it ask for, or any.
func (d *drawer) name(before, inside string) string {
	if d.IntN(15) == 0 {
		return d.pick(drawnNames...)
	}
	kinds := map[string][]string{
		"GRAPH": drawnGraphs, "EMBEDDING": drawnEmbeddings, "MODEL": drawnModels, "ATTRIBUTE": drawnAttributes, "MEASURE": drawnAttributes,
		"IN": drawnGraphs, "FROM": drawnGraphs, "INTO": drawnGraphs, "OF": drawnGraphs, "ON": drawnEmbeddings, "BY": drawnAttributes, "COLUMNS": drawnAttributes,
		"REFRESH": drawnEmbeddings, "VERIFY": drawnEmbeddings, "RECONSTRUCT": drawnEmbeddings, "DIFF": drawnEmbeddings, "EMBED": drawnGraphs, "TUNE": drawnGraphs,
	}
	embeddings := []string{"showgenerations", "showvector", "evaluatelabels", "evaluatereconstruction", "diff"}
	switch {
	case before == "SET", inside == "assignment":
		return d.pick(drawnAttributes[:3]...)
	case slices.Contains(embeddings, inside), before == "AS" && !strings.HasSuffix(inside, "compute"), before == "USING":
		return d.pick(drawnEmbeddings...)
	case inside == "summary":
		return d.pick("min", "max", "sum", "mean", "a", "degree")
	case inside == "term" || before == "heuristics":
		return d.pick("jaccard", "katz", "e", "f")
	case slices.Contains([]string{"comparison", "operand", "order"}, inside), before == "AS":
		return d.pick(drawnAttributes...)
	}
	if pool := kinds[before]; pool != nil {
		return d.pick(pool...)
	}
	return d.pick(drawnNames...)
}

// text draws a text: of a file, an attribute, a time or a value.
func (d *drawer) text(before, inside string) string {
	switch {
	case before == "EVERY":
		return "1000h"
	case before == "LABELS":
		return d.pick("a", "b")
	case before == "OF":
		return "2020-01-01"
	case inside == "import", inside == "deleteedgesfile", inside == "evaluatetest", inside == "scorefile" && before == "FILE" && len(d.words) < 4:
		return d.pick("edges.txt", "made.txt", "made.csv")
	case inside == "importvertices":
		return d.pick("people.csv", "made.csv", "made.parquet")
	case inside == "importembedding":
		return d.pick("vectors.txt", "made.txt", "made.parquet")
	case inside == "each":
		return "keys.txt"
	case inside == "backup", inside == "recover":
		return d.pick("copy1", "copy2", "copy3", "copy4")
	case before == "FILE":
		return d.pick("made.txt", "made.csv", "made.parquet", "made.graphml", "made.json")
	}
	return d.pick("x", "1", "new", "")
}

func (d *drawer) call(inside string) string {
	switch inside {
	case "generate":
		return d.pick("preferential_attachment(n := 20, m := 2)", "preferential_attachment(n := 5, m := 1, seed := 3)")
	case "compute", "estimatecompute":
		return d.pick("core", "component", "pagerank", "triangles", "betweenness", "community", "katz", "eccentricity")
	case "evaluatelinks", "evaluateparameters", "tune", "exportpairs":
		return d.pick(drawnMethods[:4]...)
	case "exportwalks":
		return d.pick("deepwalk(walks := 1, length := 3)", "dp_walker(walks := 1, length := 3)")
	}
	return d.pick(drawnMethods...)
}

// options draws options of the statement by its description.
func (d *drawer) options() {
	var list []string
	text := strings.Join(d.words, " ")
	for _, h := range query.Helps() {
		if !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "EXPLAIN "), "PROFILE "), h.Statement+" ") {
			continue
		}
		list = nil // of the longest heading, which comes last among those that fit, or first
		for _, o := range h.Options {
			if d.IntN(3) == 0 {
				list = append(list, o.Name+" := "+d.value(o))
			}
		}
		switch h.Statement {
		case "TUNE":
			list = []string{"trials := 1"}
		case "EVALUATE TEST":
			list = []string{"allow_leaks := TRUE"}
		case "EVALUATE LABELS":
			list = []string{"seeds := 1", "fractions := '0.5'", "penalty := 1.0"}
		}
	}
	if len(list) == 0 {
		list = []string{"overwrite := TRUE"}
	}
	d.emit("WITH", "("+strings.Join(list, ", ")+")")
}

func (d *drawer) value(o option.Info) string {
	switch {
	case len(o.Choices) > 0:
		return "'" + d.pick(o.Choices...) + "'"
	case o.Type == "int":
		return d.pick("0", "1", "2", "5")
	case o.Type == "float":
		return d.pick("0.1", "0.5", "1.0")
	case o.Type == "bool":
		return d.pick("TRUE", "TRUE", "FALSE")
	case strings.HasPrefix(o.Default, "'"):
		return o.Default
	}
	return d.pick("'a'", "'x'", "1")
}
