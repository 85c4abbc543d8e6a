package format

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"heavytail/storage/format/internal/delimited"
)

// scan holds the edges of the leading lines of a text that are complete and contain nothing unusual:
// ASCII, no quotes, no comment, two columns or more.
type scan struct {
	text  []byte
	rules rules
	done  int // bytes of these lines
	extra int // the most columns of a line that are not read
	edges Edges
}

// scanner has the rules by which plain lines are split.
type scanner struct {
	find            func(*Edges) // see Handler; may be nil
	maxKey, maxLine int          // bytes
	perSecond       int64        // units of the times in a second; 0 if they are numbers
	sep             delimited.Separator
	class           [256]byteClass // the class of each byte, given sep
	plan            delimited.Plan
	narrow          bool  // only the first two columns are read
	spare           int   // columns of the header line that the plan does not read; math.MaxInt without that line
	reads           []int // by column: the place of its attribute in values, placeNone or placeRelation

	values   [][]byte // attributes of the current line, which a scan does not have
	relation []byte   // the type of the current line in Neo4j's file
}

// rules are what a scan depends on, beside options.
type rules struct {
	columns   [delimited.Roles]int
	sep       delimited.Separator
	spare     int
	perSecond int64
}

func (c *scanner) rules() rules { return rules{c.plan.At, c.sep, c.spare, c.perSecond} }

// isOf reports whether a scan is one of a text, by rules.
func (s *scan) isOf(text []byte, by rules) bool {
	return len(s.text) == len(text) && unsafe.SliceData(s.text) == unsafe.SliceData(text) && s.rules == by
}

// byteClass is the meaning of a byte in a plain line.
type byteClass uint8

const (
	classKey       byteClass = iota // part of a key
	classSeparator                  // between columns
	classNewline
	classUnusual // whatever needs a closer look
)

// classify returns the class of every byte. Bytes beyond ASCII are unusual since their encoding
// must be checked.
func classify(sep delimited.Separator) (class [256]byteClass) {
	for c := range 128 {
		class[c] = classKey
	}
	for c := 128; c < 256; c++ {
		class[c] = classUnusual
	}
	class[0], class['\r'], class['\n'] = classUnusual, classUnusual, classNewline
	class[' '], class['\t'] = classUnusual, classUnusual // trimmed, or part of a key
	class['{'] = classUnusual                            // may begin a dictionary of attributes
	if sep.Quotes() {
		class['"'] = classUnusual
	}
	class[sep.Character()] = classSeparator
	if sep == delimited.SeparatorWhitespace {
		class['\t'] = classSeparator
	}
	return class
}

// scanLines is the largest number of lines of a scan, of 16 bytes of memory, and half as many of lines with weights or
// times, which take 40: those of a block, unless they are short.
const scanLines = 1 << 15

// scan scans at most so many lines of a text. It changes nothing but s.
func (c *scanner) scan(text []byte, most int64, s *scan) {
	most = min(most, scanLines)
	s.text, s.rules, s.done, s.extra = text, c.rules(), 0, 0
	e := &s.edges
	text = text[:min(len(text), 1<<(32-spanBits))]
	e.text, e.keys, e.measures = text[:bytes.LastIndexByte(text, '\n')+1], e.keys[:0], e.measures[:0] // so that every scan below ends
	e.keys = slices.Grow(e.keys, 2*min(scanLines, len(e.text)/4))                                     // a line has four bytes at least
	if c.narrow {
		c.scanPairs(most, s)
	} else {
		c.scanFields(most, s)
	}
	if c.find != nil && len(e.keys) > 0 {
		e.Numbers = slices.Grow(e.Numbers[:0], len(e.keys))[:len(e.keys)]
		c.find(e)
	}
}

// scanPairs scans lines of which only the first two columns are read. It handles each byte once and
// without function calls, which on lines of a dozen bytes cost more than the bytes.
func (c *scanner) scanPairs(most int64, s *scan) {
	text, keys := s.edges.text, s.edges.keys
	class, runs := &c.class, c.sep == delimited.SeparatorWhitespace
	done, widest, longest := 0, 0, min(c.maxKey, 1<<spanBits-1)
	for at := 0; at < len(text) && int64(len(keys)/2) < most; done = at {
		for runs && class[text[at]] == classSeparator {
			at++
		}
		source := at
		at += leadingDigits(text, at)
		for class[text[at]] == classKey {
			at++
		}
		sourceEnd := at
		if source == sourceEnd || class[text[at]] != classSeparator || delimited.IsComment(text[source]) {
			break
		}
		at++
		for runs && class[text[at]] == classSeparator {
			at++
		}
		target := at
		at += leadingDigits(text, at)
		for class[text[at]] == classKey {
			at++
		}
		targetEnd := at
		end, extra := c.plainRest(text, at)
		if end < 0 || extra > c.spare || target == targetEnd || max(sourceEnd-source, targetEnd-target) > longest || end-done > c.maxLine {
			break
		}
		at, widest = end+1, max(widest, extra)
		keys = append(keys, newSpan(source, sourceEnd), newSpan(target, targetEnd))
	}
	s.done, s.extra, s.edges.keys = done, widest, keys
}

