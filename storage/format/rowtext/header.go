package rowtext

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/internal/excerpt"
)

// comment handles a comment line. A comment above the data may name the columns or declare the
// graph.
func (p *parser) comment(content []byte) {
	f := &p.first
	switch {
	case f.text != "":
		return
	case p.Opts.Header != format.HeaderAuto:
		p.saysDirection(bytes.Fields(bytes.TrimLeft(content, "#% \t")))
		return
	}
	names := p.declared(content)
	if names == nil && !f.konect {
		f.words = delimited.CommentWords(content)
		names = delimited.CommentNames(f.words)
	}
	if names != nil {
		f.comment, f.names = string(content), names
	}
}

// header reads the first data line as column names if it is certain to be that. It also applies
// the column names of a comment above the line.
func (p *parser) header(line []byte, sep delimited.Separator) (taken bool, err error) {
	f := &p.first
	named := p.Opts.Header == format.HeaderNames
	if p.Opts.Header == format.HeaderAuto {
		if f.bipartite {
			return true, p.Wrong(line, "the comment above says bip: the two columns number their vertices apart, so that a number in one of them is another vertex than in the other; header := 'none' takes them as the same")
		}
		if f.comment == "" && p.columnsNamed(line, sep) {
			f.comment, f.names = strings.Join(f.words, " "), f.words
		}
		if f.comment != "" {
			if plan, doubt := delimited.PlanFor(p.Opts.Wanted(), f.names); doubt == "" {
				err := p.called(f.names, plan, nil)
				p.cells.sep = sep
				return err != nil, err
			}
		}
		named = delimited.Named(p.Opts.Wanted()) && !p.braces.found
	}
	if !named && p.Opts.Header != format.HeaderAuto {
		return false, nil
	}
	names := delimited.NamesIn(line, sep)
	if len(names) < 2 {
		return false, nil // malformed; the caller reports it
	}
	of, attributes, doubt := neo4jEdges(&p.Opts, names)
	if of != nil {
		names, named = of, true
		p.say(true)
	}
	if !named && doubt == "" {
		if _, _, named = delimited.KnownPair(names, sep != delimited.SeparatorWhitespace); !named || f.comment != "" {
			return false, nil
		}
	}
	var plan delimited.Plan
	if doubt == "" {
		plan, doubt = delimited.PlanFor(p.Opts.Wanted(), names)
	}
	if doubt != "" {
		return true, p.Wrong(line, "%s", doubt)
	}
	if p.Opts.Header == format.HeaderNames && p.Opts.Source == "" && p.Opts.Target == "" && !p.pairs {
		if _, _, known := delimited.KnownPair(names, true); !known && delimited.IsKeyName(names[0]) {
			p.Stats.Remark("columns taken as the ends of edges by their places", excerpt.List(names[:2]), p.Stats.Lines, "the options source and target name others; IMPORT VERTICES reads a table of vertices")
		}
	}
	p.separate(sep)
	if err := p.name(names, plan, attributes); err != nil {
		return true, err
	}
	p.see(line)
	f.decided, f.below = true, p.Opts.Header == format.HeaderAuto && !p.pairs
	p.Stats.Header = f.text
	return true, p.direct()
}

// namesWords reports whether a comment above the data names columns between blanks, and a line has as
// many words, or one less where times may be missing.
func (f *firstLine) namesWords(line []byte) bool {
	words := len(bytes.Fields(line))
	return f.comment != "" && !strings.ContainsAny(f.comment, ",;|") && words > 1 && (words == len(f.names) || words == len(f.names)-1)
}

// columnsNamed reports whether the last comment above the first data line has a word for each of
// its columns, and two of them are names of ends, or one names a weight or a time in a column of
// numbers or dates.
func (p *parser) columnsNamed(line []byte, sep delimited.Separator) bool {
	words, fields := p.first.words, delimited.NamesIn(line, sep)
	if len(words) != len(fields) {
		return false
	}
	if _, _, ends := delimited.KnownPair(words, false); ends {
		return true
	}
	for i, word := range words {
		if i > 1 && delimited.UsualRole(word) != delimited.Ignored && figure.Is(fields[i]) {
			return true
		}
	}
	return false
}

// see records the first data line.
func (p *parser) see(line []byte) {
	f := &p.first
	f.text, f.number, f.skipped = string(bytes.Trim(line, delimited.Blanks)), p.Stats.Lines, p.Stats.Skipped
}

