package parser

import (
	"slices"
	"strings"
)

// branch is a keyword, and what reads the text behind it.
type branch struct {
	word string
	rest func(p *parser) Statement
}

// statements are the keywords that begin a statement, except EXPLAIN and PROFILE,
// in the order in which messages list them. A new statement has its line here, or
// in one of the tables below, its production in that of plainStatement, and its
// words in the lists at the end.
var statements = []branch{
	{"CREATE", either(creates)},
	{"DROP", either(drops)},
	{"INSERT", (*parser).insert},
	{"UPDATE", (*parser).update},
	{"DELETE", (*parser).deletion},
	{"IMPORT", (*parser).importFile},
	{"EXPORT", either(exports)},
	{"GENERATE", (*parser).generate},
	{"DESCRIBE", either(describes)},
	{"SHOW", (*parser).show},
	{"COUNT", (*parser).countVertices},
	{"COMPUTE", (*parser).compute},
	{"PATH", (*parser).path},
	{"EMBED", (*parser).embed},
	{"ESTIMATE", either(estimates)},
	{"CANCEL", jobBy(CancelJob)},
	{"RESUME", jobBy(ResumeJob)},
	{"WAIT", jobBy(WaitJob)},
	{"REFRESH", (*parser).refresh},
	{"VERIFY", (*parser).verify},
	{"ALTER", (*parser).alter},
	{"DIFF", (*parser).diff},
	{"NEAREST", (*parser).nearest},
	{"WITHIN", (*parser).within},
	{"RECONSTRUCT", (*parser).reconstruct},
	{"EVALUATE", either(evaluates)},
	{"TUNE", (*parser).tune},
	{"TRAIN", (*parser).train},
	{"MATERIALIZE", (*parser).materialize},
	{"SCORE", (*parser).score},
	{"PREDICT", (*parser).predict},
	{"HELP", (*parser).help},
	{"CHECK", (*parser).check},
	{"COMPACT", (*parser).compact},
	{"BACKUP", (*parser).backup},
	{"RECOVER", (*parser).recoverFile},
}

// The keywords behind those that begin several statements.
var (
	creates = []branch{
		{"INDEX", (*parser).createIndex},
		{"GRAPH", (*parser).createGraph},
	}
	drops = []branch{
		{"GRAPH", (*parser).dropGraph},
		{"ATTRIBUTE", (*parser).dropAttribute},
		{"INDEX", (*parser).dropIndex},
		{"JOB", (*parser).dropJob},
		{"MODEL", (*parser).dropModel},
		{"PREDICTIONS", (*parser).dropPredictions},
		{"EMBEDDING", (*parser).dropEmbedding},
	}
	describes = []branch{
		{"GRAPH", (*parser).describeGraph},
		{"VERTEX", (*parser).describeVertex},
		{"MODEL", (*parser).describeModel},
		{"EMBEDDING", (*parser).describeEmbedding},
	}
	estimates = []branch{
		{"EMBED", (*parser).estimateEmbed},
		{"COMPUTE", (*parser).estimateCompute},
	}
	exports = []branch{
		{"GRAPH", (*parser).exportGraph},
		{"VERTICES", (*parser).exportVertices},
		{"WALKS", (*parser).exportWalks},
		{"EMBEDDING", (*parser).exportEmbedding},
		{"PAIRS", (*parser).exportPairs},
	}
	evaluates = []branch{
		{"LINKS", (*parser).evaluateLinks},
		{"LABELS", (*parser).evaluateLabels},
		{"PARAMETERS", (*parser).evaluateParameters},
		{"RECONSTRUCTION", (*parser).evaluateReconstruction},
	}
	shows = []branch{ // besides the listings
		{"GENERATIONS", (*parser).showGenerations},
		{"VECTOR", (*parser).showVector},
		{"VERTICES", (*parser).showVertices},
		{"EDGES", (*parser).showEdges},
		{"NEIGHBORS", (*parser).showNeighbors},
		{"ATTRIBUTES", (*parser).showAttributes},
	}
)

// statement reads any statement.
//
//	statement    = [ "EXPLAIN" | "PROFILE" ] ( plain | intofile )
//	             | explainscore                             e.g. PROFILE NEAREST 10 TO 'alice' USING spec;
func (p *parser) statement() Statement {
	begin := p.tok.Start
	switch {
	case p.keyword("EXPLAIN"):
		return p.ranged(begin, p.explain(false))
	case p.keyword("PROFILE"):
		return p.ranged(begin, p.explain(true))
	}
	return p.plainStatement()
}

