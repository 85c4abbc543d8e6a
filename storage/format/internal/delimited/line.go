package delimited

import (
	"bytes"
	"fmt"

	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// Columns are the fields of one line.
type Columns struct {
	Field   [Roles][]byte // the fields that the plan uses; slices of the line or of scratch
	At      [Roles]int    // the byte of the line at which each begins
	Count   int           // number of all fields
	taken   int           // number of fields that the plan uses
	Bad     fault.Fault   // the first fault
	scratch []byte        // fields that held doubled quotes; kept from line to line
	// Each, if not nil, is called for every field. A fault that it returns is a fault of the
	// line.
	Each func(field []byte, at int, quoted bool) fault.Fault
}

// add adds the next field, which begins at byte at of the line.
func (c *Columns) add(field []byte, at int, quoted bool, plan *Plan, maxKey int) {
	if i := bytes.IndexByte(field, '\r'); i >= 0 && !quoted && !c.Bad.Found() {
		c.Bad = fault.Syntax(at+i, "carriage return inside a line")
	}
	if c.Each != nil && !c.Bad.Found() {
		c.Bad = c.Each(field, at, quoted)
	}
	if c.Count < len(plan.Roles) && !c.Bad.Found() {
		if r := plan.Roles[c.Count]; r != Ignored {
			if r < Weight && (len(field) == 0 || len(field) > maxKey) {
				c.Bad = KeyFault(field, at, c.Count+1, maxKey)
			}
			c.Field[r], c.At[r] = field, at
			c.taken++
		}
	}
	c.Count++
}

// KeyFault reports a key that is empty or too long.
func KeyFault(field []byte, at, column, maxKey int) fault.Fault {
	switch {
	case len(field) == 0:
		return fault.Syntax(at, "column %d is empty", column)
	case len(field) > maxKey:
		return fault.Limit(at, "key %s has %d bytes, the limit is %d", excerpt.Of(field), len(field), maxKey)
	}
	return fault.Fault{}
}

// Split cuts a line, without its line end, into columns.
func (c *Columns) Split(line []byte, sep Separator, plan *Plan, maxKey int) {
	c.Field, c.Count, c.taken, c.Bad, c.scratch = [Roles][]byte{}, 0, 0, fault.Fault{}, c.scratch[:0]
	if sep == SeparatorWhitespace {
		c.splitWords(line, plan, maxKey)
	} else {
		c.splitFields(line, sep, plan, maxKey)
	}
	if c.Count < max(plan.At[Source], plan.At[Target]) && !c.Bad.Found() {
		c.Bad = missing(sep, plan, line)
	}
}

func (c *Columns) Extra() int { return c.Count - c.taken }

// splitWords splits a line at runs of spaces and tabs.
func (c *Columns) splitWords(line []byte, plan *Plan, maxKey int) {
	for at := 0; ; {
		for at < len(line) && IsBlank(line[at]) {
			at++
		}
		if at == len(line) {
			return
		}
		start := at
		for at < len(line) && !IsBlank(line[at]) {
			at++
		}
		c.add(line[start:at], start, false, plan, maxKey)
	}
}

// splitFields splits a line at every separator. Blanks around a field are dropped.
func (c *Columns) splitFields(line []byte, sep Separator, plan *Plan, maxKey int) {
	char := sep.Character()
	for at := 0; ; at++ {
		for at < len(line) && IsBlank(line[at]) && line[at] != char {
			at++
		}
		start, end := at, len(line)
		if sep.Quotes() && at < len(line) && line[at] == '"' {
			field, after, bad := c.unquote(line, at, char)
			if bad.Found() {
				if !c.Bad.Found() {
					c.Bad = bad
				}
				return
			}
			c.add(field, start, true, plan, maxKey)
			at = after
		} else {
			if i := bytes.IndexByte(line[at:], char); i >= 0 {
				end = at + i
			}
			c.add(bytes.TrimRight(line[start:end], Blanks), start, false, plan, maxKey)
			at = end
		}
		if at == len(line) {
			return
		}
	}
}

// unquote reads a field in double quotes, in which a quote is doubled. It returns the field and
// the position of the separator or line end that follows.
func (c *Columns) unquote(line []byte, start int, char byte) (field []byte, after int, bad fault.Fault) {
	at, from, first := start+1, start+1, len(c.scratch)
	for {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return nil, 0, fault.Syntax(start, "a quoted field is not closed")
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
	for at < len(line) && IsBlank(line[at]) {
		at++
	}
	if at < len(line) && line[at] != char {
		return nil, 0, fault.Syntax(at, "text after the closing quote of a field")
	}
	return field, at, fault.Fault{}
}

// missing reports that a line has too few columns.
func missing(sep Separator, plan *Plan, line []byte) fault.Fault {
	if plan.Narrow() {
		return fault.Syntax(0, "expected two columns separated by %s, found only %s", sep, excerpt.Of(line))
	}
	last := max(plan.At[Source], plan.At[Target])
	return fault.Syntax(0, "expected %s columns or more separated by %s, found only %s", fmt.Sprint(last), sep, excerpt.Of(line))
}

// NamesIn returns the fields of a line, or nil if it is malformed.
func NamesIn(line []byte, sep Separator) []string {
	var names []string
	c := Columns{Each: func(field []byte, _ int, _ bool) fault.Fault {
		names = append(names, string(field))
		return fault.Fault{}
	}}
	if c.Split(line, sep, &NoPlan, len(line)); c.Bad.Found() {
		return nil
	}
	return names
}

// FieldsIn returns the fields of a line, or nil if it is malformed.
func FieldsIn(line []byte, sep Separator) (fields [][]byte) {
	c := Columns{Each: func(field []byte, _ int, _ bool) fault.Fault {
		fields = append(fields, field)
		return fault.Fault{}
	}}
	if c.Split(line, sep, &NoPlan, len(line)); c.Bad.Found() {
		return nil
	}
	return fields
}

// QuoteStaysOpen reports whether a double-quoted field is still open after a line. open means
// that a field was open before the line; torn reports that text follows the closing quote of
// that field.
func QuoteStaysOpen(line []byte, separator byte, open bool) (stays, torn bool) {
	begins, first := !open, open
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case open && c == '"' && i+1 < len(line) && line[i+1] == '"':
			i++
		case open:
			open = c != '"'
		case begins && c == '"':
			open, begins = true, false
		case c == separator:
			begins, first = true, false
		case !IsBlank(c):
			begins = false
			torn = torn || first && (c != '\r' || i+1 < len(line))
		}
	}
	return open, torn
}

// MoreColumns is the fault of a line that has more columns than the header or the first line.
func MoreColumns(at int, subject string, columns int) fault.Fault {
	return fault.Syntax(at, "the %s %d columns, and here is one more", subject, columns)
}