// firstLine handles data lines until it is known whether the first one is a header.
func (p *parser) firstLine(line []byte) error {
	f := &p.first
	if len(f.held) > 0 {
		return p.hold(line, false)
	}
	p.see(line)
	f.decided, f.columns = true, p.columns.Count
	switch {
	case p.Opts.Header == format.HeaderCounts:
		return p.countsHeader(line)
	case p.Opts.Header == format.HeaderAuto && f.comment != "":
		p.Stats.Header, f.below = f.comment, !p.pairs
	case p.Opts.Header == format.HeaderAuto && !p.pairs && p.declares(line):
		if err := p.direct(); err != nil {
			return err
		}
		p.Stats.Header, p.Stats.DeclaredVertices, p.Stats.DeclaredEdges = f.text, f.n, f.m
		return nil
	case p.Opts.Header == format.HeaderAuto && p.mayName(line):
		f.decided = false
		return p.hold(line, false)
	case p.Opts.Header == format.HeaderAuto:
		f.counts = !p.pairs && p.parseCounts() && f.n > 0 && f.m > 0
	}
	if err := p.direct(); err != nil {
		return err
	}
	return p.emitColumns(line)
}

// declares reports whether the first line is a header of Graphs.jl, "n,m,u,name" with u for
// undirected or d for directed. No edge has this form.
func (p *parser) declares(line []byte) bool {
	names := delimited.NamesIn(line, p.Sep)
	if p.Sep != delimited.SeparatorComma || len(names) < 4 || names[2] != "u" && names[2] != "d" {
		return false
	}
	f := &p.first
	if f.n, f.m, f.declared = decimal.Counts([]byte(names[0]), []byte(names[1])); f.declared {
		p.say(names[2] == "d")
	}
	return f.declared
}

// countsHeader reads the first line as a counts header, because the options ask for it.
func (p *parser) countsHeader(line []byte) error {
	if !p.parseCounts() {
		return p.Wrong(line, "expected the numbers of vertices and edges, found %s", excerpt.Of(line))
	}
	p.Stats.Header = p.first.text
	p.Stats.DeclaredVertices, p.Stats.DeclaredEdges = p.first.n, p.first.m
	return nil
}

func (p *parser) headerError(text string, args ...any) error {
	return p.ErrorAt(max(p.first.number, 1), format.ErrSyntax, text, args...)
}

// A first line without a number may name the columns. It is kept, with the lines below it, until
// their types decide, or until there are enough of them.
const (
	aheadLines = 64
	aheadBytes = 16 << 10 // a piece of 64 KiB of a text of pairs decides as the whole text does
)

// mayName reports whether a first line can name the columns: it has no number and no date.
func (p *parser) mayName(line []byte) bool {
	return !p.braces.found && !slices.ContainsFunc(delimited.NamesIn(line, p.Sep), figure.Is)
}

// hold keeps a line until the first one is understood.
func (p *parser) hold(line []byte, comment bool) error {
	f := &p.first
	f.held = append(f.held, heldLine{bytes.Clone(line), p.Stats.Lines, comment})
	if f.heldBytes += len(line); len(f.held) > aheadLines || f.heldBytes > aheadBytes && len(f.held) > 1 {
		return p.decide(false)
	}
	return nil
}

// holdComment keeps a line that looks like a comment and that is a row if the first line turns out
// to be a header. It reports whether it did.
func (p *parser) holdComment(line []byte) (held bool, err error) {
	if len(p.first.held) == 0 || !p.Sep.Quotes() || len(delimited.NamesIn(line, p.Sep)) != p.first.columns {
		return false, nil
	}
	p.Stats.Comments-- // counted again when it is known what it is
	return true, p.hold(line, true)
}

// decide decides what the first line is, and handles the lines that were kept. ended means that
// they are the whole text.
func (p *parser) decide(ended bool) error {
	f := &p.first
	held, now := f.held, p.Stats.Lines
	f.held, f.decided = nil, true
	if err := p.direct(); err != nil {
		return err
	}
	defer func() { p.Stats.Lines = now }()
	p.Stats.Lines = held[0].number
	names, rows := delimited.NamesIn(held[0].text, p.Sep), p.rows(held[1:])
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
		p.Stats.Lines = h.number
		if h.comment && !named {
			p.Stats.Comments++
			p.Stats.LateComments++
			continue
		}
		take := p.emitLine
		if f := lineFault(h.text); h.comment && f.Found() { // it was not checked
			take = func(line []byte) error { return p.Bad(line, f) }
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
			rows = append(rows, delimited.NamesIn(b.cut(h.text, p.Sep, &p.Opts), p.Sep))
		}
	}
	return rows
}

