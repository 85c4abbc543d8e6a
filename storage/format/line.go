package format

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"heavytail/storage/internal/excerpt"
)

// fault is an error in a line and its place. A fault without a kind means no error.
type fault struct {
	at     int // byte of the line
	reason string
	kind   error
}

func (f fault) found() bool { return f.kind != nil }

func syntaxFault(at int, format string, args ...any) fault {
	return fault{at, fmt.Sprintf(format, args...), ErrSyntax}
}

// moreColumns is the fault of a line that has more columns than the header or the first line.
func moreColumns(at int, subject string, columns int) fault {
	return syntaxFault(at, "the %s %d columns, and here is one more", subject, columns)
}

// textFault finds what no data line may contain: NUL, a carriage return that is not part of the
// line's end, and invalid UTF-8.
func textFault(line []byte) fault {
	if i := bytes.IndexByte(line, '\r'); i >= 0 && bytes.IndexByte(line[:i], 0) < 0 {
		return syntaxFault(i, "carriage return inside a line")
	}
	return encodingFault(line)
}

// encodingFault finds NUL and invalid UTF-8.
func encodingFault(line []byte) fault {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		return syntaxFault(i, "NUL byte; is this a text file?")
	}
	if utf8.Valid(line) {
		return fault{}
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			return syntaxFault(at, "byte %#02x is not valid UTF-8", line[at])
		}
		at += size
	}
}

// columns are the fields of one line.
type columns struct {
	field   [roleCount][]byte // the fields that the plan uses; slices of the line or of scratch
	at      [roleCount]int    // the byte of the line at which each begins
	count   int               // number of all fields
	taken   int               // number of fields that the plan uses
	bad     fault             // the first fault
	scratch []byte            // fields that held doubled quotes; kept from line to line
	// each, if not nil, is called for every field. A fault that it returns is a fault of the
	// line.
	each func(field []byte, at int, quoted bool) fault
}

// add adds the next field, which begins at byte at of the line.
func (c *columns) add(field []byte, at int, quoted bool, plan *plan, maxKey int) {
	if i := bytes.IndexByte(field, '\r'); i >= 0 && !quoted && !c.bad.found() {
		c.bad = syntaxFault(at+i, "carriage return inside a line")
	}
	if c.each != nil && !c.bad.found() {
		c.bad = c.each(field, at, quoted)
	}
	if c.count < len(plan.roles) && !c.bad.found() {
		if r := plan.roles[c.count]; r != roleIgnored {
			if r < roleWeight && (len(field) == 0 || len(field) > maxKey) {
				c.bad = keyFault(field, at, c.count+1, maxKey)
			}
			c.field[r], c.at[r] = field, at
			c.taken++
		}
	}
	c.count++
}

// keyFault reports a key that is empty or too long.
func keyFault(field []byte, at, column, maxKey int) fault {
	switch {
	case len(field) == 0:
		return syntaxFault(at, "column %d is empty", column)
	case len(field) > maxKey:
		return fault{at, fmt.Sprintf("key %s has %d bytes, the limit is %d", excerpt.Of(field), len(field), maxKey), ErrLimit}
	}
	return fault{}
}

// split cuts a line, without its line end, into columns.
func (c *columns) split(line []byte, sep separator, plan *plan, maxKey int) {
	c.field, c.count, c.taken, c.bad, c.scratch = [roleCount][]byte{}, 0, 0, fault{}, c.scratch[:0]
	if sep == separatorWhitespace {
		c.splitWords(line, plan, maxKey)
	} else {
		c.splitFields(line, sep, plan, maxKey)
	}
	if c.count < max(plan.at[roleSource], plan.at[roleTarget]) && !c.bad.found() {
		c.bad = missing(sep, plan, line)
	}
}

func (c *columns) extra() int { return c.count - c.taken }

// splitWords splits a line at runs of spaces and tabs.
func (c *columns) splitWords(line []byte, plan *plan, maxKey int) {
	for at := 0; ; {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		if at == len(line) {
			return
		}
		start := at
		for at < len(line) && !isBlank(line[at]) {
			at++
		}
		c.add(line[start:at], start, false, plan, maxKey)
	}
}

// splitFields splits a line at every separator. Blanks around a field are dropped.
func (c *columns) splitFields(line []byte, sep separator, plan *plan, maxKey int) {
	char := sep.character()
	for at := 0; ; at++ {
		for at < len(line) && isBlank(line[at]) && line[at] != char {
			at++
		}
		start, end := at, len(line)
		if sep.quotes() && at < len(line) && line[at] == '"' {
			field, after, bad := c.unquote(line, at, char)
			if bad.found() {
				if !c.bad.found() {
					c.bad = bad
				}
				return
			}
			c.add(field, start, true, plan, maxKey)
			at = after
		} else {
			if i := bytes.IndexByte(line[at:], char); i >= 0 {
				end = at + i
			}
			c.add(bytes.TrimRight(line[start:end], blanks), start, false, plan, maxKey)
			at = end
		}
		if at == len(line) {
			return
		}
	}
}

// unquote reads a field in double quotes, in which a quote is doubled. It returns the field and
// the position of the separator or line end that follows.
func (c *columns) unquote(line []byte, start int, char byte) (field []byte, after int, bad fault) {
	at, from, first := start+1, start+1, len(c.scratch)
	for {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return nil, 0, syntaxFault(start, "a quoted field is not closed")
		}
		at += i + 1
		if at == len(line) || line[at] != '"' {
			break
		}
		c.scratch = append(c.scratch, line[from:at]...) // includes one of the two quotes
		at++
		from = at
	}
	field = line[from : at-1]
	if len(c.scratch) > first {
		c.scratch = append(c.scratch, field...)
		field = c.scratch[first:]
	}
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	if at < len(line) && line[at] != char {
		return nil, 0, syntaxFault(at, "text after the closing quote of a field")
	}
	return field, at, fault{}
}

// missing reports that a line has too few columns.
func missing(sep separator, plan *plan, line []byte) fault {
	if plan.narrow() {
		return syntaxFault(0, "expected two columns separated by %s, found only %s", sep, excerpt.Of(line))
	}
	last := max(plan.at[roleSource], plan.at[roleTarget])
	return syntaxFault(0, "expected %s columns or more separated by %s, found only %s", fmt.Sprint(last), sep, excerpt.Of(line))
}

// namesIn returns the fields of a line, or nil if it is malformed.
func namesIn(line []byte, sep separator) []string {
	var names []string
	c := columns{each: func(field []byte, _ int, _ bool) fault {
		names = append(names, string(field))
		return fault{}
	}}
	if c.split(line, sep, &noPlan, len(line)); c.bad.found() {
		return nil
	}
	return names
}