// plainStatement reads a statement without EXPLAIN or PROFILE.
//
//	plain        = creategraph | createindex | dropgraph
//	               | dropembedding | dropindex | dropmodel
//	               | droppredictions | dropattribute
//	               | insert | update | delete
//	               | import | importvertices | importembedding
//	               | exportgraph | exportvertices | exportwalks
//	               | exportembedding | exportpairs | generate
//	               | describegraph | describevertex
//	               | describeembedding | describemodel
//	               | show | showattributes | showgenerations
//	               | showvector
//	               | showvertices | showedges
//	               | showneighbors | countvertices
//	               | compute | path
//	               | embed | estimate | estimatecompute | job
//	               | refresh
//	               | refreshmeasure | refreshpredictions | refreshall | verify
//	               | autorefresh | rename | diff | nearest | nearestfor
//	               | within | reconstruct | evaluatelinks
//	               | evaluatelabels | evaluateparameters
//	               | evaluatereconstruction | tune | train
//	               | materialize | predict
//	               | score | scorefile | help | check
//	               | compact | backup | recover   e.g. CHECK;
func (p *parser) plainStatement() Statement {
	begin := p.tok.Start
	return p.plain(begin, p.oneOf(statements))
}

// either reads one of the keywords behind another one, and the text behind it.
func either(branches []branch) func(*parser) Statement {
	return func(p *parser) Statement { return p.oneOf(branches) }
}

// oneOf reads one of the keywords and the text behind it.
func (p *parser) oneOf(branches []branch) Statement {
	for _, b := range branches {
		if p.keyword(b.word) {
			return b.rest(p)
		}
	}
	p.unexpected()
	return nil
}

// reserved are the keywords that cannot be bare names, sorted: those that may
// follow a name or be in a condition, so that a missing name is reported where it
// is missing. Reserving another word would break scripts that use it as a name;
// the list therefore has NULL, which no statement uses yet.
var reserved = []string{
	"AND", "AS", "FALSE", "FOR", "FROM", "IN", "INTO", "IS", "LIMIT", "MISSING", "NOT", "NULL",
	"OF", "OR", "TO", "TRUE", "USING", "WHERE", "WITH",
}

// unreserved are the other keywords, sorted. Their place in a statement
// distinguishes them from names, so a graph may be called model or file, and a new
// word here breaks no script.
var unreserved = []string{
	"AFTER", "ALL", "ALTER", "ASC", "ATTRIBUTE", "ATTRIBUTES", "AUTO", "BACKGROUND", "BACKUP", "BOTH", "BY", "CANCEL", "CASCADE", "CHANGES", "CHECK", "COLUMNS", "COMPACT", "COMPONENT", "COMPUTE",
	"COUNT", "CREATE", "DELETE", "DESC", "DESCRIBE", "DIFF", "DROP", "EDGE", "EDGES", "EITHER", "EMBED", "EMBEDDING", "EMBEDDINGS", "EPSILON",
	"ESTIMATE", "EVALUATE", "EVERY", "EXACT", "EXPLAIN", "EXPORT", "FILE", "FRESH", "GENERATE", "GENERATIONS", "GENERATORS",
	"GRAPH", "GRAPHS", "HELP", "IMPORT", "INDEX", "INDEXES", "INSERT", "JOB", "JOBS", "LABELS", "LINKS", "MATERIALIZE", "MEASURE", "MEASURES", "METHODS",
	"MODEL", "MODELS", "MUTUAL", "NEAREST", "NEIGHBORS", "OFF", "ON", "ORDER", "PAIRS", "PARAMETERS", "PATH", "PREDICT", "PREDICTIONS", "PROFILE", "RADIUS", "RECONSTRUCT", "RECONSTRUCTION",
	"RECOVER", "REFRESH", "RENAME", "RESUME", "SAMPLE", "SCORE", "SCORERS", "SET", "SHOW", "STATS", "SUBGRAPH", "TIME", "TRAIN", "TUNE", "UNION", "UPDATE", "VECTOR", "VERIFY",
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

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsKeyword reports whether word, in any case, is a keyword. One that is not
// reserved may also be a name.
func IsKeyword(word string) bool {
	_, found := slices.BinarySearch(unreserved, strings.ToUpper(word))
	return found || Reserved(word)
}
