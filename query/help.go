package query

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/vectors"
)

// family is a part of the language that has a package of its own.
type family struct {
	name       string
	statements []engine.Described
}

// helpsOf lists the help of the statements of families; statements that share their help are
// listed once.
func helpsOf(families ...family) []help.Statement {
	var list []help.Statement
	listed := make(map[string]bool)
	for _, f := range families {
		for _, s := range f.statements {
			if h := s.Describe(); !listed[h.Statement] {
				list, listed[h.Statement] = append(list, h), true
			}
		}
	}
	return list
}

// helpStatement is HELP, which reads the list that it is in.
func helpStatement(families func() []family) engine.Described {
	return &engine.Statement[*parser.Help, []string, engine.Nothing, *helpTable]{
		Help: help.Statement{
			Statement: "HELP",
			Summary:   "lists what there is, explains a statement, a method or another name, or searches for words",
			Words:     "search manual documentation",
			Columns:   "item, text",
		},
		Bind: func(b *engine.Binder, s *parser.Help) []string {
			b.Mark(partTopic, s)
			return s.Topic
		},
		Resolve: engine.ResolveNothing[[]string],
		Plan: func(topic []string, _ engine.Nothing) *plan.Plan {
			return plan.Result("help", strings.Join(topic, " "))
		},
		Run: func(c *engine.Call, topic []string, _ engine.Nothing) (*helpTable, error) {
			t, err := helpOn(families(), c.DB.Opts.Manual, topic)
			if err == nil && t.notice != "" {
				c.Notice("%s", t.notice)
			}
			return t, err
		},
		Rows:  func(_ []string, t *helpTable) *rows.Rows { return cells.RowsOf([]string{"item", "text"}, t.rows) },
		Reads: true,
	}
}

type helpTable struct {
	rows   [][]rows.Value
	notice string
}

const partTopic fault.Part = "topic"

// essentials are what most begin with, and a statement for each that runs after those above it.
var essentials = [][]rows.Value{
	{"import", "IMPORT 'edges.csv' INTO social"},
	{"look", "DESCRIBE GRAPH social"},
	{"degrees", "COUNT VERTICES IN social BY degree"},
	{"central vertices", "COMPUTE pagerank IN social ORDER BY value DESC LIMIT 10"},
	{"communities", "COMPUTE community IN social AS team"},
	{"neighbours, paths", "PATH FROM 'alice' TO 'bob' IN social"},
	{"embed", "EMBED social USING dp_spectral(dim := 64) AS spec"},
	{"nearest", "NEAREST 10 TO 'alice' USING spec"},
	{"predict links", "PREDICT 10 LINKS FOR 'alice' IN social WITH adamic_adar"},
	{"export", "EXPORT GRAPH social INTO FILE 'social.gexf'"},
}

// group is a part of the language that HELP shows on one screen.
type group struct{ name, title string }

var groups = []group{
	{"graphs", "create, import, generate, derive, export and drop graphs"},
	{"look", "describe, list, count and follow vertices and edges"},
	{"changes", "insert, update and delete vertices and edges"},
	{"measures", "pagerank, communities and other measures of vertices"},
	{"vectors", "embed a graph, and keep, move and refresh embeddings"},
	{"search", "nearest vertices, indexes, reconstruction, verification"},
	{"links", "score, predict and learn links"},
	{"studies", "evaluate links, labels and parameters; tune"},
	{"jobs", "stop, resume and wait for what runs for long"},
	{"store", "check, back up and compact the file; plans, rows, HELP"},
}

// groupOf returns the name of the group of a statement of a family.
func groupOf(family, statement string) string {
	verb, object, _ := strings.Cut(statement, " ")
	switch {
	case family == "graphs" && (slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, verb) || object == "ATTRIBUTE"):
		return "changes"
	case family == "graphs" && slices.Contains([]string{"SHOW", "DESCRIBE", "COUNT", "PATH"}, verb):
		return "look"
	case family == "vectors" && (slices.Contains([]string{"NEAREST", "WITHIN", "RECONSTRUCT", "EVALUATE", "VERIFY", "DIFF"}, verb) || slices.Contains([]string{"INDEX", "VECTOR"}, object)):
		return "search"
	}
	return family
}

// helpGroup returns the statements of a group; false for another name.
func helpGroup(families []family, name string) (*helpTable, bool) {
	if !slices.ContainsFunc(groups, func(g group) bool { return g.name == name }) {
		return nil, false
	}
	t := &helpTable{notice: "HELP with the name of one explains it"}
	for _, f := range families {
		for _, h := range helpsOf(f) {
			if groupOf(f.name, h.Statement) == name {
				t.rows = append(t.rows, []rows.Value{h.Statement, h.Summary})
			}
		}
	}
	return t, true
}

