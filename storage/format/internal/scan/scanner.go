package scan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/figure"
)

// Scan holds the edges of the leading lines of a text that are complete and contain nothing unusual:
// ASCII, no quotes, no comment, two columns or more.
type Scan struct {
	text  []byte
	rules Rules
	Done  int // bytes of these lines
	Extra int // the most columns of a line that are not read
	Lines Lines
}

// Scanner has the rules by which plain lines are split.
type Scanner struct {
	Find            func(*Lines) // sets Numbers; called by each goroutine that scans; may be nil
	MaxKey, MaxLine int          // bytes
	PerSecond       int64        // units of the times in a second; 0 if they are numbers
	Sep             delimited.Separator
	class           [256]byteClass // the class of each byte, given Sep
	Plan            delimited.Plan
	Narrow          bool  // only the first two columns are read
	Spare           int   // columns of the header line that the plan does not read; math.MaxInt without that line
	Reads           []int // by column: the place of its attribute in Values, Unread or Relation

	Values   [][]byte // attributes of the current line, which a scan does not have
	Relation []byte   // the type of the current line in Neo4j's file
}

// What Scanner.Reads has for a column that has no place among the values: it is not read, or it is that of the
// types of Neo4j.
const (
	Unread   = -1
	Relation = -3
)

// Separate sets the separator.
func (c *Scanner) Separate(sep delimited.Separator) {
	if c.Sep != sep || sep == delimited.SeparatorAuto {
		c.Sep, c.class = sep, classify(sep)
	}
}

// Rules are what a scan depends on, beside options.
type Rules struct {
	columns   [delimited.Roles]int
	sep       delimited.Separator
	spare     int
	perSecond int64
}

// Rules returns those of the scanner.
func (c *Scanner) Rules() Rules { return Rules{c.Plan.At, c.Sep, c.Spare, c.PerSecond} }

// IsOf reports whether a scan is one of a text, by rules.
func (s *Scan) IsOf(text []byte, by Rules) bool {
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

// Scan scans at most so many lines of a text. It changes nothing but s.
func (c *Scanner) Scan(text []byte, most int64, s *Scan) {
	most = min(most, scanLines)
	s.text, s.rules, s.Done, s.Extra = text, c.Rules(), 0, 0
	e := &s.Lines
	text = text[:min(len(text), 1<<(32-spanBits))]
	e.text, e.keys, e.measures = text[:bytes.LastIndexByte(text, '\n')+1], e.keys[:0], e.measures[:0] // so that every scan below ends
	e.keys = slices.Grow(e.keys, 2*min(scanLines, len(e.text)/4))                                     // a line has four bytes at least
	if c.Narrow {
		c.scanPairs(most, s)
	} else {
		c.scanFields(most, s)
	}
	if c.Find != nil && len(e.keys) > 0 {
		e.Numbers = slices.Grow(e.Numbers[:0], len(e.keys))[:len(e.keys)]
		c.Find(e)
	}
}

// scanPairs scans lines of which only the first two columns are read. It handles each byte once and
// without function calls, which on lines of a dozen bytes cost more than the bytes.
func (c *Scanner) scanPairs(most int64, s *Scan) {
	text, keys := s.Lines.text, s.Lines.keys
	class, runs := &c.class, c.Sep == delimited.SeparatorWhitespace
	done, widest, longest := 0, 0, min(c.MaxKey, 1<<spanBits-1)
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
		if end < 0 || extra > c.Spare || target == targetEnd || max(sourceEnd-source, targetEnd-target) > longest || end-done > c.MaxLine {
			break
		}
		at, widest = end+1, max(widest, extra)
		keys = append(keys, newSpan(source, sourceEnd), newSpan(target, targetEnd))
	}
	s.Done, s.Extra, s.Lines.keys = done, widest, keys
}

// scanFields scans lines with weights or times, or whose ends are in other columns.
func (c *Scanner) scanFields(most int64, s *Scan) {
	e, measures := &s.Lines, c.Plan.At[delimited.Weight] > 0 || c.Plan.At[delimited.Time] > 0
	place := func(key []byte) span {
		from := cap(e.text) - cap(key)
		return newSpan(from, from+len(key))
	}
	if measures {
		most = min(most, scanLines/2)
		e.measures = slices.Grow(e.measures, min(scanLines/2, len(e.text)/4))
	}
	for at := 0; at < len(e.text) && int64(e.Len()) < most; s.Done = at {
		edge := Edge{Measures: figure.Measures{Weight: 1}}
		end, extra := c.PlainEdge(e.text, at, &edge)
		if end < 0 {
			break
		}
		at, s.Extra = end+1, max(s.Extra, extra)
		edge.InSeconds(c.PerSecond)
		e.keys = append(e.keys, place(edge.Source), place(edge.Target))
		if measures {
			e.measures = append(e.measures, edge.Measures)
		}
	}
}

// PlainEdge reads the line that begins at a byte of the text. It returns the position of the line feed
// and the number of columns that are not read, or a negative position if there is something unusual.
func (c *Scanner) PlainEdge(text []byte, at int, edge *Edge) (end, extra int) {
	var field [delimited.Roles][]byte
	end, extra = c.fields(text, at, &field)
	edge.Source, edge.Target = field[delimited.Source], field[delimited.Target]
	longest := min(c.MaxKey, 1<<spanBits-1)
	if end < 0 || extra > c.Spare || end-at > c.MaxLine || len(edge.Source) == 0 || len(edge.Target) == 0 || max(len(edge.Source), len(edge.Target)) > longest {
		return -1, 0
	}
	if bad, _ := edge.Read(&field); bad != delimited.Ignored {
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
func (c *Scanner) fields(text []byte, at int, field *[delimited.Roles][]byte) (end, extra int) {
	class, runs, roles := &c.class, c.Sep == delimited.SeparatorWhitespace, c.Plan.Roles
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
		case column < len(c.Reads) && c.Reads[column] >= 0:
			c.Values[c.Reads[column]] = text[start:at:at]
		case column < len(c.Reads) && c.Reads[column] == Relation:
			c.Relation = text[start:at:at]
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
func (c *Scanner) plainRest(text []byte, at int) (end, extra int) {
	class, runs := &c.class, c.Sep == delimited.SeparatorWhitespace
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