// scanFields scans lines with weights or times, or whose ends are in other columns.
func (c *scanner) scanFields(most int64, s *scan) {
	e, measures := &s.edges, c.plan.At[delimited.Weight] > 0 || c.plan.At[delimited.Time] > 0
	place := func(key []byte) span {
		from := cap(e.text) - cap(key)
		return newSpan(from, from+len(key))
	}
	if measures {
		most = min(most, scanLines/2)
		e.measures = slices.Grow(e.measures, min(scanLines/2, len(e.text)/4))
	}
	for at := 0; at < len(e.text) && int64(e.Len()) < most; s.done = at {
		edge := Edge{Weight: 1}
		end, extra := c.plainEdge(e.text, at, &edge)
		if end < 0 {
			break
		}
		at, s.extra = end+1, max(s.extra, extra)
		edge.inSeconds(c.perSecond)
		e.keys = append(e.keys, place(edge.Source), place(edge.Target))
		if measures {
			e.measures = append(e.measures, measured{edge.Weight, edge.Time, edge.Weighted, edge.Timed, edge.Dated, edge.cut})
		}
	}
}

// plainEdge reads the line that begins at a byte of the text. It returns the position of the line feed
// and the number of columns that are not read, or a negative position if there is something unusual.
func (c *scanner) plainEdge(text []byte, at int, edge *Edge) (end, extra int) {
	var field [delimited.Roles][]byte
	end, extra = c.fields(text, at, &field)
	edge.Source, edge.Target = field[delimited.Source], field[delimited.Target]
	longest := min(c.maxKey, 1<<spanBits-1)
	if end < 0 || extra > c.spare || end-at > c.maxLine || len(edge.Source) == 0 || len(edge.Target) == 0 || max(len(edge.Source), len(edge.Target)) > longest {
		return -1, 0
	}
	if bad, _ := measure(edge, &field); bad != delimited.Ignored {
		return -1, 0
	}
	return end, extra
}

// leadingDigits returns the number of digits at a place of the text, up to eight, or 0 near its end. Most keys are
// numbers, and where they have different lengths the end of a loop over their bytes cannot be predicted.
func leadingDigits(text []byte, at int) int {
	if len(text)-at < 8 {
		return 0
	}
	word := binary.LittleEndian.Uint64(text[at:])
	// The first byte that is no digit is found: bytes behind it may be changed by its carry.
	other := ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080
	return bits.TrailingZeros64(other) / 8
}

// fields splits the line that begins at a byte of the text. It returns the position of the line
// feed and the number of columns that are not read, or a negative position if there is
// something unusual.
func (c *scanner) fields(text []byte, at int, field *[delimited.Roles][]byte) (end, extra int) {
	class, runs, roles := &c.class, c.sep == delimited.SeparatorWhitespace, c.plan.Roles
	for column := 0; ; column++ {
		for runs && class[text[at]] == classSeparator {
			at++
		}
		start := at
		at += leadingDigits(text, at)
		for class[text[at]] == classKey {
			at++
		}
		if column == 0 && (delimited.IsComment(text[start]) || class[text[start]] == classNewline) {
			return -1, 0
		}
		switch {
		case runs && start == at: // blanks at the end of the line
		case column < len(roles) && roles[column] != delimited.Ignored:
			field[roles[column]] = text[start:at]
		case column < len(c.reads) && c.reads[column] >= 0:
			c.values[c.reads[column]] = text[start:at:at]
		case column < len(c.reads) && c.reads[column] == placeRelation:
			c.relation = text[start:at:at]
		default:
			extra++
		}
		switch {
		case class[text[at]] == classSeparator:
			at++
		case class[text[at]] == classNewline:
			return at, extra
		case text[at] == '\r' && text[at+1] == '\n':
			return at + 1, extra
		default:
			return -1, 0
		}
	}
}

// plainRest counts the remaining columns and returns the position of the line feed, or a
// negative number if there is something unusual.
func (c *scanner) plainRest(text []byte, at int) (end, extra int) {
	class, runs := &c.class, c.sep == delimited.SeparatorWhitespace
	for {
		switch class[text[at]] {
		case classNewline:
			return at, extra
		case classSeparator:
			at++
			if !runs {
				extra++
			}
		case classKey:
			if runs {
				extra++
			}
			for class[text[at]] == classKey {
				at++
			}
		default:
			if text[at] == '\r' && text[at+1] == '\n' {
				return at + 1, extra
			}
			return -1, 0
		}
	}
}