// helpOn returns the rows for a topic, or an Error with the nearest one: of a group, of one thing, the
// statements that have the words in that order, what a search for the words finds, or the statement whose
// beginning they are. The pages of the manual are searched if it is not nil.
func helpOn(families []family, manual fs.FS, words []string) (*helpTable, error) {
	if len(words) == 0 {
		t := &helpTable{rows: slices.Clone(essentials), notice: "HELP links lists a group, HELP name explains one, HELP words searches"}
		for _, g := range groups {
			t.rows = append(t.rows, []rows.Value{"HELP " + g.name, g.title})
		}
		return t, nil
	}
	if t, ok := helpGroup(families, strings.ToLower(strings.Join(words, " "))); ok {
		return t, nil
	}
	topics := helpTopics(helpsOf(families...))
	if t := findTopic(topics, words); t != nil {
		return t, nil
	}
	// The topic may be a statement as typed, with names after its first words, so
	// shorter beginnings are tried too.
	for n := len(words) - 1; n > 0; n-- {
		begins := strings.ToUpper(strings.Join(words[:n], " "))
		if slices.ContainsFunc(topics, func(t helpTopic) bool { return t.name == begins }) {
			return findTopic(topics, words[:n]), nil
		}
	}
	entries := lists.Map(topics, func(t helpTopic) help.Entry { return t.Entry })
	for _, e := range Errors() {
		_, name, _ := strings.Cut(e.Name, ".Err")
		entries = append(entries, help.Entry{Kind: "error", Name: e.Name, Summary: e.Meaning, Words: name, Text: e.Remedy})
	}
	if manual != nil {
		pages, err := help.Pages(manual)
		if err != nil {
			return nil, err
		}
		entries = append(entries, pages...)
	}
	t := listOf(help.Search(entries, words))
	if remedy, known := parser.Habit(words[0]); known && len(words) == 1 {
		t.rows = slices.Insert(t.rows, 0, []rows.Value{strings.ToUpper(words[0]), remedy})
	}
	if len(t.rows) > 0 {
		return t, nil
	}
	e := fault.New(partTopic, "no help for %s", fault.Quote(strings.Join(words, " ")))
	names := lists.Map(topics, func(t helpTopic) string { return t.name })
	if nearest, ok := parser.Suggest(strings.ToUpper(strings.Join(words, " ")), names); ok {
		e.Remedy = "did you mean HELP " + nearest + "?"
		return nil, e
	}
	for n := len(words) - 1; n > 0; n-- {
		if t := findTopic(topics, words[:n]); t != nil {
			return t, nil
		}
	}
	e.Remedy = "HELP alone lists the groups of statements"
	return nil, e
}

// listOf lists what a search has found.
func listOf(found []help.Entry) *helpTable {
	t := &helpTable{notice: "HELP with a name explains it"}
	for _, e := range found {
		switch e.Kind {
		case "statement":
			t.rows = append(t.rows, []rows.Value{e.Name, e.Summary})
		case "manual":
			t.rows = append(t.rows, []rows.Value{"manual " + e.Name, e.Summary})
			t.notice = "HELP name explains one; heavytail manual PAGE or .manual PAGE shows a page"
		default:
			t.rows = append(t.rows, []rows.Value{e.Name, e.Kind + ": " + e.Summary})
		}
	}
	return t
}

// findTopic returns the rows of the topic with that name. Otherwise it returns the
// statements that begin with the first word and whose syntax has all words in that
// order (PREDICT LINKS, DROP): all about one, or a list of several; nil if there are none.
func findTopic(topics []helpTopic, words []string) *helpTable {
	name, all := strings.Join(words, " "), &helpTable{}
	for _, known := range topics { // a generator and a scorer may have one name
		if strings.EqualFold(known.name, name) {
			all.rows = append(all.rows, known.rows...)
		}
	}
	if all.rows != nil {
		return all
	}
	var found []helpTopic
	for _, known := range topics {
		if len(known.syntax) > 0 && sameWord(words[0], known.syntax[0]) && hasInOrder(known.syntax, words) {
			found = append(found, known)
		}
	}
	switch len(found) {
	case 0:
		return nil
	case 1:
		return &helpTable{rows: found[0].rows}
	}
	return listOf(lists.Map(found, func(t helpTopic) help.Entry { return t.Entry }))
}

