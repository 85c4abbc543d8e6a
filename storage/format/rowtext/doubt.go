package rowtext

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/internal/excerpt"
)

// A list of edges can be read whatever its columns hold. What the first lines show to be unlikely
// edges is remarked, since such a graph is wrong without an error.

// doubtLines is how many lines are looked at.
const doubtLines = 64

// row is one of the first data lines of a text, with its number.
type row struct {
	fields []string
	number int64
}

// doubtEdges remarks what the first lines show. below is the number of data lines below the first edge.
func (p *parser) doubtEdges(below int64) {
	if p.pairs || p.Opts.Header != format.HeaderAuto || p.Opts.Source != "" || p.Opts.Target != "" {
		return
	}
	rows := p.firstRows()
	if len(rows) == 0 {
		return
	}
	source, target := p.Plan.At[delimited.Source]-1, p.Plan.At[delimited.Target]-1
	if f := rows[0].fields; len(f) == 3 && f[2] == strconv.FormatInt(below, 10) && isWhole(f[0]) && isWhole(f[1]) {
		p.Stats.Remark("first line that ends in the number of lines below, taken as an edge", strings.Join(f, " "), rows[0].number, "if it is the size of a matrix, it is to be removed")
	}
	p.doubtLengths(rows)
	p.doubtWords(rows, source, target)
	for _, column := range []int{source, target} {
		p.doubtFigures(rows, column)
		p.doubtLists(rows, source, column)
	}
	p.doubtOrder(rows, source, target)
	p.doubtKinds(rows, source, target)
}

// firstRows splits the first data lines below a header. A line that the sample cuts off is not among
// them.
func (p *parser) firstRows() (rows []row) {
	text, number := p.Head, int64(0)
	if int64(len(text)) < p.Stats.Bytes {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	named := p.Stats.Header != "" && p.Stats.Header == p.first.text || p.Stats.CountsHeader
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		number++
		line = bytes.TrimRight(line, "\r")
		content := bytes.TrimLeft(line, delimited.Blanks)
		if number < p.first.number || number == p.first.number && named || len(content) == 0 || delimited.IsComment(content[0]) {
			continue
		}
		var b braces
		fields := delimited.NamesIn(b.cut(line, p.Sep, &p.Opts), p.Sep)
		for len(fields) > 0 && fields[len(fields)-1] == "" {
			fields = fields[:len(fields)-1]
		}
		if len(fields) < max(p.Plan.At[delimited.Source], p.Plan.At[delimited.Target]) {
			continue // malformed, or a part of a record of several lines
		}
		if rows = append(rows, row{fields, number}); len(rows) == doubtLines {
			break
		}
	}
	return rows
}

// column returns a column of the rows; an empty text where a row is shorter.
func column(rows []row, at int) []string {
	values := make([]string, len(rows))
	for i, r := range rows {
		if at < len(r.fields) {
			values[i] = r.fields[at]
		}
	}
	return values
}

func isWhole(text string) bool { return decimal.IsInteger([]byte(text)) }

// mostly reports whether at least nine in ten of the values have a property, or all but the first
// ones, and three do.
func mostly(values []string, has func(string) bool) (yes bool, others []int) {
	for i, value := range values {
		if !has(value) {
			others = append(others, i)
		}
	}
	n := len(values) - len(others)
	leading := len(others) > 0 && others[len(others)-1] == len(others)-1
	return n >= 3 && (n >= 9*len(others) || leading && n >= len(others)), others
}

// doubtLengths remarks lines without names of columns that have different numbers of them, as lists
// of neighbours do.
func (p *parser) doubtLengths(rows []row) {
	if p.names != nil || len(p.first.names) > 0 || p.braces.found {
		return
	}
	least, most := rows[0], rows[0]
	for _, r := range rows {
		if len(r.fields) < len(least.fields) {
			least = r
		}
		if len(r.fields) > len(most.fields) {
			most = r
		}
	}
	if len(most.fields)-len(least.fields) > 1 {
		p.Stats.Remark("lines of different lengths, of which the first two columns are the ends", fmt.Sprintf("%d to %d columns", len(least.fields), len(most.fields)), most.number, "format := 'adjacency' takes a vertex and its neighbours from a line")
	}
}

// doubtWords remarks lines unlike the others: with words for the ends where those are whole numbers,
// or with a word in a further column where that has numbers.
func (p *parser) doubtWords(rows []row, source, target int) {
	odd := map[int]bool{}
	for at := range rows[len(rows)-1].fields {
		has := func(text string) bool { return text == "" || figure.Is(text) || format.IsMissing([]byte(text)) }
		if at == source || at == target {
			has = isWhole
		}
		if yes, others := mostly(column(rows, at), has); yes {
			for _, i := range others {
				odd[i] = odd[i] || at == source || at == target || i == 0
			}
		}
	}
	for i, r := range rows {
		if odd[i] {
			p.Stats.Remark("lines unlike the others, taken as edges", strings.Join(r.fields[:min(len(r.fields), 3)], " "), r.number, "a header, a comment or a summary is to be removed")
		}
	}
}

