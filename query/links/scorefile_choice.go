package links

import (
	"container/heap"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/textfile"
	"heavytail/query/rows"
	"heavytail/storage/format"
	"heavytail/storage/format/graphfile"
)

// scoreChoice says which of the scored pairs are kept.
type scoreChoice struct {
	some      engine.RowRange // of the pairs of the file that are scored
	top       int             // number of pairs to keep for each source; 0 is all
	threshold *float64        // threshold of the first score; nil keeps all
	higher    bool            // a larger first score is likelier
}

// keeps reports whether a first score reaches the threshold. The score NaN of a pair
// without a score does not.
func (c scoreChoice) keeps(score float64) bool {
	return c.threshold == nil || score == *c.threshold || c.likelier(score, *c.threshold)
}

// likelier reports whether a link of score a is likelier than one of score b.
func (c scoreChoice) likelier(a, b float64) bool {
	if c.higher {
		return a > b
	}
	return a < b
}

// chosen scores the pairs of a file, and calls each with the pairs that are kept: in
// the order of the file, or with top grouped by source.
func (s *loadedScoring) chosen(c *engine.Call, in io.Reader, opts format.EdgeListOptions, choice scoreChoice, further furtherColumns, each func(ScoredPair) error) (int64, error) {
	if choice.top == 0 {
		return s.file(c, in, opts, choice.some, further, func(p ScoredPair) error {
			if !choice.keeps(p.Scores[0]) {
				return nil
			}
			return each(p)
		})
	}
	best := &topPairs{scoreChoice: choice, call: c, sources: map[string]*sourcePairs{}}
	defer best.release()
	total, err := s.file(c, in, opts, choice.some, further, best.add)
	if err == nil {
		err = best.each(each)
	}
	return total, err
}

