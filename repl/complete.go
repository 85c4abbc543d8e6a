package repl

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/links"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/query/vectors"
)

type candidate struct {
	text   string // replaces the word
	tail   string // added behind text if there is no other candidate
	detail string // about it; may be empty
}

func candidates[T any](items []T, of func(T) candidate) []candidate {
	list := make([]candidate, len(items))
	for i, item := range items {
		list[i] = of(item)
	}
	return list
}

// completer lists the possible completions of a word. It queries the database
// for names and keys, within a time limit that keeps typing responsive.
type completer struct {
	db     Database
	params func() map[string]any
	plots  []string      // Config.Plots
	wait   time.Duration // the time limit
}

const (
	completionWait = 300 * time.Millisecond // usual time limit of a completer
	mostCandidates = 100
)

// at returns the candidates for the word at the end of a text, and the offset
// where the word begins. All of them are safe to print. more reports whether
// there are further candidates.
func (c *completer) at(text string) (start int, list []candidate, more bool) {
	ctx, cancel := context.WithTimeout(context.Background(), c.wait)
	defer cancel()
	if trimmed := strings.TrimLeft(text, " \t\n"); isCommand(trimmed) && !strings.Contains(trimmed, "\n") {
		start, list = c.command(ctx, trimmed)
		start += len(text) - len(trimmed)
	} else {
		start, list = c.statement(ctx, text)
	}
	list = slices.DeleteFunc(list, func(x candidate) bool {
		return parser.Escape(x.text) != x.text || !hasPrefixFold(x.text, text[start:])
	})
	if more = len(list) > mostCandidates; more {
		list = list[:mostCandidates]
	}
	for i := range list {
		list[i].detail = parser.Escape(list[i].detail)
	}
	return start, list, more
}

// hasPrefixFold is strings.HasPrefix without case, for a prefix in ASCII.
func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

func (c *completer) statement(ctx context.Context, text string) (int, []candidate) {
	next := parser.Next(text)
	word := text[next.Start:]
	if strings.HasPrefix(word, "$") {
		return next.Start, c.paramNames("$")
	}
	var list []candidate
	for _, class := range next.Classes {
		list = append(list, c.class(ctx, class, next.Names, word)...)
	}
	truth := c.option(next.Names).Type
	details := map[string]string{}
	if c.begins(text[:next.Start]) {
		details = summaries()
	}
	for _, k := range next.Keywords {
		if (k == "TRUE" || k == "FALSE") && truth != "" && truth != "bool" {
			continue
		}
		list = append(list, candidate{text: k, tail: " ", detail: details[k]})
	}
	return next.Start, list
}

// begins reports whether a new statement begins after a text.
func (c *completer) begins(text string) bool {
	tokens := slices.DeleteFunc(parser.Tokens(text), func(t parser.Token) bool { return t.Kind == parser.KindComment })
	return len(tokens) == 0 || tokens[len(tokens)-1].Text == ";"
}

// summaries maps a first word to the summary of its statement, for words that
// begin only one statement.
func summaries() map[string]string {
	text := map[string]string{}
	for _, h := range query.Helps() {
		first, _, _ := strings.Cut(h.Statement, " ")
		if _, twice := text[first]; twice {
			text[first] = ""
			continue
		}
		text[first] = h.Summary
	}
	return text
}

