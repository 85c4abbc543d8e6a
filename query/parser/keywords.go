package parser

import (
	"slices"
	"strings"
)

// reserved are the keywords that cannot be bare names, sorted: those that may
// follow a name, come before one or be in a condition, so that a missing name is reported where it
// is missing. Reserving another word would break scripts that use it as a name;
// the list therefore has NULL, which no statement uses yet.
var reserved = []string{
	"AND", "AS", "DISTINCT", "FALSE", "FOR", "FROM", "IN", "INTO", "IS", "LIMIT", "MISSING", "NOT", "NULL",
	"OF", "OR", "TO", "TRUE", "USING", "WHERE", "WITH",
}

// unreserved are the other keywords, sorted. Their place in a statement
// distinguishes them from names, so a graph may be called model or file, and a new
// word here breaks no script.
var unreserved = []string{
	"AFTER", "AGAINST", "ALL", "ALTER", "ASC", "ATTRIBUTE", "ATTRIBUTES", "AUTO", "BACKGROUND", "BACKUP", "BOTH", "BY", "CANCEL", "CASCADE", "CHANGES",
	"CHECK", "COLUMNS", "COMPACT", "COMPONENT", "COMPUTE", "COUNT", "CREATE", "DELETE", "DESC", "DESCRIBE", "DIFF", "DIRECTED", "DROP", "EDGE", "EDGES",
	"EGO", "EITHER", "EMBED", "EMBEDDING", "EMBEDDINGS", "EPSILON", "ESCAPE", "ESTIMATE", "EVALUATE", "EVERY", "EXACT", "EXPLAIN", "EXPORT", "FILE",
	"FOREST", "FRESH", "GENERATE", "GENERATIONS", "GENERATORS", "GRAPH", "GRAPHS", "HELP", "IMPORT", "INDEX", "INDEXES", "INSERT", "JOB", "JOBS",
	"LABELS", "LIKE", "LINKS", "MATERIALIZE", "MEASURE", "MEASURES", "METHODS", "MODEL", "MODELS", "MUTUAL", "NEAREST", "NEIGHBORS", "OFF", "OFFSET",
	"ON", "ORDER", "PAIRS", "PARAMETERS", "PATH", "PATHS", "PREDICT", "PREDICTIONS", "PROFILE", "RADIUS", "RECONSTRUCT", "RECONSTRUCTION", "RECOVER",
	"REFRESH", "RENAME", "RESUME", "REVERSED", "SAMPLE", "SCORE", "SCORERS", "SET", "SHOW", "SPANNING", "STATS", "SUBGRAPH", "TEST", "TIME", "TRAIN",
	"TUNE", "UNDIRECTED", "UNION", "UPDATE", "VECTOR", "VERIFY", "VERTEX", "VERTICES", "WAIT", "WALKS", "WEIGHT", "WITHIN",
}

// Keywords returns every keyword of the language in upper case, sorted. The
// slice is the caller's.
func Keywords() []string {
	words := slices.Concat(reserved, unreserved)
	slices.Sort(words)
	return words
}

// Reserved reports whether word, in any case, is a keyword that can be a name
// only in double quotes.
func Reserved(word string) bool {
	_, found := slices.BinarySearch(reserved, strings.ToUpper(word))
	return found
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsKeyword reports whether word, in any case, is a keyword. One that is not
// reserved may also be a name.
func IsKeyword(word string) bool {
	_, found := slices.BinarySearch(unreserved, strings.ToUpper(word))
	return found || Reserved(word)
}
