package query

import (
	"slices"
	"strings"

	"heavytail/embedding/link"
	"heavytail/query/parser"
)

// Help describes one statement. The table of all of them is Helps; HELP, the
// completion of a shell and the documentation read it.
type Help struct {
	Statement string // the keywords that begin it
	Syntax    string
	Summary   string // one line
	Columns   string // of the result; empty where there is none
	Options   []OptionInfo
	Example   string // a statement that parses
}

// Helps describes every statement of the language, in the order in which a user
// needs them.
func Helps() []Help {
	return slices.Concat(graphHelps(), updateHelps(), fileHelps(), showHelps(), analysisHelps(), upkeepHelps(), languageHelps())
}

// helpTable is the result of HELP.
type helpTable struct {
	columns []string
	rows    [][]Value
}

// partTopic is what HELP was asked about.
const partTopic part = "topic"

// helpOn returns the table for a topic, or an Error with the nearest one.
func helpOn(words []string) (*helpTable, error) {
	if len(words) == 0 {
		t := &helpTable{columns: []string{"statement", "syntax", "summary"}}
		for _, h := range Helps() {
			t.rows = append(t.rows, []Value{h.Statement, h.Syntax, h.Summary})
		}
		return t, nil
	}
	topic := strings.ToUpper(strings.Join(words, " "))
	topics := helpTopics()
	t := &helpTable{columns: []string{"item", "text"}}
	for _, known := range topics {
		if strings.ToUpper(known.name) == topic {
			t.rows = known.rows
			return t, nil
		}
		// DROP alone explains all statements that begin with it.
		if strings.HasPrefix(strings.ToUpper(known.name), topic+" ") {
			t.rows = append(t.rows, known.rows...)
		}
	}
	if len(t.rows) > 0 {
		return t, nil
	}
	names := make([]string, len(topics))
	for i, known := range topics {
		names[i] = known.name
	}
	e := mistake(partTopic, "no help on %s", quote(strings.Join(words, " ")))
	if nearest, ok := parser.Suggest(topic, names); ok {
		e.Hint = "did you mean HELP " + nearest + "?"
	} else {
		e.Hint = "HELP alone lists the statements"
	}
	return nil, e
}

// helpTopic is one thing that HELP can explain.
type helpTopic struct {
	name string
	rows [][]Value
}

// helpTopics lists all topics: statements, then the names that they use.
func helpTopics() []helpTopic {
	var topics []helpTopic
	for _, h := range Helps() {
		rows := [][]Value{
			{"statement", h.Statement}, {"syntax", h.Syntax}, {"summary", h.Summary},
		}
		if h.Columns != "" {
			rows = append(rows, []Value{"columns", h.Columns})
		}
		rows = append(rows, optionRows(h.Options)...)
		topics = append(topics, helpTopic{h.Statement, append(rows, []Value{"example", h.Example})})
	}
	topics = append(topics, helpTopic{"WHERE", [][]Value{
		{"condition", "WHERE"},
		{"summary", "which vertices may be answers; asked during the search, so the number of answers is not cut"},
		{"attribute", "value of the vertex, by the name of the attribute, in double quotes if it is no bare name"},
		{"degree", "number of neighbours of the vertex"},
		{"key", "key of the vertex, a text"},
		{"linked", "whether the vertex is a neighbour of the vertex that is sought"},
		{"operators", "= <> < <= > >= NOT AND OR, and parentheses; texts compare by their bytes"},
		{"lists", "x IN (value, …), x NOT IN (value, …)"},
		{"missing", "x IS MISSING, x IS NOT MISSING; all else about a missing value is neither true nor false, and only what is true passes"},
		{"example", "NEAREST 10 TO 'alice' USING spec WHERE NOT linked AND (age >= 40 OR age IS MISSING)"},
	}})
	for _, m := range Methods() {
		rows := [][]Value{{"method", m.Name}, {"summary", m.Summary}}
		topics = append(topics, helpTopic{m.Name, append(rows, optionRows(m.Options)...)})
	}
	for _, g := range generators() {
		rows := [][]Value{{"generator", g.Name}, {"summary", g.Summary}}
		topics = append(topics, helpTopic{g.Name, append(rows, optionRows(g.Options)...)})
	}
	for _, s := range link.Scorers() {
		syntax := s.Name
		if s.NeedsEmbedding {
			syntax += "(embedding)"
		}
		topics = append(topics, helpTopic{s.Name, [][]Value{{"scorer", syntax}, {"summary", s.Summary}}})
	}
	return topics
}

// optionRows explains options.
func optionRows(options []OptionInfo) [][]Value {
	var rows [][]Value
	for _, o := range options {
		text := o.Doc
		if o.Choices != nil {
			quoted := slices.Clone(o.Choices)
			for i, c := range quoted {
				quoted[i] = quoteKey(c)
			}
			text += "; " + orList(quoted)
		} else {
			text += "; " + typeName(o.Type)
		}
		if o.Default != "" {
			text += ", " + o.Default + " by default"
		} else {
			text += ", must be given"
		}
		rows = append(rows, []Value{"option " + o.Name, text})
	}
	return rows
}