// class lists the candidates of a class, such as the names of graphs.
func (c *completer) class(ctx context.Context, class parser.Class, names parser.Names, word string) []candidate {
	switch class {
	case parser.ClassGraph:
		return c.graphs(ctx, true)
	case parser.ClassEmbedding:
		return c.embeddings(ctx)
	case parser.ClassAttribute:
		return c.attributes(ctx, names)
	case parser.ClassLabel:
		return c.attributesAs(ctx, names, quoteText)
	case parser.ClassVertex:
		return c.vertices(ctx, names, word)
	case parser.ClassOption:
		return c.optionNames(names.Call)
	case parser.ClassMethod, parser.ClassWalks:
		var list []candidate
		for _, m := range vectors.Methods() {
			if m.Walks || class != parser.ClassWalks {
				list = append(list, candidate{m.Name, "(", m.Summary})
			}
		}
		return list
	case parser.ClassMeasure:
		return candidates(measures.List(), func(m measures.Measure) candidate { return candidate{m.Name, "(", m.Summary} })
	case parser.ClassGenerator:
		return candidates(graphs.Generators(), func(g graphs.Generator) candidate { return candidate{g.Name, "(", g.Summary} })
	case parser.ClassJob:
		return c.jobs(ctx)
	case parser.ClassModel:
		return c.models(ctx)
	case parser.ClassFunction:
		return candidates(graphs.FigureFunctions(), func(f graphs.FigureFunction) candidate {
			return candidate{string(f), "(", "of the numbers of a column"}
		})
	case parser.ClassHeuristic:
		return c.heuristics()
	case parser.ClassTerms:
		return []candidate{{"heuristics", "(", "scorers of pairs, as terms of the model"}}
	case parser.ClassScorer:
		return c.scorers()
	case parser.ClassMetric:
		return []candidate{{"cosine", "(", "similarity of directions"}, {"dot", "(", "inner product"}, {"l2", "(", "Euclidean distance"}}
	case parser.ClassFile:
		return filesOf(word, "'")
	case parser.ClassTopic:
		return topics()
	case parser.ClassValue:
		return candidates(c.option(names).Choices, func(choice string) candidate { return candidate{text: quoteText(choice)} })
	}
	return nil
}

func (c *completer) graphs(ctx context.Context, quoted bool) []candidate {
	var list []candidate
	graphs, _ := entriesOf(ctx, c.db, parser.Graphs, "graph", "vertices", "edges")
	for _, g := range graphs {
		name := g[0].(string)
		if quoted || strings.ContainsAny(name, " \t'\"") {
			name = quoteName(name)
		}
		list = append(list, candidate{name, " ", amount(g[1], "vertices") + ", " + amount(g[2], "edges")})
	}
	return list
}

func (c *completer) embeddings(ctx context.Context) []candidate {
	embeddings, _ := entriesOf(ctx, c.db, parser.Embeddings, "embedding", "method", "graph")
	return candidates(embeddings, func(e []rows.Value) candidate {
		return candidate{quoteName(e[0].(string)), "", e[1].(string) + " of " + e[2].(string)}
	})
}

func (c *completer) models(ctx context.Context) []candidate {
	models, _ := entriesOf(ctx, c.db, parser.Models, "model", "graph", "auc")
	return candidates(models, func(m []rows.Value) candidate {
		return candidate{quoteName(m[0].(string)), "", fmt.Sprintf("of %v, AUC %.4f", m[1], m[2])}
	})
}

func (c *completer) heuristics() []candidate {
	var list []candidate
	for _, s := range links.Scorers() {
		list = append(list, candidate{s.Name, "", s.Summary})
	}
	return list
}

func (c *completer) jobs(ctx context.Context) []candidate {
	jobs, _ := entriesOf(ctx, c.db, parser.Jobs, "job", "state", "statement")
	return candidates(jobs, func(j []rows.Value) candidate {
		return candidate{fmt.Sprint(j[0]), "", fmt.Sprintf("%v: %v", j[1], j[2])}
	})
}

// graphsNamed returns the graphs that a statement may refer to: the one it has
// named, that of its embedding, or all.
func (c *completer) graphsNamed(ctx context.Context, names parser.Names) []string {
	if names.Graph != "" {
		return []string{names.Graph}
	}
	if names.Embedding != "" {
		embeddings, _ := entriesOf(ctx, c.db, parser.Embeddings, "embedding", "graph")
		for _, e := range embeddings {
			if e[0] == names.Embedding {
				return []string{e[1].(string)}
			}
		}
	}
	all, _ := graphNames(ctx, c.db)
	return all
}

