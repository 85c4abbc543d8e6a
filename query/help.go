package query

import (
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

// helpsOf lists the help of statements; statements that share their help are listed
// once.
func helpsOf(described []engine.Described) []help.Statement {
	list := make([]help.Statement, 0, len(described))
	listed := make(map[string]bool, len(described))
	for _, s := range described {
		if h := s.Describe(); !listed[h.Statement] {
			list, listed[h.Statement] = append(list, h), true
		}
	}
	return list
}

var helpStatement = &engine.Statement[*parser.Help, []string, engine.Nothing, *helpTable]{
	Help: help.Statement{
		Statement: "HELP",
		Summary:   "lists the statements, or explains one",
		Columns:   "statement, syntax, summary; with a topic: item, text",
		Example:   "HELP NEAREST",
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
		return helpOn(helpsOf(c.DB.Language), topic)
	},
	Rows:  func(_ []string, t *helpTable) *rows.Rows { return cells.RowsOf(t.columns, t.rows) },
	Reads: true,
}

type helpTable struct {
	columns []string
	rows    [][]rows.Value
}

const partTopic fault.Part = "topic"

// helpOn returns the table for a topic, or an Error with the nearest one.
func helpOn(helps []help.Statement, words []string) (*helpTable, error) {
	if len(words) == 0 {
		t := &helpTable{columns: []string{"statement", "syntax", "summary"}}
		for _, h := range helps {
			t.rows = append(t.rows, []rows.Value{h.Statement, h.Syntax, h.Summary})
		}
		return t, nil
	}
	topics := helpTopics(helps)
	if t := findTopic(topics, words); t != nil {
		return t, nil
	}
	names := lists.Map(topics, func(t helpTopic) string { return t.name })
	// The topic may be a statement as typed, with names after its first words, so
	// shorter beginnings are tried too.
	for n := len(words) - 1; n > 0; n-- {
		if begins := strings.ToUpper(strings.Join(words[:n], " ")); slices.Contains(names, begins) {
			return findTopic(topics, words[:n]), nil
		}
	}
	e := fault.New(partTopic, "no help for %s", fault.Quote(strings.Join(words, " ")))
	if nearest, ok := parser.Suggest(strings.ToUpper(strings.Join(words, " ")), names); ok {
		e.Remedy = "did you mean HELP " + nearest + "?"
		return nil, e
	}
	for n := len(words) - 1; n > 0; n-- {
		if t := findTopic(topics, words[:n]); t != nil {
			return t, nil
		}
	}
	if remedy, known := parser.Habit(words[0]); known {
		e.Remedy = remedy
		return nil, e
	}
	e.Remedy = "HELP alone lists the statements"
	return nil, e
}

// findTopic returns the rows of the topic with that name. Otherwise it returns the
// statements that begin with the first word and whose syntax has all words in that
// order (PREDICT LINKS, DROP), or else the statements whose syntax has the words as
// keywords anywhere (INDEX, JOBS); nil if there are none.
func findTopic(topics []helpTopic, words []string) *helpTable {
	t := &helpTable{columns: []string{"item", "text"}}
	name := strings.Join(words, " ")
	for _, known := range topics {
		if strings.EqualFold(known.name, name) {
			t.rows = known.rows
			return t
		}
	}
	for _, begins := range []bool{true, false} {
		for _, known := range topics {
			syntax := known.syntax
			if !begins {
				syntax = slices.DeleteFunc(slices.Clone(syntax), func(word string) bool { return word != strings.ToUpper(word) })
			}
			if len(syntax) > 0 && (!begins || sameWord(words[0], syntax[0])) && hasInOrder(syntax, words) {
				t.rows = append(t.rows, known.rows...)
			}
		}
		if len(t.rows) > 0 {
			return t
		}
	}
	return nil
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
}

// helpTopics lists all topics: statements, then methods, measures and other names.
func helpTopics(helps []help.Statement) []helpTopic {
	var topics []helpTopic
	for _, h := range helps {
		list := [][]rows.Value{
			{"statement", h.Statement}, {"syntax", h.Syntax}, {"summary", h.Summary},
		}
		if h.Columns != "" {
			list = append(list, []rows.Value{"columns", h.Columns})
		}
		list = append(list, optionRows(h.Options)...)
		syntax := strings.FieldsFunc(h.Syntax, func(r rune) bool { return !unicode.IsLetter(r) })
		topics = append(topics, helpTopic{h.Statement, syntax, append(list, []rows.Value{"example", h.Example})})
	}
	topics = append(topics, helpTopic{"WHERE", nil, [][]rows.Value{
		{"condition", "WHERE"},
		{"summary", "which vertices may be answers; it is applied during the search, so that the search still finds the full number of answers"},
		{"attribute", "value of the vertex for the attribute of this name; in double quotes if it is not a plain name"},
		{"degree", "number of neighbours of the vertex"},
		{"key", "key of the vertex, a text"},
		{"linked", "whether the vertex is a neighbour of the query vertex"},
		{"operators", "= <> < <= > >= NOT AND OR, and parentheses; texts compare by their bytes"},
		{"lists", "x IN (value, …), x NOT IN (value, …)"},
		{"missing", "x IS MISSING, x IS NOT MISSING; any other condition on a missing value is neither true nor false, and only vertices for which the condition is true are answers"},
		{"example", "NEAREST 10 TO 'alice' USING spec WHERE NOT linked AND (age >= 40 OR age IS MISSING)"},
	}})
	topics = append(topics, helpTopic{"errors", nil, lists.Map(Errors(), func(e ErrorInfo) []rows.Value {
		return []rows.Value{e.Name, e.Err.Error() + ". " + e.Meaning + " To do: " + e.Remedy + "."}
	})})
	for _, m := range vectors.Methods() {
		rows := [][]rows.Value{{"method", m.Name}, {"summary", m.Summary}}
		topics = append(topics, helpTopic{m.Name, nil, append(rows, optionRows(m.Options)...)})
	}
	for _, m := range measures.List() {
		rows := [][]rows.Value{{"measure", m.Name}, {"summary", m.Summary}}
		topics = append(topics, helpTopic{m.Name, nil, append(rows, optionRows(m.Options)...)})
	}
	for _, g := range graphs.Generators() {
		rows := [][]rows.Value{{"generator", g.Name}, {"summary", g.Summary}}
		topics = append(topics, helpTopic{g.Name, nil, append(rows, optionRows(g.Options)...)})
	}
	for _, s := range link.Scorers() {
		syntax := s.Name
		if s.NeedsEmbedding {
			syntax += "(embedding)"
		}
		topics = append(topics, helpTopic{s.Name, nil, [][]rows.Value{{"scorer", syntax}, {"summary", s.Summary}}})
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
