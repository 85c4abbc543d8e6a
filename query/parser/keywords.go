package parser

import (
	"slices"
	"strings"
)

// reserved are the keywords that cannot be bare names, sorted: those that may
// follow a name or stand in a condition, so that a forgotten name is noticed
// where it is missing. Those that later statements will need are here from the
// start, since reserving a word breaks scripts that use it as a name.
var reserved = []string{
	"AND", "AS", "FALSE", "FOR", "FROM", "IN", "INTO", "IS", "LIMIT", "MISSING", "NOT", "NULL",
	"OF", "OR", "TO", "TRUE", "USING", "WHERE", "WITH",
}

// unreserved are the other keywords, sorted. Their place in a statement tells
// them from names, so a graph may be called model or file, and adding a word
// here breaks no script.
var unreserved = []string{
	"AFTER", "ALTER", "ATTRIBUTE", "ATTRIBUTES", "AUTO", "BACKGROUND", "BACKUP", "CANCEL", "CASCADE", "CHANGES", "CHECK", "COMPACT",
	"CREATE", "DELETE", "DESCRIBE", "DIFF", "DROP", "EDGE", "EDGES", "EMBED", "EMBEDDING", "EMBEDDINGS", "EPSILON",
	"ESTIMATE", "EVALUATE", "EVERY", "EXACT", "EXPLAIN", "EXPORT", "FILE", "FRESH", "GENERATE", "GENERATIONS", "GENERATORS",
	"GRAPH", "GRAPHS", "HELP", "IMPORT", "INDEX", "INDEXES", "INSERT", "JOB", "JOBS", "LABELS", "LINKS", "MATERIALIZE", "METHODS",
	"MIGRATE", "MODEL", "MODELS", "NEAREST", "NEIGHBORS", "OFF", "ON", "PARAMETERS", "PREDICT", "PREDICTIONS", "PROFILE", "RADIUS", "RECONSTRUCT", "RECONSTRUCTION",
	"RECOVER", "REFRESH", "RESUME", "SCORE", "SCORERS", "SET", "SHOW", "STATS", "TIME", "TRAIN", "TUNE", "UPDATE", "VERIFY",
	"VERTEX", "VERTICES", "WAIT", "WALKS", "WEIGHT", "WITHIN",
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

// isWord reports whether name is written like a bare name or keyword.
func isWord(name string) bool {
	name = name[:len(name)-generation(name)]
	for i := range len(name) {
		if !(isLetter(name[i]) || i > 0 && isDigit(name[i])) {
			return false
		}
	}
	return name != ""
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsKeyword reports whether word, in any case, is a keyword. One that is not
// reserved may also be a name.
func IsKeyword(word string) bool {
	_, found := slices.BinarySearch(unreserved, strings.ToUpper(word))
	return found || Reserved(word)
}
