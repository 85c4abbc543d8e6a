package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heavytail/embedding/link"
	"heavytail/embedding/option"
	methods "heavytail/embedding/run"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/links"
	measured "heavytail/query/measures"
	"heavytail/query/vectors"
)

var update = flag.Bool("update", false, "rewrite the methods of the package for Python")

// pythonMethods are the methods of the package for Python: the name, the statement by its heading in
// HELP, the arguments in their order (the others are by name only), and the form of the statement
// behind its heading: words, arguments with their kinds, those that may be left out with a question mark, and in
// brackets words that an argument of their name puts. The options of the statement are at the place of "options".
var pythonMethods = [][4]string{
	{"generate", "GENERATE", "generator, graph", "generator:generator INTO graph:name"},
	{"create_graph", "CREATE GRAPH", "graph", "graph:name"},
	{"create_directed_graph", "CREATE DIRECTED GRAPH", "graph", "graph:name"},
	{"drop_graph", "DROP GRAPH", "graph", "graph:name [CASCADE]"},
	{"import_graph", "IMPORT", "file, graph", "file:text INTO graph:name options"},
	{"import_vertices", "IMPORT VERTICES", "file, graph", "file:text INTO graph:name options"},
	{"export_graph", "EXPORT GRAPH", "graph, file", "graph:name INTO FILE file:text options"},
	{"export_vertices", "EXPORT VERTICES", "graph, file", "OF graph:name INTO FILE file:text options"},
	{"describe_graph", "DESCRIBE GRAPH", "graph", "graph:name [ALL] options"},
	{"describe_vertex", "DESCRIBE VERTEX", "vertex, graph", "vertex:key IN graph:name?"},
	{"vertices", "SHOW VERTICES", "graph", "IN graph:name?"},
	{"edges", "SHOW EDGES", "graph", "IN graph:name?"},
	{"neighbors", "SHOW NEIGHBORS", "vertex, graph", "OF vertex:key WITHIN within:count? IN graph:name? options"},
	{"attributes", "SHOW ATTRIBUTES", "graph", "IN graph:name?"},
	{"path", "PATH", "source, target, graph", "FROM source:key TO target:key IN graph:name? [BY WEIGHT] options"},
	{"paths", "PATHS", "source, target, n, graph", "n:count FROM source:key TO target:key IN graph:name? [BY WEIGHT] options"},
	{"count_vertices", "COUNT VERTICES", "graph", "IN graph:name? WHERE where:condition? BY by:name?"},
	{"count_edges", "COUNT EDGES", "graph", "IN graph:name? WHERE where:condition? BY by:name?"},
	{"compute", "COMPUTE", "measure, graph, attribute", "measure:measure IN graph:name FROM start:keys? AS attribute:name? options [IN BACKGROUND]"},
	{"refresh_measure", "REFRESH MEASURE", "attribute, graph", "attribute:name IN graph:name [IN BACKGROUND]"},
	{"embed", "EMBED", "graph, name, method=dp_spectral", "graph:name USING method:method AS name:name options [IN BACKGROUND]"},
	{"refresh", "REFRESH", "embedding", "embedding:name options [IN BACKGROUND]"},
	{"verify", "VERIFY", "embedding", "embedding:name options [IN BACKGROUND]"},
	{"import_embedding", "IMPORT EMBEDDING", "file, graph, name", "file:text INTO graph:name AS name:name options"},
	{"export_embedding", "EXPORT EMBEDDING", "embedding, file", "embedding:name INTO FILE file:text options"},
	{"nearest", "NEAREST", "embedding, to, k=10", "k:count TO to:target USING embedding:space [FRESH] [EXACT] options"},
	{"nearest_of_all", "NEAREST", "embedding, k=10", "k:count FOR ALL USING embedding:space [FRESH] [EXACT] options"},
	{"within", "WITHIN", "embedding, of", "RADIUS radius:number? EPSILON epsilon:number? OF of:target USING embedding:space [EXACT]"},
	{"reconstruct", "RECONSTRUCT", "embedding", "embedding:name RADIUS radius:number? EPSILON epsilon:number? [AUTO] INTO GRAPH graph:name? INTO FILE file:text? options"},
	{"evaluate_reconstruction", "EVALUATE RECONSTRUCTION", "embedding", "OF embedding:name options"},
	{"create_index", "CREATE INDEX", "embedding", "ON embedding:name options [IN BACKGROUND]"},
	{"drop_index", "DROP INDEX", "embedding", "ON embedding:name"},
	{"describe_embedding", "DESCRIBE EMBEDDING", "embedding", "embedding:name [ALL]"},
	{"vector", "SHOW VECTOR", "vertex, embedding", "OF vertex:key IN embedding:name"},
	{"drop_embedding", "DROP EMBEDDING", "embedding", "embedding:name"},
	{"score", "SCORE", "pairs, scorers, graph", "pairs:pairs IN graph:name? WITH scorers:scorers options"},
	{"explain_score", "EXPLAIN SCORE", "source, target, graph", "pair:pair IN graph:name? WITH scorers:scorers? options"},
	{"predict", "PREDICT", "scorer, k=10", "k:count LINKS . FOR vertex:key? IN graph:name? WITH scorer:scorer AS OF as_of:value? options"},
	{"predict_of_all", "PREDICT", "scorer, k=10", "k:count LINKS FOR ALL IN graph:name? WITH scorer:scorer? AS OF as_of:value? options"},
	{"train_model", "TRAIN MODEL", "model, graph", "model:name IN graph:name USING using:names? options [IN BACKGROUND]"},
	{"describe_model", "DESCRIBE MODEL", "model", "model:name [ALL]"},
	{"drop_model", "DROP MODEL", "model", "model:name"},
	{"evaluate_links", "EVALUATE LINKS", "graph, using", "IN graph:name USING using:calls? options"},
	{"evaluate_labels", "EVALUATE LABELS", "attribute, embedding", "attribute:text OF embedding:name options"},
	{"evaluate_parameters", "EVALUATE PARAMETERS", "graph, using", "IN graph:name USING using:calls options"},
	{"tune", "TUNE", "graph, name, purpose", "graph:name USING using:calls? FOR purpose:RECONSTRUCTION|LINKS|LABELS AS name:name options [IN BACKGROUND]"},
	{"cancel_job", "CANCEL JOB", "job", "job:count"},
	{"resume_job", "RESUME JOB", "job", "job:count [IN BACKGROUND]"},
	{"wait_job", "WAIT JOB", "job", "job:count"},
	{"check", "CHECK", "", ""},
	{"backup", "BACKUP", "file", "INTO FILE file:text options"},
	{"graphs", "SHOW", "", "GRAPHS"},
	{"embeddings", "SHOW", "", "EMBEDDINGS"},
	{"indexes", "SHOW", "", "INDEXES"},
	{"models", "SHOW", "", "MODELS"},
	{"predictions", "SHOW", "", "PREDICTIONS"},
	{"jobs", "SHOW", "", "JOBS"},
}

