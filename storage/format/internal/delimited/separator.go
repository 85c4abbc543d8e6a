package delimited

import (
	"bytes"

	"heavytail/storage/format/internal/decimal"
)

// Separator is how the columns of a line are separated.
type Separator uint8

const (
	SeparatorAuto       Separator = iota
	SeparatorWhitespace           // runs of spaces and tabs
	SeparatorTab                  // one tab; blanks around a field are dropped
	SeparatorComma                // the same by comma, with quoting as in CSV
	SeparatorSemicolon
	SeparatorBar
)

// ParseSeparator returns the separator with a name, see EdgeListOptions.
func ParseSeparator(name string) (sep Separator, ok bool) {
	switch name {
	case "", "auto":
		return SeparatorAuto, true
	case " ", "whitespace":
		return SeparatorWhitespace, true
	case "\t", "tab":
		return SeparatorTab, true
	case ",", "comma":
		return SeparatorComma, true
	case ";", "semicolon":
		return SeparatorSemicolon, true
	case "|", "bar":
		return SeparatorBar, true
	}
	return SeparatorAuto, false
}

// Character returns the byte that separates columns; whitespace has several.
func (s Separator) Character() byte {
	return [...]byte{
		SeparatorAuto: ' ', SeparatorWhitespace: ' ', SeparatorTab: '\t', SeparatorComma: ',', SeparatorSemicolon: ';', SeparatorBar: '|',
	}[s]
}

// String names the separator in messages.
func (s Separator) String() string {
	switch s {
	case SeparatorTab:
		return "a tab"
	case SeparatorComma, SeparatorSemicolon, SeparatorBar:
		return string([]byte{'\'', s.Character(), '\''})
	}
	return "spaces or tabs"
}

// Quotes reports whether fields may be in double quotes.
func (s Separator) Quotes() bool { return s >= SeparatorComma }

// IsComment reports whether a byte at the beginning of a line makes it a comment.
func IsComment(c byte) bool { return c == '#' || c == '%' }

// IsBlank reports whether a byte is a space or a tab.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' }

const Blanks = " \t"

// SeparatorLine returns the separator that a line such as "sep=;" declares, which Excel writes above
// a table.
func SeparatorLine(line []byte) (Separator, bool) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	name, ok := bytes.CutPrefix(line, []byte("sep="))
	if !ok || len(name) != 1 {
		return SeparatorAuto, false
	}
	sep, ok := ParseSeparator(string(name))
	return sep, ok && sep > SeparatorWhitespace
}

// Detect decides from the first data line. Among the characters outside quotes a comma, a
// tab and a semicolon separate, in this order, and then a bar; otherwise runs of blanks do. Two
// integers at the beginning of a line with tabs or semicolons mean blanks, since lists of numbers
// often mix tabs and spaces. Of two characters, the one separates whose first two fields lack the
// other, as in "a,b,x;y"; commas between digits are in numbers. In all other cases the line is
// ambiguous, and so are commas inside brackets, and fields in quotes between blanks or tabs; for
// these the function returns a reason.
func Detect(line []byte) (Separator, string) {
	comma, tab, semicolon, bar := OutsideQuotes(line, ','), OutsideQuotes(line, '\t'), OutsideQuotes(line, ';'), OutsideQuotes(line, '|')
	words := bytes.Fields(line)
	integers := len(words) >= 2 && decimal.IsInteger(words[0]) && decimal.IsInteger(words[1])
	switch {
	case comma && semicolon:
		return oneOf(line, SeparatorSemicolon, SeparatorComma)
	case comma && tab && !padded(line, ',', "\t"):
		sep, doubt := oneOf(line, SeparatorTab, SeparatorComma)
		if sep == SeparatorTab && integers {
			sep = SeparatorWhitespace
		}
		return sep, doubt
	case comma && bar:
		return oneOf(line, SeparatorBar, SeparatorComma)
	case comma && len(words) > 2 && leads(line, ' ', ',') && commasInNumbers(line):
		return SeparatorWhitespace, ""
	case comma && splitsBrackets(line):
		return SeparatorAuto, bracketsDoubt
	case comma:
		return SeparatorComma, ""
	case integers && (tab || semicolon):
		return SeparatorWhitespace, ""
	case tab && quotedFields(bytes.Split(line, []byte{'\t'})):
		return SeparatorAuto, quotesBetween("tabs", "tab")
	case tab:
		return SeparatorTab, ""
	case semicolon:
		return SeparatorSemicolon, ""
	case bar && len(words) > 1 && !integers && !padded(line, '|', Blanks):
		return SeparatorAuto, "both blanks and '|' could separate the columns; say which by the option separator"
	case bar && !integers:
		return SeparatorBar, ""
	case quotedFields(words):
		return SeparatorAuto, quotesBetween("blanks", "whitespace")
	}
	return SeparatorWhitespace, ""
}

