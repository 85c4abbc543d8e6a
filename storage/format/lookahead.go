package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/internal/excerpt"
)

// A first line without a number may name the columns. It is kept, with the lines below it, until
// their types decide, or until there are enough of them.
const (
	aheadLines = 64
	aheadBytes = 16 << 10 // a piece of 64 KiB of a text of pairs decides as the whole text does
)

// mayName reports whether a first line can name the columns: it has no number and no date.
func (p *parser) mayName(line []byte) bool {
	return !p.braces.found && !slices.ContainsFunc(delimited.NamesIn(line, p.sep), isFigure)
}

// isFigure reports whether a field is a number or a date.
func isFigure(field string) bool {
	text := []byte(field)
	if _, _, date := parseDate(text); date {
		return true
	}
	return decimal.IsNumber(text) || decimal.HasComma(text)
}

// hold keeps a line until the first one is understood.
func (p *parser) hold(line []byte, comment bool) error {
	f := &p.first
	f.held = append(f.held, heldLine{bytes.Clone(line), p.stats.Lines, comment})
	if f.heldBytes += len(line); len(f.held) > aheadLines || f.heldBytes > aheadBytes && len(f.held) > 1 {
		return p.decide(false)
	}
	return nil
}

// holdComment keeps a line that looks like a comment and that is a row if the first line turns out
// to be a header. It reports whether it did.
func (p *parser) holdComment(line []byte) (held bool, err error) {
	if len(p.first.held) == 0 || !p.sep.Quotes() || len(delimited.NamesIn(line, p.sep)) != p.first.columns {
		return false, nil
	}
	p.stats.Comments-- // counted again when it is known what it is
	return true, p.hold(line, true)
}

// decide decides what the first line is, and handles the lines that were kept. ended means that
// they are the whole text.
func (p *parser) decide(ended bool) error {
	f := &p.first
	held, now := f.held, p.stats.Lines
	f.held, f.decided = nil, true
	defer func() { p.stats.Lines = now }()
	p.stats.Lines = held[0].number
	names, rows := delimited.NamesIn(held[0].text, p.sep), p.rows(held[1:])
	named := figuresBelow(names, rows)
	if !named && !p.pairs {
		named = p.nowhereElse(names, rows, ended)
	}
	if named {
		if err := p.headed(held[0].text, names, rows); err != nil {
			return err
		}
		held = held[1:]
	} else if !p.pairs {
		p.noteTriples(names, rows)
	}
	for _, h := range held {
		p.stats.Lines = h.number
		if h.comment && !named {
			p.stats.Comments++
			p.stats.LateComments++
			continue
		}
		take := p.emitLine
		if h.comment {
			take = p.single // it was not checked
		}
		if err := take(h.text); err != nil {
			return err
		}
	}
	return nil
}

// rows returns the fields of lines that are no comments.
func (p *parser) rows(held []heldLine) (rows [][]string) {
	for _, h := range held {
		if !h.comment {
			var b braces
			rows = append(rows, delimited.NamesIn(b.cut(h.text, p.sep, &p.opts), p.sep))
		}
	}
	return rows
}

// headed takes the first line as names of the columns.
func (p *parser) headed(line []byte, names []string, rows [][]string) error {
	if p.opts.Source == "" && p.opts.Target == "" && isTable(names, rows) {
		return p.wrong(line, "the header names no two ends of edges: %s; IMPORT VERTICES reads a table of vertices, and the options source and target name the columns of the ends", excerpt.List(names))
	}
	plan, doubt := delimited.PlanFor(p.opts.wanted(), names)
	if doubt != "" {
		return p.wrong(line, "%s", doubt)
	}
	p.name(names, plan)
	p.stats.Header = p.first.text
	return nil
}

// figuresBelow reports whether a column has numbers or dates, and the first line a text in it. A
// single column of keys needs three lines below, unless the first column is called as keys are.
func figuresBelow(names []string, rows [][]string) bool {
	keys := 0
	for column := range names {
		figures := 0
		for _, row := range rows {
			switch {
			case column >= len(row) || row[column] == "" || IsMissing([]byte(row[column])):
			case isFigure(row[column]):
				figures++
			default:
				figures = -len(rows)
			}
		}
		switch {
		case figures <= 0:
		case column > 1 || figures > 2 || isKeyName(names[0]):
			return true
		default:
			keys++
		}
	}
	return keys > 1
}

// isTable reports whether a header and the lines below it are a table of vertices: the first column
// is called as keys are, is different in all lines, and no known names are those of two ends.
func isTable(names []string, rows [][]string) bool {
	if _, _, ends := delimited.KnownPair(names, true); ends || len(rows) < 2 {
		return false
	}
	if !isKeyName(names[0]) {
		return false
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if len(row) == 0 || seen[row[0]] {
			return false
		}
		seen[row[0]] = true
	}
	return true
}