// keysOf returns keys of a graph with a prefix, in the order of their bytes in this process, and in any order of a server:
// a statement reads all keys until it has enough.
func keysOf(ctx context.Context, db Database, graph, prefix string) (keys []string, err error) {
	if own, err := local(db); err == nil {
		return own.Graphs().Keys(ctx, graph, prefix, mostCandidates+1)
	}
	pattern := strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(prefix) + "%"
	list, err := answerTo(ctx, db, query.Request{
		Source: parser.Source{Text: fmt.Sprintf("SHOW VERTICES IN %s WHERE key LIKE $like ESCAPE '!' LIMIT %d", parser.Ident{Name: graph}, mostCandidates+1)},
		Params: map[string]any{"like": pattern},
	}, "vertex")
	for _, row := range list {
		keys = append(keys, row[0].(string))
	}
	return keys, err
}

// attributesOf lists the attributes of the vertices of a graph, with their types.
func attributesOf(ctx context.Context, db Database, graph parser.Ident) ([][]rows.Value, error) {
	return answerTo(ctx, db, query.Request{Source: parser.Source{Text: "SHOW ATTRIBUTES IN " + graph.String()}}, "attribute", "type")
}

// entriesOf returns some columns of a list of SHOW.
func entriesOf(ctx context.Context, db Database, what parser.Listing, columns ...string) ([][]rows.Value, error) {
	return answerTo(ctx, db, query.Request{Source: parser.Source{Text: "SHOW " + string(what)}}, columns...)
}

// answerTo returns some columns of the answer to a statement.
func answerTo(ctx context.Context, db Database, request query.Request, columns ...string) (list [][]rows.Value, err error) {
	answer, err := db.Execute(ctx, request)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	for chosen := pick(answer, columns); chosen.Next(); {
		list = append(list, slices.Clone(chosen.Row()))
	}
	return list, answer.Err()
}

// amount is fault.Amount of a cell.
func amount(cell rows.Value, unit string) string {
	n, _ := cell.(int64)
	return fault.Amount(float64(n), unit)
}

func graphNames(ctx context.Context, db Database) (names []string, err error) {
	graphs, err := entriesOf(ctx, db, parser.Graphs, "graph")
	for _, g := range graphs {
		names = append(names, g[0].(string))
	}
	return names, err
}

func (c *completer) attributes(ctx context.Context, names parser.Names) []candidate {
	columns := []candidate{
		{"degree", " ", "number of neighbours"}, {"linked", " ", "neighbour of the query vertex, or of a named one"},
		{"links_to", " ", "has an edge to a vertex of a directed graph"}, {"linked_from", " ", "has an edge from one"}, {"key", " ", "name of the vertex"},
	}
	return append(columns, c.attributesAs(ctx, names, quoteName)...)
}

// attributesAs lists the attributes of the graphs that a statement may refer to, with their names
// in quotes.
func (c *completer) attributesAs(ctx context.Context, names parser.Names, quote func(string) string) []candidate {
	var list []candidate
	for _, graph := range c.graphsNamed(ctx, names) {
		attributes, _ := attributesOf(ctx, c.db, parser.Ident{Name: graph})
		for _, a := range attributes {
			text := quote(a[0].(string))
			if !slices.ContainsFunc(list, func(x candidate) bool { return x.text == text }) {
				list = append(list, candidate{text, " ", a[1].(string)})
			}
		}
	}
	return list
}

// vertices lists keys that begin with the word, which is in quotes.
func (c *completer) vertices(ctx context.Context, names parser.Names, word string) []candidate {
	if !strings.HasPrefix(word, "'") {
		return nil
	}
	prefix := strings.ReplaceAll(word[1:], "''", "'")
	var list []candidate
	for _, graph := range c.graphsNamed(ctx, names) {
		keys, _ := keysOf(ctx, c.db, graph, prefix)
		for _, key := range keys {
			list = append(list, candidate{text: quoteText(key)})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.text, b.text) })
	return slices.CompactFunc(list, func(a, b candidate) bool { return a.text == b.text })
}

// options is the table of options of a call: a method, generator or statement.
func (c *completer) options(call string) []option.Info {
	for _, m := range vectors.Methods() {
		if m.Name == call {
			return m.Options
		}
	}
	for _, m := range measures.List() {
		if m.Name == call {
			return m.Options
		}
	}
	for _, g := range graphs.Generators() {
		if g.Name == call {
			return g.Options
		}
	}
	for _, h := range query.Helps() {
		if h.Statement == call {
			return h.Options
		}
	}
	return nil
}