const bracketsDoubt = "a comma inside brackets could separate the columns or be a part of a key; say which by the option separator"

// oneOf decides between a separator and the comma, both of which the line has.
func oneOf(line []byte, a, comma Separator) (Separator, string) {
	switch {
	case leads(line, a.Character(), ',') || commasInNumbers(line):
		return a, ""
	case leads(line, ',', a.Character()) && splitsBrackets(line):
		return SeparatorAuto, bracketsDoubt
	case leads(line, ',', a.Character()):
		return comma, ""
	}
	names := map[Separator]string{SeparatorTab: "tabs", SeparatorSemicolon: "semicolons", SeparatorBar: "bars"}
	return SeparatorAuto, "both commas and " + names[a] + " could separate the columns; say which"
}

// leads reports whether the first two fields between separators do not have another character.
// Blanks separate in runs.
func leads(line []byte, separator, other byte) bool {
	fields := bytes.SplitN(line, []byte{separator}, 3)
	if separator == ' ' {
		fields = bytes.Fields(line)
	}
	return len(fields) > 2 && bytes.IndexByte(fields[0], other) < 0 && bytes.IndexByte(fields[1], other) < 0
}

// commasInNumbers reports whether every comma is between digits, as a decimal comma is.
func commasInNumbers(line []byte) bool {
	digit := func(i int) bool { return i >= 0 && i < len(line) && line[i] >= '0' && line[i] <= '9' }
	for i, c := range line {
		if c == ',' && !(digit(i-1) && digit(i+1)) {
			return false
		}
	}
	return true
}

// InQuotes reports whether a field begins and ends with a double quote.
func InQuotes(field []byte) bool {
	return len(field) > 1 && field[0] == '"' && field[len(field)-1] == '"'
}

// quotedFields reports whether the first two fields of a line are in double quotes.
func quotedFields(fields [][]byte) bool {
	return len(fields) > 1 && InQuotes(bytes.Trim(fields[0], Blanks)) && InQuotes(bytes.Trim(fields[1], Blanks))
}

// quotesBetween is the reason to refuse fields in quotes between columns that have no quoting.
func quotesBetween(columns, option string) string {
	return "the fields are in quotes, which columns separated by " + columns + " do not have; write commas between them, or take the quotes as parts of the keys by the option separator, \"" + option + "\""
}

// splitsBrackets reports whether the comma after one of the first two fields is inside brackets, as
// in "(0, 1) (0, 2)", which networkx writes for the vertices of a grid. Fields in quotes are no such
// tuples.
func splitsBrackets(line []byte) bool {
	if bytes.IndexByte(line, '"') >= 0 {
		return false
	}
	rest := line
	for range 2 {
		field, after, _ := bytes.Cut(rest, []byte{','})
		for _, pair := range []string{"()", "[]"} {
			opening, closing := []byte(pair[:1]), []byte(pair[1:])
			if bytes.Count(field, opening) > bytes.Count(field, closing) && bytes.Contains(after, closing) {
				return true
			}
		}
		rest = after
	}
	return false
}

// OutsideQuotes reports whether c occurs in the line outside the double quotes
// of a CSV field, which open only where a field begins.
func OutsideQuotes(line []byte, c byte) bool {
	quoted, begins := false, true
	for i := 0; i < len(line); i++ {
		b := line[i]
		switch {
		case quoted && b == '"' && i+1 < len(line) && line[i+1] == '"':
			i++
		case quoted:
			quoted = b != '"'
		case begins && b == '"':
			quoted, begins = true, false
		case b == c:
			return true
		case !IsBlank(b):
			begins = b == ',' || b == ';' || b == '|'
		}
	}
	return false
}

// padded reports whether every one of some blanks of the line is next to a character.
func padded(line []byte, c byte, of string) bool {
	for field := range bytes.SplitSeq(line, []byte{c}) {
		if bytes.ContainsAny(bytes.Trim(field, Blanks), of) {
			return false
		}
	}
	return true
}
