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
	return []Help{
		{
			Statement: "CREATE GRAPH", Syntax: "CREATE GRAPH graph",
			Summary: "makes an empty graph; IMPORT and GENERATE make theirs themselves",
			Example: "CREATE GRAPH social",
		}, {
			Statement: "DROP GRAPH", Syntax: "DROP GRAPH graph [CASCADE]",
			Summary: "removes a graph, with CASCADE its embeddings too",
			Example: "DROP GRAPH social CASCADE",
		}, {
			Statement: "DROP EMBEDDING", Syntax: "DROP EMBEDDING embedding",
			Summary: "removes an embedding",
			Example: "DROP EMBEDDING spec",
		}, {
			Statement: "IMPORT", Syntax: "IMPORT 'file' INTO graph [WITH (option := value, …)]",
			Summary: "adds the edges of a text file, plain, gzip or zstd, to a graph; '-' is standard input",
			Columns: "graph, vertices, edges, duplicates, self_loops, skipped, seconds",
			Options: importOptions(),
			Example: "IMPORT 'facebook_combined.txt.gz' INTO social WITH (on_error := 'skip')",
		}, {
			Statement: "EXPORT GRAPH", Syntax: "EXPORT GRAPH graph INTO FILE 'file' [WITH (option := value)]",
			Summary: "writes a graph as an edge list, compressed if the name ends in .gz or .zst",
			Columns: "file, edges",
			Options: []OptionInfo{overwriteOption()},
			Example: "EXPORT GRAPH social INTO FILE 'social.edges.gz'",
		}, {
			Statement: "EXPORT EMBEDDING", Syntax: "EXPORT EMBEDDING embedding INTO FILE 'file' [WITH (option := value)]",
			Summary: "writes an embedding in the text format of word2vec",
			Columns: "file, vectors",
			Options: []OptionInfo{overwriteOption()},
			Example: "EXPORT EMBEDDING spec INTO FILE 'spec.txt' WITH (overwrite := TRUE)",
		}, {
			Statement: "GENERATE", Syntax: "GENERATE generator(option := value, …) INTO graph",
			Summary: "makes a random graph; SHOW GENERATORS lists the models",
			Columns: "graph, vertices, edges, seconds",
			Example: "GENERATE preferential_attachment(n := 10000, m := 40, seed := 7) INTO synthetic",
		}, {
			Statement: "DESCRIBE GRAPH", Syntax: "DESCRIBE GRAPH graph",
			Summary: "tells size, density, components and degrees of a graph",
			Columns: "property, value",
			Example: "DESCRIBE GRAPH social",
		}, {
			Statement: "DESCRIBE EMBEDDING", Syntax: "DESCRIBE EMBEDDING embedding",
			Summary: "tells everything that shaped an embedding, and how old it is",
			Columns: "property, value",
			Example: "DESCRIBE EMBEDDING spec",
		}, {
			Statement: "SHOW", Syntax: "SHOW GRAPHS | EMBEDDINGS | METHODS | SCORERS | GENERATORS",
			Summary: "lists what the file has, or what the language knows",
			Columns: "GRAPHS: graph, version, vertices, edges, source, modified; " +
				"EMBEDDINGS: embedding, graph, method, dim, vertices, generation, behind, created; " +
				"METHODS: method, options, summary; SCORERS: scorer, reads, likelier, summary; " +
				"GENERATORS: generator, options, summary",
			Example: "SHOW EMBEDDINGS",
		}, {
			Statement: "EMBED", Syntax: "EMBED graph USING method[(option := value, …)] AS embedding",
			Summary: "computes a vector for every vertex; an embedding of that name is replaced when it is done",
			Columns: "embedding, method, dim, vertices, seconds, residual",
			Example: "EMBED social USING dp_spectral(dim := 200, beta := 0.5) AS spec",
		}, {
			Statement: "NEAREST", Syntax: "NEAREST k TO vertex | [vector] USING embedding | metric(embedding) [WHERE condition]",
			Summary: "finds the k nearest vertices; metrics are l2, cosine and dot",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked AND degree >= 3",
		}, {
			Statement: "WITHIN", Syntax: "WITHIN RADIUS r | EPSILON e OF vertex | [vector] USING embedding | metric(embedding) [WHERE condition] [LIMIT n]",
			Summary: "finds all vertices within a distance, or of at least an edge probability 1/(1+e^distance)",
			Columns: "vertex, distance (l2) or similarity (cosine and dot)",
			Example: "WITHIN EPSILON 0.45 OF 'alice' USING spec LIMIT 20",
		}, {
			Statement: "RECONSTRUCT", Syntax: "RECONSTRUCT embedding EPSILON e | RADIUS r | AUTO [INTO GRAPH graph | INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "joins all vertices that are near to each other, and compares that graph with the original",
			Columns: "epsilon, radius, edges, pearson, spearman, kendall, precision, recall",
			Options: reconstructOptions(),
			Example: "RECONSTRUCT spec AUTO INTO GRAPH again WITH (criterion := 'spearman')",
		}, {
			Statement: "SCORE", Syntax: "SCORE (vertex, vertex), … [IN graph] WITH scorer | scorer(embedding), …",
			Summary: "scores how likely a link is; SHOW SCORERS lists the scorers",
			Columns: "source, target, and one column for each scorer",
			Example: "SCORE ('alice', 'bob'), ('carol', 'dave') IN social WITH adamic_adar, cosine(spec)",
		}, {
			Statement: "SCORE FILE", Syntax: "SCORE FILE 'pairs' [IN graph] WITH scorer | scorer(embedding), … [INTO FILE 'file'] [WITH (option := value, …)]",
			Summary: "scores the pairs of a file of any length, in order",
			Columns: "source, target, and one column for each scorer; with INTO FILE: file, pairs, missing, seconds",
			Options: scoreFileOptions(),
			Example: "SCORE FILE 'pairs.csv' IN social WITH adamic_adar INTO FILE 'scores.csv'",
		}, {
			Statement: "CHECK", Syntax: "CHECK",
			Summary: "verifies everything in the file; no rows mean that it is sound",
			Columns: "where, fault, remedy",
			Example: "CHECK",
		}, {
			Statement: "EXPLAIN", Syntax: "EXPLAIN statement",
			Summary: "shows how a statement would be answered, without running it",
			Columns: "step, detail",
			Example: "EXPLAIN NEAREST 10 TO 'alice' USING spec",
		}, {
			Statement: "PROFILE", Syntax: "PROFILE statement",
			Summary: "runs a statement and shows what each step took",
			Columns: "step, detail, rows, seconds",
			Example: "PROFILE WITHIN RADIUS 0.35 OF 'alice' USING spec",
		}, {
			Statement: "HELP", Syntax: "HELP [statement | method | scorer | generator | WHERE]",
			Summary: "lists the statements, or explains one",
			Columns: "statement, syntax, summary; with a topic: item, text",
			Example: "HELP NEAREST",
		},
	}
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
		{"degree", "number of neighbours of the vertex"},
		{"linked", "whether the vertex is a neighbour of the vertex that is sought"},
		{"operators", "= <> < <= > >= NOT AND OR, and parentheses"},
		{"example", "NEAREST 10 TO 'alice' USING spec WHERE NOT linked AND degree >= 3"},
	}})
	for _, m := range embedMethods() {
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