// doubtFigures remarks a column of ends that has decimal numbers or dates.
func (p *parser) doubtFigures(rows []row, at int) {
	count, first := 0, ""
	for _, value := range column(rows, at) {
		if len(value) > 1 && figure.Is(value) && strings.ContainsAny(value[1:], ".,-/:eE") {
			if count++; first == "" {
				first = value
			}
		}
	}
	if len(rows) > 1 && 2*count > len(rows) {
		p.Stats.Remark("columns of ends with decimal numbers or dates", fmt.Sprintf("%d, with %s", at+1, first), p.first.number, "the options source and target name other columns; 1.0 and 1 are two vertices")
	}
}

// doubtLists remarks ends that look like lists, because a part of one is the source of another line.
func (p *parser) doubtLists(rows []row, source, at int) {
	sources := map[string]bool{}
	for _, value := range column(rows, source) {
		sources[value] = true
	}
	for i, value := range column(rows, at) {
		parts := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(",;|[]{}()'\" ", c) })
		if len(parts) > 1 && strings.ContainsAny(value, ",;|") && slices.ContainsFunc(parts, func(part string) bool { return sources[part] }) {
			p.Stats.Remark("ends that look like lists of vertices, each taken as one", excerpt.Name([]byte(value)), rows[i].number, "a line has one target")
		}
		if len(value) > 2 && value[0] == '\'' && value[len(value)-1] == '\'' {
			p.Stats.Remark("ends in single quotes, kept with them", value, rows[i].number, "fields have double quotes")
		}
	}
}

// doubtOrder remarks a first column that may count the lines or have their times: it increases from
// line to line, or none of its keys are among those of the second column, although keys of the
// third are.
func (p *parser) doubtOrder(rows []row, source, target int) {
	const least = 5
	if source != 0 || target != 1 || len(rows) < least || slices.ContainsFunc(rows, func(r row) bool { return len(r.fields) < 3 }) {
		return
	}
	if _, _, known := delimited.KnownPair(slices.Concat(p.names, p.first.names), true); known {
		return
	}
	first, second, third := column(rows, 0), column(rows, 1), column(rows, 2)
	if slices.ContainsFunc(third, func(text string) bool { return figure.Is(text) && !isWhole(text) }) {
		return
	}
	remedy := "source := 2, target := 3 take the next two columns"
	if increases(first) && repeats(second) {
		p.Stats.Remark("first column with another, larger number in each line, taken as an end", first[0]+" to "+first[len(first)-1], rows[0].number, remedy)
		return
	}
	if common(first, second) == 0 && common(second, third) > 1 {
		p.Stats.Remark("first column taken as an end, although the second and the third share keys", first[0], rows[0].number, remedy)
	}
}

func increases(values []string) bool {
	last := int64(math.MinInt64)
	for _, value := range values {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n <= last {
			return false
		}
		last = n
	}
	return true
}

func repeats(values []string) bool {
	seen := map[string]bool{}
	for _, value := range values {
		seen[value] = true
	}
	return len(seen) < len(values)
}

// common returns the number of values of a that are in b.
func common(a, b []string) (n int) {
	seen := map[string]bool{}
	for _, value := range a {
		if !seen[value] && slices.Contains(b, value) {
			n++
		}
		seen[value] = true
	}
	return n
}

// thingNames are names of columns of numbers that count things of one kind, without "id".
var thingNames = []string{"user", "item", "movie", "film", "book", "isbn", "product", "artist", "song", "track", "author", "paper", "actor", "member", "group", "event", "club", "business", "customer", "game", "question", "student", "course", "gene", "disease", "drug", "word", "document", "tag", "photo", "anime", "recipe", "beer", "restaurant", "playlist", "post", "subreddit", "page"}

// doubtKinds remarks ends whose columns number things of two kinds, so that a number in both is one
// vertex of the graph and two things.
func (p *parser) doubtKinds(rows []row, source, target int) {
	names := slices.Concat(p.names, p.first.names)
	if max(source, target) >= len(names) {
		return
	}
	a, b := delimited.Stem(names[source]), delimited.Stem(names[target])
	if a == b || !slices.Contains(thingNames, a) || !slices.Contains(thingNames, b) {
		return
	}
	whole := func(at int) bool {
		return !slices.ContainsFunc(column(rows, at), func(text string) bool { return !isWhole(text) })
	}
	if whole(source) && whole(target) {
		p.Stats.Remark("columns that number things of two kinds", excerpt.List([]string{names[source], names[target]}), p.first.number, "a number in both is one vertex; write a letter before those of one kind")
	}
}
