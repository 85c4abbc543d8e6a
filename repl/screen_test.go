package repl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"heavytail/query/parser"
)

// screen emulates the part of a terminal that the shell needs. It records every
// other escape sequence or control character as a fault, so that tests detect
// what should not reach the terminal.
type screen struct {
	columns, rows int
	cells         [][]string // a character with its marks; "" is the second half of a wide one
	x, y          int
	wrap          bool // the last column was written: the next character begins a row
	hidden        bool // the cursor
	scrolled      int  // rows that have left at the top
	rest          []byte
	faults        []string
}

func newScreen(columns, rows int) *screen {
	s := &screen{}
	s.resize(columns, rows)
	return s
}

// resize cuts or extends the rows, as simple terminals do, and keeps the cursor
// on the screen.
func (s *screen) resize(columns, rows int) {
	for len(s.cells) > rows && s.y >= rows {
		s.cells = s.cells[1:]
		s.y--
		s.scrolled++
	}
	old := s.cells
	s.columns, s.rows = columns, rows
	s.cells = make([][]string, rows)
	for i := range s.cells {
		s.cells[i] = blankRow(columns)
		if i < len(old) {
			copy(s.cells[i], old[i])
		}
	}
	s.x, s.wrap = min(s.x, columns-1), false
}

func blankRow(columns int) []string {
	row := make([]string, columns)
	for i := range row {
		row[i] = " "
	}
	return row
}

// Write draws what a program writes.
func (s *screen) Write(b []byte) (int, error) {
	s.rest = append(s.rest, b...)
	for len(s.rest) > 0 {
		n := s.step(s.rest)
		if n == 0 { // the end of it is still to come
			return len(b), nil
		}
		s.rest = s.rest[n:]
	}
	return len(b), nil
}

func (s *screen) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// step draws a character or obeys a sequence, and returns its length, or 0 where
// it is not complete.
func (s *screen) step(b []byte) int {
	switch c := b[0]; {
	case c == '\x1b':
		return s.escape(b)
	case c == '\r':
		s.x, s.wrap = 0, false
	case c == '\n':
		s.down()
	case c == '\b':
		s.x, s.wrap = max(0, s.x-1), false
	case c < 0x20 || c == 0x7F:
		s.fault("control character %q", c)
	default:
		if !utf8.FullRune(b) {
			return 0
		}
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			s.fault("byte %#x", c)
			return 1
		}
		s.put(r)
		return size
	}
	return 1
}

// put writes a character at the cursor.
func (s *screen) put(r rune) {
	text := string(r)
	if parser.Escape(text) != text {
		s.fault("character %U", r)
	}
	width := parser.Width(text)
	if width == 0 {
		at := s.x - 1
		if s.wrap {
			at = s.x
		}
		if at >= 0 {
			s.cells[s.y][at] += text
		}
		return
	}
	if s.wrap || s.x+width > s.columns {
		s.x, s.wrap = 0, false
		s.down()
	}
	s.cells[s.y][s.x] = text
	if width == 2 {
		s.cells[s.y][s.x+1] = ""
	}
	if s.x += width; s.x >= s.columns {
		s.x, s.wrap = s.columns-1, true
	}
}

// down moves the cursor to the next row, scrolling at the end.
func (s *screen) down() {
	s.wrap = false
	if s.y < s.rows-1 {
		s.y++
		return
	}
	s.cells = append(s.cells[1:], blankRow(s.columns))
	s.scrolled++
}

// escape obeys an escape sequence.
func (s *screen) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] == 'D' {
		s.down()
		return 2
	}
	if b[1] != '[' {
		s.fault("escape sequence %q", b[:2])
		return 2
	}
	end := 2
	for end < len(b) && (b[end] < 0x40 || b[end] > 0x7E) {
		end++
	}
	if end == len(b) {
		if end > 32 {
			s.fault("endless sequence %q", b[:8])
			return end
		}
		return 0
	}
	s.control(string(b[2:end]), b[end])
	return end + 1
}

// control obeys a control sequence with its parameters.
func (s *screen) control(params string, final byte) {
	n, err := strconv.Atoi(params)
	if err != nil {
		n = 1
	}
	switch {
	case final == 'A':
		s.y, s.wrap = max(0, s.y-n), false
	case final == 'B':
		s.y, s.wrap = min(s.rows-1, s.y+n), false
	case final == 'C':
		s.x, s.wrap = min(s.columns-1, s.x+n), false
	case final == 'D':
		s.x, s.wrap = max(0, s.x-n), false
	case final == 'H' && params == "":
		s.x, s.y, s.wrap = 0, 0, false
	case final == 'J' && (params == "" || params == "0"):
		s.erase(s.y, s.x, s.columns)
		for y := s.y + 1; y < s.rows; y++ {
			s.erase(y, 0, s.columns)
		}
	case final == 'J' && params == "2":
		for y := range s.rows {
			s.erase(y, 0, s.columns)
		}
	case final == 'K' && (params == "" || params == "0"):
		s.erase(s.y, s.x, s.columns)
	case final == 'K' && params == "1":
		s.erase(s.y, 0, s.x+1)
	case final == 'm', final == 'q' && strings.HasSuffix(params, " "):
	case params == "?25" && (final == 'h' || final == 'l'):
		s.hidden = final == 'l'
	case params == "?2004" && (final == 'h' || final == 'l'):
	default:
		s.fault("control sequence %q", params+string(final))
	}
}

func (s *screen) erase(y, from, to int) {
	for x := from; x < min(to, s.columns); x++ {
		s.cells[y][x] = " "
	}
}

// before returns the row of the cursor, up to the cursor.
func (s *screen) before() string {
	to := s.x
	if s.wrap {
		to++
	}
	return strings.Join(s.cells[s.y][:to], "")
}

// String returns all that is visible, without blanks at the ends of rows, and
// without empty rows at the end.
func (s *screen) String() string {
	var b strings.Builder
	empty := 0
	for _, row := range s.cells {
		line := strings.TrimRight(strings.Join(row, ""), " ")
		if line == "" {
			empty++
			continue
		}
		b.WriteString(strings.Repeat("\n", empty) + line + "\n")
		empty = 0
	}
	return b.String()
}