// hasInOrder reports whether text contains all words in the given order.
func hasInOrder(text, words []string) bool {
	for _, word := range text {
		if len(words) > 0 && sameWord(word, words[0]) {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// sameWord reports whether two words are equal, ignoring case and a plural s.
func sameWord(a, b string) bool {
	a, b = strings.ToUpper(a), strings.ToUpper(b)
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || a+"S" == b || a+"ES" == b
}

// helpTopic is one thing that HELP can explain.
type helpTopic struct {
	name   string
	syntax []string // the words of a statement, its keywords in capitals; nil for other topics
	rows   [][]rows.Value
	help.Entry
}

// topicOf is the topic of an entry, whose rows begin with its kind, how it is written and its summary.
func topicOf(e help.Entry, syntax []string, rows [][]rows.Value, options []option.Info) helpTopic {
	for _, o := range options {
		e.Text += " " + o.Name + " " + o.Doc + " " + strings.Join(o.Choices, " ")
	}
	return helpTopic{e.Name, syntax, append(rows, optionRows(options)...), e}
}

// helpTopics lists all topics: statements, then methods, measures and other names.
func helpTopics(helps []help.Statement) []helpTopic {
	var topics []helpTopic
	for _, h := range helps {
		list := [][]rows.Value{
			{"statement", h.Statement}, {"syntax", h.Syntax}, {"summary", h.Summary}, {"example", h.Example},
		}
		if h.Clauses != "" {
			list = slices.Insert(list, 2, []rows.Value{"behind it", h.Clauses})
		}
		if h.Columns != "" {
			list = append(list, []rows.Value{"columns", h.Columns})
		}
		if h.Detail != "" {
			list = append(list, []rows.Value{"detail", h.Detail})
		}
		syntax := strings.FieldsFunc(h.Syntax, func(r rune) bool { return !unicode.IsLetter(r) })
		topics = append(topics, topicOf(help.Entry{Kind: "statement", Name: h.Statement, Summary: h.Summary, Words: h.Words, Text: h.Detail}, syntax, list, h.Options))
	}
	where := [][]rows.Value{
		{"condition", "WHERE"},
		{"summary", "which vertices may be answers; it is applied during the search, so that the search still finds the full number of answers"},
		{"attribute", "value of the vertex for the attribute of this name; in double quotes if it is not a plain name"},
		{"degree", "number of neighbours of the vertex"},
		{"key", "key of the vertex, a text"},
		{"linked", "whether the vertex is a neighbour of the query vertex"},
		{"linked 'a'", "whether an edge joins the vertex with 'a', in either direction"},
		{"links_to 'a', linked_from 'a'", "in a directed graph: whether an edge leads from the vertex to 'a', or to it from 'a'"},
		{"operators", "= <> < <= > >= NOT AND OR, and parentheses; texts compare by their bytes"},
		{"patterns", "x LIKE 'anna%', x NOT LIKE '%!_x' ESCAPE '!': % is any text, _ any character, and the character behind that of ESCAPE is itself"},
		{"lists", "x IN (value, …), x NOT IN (value, …)"},
		{"missing", "x IS MISSING, x IS NOT MISSING; any other condition on a missing value is neither true nor false, and only vertices for which the condition is true are answers"},
		{"example", "NEAREST 10 TO 'alice' USING spec WHERE NOT linked AND (age >= 40 OR age IS MISSING)"},
	}
	topics = append(topics, topicOf(help.Entry{Kind: "condition", Name: "WHERE", Summary: "which vertices may be answers", Words: "who follows followers predecessors successors linked like prefix filter pattern contains starts begins regex condition missing values null select not and or"}, nil, where, nil))
	topics = append(topics, topicOf(help.Entry{Kind: "list", Name: "errors", Summary: "the errors that a program can find, and what to do"}, nil, lists.Map(Errors(), func(e ErrorInfo) []rows.Value {
		return []rows.Value{e.Name, e.Err.Error() + ". " + e.Meaning + " To do: " + e.Remedy + "."}
	}), nil))
	named := func(kind, name, syntax, summary, words string, options []option.Info, more ...[]rows.Value) {
		head := append([][]rows.Value{{kind, syntax}, {"summary", summary}}, more...)
		topics = append(topics, topicOf(help.Entry{Kind: kind, Name: name, Summary: summary, Words: words}, nil, head, options))
	}
	for _, m := range vectors.Methods() {
		named("method", m.Name, m.Name, m.Summary, m.Words+" embedding method", m.Options)
	}
	for _, m := range measures.List() {
		named("measure", m.Name, m.Name, m.Summary, m.Words+" vertices", m.Options, []rows.Value{"directed graph", cmp.Or(m.Directed, "reads the undirected view, with a notice")})
	}
	for _, g := range graphs.Generators() {
		named("generator", g.Name, g.Name, g.Summary, "random synthetic graph", g.Options)
	}
	for _, s := range link.Scorers() {
		syntax := s.Name
		if s.NeedsEmbedding {
			syntax += "(embedding)"
		}
		named("scorer", s.Name, syntax, s.Summary, s.Words(), nil, []rows.Value{"directed graph", s.Along()})
	}
	return topics
}

func optionRows(options []option.Info) [][]rows.Value {
	var list [][]rows.Value
	for _, o := range options {
		text := o.Doc
		if o.Choices != nil {
			var quoted []string
			if o.Type != "text" {
				quoted = append(quoted, option.TypeName(o.Type))
			}
			text += "; " + fault.OrList(append(quoted, fault.QuoteKeys(o.Choices)...))
		} else {
			text += "; " + option.TypeName(o.Type)
		}
		if o.Default != "" {
			text += ", " + o.Default + " by default"
		} else {
			text += ", must be given"
		}
		list = append(list, []rows.Value{"option " + o.Name, text})
	}
	return list
}