// option returns the option whose value is being typed, or the zero OptionInfo
// if no option is.
func (c *completer) option(names parser.Names) option.Info {
	for _, o := range c.options(names.Call) {
		if o.Name == names.Option {
			return o
		}
	}
	return option.Info{}
}

func (c *completer) optionNames(call string) []candidate {
	return candidates(c.options(call), func(o option.Info) candidate {
		detail := o.Doc
		if o.Default != "" {
			detail += ", " + o.Default + " by default"
		}
		return candidate{o.Name, " := ", detail}
	})
}

func (c *completer) scorers() []candidate {
	var list []candidate
	for _, s := range links.Scorers() {
		tail := ""
		if s.NeedsEmbedding {
			tail = "("
		}
		list = append(list, candidate{s.Name, tail, s.Summary})
	}
	return append(list, candidate{"model", "(", "probability of a model that TRAIN MODEL has learned"})
}

func (c *completer) paramNames(sign string) []candidate {
	var list []candidate
	for name := range c.params() {
		list = append(list, candidate{sign + name, " ", ""})
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.text, b.text) })
	return list
}

// topics are the words that HELP can explain.
func topics() []candidate {
	return candidates(query.Helps(), func(h help.Statement) candidate { return candidate{h.Statement, "", h.Summary} })
}

func (c *completer) command(ctx context.Context, line string) (int, []candidate) {
	start := strings.LastIndexAny(line, " \t") + 1
	if start == 0 {
		return 0, candidates(commands(), func(x command) candidate { return candidate{line[:1] + x.name[1:], " ", x.summary} })
	}
	words, err := splitWords(line[:start])
	if err != nil || len(words) == 0 {
		return start, nil
	}
	x, err := find(words[0].text)
	if err != nil {
		return start, nil
	}
	return start, c.argument(ctx, x.name, words[1:], line[start:])
}

// argument lists the candidates for the next argument of a command.
func (c *completer) argument(ctx context.Context, name string, before []word, word string) []candidate {
	switch {
	case name == ".plot" && len(before) == 0:
		return append(c.graphs(ctx, false), plain(c.plots)...)
	case name == ".plot", name == ".schema" && len(before) == 0:
		return c.graphs(ctx, false)
	case name == ".help" && len(before) == 0:
		return append(candidates(commands(), func(x command) candidate { return candidate{x.name, "", x.summary} }), topics()...)
	case name == ".param" && len(before) == 1:
		return c.paramNames("")
	case len(before) > 0:
		return nil
	case name == ".mode":
		return plain(Formats())
	case name == ".timer", name == ".pager":
		return plain([]string{"on", "off"})
	case name == ".param":
		return plain([]string{"list", "set", "unset"})
	case name == ".read", name == ".output", name == ".once", name == ".open", name == ".import":
		return filesOf(word, "")
	}
	return nil
}

func plain(words []string) []candidate {
	return candidates(words, func(w string) candidate { return candidate{text: w} })
}

// filesOf lists the files that complete a path. In a statement the path is in
// quotes; without quotes it has no blanks.
func filesOf(word, quote string) []candidate {
	if !strings.HasPrefix(word, quote) {
		return nil
	}
	path := word[len(quote):]
	folder, prefix := filepath.Split(path)
	look := cmp.Or(folder, ".")
	dir, err := os.Open(look)
	if err != nil {
		return nil
	}
	defer dir.Close()
	const most = 10_000 // entries of a folder that are read
	entries, _ := dir.ReadDir(most)
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var list []candidate
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || prefix == "" && strings.HasPrefix(name, ".") || !utf8.ValidString(name) ||
			strings.ContainsAny(name, "'\"") || quote == "" && strings.Contains(name, " ") {
			continue
		}
		end := quote
		if e.IsDir() {
			end = string(filepath.Separator)
		}
		list = append(list, candidate{text: quote + folder + name + end})
	}
	return list
}

// quoteName writes a name in the syntax of the language, and quoteText a string.
func quoteName(name string) string { return parser.Ident{Name: name}.String() }
func quoteText(text string) string { return parser.String{Value: text}.String() }