// TestPython_Generated compares the module of the package for Python that is made from HELP and from the flags of plot
// with its file; -update writes it.
func TestPython_Generated(t *testing.T) {
	const path = "../heavytail-python/heavytail/statements.py"
	want := pythonModule(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := string(mustRead(t, path)); got != want {
		t.Errorf("%s is not what HELP says now: go test ./cmd/heavytail -run TestPython -update writes it", path)
	}
}

// pythonText is the text of the module.
type pythonText struct{ strings.Builder }

func (p *pythonText) line(indent int, format string, args ...any) {
	text := strings.TrimRight(strings.Repeat("    ", indent)+fmt.Sprintf(format, args...), " ")
	p.WriteString(text + "\n")
}

// prose writes sentences in lines; those below the first line of an item of a list are indented.
func (p *pythonText) prose(indent int, text string) {
	for i, line := range filled(strings.ReplaceAll(text, `\`, `\\`), 110) {
		if i > 0 && strings.HasPrefix(text, "- ") {
			line = "  " + line
		}
		p.line(indent, "%s", strings.ReplaceAll(line, "\x00", " "))
	}
}

// list writes things with commas between them, each on one line.
func (p *pythonText) list(indent int, all []string, end string) {
	p.prose(indent, strings.ReplaceAll(strings.ReplaceAll(strings.Join(all, ",\n"), " ", "\x00"), "\n", " ")+end)
}

func pythonModule(t *testing.T) string {
	p := &pythonText{}
	p.WriteString(`"""The statements as methods of Database. Made from HELP by the test TestPython_Generated of cmd/heavytail: do not edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, Optional, Union

from .language import Condition, Key, Method, Statement, Value, Vector
from .table import Picture, Table

Progress = Callable[[dict], None]

`)
	names := func(kind string, list []string) {
		for i, name := range list {
			list[i] = fmt.Sprintf("%q", name)
		}
		p.line(0, "%s = Literal[", kind)
		p.list(1, list, ",")
		p.line(0, "]")
	}
	names("EmbeddingMethod", namesOf(vectors.Methods(), func(m methods.Method) string { return m.Name }))
	names("Measure", namesOf(measured.List(), func(m measured.Measure) string { return m.Name }))
	names("Generator", namesOf(graphs.Generators(), func(g graphs.Generator) string { return g.Name }))
	names("Scorer", namesOf(links.Scorers(), func(s link.Scorer) string { return s.Name }))
	p.WriteString(`

class Statements:
    """The statements of a file as methods.

    Arguments that are None are left out of the statement, so that its default holds. columns, where, order_by (with
    descending), limit and offset choose and sort the rows of an answer; with arrow they come as columns, which is
    faster where they are many. progress is called as that of Database.query is.
    """

    def _run(
        self, statement: Statement, *, arrow: bool = False, progress: Optional[Progress] = None,
        data: Optional[Union[bytes, Iterable[bytes]]] = None,
    ) -> Table:
        raise NotImplementedError

    def plot(self, kind: str, *names: str, **flags: Value) -> Picture:
        raise NotImplementedError
`)
	helps := map[string]help.Statement{}
	for _, h := range query.Helps() {
		helps[h.Statement] = h
	}
	for _, m := range pythonMethods {
		h, known := helps[m[1]]
		if !known {
			t.Fatalf("HELP has no statement %s", m[1])
		}
		if m[1] == "SHOW" {
			_, of, _ := strings.Cut(h.Columns, m[3]+": ")
			of, _, _ = strings.Cut(of, ";")
			h.Summary, h.Detail, h.Columns = "lists "+strings.ToLower(m[3]), "", of
		}
		p.method(h, m[0], m[2], m[3])
	}
	for _, c := range newPlot(nil).Commands() {
		p.plot(c)
	}
	return p.String()
}

func namesOf[T any](list []T, name func(T) string) []string {
	var names []string
	for _, x := range list {
		names = append(names, name(x))
	}
	return names
}

// argument is an argument of a method.
type argument struct{ name, kind, given string }

// pythonKinds are the types of the kinds of arguments, as hints and in the docstrings of those that need one.
var pythonKinds = map[string][2]string{
	"name": {"str"}, "text": {"str"}, "key": {"Key"}, "keys": {"Iterable[Key]"}, "count": {"int"}, "number": {"float"}, "value": {"Value"},
	"names":     {"Iterable[str]"},
	"condition": {"Condition", `a condition in the language, such as "age >= 40"; Where("age >= $least", least=40) has parameters`},
	"target":    {"Union[Key, Sequence[Key], Vector]", "a vertex, several vertices, for their centroid, or a vector"},
	"space":     {"str"},
	"pair":      {"Key"}, "pairs": {"Iterable[tuple[Key, Key]]"},
	"scorer":    {"Union[Scorer, str]", `such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)"`},
	"scorers":   {"Union[Scorer, str, Iterable[str]]", `one or several, such as "jaccard", "cosine(spec)" with an embedding, or "model(friends)"`},
	"method":    {"Union[EmbeddingMethod, str]"},
	"measure":   {"Union[Measure, str]"},
	"generator": {"Union[Generator, str]"},
	"calls":     {"Union[Method, Iterable[Method]]", `methods, each as a name or with its options: Call("fastrp", dim=64)`},
}

// method writes a method.
func (p *pythonText) method(h help.Statement, name, order, form string) {
	var body []string
	var args []argument
	add := func(name, kind string, optional bool) {
		given := ""
		if optional {
			given = "None"
		}
		args = append(args, argument{name, kind, given})
	}
	words, options, progress := "", false, false
	flush := func() {
		if words != "" {
			body, words = append(body, fmt.Sprintf("s.word(%q)", words)), ""
		}
	}
	for token := range strings.FieldsSeq(strings.NewReplacer("[BY WEIGHT]", "[BY_WEIGHT]", "[IN BACKGROUND]", "[IN_BACKGROUND]").Replace(form)) {
		arg, kind, isArg := strings.Cut(token, ":")
		kind, optional := strings.CutSuffix(kind, "?")
		switch {
		case token == ".": // the words behind it belong to an argument that may be left out
			flush()
		case token == "options":
			options = true
			body = append(body, "s.options({"+strings.Join(namesOf(h.Options, func(o option.Info) string { return fmt.Sprintf("%q: %s", o.Name, pythonName(o.Name)) }), ", ")+"})")
		case token[0] == '[':
			shown := strings.ReplaceAll(strings.Trim(token, "[]"), "_", " ")
			arg := pythonName(strings.ToLower(strings.TrimPrefix(strings.Trim(token, "[]"), "IN_")))
			args = append(args, argument{arg, "bool", "False"})
			body = append(body, fmt.Sprintf("s.word(%q, %s)", shown, arg))
			progress = progress || token == "[IN_BACKGROUND]"
		case !isArg:
			words = strings.TrimSpace(words + " " + token)
		case strings.Contains(kind, "|"):
			flush()
			add(arg, "Literal["+strings.ToLower(`"`+strings.ReplaceAll(kind, "|", `", "`)+`"`)+"]", optional)
			body = append(body, fmt.Sprintf("s.one_of(%s, [\"%s\"])", arg, strings.ReplaceAll(kind, "|", `", "`)))
		case kind == "pair":
			flush()
			add("source", kind, false)
			add("target", kind, false)
			body = append(body, `s.pairs("", [(source, target)])`)
		default:
			call := kind
			if kind == "text" {
				call = "value"
			}
			if kind == "measure" || kind == "generator" || kind == "method" {
				call = "call"
			}
			given := ""
			switch {
			case kind == "space":
				given = ", metric"
			case call == "call":
				given = ", options"
			}
			add(arg, kind, optional)
			body, words = append(body, fmt.Sprintf("s.%s(%q, %s%s)", call, words, pythonName(arg), given)), ""
			if kind == "space" {
				args = append(args, argument{"metric", `Literal["l2", "cosine", "dot"]`, "None"})
			}
		}
	}
	flush()
	p.signature(h, name, order, args, body, options, progress)
}

// signature writes a method with its arguments in an order, and the text of HELP.
func (p *pythonText) signature(h help.Statement, name, order string, args []argument, body []string, options, progress bool) {
	var shown, doc []string
	taken := map[string]bool{}
	put := func(name, kind, given string) {
		text := name + ": " + kind
		switch {
		case given == "None":
			text = name + ": Optional[" + kind + "] = None"
		case given != "":
			text += " = " + given
		}
		shown, taken[name] = append(shown, text), true
	}
	hint := func(a argument) string {
		if known, is := pythonKinds[a.kind]; is {
			if known[1] != "" {
				doc = append(doc, a.name+": "+known[1])
			}
			return known[0]
		}
		return a.kind
	}
	for first := range strings.SplitSeq(order, ", ") {
		name, given, _ := strings.Cut(first, "=")
		if i := slices.IndexFunc(args, func(a argument) bool { return a.name == name }); i >= 0 {
			a := args[i]
			if args = slices.Delete(args, i, i+1); given != "" {
				a.given = given
				if a.kind == "method" {
					a.given = fmt.Sprintf("%q", given)
				}
			}
			put(pythonName(a.name), hint(a), a.given)
		}
	}
	called := slices.ContainsFunc(body, func(line string) bool { return strings.HasPrefix(line, "s.call(") })
	shown = append(shown, "*")
	for _, a := range args {
		put(pythonName(a.name), hint(a), a.given)
	}
	if options {
		for _, o := range h.Options {
			put(pythonName(o.Name), pythonType(o), "None")
			given := ""
			if o.Default != "" {
				given = " (default " + o.Default + ")"
			}
			doc = append(doc, fmt.Sprintf("%s: %s%s", pythonName(o.Name), o.Doc, given))
		}
	}
	run := "self._run(s"
	if h.Clauses != "" {
		passed := []string{}
		for _, c := range []argument{{"columns", "Iterable[str]", ""}, {"where", "Condition", ""}, {"order_by", "str", ""}, {"limit", "int", ""}, {"offset", "int", ""}} {
			if taken[c.name] {
				continue
			}
			put(c.name, c.kind, "None")
			passed = append(passed, c.name+"="+c.name)
			if c.name == "order_by" {
				put("descending", "bool", "False")
				passed = append(passed, "descending=descending")
			}
		}
		body = append(body, "s.rows("+strings.Join(passed, ", ")+")")
		put("arrow", "bool", "False")
		run += ", arrow=arrow"
	}
	if progress {
		put("progress", "Progress", "None")
		run += ", progress=progress"
	}
	if strings.HasPrefix(h.Statement, "IMPORT") {
		put("data", "Union[bytes, Iterable[bytes]]", "None")
		doc = append(doc, "data: what the statement reads as the file '-'")
		run += ", data=data"
	}
	bare := shown[len(shown)-1] == "*" // nothing but **options is by name
	if called {
		shown = append(shown, "**options: Value")
	}
	if shown = slices.DeleteFunc(append([]string{"self"}, shown...), func(text string) bool { return text == "*" && bare }); len(shown) < 4 {
		p.line(0, "")
		p.line(1, "def %s(%s) -> Table:", name, strings.Join(shown, ", "))
	} else {
		p.line(0, "")
		p.line(1, "def %s(", name)
		p.list(2, shown, map[bool]string{true: "", false: ","}[called]) // Python 3.9 takes no comma behind **options
		p.line(1, ") -> Table:")
	}
	p.docstring(h, doc, called, body)
	p.line(2, "s = Statement(%q)", h.Statement)
	for _, line := range body {
		p.line(2, "%s", line)
	}
	p.line(2, "return %s)", run)
}

// docstring writes what HELP says of a statement, and of its arguments.
func (p *pythonText) docstring(h help.Statement, args []string, called bool, body []string) {
	if h.Detail+h.Columns == "" && len(args) == 0 && !called {
		p.line(2, `"""%s."""`, sentence(h.Summary))
		return
	}
	p.line(2, `"""%s.`, sentence(h.Summary))
	if h.Detail != "" {
		p.line(0, "")
		p.prose(2, h.Detail+".")
	}
	if len(args) > 0 {
		p.line(0, "")
	}
	for _, text := range args {
		p.prose(2, "- "+text+".")
	}
	if called {
		p.line(0, "")
		p.line(2, "Options of each, with their defaults:")
		p.line(0, "")
		entry := func(name string, options []option.Info) {
			p.prose(2, "- "+name+"("+strings.Join(namesOf(options, option.Info.String), ", ")+")")
		}
		switch kind := strings.Join(body, " "); {
		case strings.Contains(kind, ", method, options)"):
			for _, m := range vectors.Methods() {
				entry(m.Name, m.Options)
			}
		case strings.Contains(kind, ", measure, options)"):
			for _, m := range measured.List() {
				entry(m.Name, m.Options)
			}
		default:
			for _, g := range graphs.Generators() {
				entry(g.Name, g.Options)
			}
		}
	}
	if h.Columns != "" {
		p.line(0, "")
		p.prose(2, "Columns: "+h.Columns+".")
	}
	p.line(2, `"""`)
}

// pythonName is a name that is no word of Python.
func pythonName(name string) string {
	if slices.Contains([]string{"from", "in", "is", "as", "with", "all", "format"}, name) && name != "all" && name != "format" {
		return name + "_"
	}
	return name
}

// pythonType is the type of an option as a hint.
func pythonType(o option.Info) string {
	kind := map[string]string{"int": "int", "float": "float", "bool": "bool", "column": "Union[str, int]"}[o.Type]
	choices := `Literal["` + strings.Join(o.Choices, `", "`) + `"]`
	switch {
	case kind == "" && o.Choices != nil:
		return choices
	case kind == "":
		return "str"
	case o.Choices != nil:
		return "Union[" + kind + ", " + choices + "]"
	}
	return kind
}

// plot writes a method for a kind of picture, with the flags of its command.
func (p *pythonText) plot(c *cobra.Command) {
	name := c.Name()
	var shown, passed, doc []string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "out" || f.Name == "help" || f.Name == "dpi" {
			return
		}
		arg := strings.ReplaceAll(f.Name, "-", "_")
		kind := map[string]string{"int": "int", "float64": "float", "uint64": "int", "bool": "bool", "string": "str"}[f.Value.Type()]
		if kind == "" {
			kind = "Union[str, Iterable[str]]"
		}
		shown, passed = append(shown, arg+": Optional["+kind+"] = None"), append(passed, arg+"="+arg)
		doc = append(doc, "- "+arg+": "+strings.ReplaceAll(f.Usage, "--", "")+".")
	})
	p.line(0, "")
	p.line(1, "def plot_%s(", name)
	p.list(2, append([]string{"self", "*names: str"}, shown...), ",")
	p.line(1, ") -> Picture:")
	about, _, _ := strings.Cut(strings.ReplaceAll(c.Long, "--", ""), "\n\n")
	first, rest, _ := strings.Cut(strings.ReplaceAll(about, "\n", " "), ". ")
	p.line(2, `"""%s.`, strings.TrimSuffix(first, "."))
	p.line(0, "")
	if rest != "" {
		p.prose(2, rest)
		p.line(0, "")
	}
	_, use, _ := strings.Cut(c.Use, " FILE")
	use, _, _ = strings.Cut(use, " --")
	p.prose(2, "names:"+use+".")
	p.line(0, "")
	for _, text := range doc {
		p.prose(2, text)
	}
	p.line(2, `"""`)
	p.line(2, "return self.plot(")
	p.list(3, append([]string{fmt.Sprintf("%q", name), "*names"}, passed...), ",")
	p.line(2, ")")
}