// file scores the pairs of a file in order, a batch at a time: while the file
// is read, at most one batch is in memory.
func (s *loadedScoring) file(c *engine.Call, in io.Reader, opts format.EdgeListOptions, some engine.RowRange, further furtherColumns, each func(ScoredPair) error) (int64, error) {
	batch := scoreBatch
	pairs := make([]Pair, 0, batch)
	var more [][]string // the further values of each pair, where there are such columns
	var total int64
	flush := func() error {
		scored, err := s.all(c, pairs)
		if err != nil {
			return err
		}
		total += int64(len(pairs))
		for i := range more {
			scored[i].Further = more[i]
		}
		pairs, more = pairs[:0], more[:0]
		batch = s.batch(int(min(total, 1<<30)))
		for _, p := range scored {
			if err := each(p); err != nil {
				return err
			}
		}
		return nil
	}
	err := readPairs(c, c.Ctx, in, opts, some, further, func(source, target []byte, values [][]byte) error {
		// One string for both keys halves the allocations.
		text := string(append(append(make([]byte, 0, len(source)+len(target)), source...), target...))
		pairs = append(pairs, Pair{Source: text[:len(source)], Target: text[len(source):]})
		if len(further.list) > 0 {
			more = append(more, textsOf(values))
		}
		if len(pairs) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return total, err
}

func textsOf(values [][]byte) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// readPairs reads some of the pairs with further columns, and reports progress in pairs. Their total
// number is estimated from the part of the file that has been read.
func readPairs(c *engine.Call, ctx context.Context, in io.Reader, opts format.EdgeListOptions, some engine.RowRange, further furtherColumns, f func(source, target []byte, values [][]byte) error) error {
	var pairs atomic.Int64
	opts.Progress = func(_ string, done, total int64) {
		read, all := pairs.Load(), int64(0)
		if done > 0 && total > 0 {
			all = max(read, int64(float64(read)*float64(total)/float64(done)))
		}
		c.Meter.UpdateUnit("scoring", "pairs", read, all)
	}
	var stats format.ReadStats
	err := some.Read(func(next func() (bool, error)) (err error) {
		stats, err = graphfile.ReadPairRows(ctx, in, opts, further.numbers(), func(source, target []byte, values [][]byte) error {
			pairs.Add(1)
			if in, err := next(); !in {
				return err
			}
			return f(source, target, values)
		})
		return err
	})
	if more := stats.IgnoredColumns - len(further.list); err == nil && further.all && stats.Layout == format.LayoutEdges && more > 0 {
		c.Notice("%s left out", fault.Count(int64(more), "further column"))
	}
	if err == nil {
		textfile.NoteComments(c, stats.LateComments)
	}
	return err
}

// topPairs are the likeliest pairs of each source.
type topPairs struct {
	scoreChoice
	call     *engine.Call
	sources  map[string]*sourcePairs
	order    []*sourcePairs // in the order of their first pairs
	bytes    int64          // approximate memory of the pairs
	reserved int64
	releases []func()
}

// sourcePairs are the likeliest pairs of one source, as a heap with the least likely first.
type sourcePairs struct {
	choice scoreChoice
	pairs  []ScoredPair
	place  []int64 // position of each pair in the file: of equal pairs the first is kept
	seen   int64
}

func (t *topPairs) add(p ScoredPair) error {
	if math.IsNaN(p.Scores[0]) || !t.keeps(p.Scores[0]) {
		return nil
	}
	s := t.sources[p.Source]
	if s == nil {
		s = &sourcePairs{choice: t.scoreChoice}
		t.sources[p.Source], t.order = s, append(t.order, s)
	}
	s.seen++
	if len(s.pairs) == t.top {
		if t.likelier(p.Scores[0], s.pairs[0].Scores[0]) {
			s.pairs[0], s.place[0] = p, s.seen
			heap.Fix(s, 0)
		}
		return nil
	}
	heap.Push(s, placedPair{p, s.seen})
	size := 160 + len(p.Source) + len(p.Target) + 8*len(p.Scores)
	for _, text := range p.Further {
		size += 16 + len(text)
	}
	return t.grow(int64(size))
}

// grow reserves memory for more pairs, some MiB at a time.
func (t *topPairs) grow(bytes int64) error {
	const piece = 8 << 20
	if t.bytes += bytes; t.bytes <= t.reserved {
		return nil
	}
	release, err := t.call.DB.Cache.Reserve(piece, "the likeliest pairs of each source")
	if err == nil {
		t.releases, t.reserved = append(t.releases, release), t.reserved+piece
	}
	return err
}

func (t *topPairs) release() {
	for _, release := range t.releases {
		release()
	}
}

// each calls f with the pairs of each source, the likeliest first.
func (t *topPairs) each(f func(ScoredPair) error) error {
	for _, s := range t.order {
		if err := t.call.Ctx.Err(); err != nil {
			return err
		}
		sorted := make([]ScoredPair, len(s.pairs))
		for i := range slices.Backward(sorted) {
			sorted[i] = heap.Pop(s).(placedPair).pair
		}
		for _, p := range sorted {
			if err := f(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// placedPair is a pair on its way into or out of a heap.
type placedPair struct {
	pair  ScoredPair
	place int64
}

func (s *sourcePairs) Len() int { return len(s.pairs) }

func (s *sourcePairs) Less(i, j int) bool {
	a, b := s.pairs[i].Scores[0], s.pairs[j].Scores[0]
	return s.choice.likelier(b, a) || a == b && s.place[i] > s.place[j]
}

func (s *sourcePairs) Swap(i, j int) {
	s.pairs[i], s.pairs[j] = s.pairs[j], s.pairs[i]
	s.place[i], s.place[j] = s.place[j], s.place[i]
}

func (s *sourcePairs) Push(x any) {
	p := x.(placedPair)
	s.pairs, s.place = append(s.pairs, p.pair), append(s.place, p.place)
}

func (s *sourcePairs) Pop() any {
	last := len(s.pairs) - 1
	p := placedPair{s.pairs[last], s.place[last]}
	s.pairs, s.place = s.pairs[:last], s.place[:last]
	return p
}

const columnsOption = "columns"

// The values of ScoreRequest.Columns that are no names.
const (
	allColumns = "all"
	noColumns  = "none"
)

// furtherColumns are the columns of a file of pairs, other than the keys, that go into the
// answer.
type furtherColumns struct {
	list  []format.PairColumn
	names []string // in the answer, where no two columns have the same name
	left  []string // columns of lists and records, which are left out
	all   bool     // no names were asked for
}

// further finds the additional columns of a file that are wanted next to the scores. Standard
// input has none, because their names are needed before it is read; a notice reports that.
func further(c *engine.Call, path, wanted string, opts format.EdgeListOptions, with []catalogue.Scorer) (found furtherColumns, err error) {
	if wanted == noColumns {
		return found, nil
	}
	named := wanted != "" && wanted != allColumns
	found.all = !named
	if path == "-" {
		if named {
			err = fault.OfOption(columnsOption, "does not apply to standard input, of which only the keys are read")
		}
		return found, err
	}
	in, _, err := c.OpenInput(path, fault.File)
	if err != nil {
		return found, err
	}
	defer in.Close()
	there, err := graphfile.PairColumns(c.Ctx, in, opts)
	if err != nil {
		return found, textfile.FormatMistake(err)
	}
	if !named {
		for _, column := range there {
			if column.Held {
				found.list = append(found.list, column)
			} else {
				found.left = append(found.left, column.Name)
			}
		}
	} else if found.list, err = namedColumns(wanted, there); err != nil {
		return found, err
	}
	found.name(with)
	return found, nil
}

func namedColumns(text string, there []format.PairColumn) (list []format.PairColumn, err error) {
	names := lists.Map(there, func(column format.PairColumn) string { return column.Name })
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fault.OfOption(columnsOption, "names %s, which is not an additional column of the file", fault.QuoteKey(name)).
				WithExpected(append([]string{allColumns, noColumns}, names...)...)
		}
		if !there[i].Held {
			return nil, fault.OfOption(columnsOption, "names %s, which has lists or records", fault.QuoteKey(name))
		}
		if !slices.Contains(list, there[i]) {
			list = append(list, there[i])
		}
	}
	return list, nil
}

// name gives the columns their names in the answer. One that is taken, by a column of the
// keys, a scorer or a column before it, gets a number.
func (f *furtherColumns) name(with []catalogue.Scorer) {
	taken := scoreColumns(with, nil)
	for _, column := range f.list {
		name := column.Name
		for n := 2; slices.Contains(taken, name); n++ {
			name = fmt.Sprintf("%s_%d", column.Name, n)
		}
		f.names, taken = append(f.names, name), append(taken, name)
	}
}

// notice reports columns that have another name in the answer, and those left out.
func (f *furtherColumns) notice(c *engine.Call) {
	for i, column := range f.list {
		if f.names[i] != column.Name {
			c.Notice("column %s of the file is called %s, as another one has its name", fault.Quote(column.Name), fault.Quote(f.names[i]))
		}
	}
	if len(f.left) > 0 {
		c.Notice("columns of lists and records are left out: %s", strings.Join(f.left, ", "))
	}
}

func (f *furtherColumns) numbers() (numbers []int) {
	for _, column := range f.list {
		numbers = append(numbers, column.Number)
	}
	return numbers
}

// types are those of the columns of a file: of the keys, of the further columns and of the scores.
func (f *furtherColumns) types(scorers int) []format.Type {
	types := []format.Type{format.Text, format.Text}
	for _, column := range f.list {
		types = append(types, column.Type)
	}
	return append(types, slices.Repeat([]format.Type{format.Float}, scorers)...)
}

// row is a row of a table, whose further columns have the types of the file.
func (f *furtherColumns) row(p ScoredPair) []rows.Value {
	row := p.Row()
	for i, column := range f.list {
		row[2+i] = column.Type.ValueOf(p.Further[i])
	}
	return row
}
