package format

import "bytes"

// separator is how the columns of a line are separated.
type separator uint8

const (
	separatorAuto       separator = iota
	separatorWhitespace           // runs of spaces and tabs
	separatorTab                  // one tab; blanks around a field are dropped
	separatorComma                // the same by comma, with quoting as in CSV
	separatorSemicolon
	separatorBar
)

// parseSeparator returns the separator with a name, see EdgeListOptions.
func parseSeparator(name string) (sep separator, ok bool) {
	switch name {
	case "", "auto":
		return separatorAuto, true
	case " ", "whitespace":
		return separatorWhitespace, true
	case "\t", "tab":
		return separatorTab, true
	case ",", "comma":
		return separatorComma, true
	case ";", "semicolon":
		return separatorSemicolon, true
	case "|", "bar":
		return separatorBar, true
	}
	return separatorAuto, false
}

// character returns the byte that separates columns; whitespace has several.
func (s separator) character() byte {
	return [...]byte{
		separatorAuto: ' ', separatorWhitespace: ' ', separatorTab: '\t', separatorComma: ',', separatorSemicolon: ';', separatorBar: '|',
	}[s]
}

// String names the separator in messages.
func (s separator) String() string {
	switch s {
	case separatorTab:
		return "a tab"
	case separatorComma, separatorSemicolon, separatorBar:
		return string([]byte{'\'', s.character(), '\''})
	}
	return "spaces or tabs"
}

// quotes reports whether fields may be in double quotes.
func (s separator) quotes() bool { return s >= separatorComma }

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

const blanks = " \t"

// separatorLine returns the separator that a line such as "sep=;" declares, which Excel writes above
// a table.
func separatorLine(line []byte) (separator, bool) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	name, ok := bytes.CutPrefix(line, []byte("sep="))
	if !ok || len(name) != 1 {
		return separatorAuto, false
	}
	sep, ok := parseSeparator(string(name))
	return sep, ok && sep > separatorWhitespace
}

// detectSeparator decides from the first data line. Among the characters outside quotes a comma, a
// tab and a semicolon separate, in this order, and then a bar; otherwise runs of blanks do. Two
// integers at the beginning of a line with tabs or semicolons mean blanks, since lists of numbers
// often mix tabs and spaces. Of two characters, the one separates whose first two fields lack the
// other, as in "a,b,x;y"; commas between digits are in numbers. In all other cases the line is
// ambiguous, and so are commas inside brackets, and fields in quotes between blanks or tabs; for
// these the function returns a reason.
func detectSeparator(line []byte) (separator, string) {
	comma, tab, semicolon, bar := outsideQuotes(line, ','), outsideQuotes(line, '\t'), outsideQuotes(line, ';'), outsideQuotes(line, '|')
	words := bytes.Fields(line)
	integers := len(words) >= 2 && isInteger(words[0]) && isInteger(words[1])
	switch {
	case comma && semicolon:
		return oneOf(line, separatorSemicolon, separatorComma)
	case comma && tab && !padded(line, ',', "\t"):
		sep, doubt := oneOf(line, separatorTab, separatorComma)
		if sep == separatorTab && integers {
			sep = separatorWhitespace
		}
		return sep, doubt
	case comma && bar:
		return oneOf(line, separatorBar, separatorComma)
	case comma && len(words) > 2 && leads(line, ' ', ',') && commasInNumbers(line):
		return separatorWhitespace, ""
	case comma && splitsBrackets(line):
		return separatorAuto, "a comma inside brackets could separate the columns or be a part of a key; say which by the option separator"
	case comma:
		return separatorComma, ""
	case integers && (tab || semicolon):
		return separatorWhitespace, ""
	case tab && quotedFields(bytes.Split(line, []byte{'\t'})):
		return separatorAuto, quotesBetween("tabs", "tab")
	case tab:
		return separatorTab, ""
	case semicolon:
		return separatorSemicolon, ""
	case bar && len(words) > 1 && !integers && !padded(line, '|', blanks):
		return separatorAuto, "both blanks and '|' could separate the columns; say which by the option separator"
	case bar && !integers:
		return separatorBar, ""
	case quotedFields(words):
		return separatorAuto, quotesBetween("blanks", "whitespace")
	}
	return separatorWhitespace, ""
}

// oneOf decides between a separator and the comma, both of which the line has.
func oneOf(line []byte, a, comma separator) (separator, string) {
	switch {
	case leads(line, a.character(), ',') || commasInNumbers(line):
		return a, ""
	case leads(line, ',', a.character()):
		return comma, ""
	}
	names := map[separator]string{separatorTab: "tabs", separatorSemicolon: "semicolons", separatorBar: "bars"}
	return separatorAuto, "both commas and " + names[a] + " could separate the columns; say which"
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

// inQuotes reports whether a field begins and ends with a double quote.
func inQuotes(field []byte) bool {
	return len(field) > 1 && field[0] == '"' && field[len(field)-1] == '"'
}

// quotedFields reports whether the first two fields of a line are in double quotes.
func quotedFields(fields [][]byte) bool {
	return len(fields) > 1 && inQuotes(bytes.Trim(fields[0], blanks)) && inQuotes(bytes.Trim(fields[1], blanks))
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

// outsideQuotes reports whether c occurs in the line outside the double quotes
// of a CSV field, which open only where a field begins.
func outsideQuotes(line []byte, c byte) bool {
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
		case !isBlank(b):
			begins = b == ',' || b == ';' || b == '|'
		}
	}
	return false
}

// padded reports whether every one of some blanks of the line is next to a character.
func padded(line []byte, c byte, of string) bool {
	for field := range bytes.SplitSeq(line, []byte{c}) {
		if bytes.ContainsAny(bytes.Trim(field, blanks), of) {
			return false
		}
	}
	return true
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
func classify(sep separator) (class [256]byteClass) {
	for c := range 128 {
		class[c] = classKey
	}
	for c := 128; c < 256; c++ {
		class[c] = classUnusual
	}
	class[0], class['\r'], class['\n'] = classUnusual, classUnusual, classNewline
	class[' '], class['\t'] = classUnusual, classUnusual // trimmed, or part of a key
	class['{'] = classUnusual                            // may begin a dictionary of attributes
	if sep.quotes() {
		class['"'] = classUnusual
	}
	class[sep.character()] = classSeparator
	if sep == separatorWhitespace {
		class['\t'] = classSeparator
	}
	return class
}