// headed takes the first line as names of the columns.
func (p *parser) headed(line []byte, names []string, rows [][]string) error {
	if p.Opts.Source == "" && p.Opts.Target == "" && isTable(names, rows) {
		return p.Wrong(line, "the header names no two ends of edges: %s; IMPORT VERTICES reads a table of vertices, and the options source and target name the columns of the ends", excerpt.List(names))
	}
	plan, doubt := delimited.PlanFor(p.Opts.Wanted(), names)
	if doubt != "" {
		return p.Wrong(line, "%s", doubt)
	}
	p.Stats.Header, p.first.below = p.first.text, !p.pairs
	return p.name(names, plan, nil)
}

// figuresBelow reports whether a column has numbers or dates, and the first line a text in it. A
// single column of keys needs three lines below, unless the first column is called as keys are.
func figuresBelow(names []string, rows [][]string) bool {
	keys := 0
	for column := range names {
		figures := 0
		for _, row := range rows {
			switch {
			case column >= len(row) || row[column] == "" || format.IsMissing([]byte(row[column])):
			case figure.Is(row[column]):
				figures++
			default:
				figures = -len(rows)
			}
		}
		switch {
		case figures <= 0:
		case column > 1 || figures > 2 || delimited.IsKeyName(names[0]) || delimited.UsualRole(names[column]) != delimited.Ignored && len(names) > 2:
			return true
		default:
			keys++
		}
	}
	return keys > 1
}

