package parser

import (
	"slices"
	"strings"
)

// statement reads any statement.
//
//	statement    = [ "EXPLAIN" | "PROFILE" ] tailed
//	             | explainscore                             e.g. PROFILE NEAREST 10 TO 'alice' USING spec;
func (p *parser) statement() Statement {
	begin := p.tok.Start
	switch {
	case p.keyword("EXPLAIN"):
		return p.ranged(begin, p.explained(begin))
	case p.keyword("PROFILE"):
		return p.ranged(begin, &Explain{Profile: true, Statement: p.plain()})
	}
	return p.plain()
}

// explained reads what is behind EXPLAIN. SCORE with one pair is an ExplainScore.
func (p *parser) explained(begin Pos) Statement {
	if p.tok.Kind != KindWord || !strings.EqualFold(p.tok.Text, "SCORE") {
		p.expect("SCORE")
		return &Explain{Statement: p.plain()}
	}
	onePair := false
	return p.farthest(2, func(i int) Statement {
		if i == 0 {
			s := p.by(&explainScore, 1)
			onePair = p.err == nil && p.tok.Text != ","
			return p.tailed(begin, s)
		}
		if onePair {
			p.unexpected()
			return nil
		}
		return &Explain{Statement: p.plain()}
	})
}

// plain reads a statement without EXPLAIN or PROFILE, with a Tail behind it if it has rows.
func (p *parser) plain() Statement {
	begin := p.tok.Start
	return p.tailed(begin, p.ruled(statements))
}

// tailed reads the Tail of a statement that begins at a position, where one is there.
//
//	tailed       = plain [ "COLUMNS" name { "," name } ]
//	               [ "WHERE" condition ] [ order ]
//	               [ "LIMIT" integer ] [ "OFFSET" integer ]
//	               [ "INTO" "FILE" string [ options ] ]     e.g. COUNT VERTICES IN social BY city ORDER BY vertices DESC LIMIT 10; SHOW VERTICES IN social INTO FILE 'people.parquet';
func (p *parser) tailed(begin Pos, s Statement) Statement {
	s = p.ranged(begin, s)
	if p.err != nil || !p.rule.rows || inBackground(s) {
		return s
	}
	end, t := p.last, &Tail{Statement: s}
	if tailOf(t, p.form).read(p); p.last == end {
		return s
	}
	return p.ranged(begin, t)
}

// inBackground reports whether the rows of a statement that may have some are made later.
func inBackground(s Statement) bool {
	switch s := s.(type) {
	case *Compute:
		return s.Background
	case *EstimateCompute:
		return s.Background
	case *Estimate:
		return s.Background
	}
	return false
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
	"MODEL", "MODELS", "MUTUAL", "NEAREST", "NEIGHBORS", "OFF", "OFFSET", "ON", "ORDER", "PAIRS", "PARAMETERS", "PATH", "PREDICT", "PREDICTIONS", "PROFILE", "RADIUS", "RECONSTRUCT", "RECONSTRUCTION",
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