// isKeyName reports whether tables of vertices call the column of their keys so; pandas and R leave
// the name of an index empty.
func isKeyName(name string) bool {
	switch strings.ToLower(name) {
	case "id", "key", "vertex", "node", "index", "name", "label", "node_id", "nodeid", "vertex_id", "vertexid", "":
		return true
	}
	return false
}

// The least number of lines below a line of names that occur nowhere else: files with blanks rarely
// have headers. Below a known pair it is one.
const (
	leastBelow       = 2
	leastBelowBlanks = 8
)

// nowhereElse reports whether the first line names the columns because its names occur nowhere else
// in a text. If the text has more lines than these, its end decides: see ReadStats.NamesHeader.
func (p *parser) nowhereElse(names []string, rows [][]string, ended bool) bool {
	source, target := p.plan.At[delimited.Source]-1, p.plan.At[delimited.Target]-1
	if max(source, target) >= len(names) || !looksNamed(names[source]) || !looksNamed(names[target]) || names[source] == names[target] {
		return false
	}
	seen := map[string]bool{}
	for _, row := range rows {
		for _, column := range []int{source, target} {
			if column < len(row) {
				seen[row[column]] = true
			}
		}
	}
	least := leastBelow
	if p.sep == delimited.SeparatorWhitespace {
		least = leastBelowBlanks
	}
	recurring := Recurring(int64(len(seen)), int64(len(rows)))
	if _, _, known := delimited.KnownPair(names, true); known && ended {
		least, recurring = 1, true
	}
	switch {
	case seen[names[source]] || seen[names[target]]:
		return false
	case !ended:
		p.stats.NamesHeader, p.stats.Header = true, p.first.text
		return false
	case len(rows) >= least && recurring:
		p.stats.remark(namesTaken, excerpt.Of([]byte(p.first.text)), p.first.number, "header := FALSE takes it as an edge")
		return true
	case len(rows) >= leastBelow && (p.sep != delimited.SeparatorWhitespace || recurring):
		p.stats.remark(edgeTaken, excerpt.Of([]byte(p.first.text)), p.first.number, "header := TRUE takes it as the names of the columns")
	}
	return false
}

const (
	namesTaken = "first line taken as the names of the columns, because its words occur nowhere else"
	edgeTaken  = "first line taken as an edge, although its keys occur nowhere else"
)

// Recurring reports whether keys of edges recur so that an edge between two keys that occur nowhere
// else is rare: there are at most three keys for two edges.
func Recurring(keys, edges int64) bool { return edges > 0 && 2*keys <= 3*edges }

// TakeHeader resolves NamesHeader at the end of a read: only reports whether the two keys of the
// first edge are in no other edge, and keys is the number of keys of the others. It returns whether
// the first edge is a header, which the caller removes; a remark states the choice.
func (s *ReadStats) TakeHeader(only bool, keys int64) bool {
	if !s.NamesHeader {
		return false
	}
	line := excerpt.Of([]byte(s.Header))
	switch {
	case only && Recurring(keys, s.Edges-1):
		s.remark(namesTaken, line, 0, "header := FALSE takes it as an edge")
		return true
	case only:
		s.remark(edgeTaken, line, 0, "header := TRUE takes it as the names of the columns")
	}
	s.NamesHeader, s.Header = false, ""
	return false
}

// looksNamed reports whether a text can be the name of a column: a few words that begin with a
// letter.
func looksNamed(name string) bool {
	const longest = 40
	first, _ := utf8.DecodeRuneInString(name)
	if len(name) > longest || first != '_' && !unicode.IsLetter(first) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" _-.:()/#", r)
	})
}

// noteTriples remarks that lines of three texts may be triples whose second text is a relation: no
// line begins with one, and relations take fewer values than the third column, or a third begins
// another line.
func (p *parser) noteTriples(names []string, rows [][]string) {
	if len(names) != 3 || !p.narrow || len(rows) == 0 {
		return
	}
	rows = append(rows, names)
	first, middle, last := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if len(row) != 3 || isFigure(row[2]) {
			return
		}
		first[row[0]], middle[row[1]], last[row[2]] = true, true, true
	}
	chained := false
	for _, row := range rows {
		if first[row[1]] {
			return
		}
		chained = chained || first[row[2]]
	}
	if chained || len(middle) < len(last) {
		p.stats.remark("third column of texts left out", "", p.first.number, "if lines are triples of two ends and a relation between, target := 3 takes the third")
	}
}