// isTable reports whether a header and the lines below it are a table of vertices: the first column
// is called as keys are, or as an id before a name or a title, is different in all lines, and no known names are those of two ends.
func isTable(names []string, rows [][]string) bool {
	if _, _, ends := delimited.KnownPair(names, true); ends || len(rows) < 2 {
		return false
	}
	describes := slices.Contains([]string{"name", "title", "label", "description", "firstname", "text"}, strings.ToLower(strings.Map(func(c rune) rune {
		if c == '_' || c == ' ' {
			return -1
		}
		return c
	}, names[1])))
	if !delimited.IsKeyName(names[0]) && !(describes && strings.HasSuffix(strings.ToLower(names[0]), "id")) {
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

// The least number of lines below a line of names that occur nowhere else: files with blanks rarely
// have headers. Below a known pair it is one.
const (
	leastBelow       = 2
	leastBelowBlanks = 8
)

// nowhereElse reports whether the first line names the columns because its names occur nowhere else
// in a text. If the text has more lines than these, its end decides: see format.ReadStats.NamesHeader.
func (p *parser) nowhereElse(names []string, rows [][]string, ended bool) bool {
	source, target := p.Plan.At[delimited.Source]-1, p.Plan.At[delimited.Target]-1
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
	if p.Sep == delimited.SeparatorWhitespace {
		least = leastBelowBlanks
	}
	recurs := recurring(int64(len(seen)), int64(len(rows)))
	if _, _, known := delimited.KnownPair(names, true); known && ended {
		least, recurs = 1, true
	}
	switch {
	case seen[names[source]] || seen[names[target]]:
		return false
	case !ended:
		p.Stats.NamesHeader, p.Stats.Header = true, p.first.text
		return false
	case len(rows) >= least && recurs:
		p.Stats.Remark(namesTaken, excerpt.Of([]byte(p.first.text)), p.first.number, "header := FALSE takes it as an edge")
		return true
	case len(rows) >= leastBelow && (p.Sep != delimited.SeparatorWhitespace || recurs):
		p.Stats.Remark(edgeTaken, excerpt.Of([]byte(p.first.text)), p.first.number, "header := TRUE takes it as the names of the columns")
	}
	return false
}

const (
	namesTaken = "first line taken as the names of the columns, because its words occur nowhere else"
	edgeTaken  = "first line taken as an edge, although its keys occur nowhere else"
)

// recurring reports whether keys of edges recur so that an edge between two keys that occur nowhere
// else is rare: there are at most three keys for two edges.
func recurring(keys, edges int64) bool { return edges > 0 && 2*keys <= 3*edges }

// TakeHeader resolves NamesHeader at the end of a read: only reports whether the two keys of the
// first edge are in no other edge, and keys is the number of keys of the others. It returns whether
// the first edge is a header, which the caller removes; a remark states the choice.
func TakeHeader(s *format.ReadStats, only bool, keys int64) bool {
	if !s.NamesHeader {
		return false
	}
	names := []string{excerpt.Of([]byte(s.Header))}
	switch {
	case only && recurring(keys, s.Edges-1):
		s.Add(format.Remark{What: namesTaken, Count: 1, Names: names, Remedy: "header := FALSE takes it as an edge"})
		return true
	case only:
		s.Add(format.Remark{What: edgeTaken, Count: 1, Names: names, Remedy: "header := TRUE takes it as the names of the columns"})
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
	if len(names) != 3 || !p.Narrow || len(rows) == 0 {
		return
	}
	rows = append(rows, names)
	first, middle, last := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, row := range rows {
		if len(row) != 3 || figure.Is(row[2]) {
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
		p.Stats.Remark("third column of texts left out", "", p.first.number, "if lines are triples of two ends and a relation between, target := 3 takes the third")
	}
}

// Network collections describe their files in comments above the edges. SNAP writes "# Directed
// graph (…): name" and "# Nodes: 5 Edges: 4"; KONECT writes "% sym unweighted" and "% 4 5 5", the
// number of edges and the numbers of vertices on each side. SNAP calls graphs directed that are
// lists of both directions, such as those of joint papers, so that this decides nothing; a comment of these two
// words alone does.

// konectWeights are the kinds of weights of KONECT. All but the first have weights in the
// third column.
var konectWeights = []string{"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted", "multiweighted", "dynamic"}

// konectNames returns the column names of a KONECT file and the kind of its edges (sym, asym or
// bip), both read from its first comment. For any other comment it returns nil. The third
// column of an unweighted network is a constant.
func konectNames(comment []byte) (names []string, kind string) {
	words := strings.Fields(string(bytes.TrimLeft(comment, "%")))
	if !bytes.HasPrefix(comment, []byte("%")) || len(words) != 2 || !slices.Contains([]string{"sym", "asym", "bip"}, words[0]) {
		return nil, ""
	}
	switch slices.Index(konectWeights, words[1]) {
	case -1:
		return nil, ""
	case 0:
		return []string{"source", "target", "constant", "time"}, words[0]
	}
	return []string{"source", "target", "weight", "time"}, words[0]
}

// declared reads what a comment above the edges declares about the graph. If the comment is the
// first one of a KONECT file, it returns the names of the columns.
func (p *parser) declared(comment []byte) (names []string) {
	if names, kind := konectNames(comment); names != nil {
		p.say(kind == "asym")
		p.first.konect, p.first.bipartite = true, kind == "bip"
		return names
	}
	words := bytes.Fields(bytes.TrimLeft(comment, "#% \t"))
	is := func(i int, word string) bool { return bytes.EqualFold(words[i], []byte(word)) }
	switch {
	case p.saysDirection(words):
	case len(words) == 4 && is(0, "nodes:") && is(2, "edges:"):
		p.declare(words[1], words[3])
	case p.first.konect && len(words) >= 2 && len(words) <= 3 && p.Stats.DeclaredEdges == 0:
		p.declare(words[1], words[0])
	}
	return nil
}

// saysDirection reports whether the words of a comment begin with those for the direction of the edges. It takes the
// direction if there are no further words: SNAP calls each list directed, also those that have both directions of
// each edge, which is only a notice.
func (p *parser) saysDirection(words [][]byte) bool {
	is := func(i int, word string) bool { return len(words) > i && bytes.EqualFold(words[i], []byte(word)) }
	if !(is(0, "directed") || is(0, "undirected")) || !(is(1, "graph") || is(1, "graph:")) {
		return false
	}
	if p.Stats.Directed = p.Stats.Directed || is(0, "directed"); len(words) == 2 {
		p.say(is(0, "directed"))
	}
	return true
}

// say takes what the text says of the direction of its edges.
func (p *parser) say(directed bool) {
	p.Stats.Directed = p.Stats.Directed || directed
	p.course.All = reading.CourseOf(directed)
}

// declare records the numbers of vertices and edges if both are valid.
func (p *parser) declare(vertices, edges []byte) {
	if n, m, ok := decimal.Counts(vertices, edges); ok {
		p.Stats.DeclaredVertices, p.Stats.DeclaredEdges = n, m
	}
}
