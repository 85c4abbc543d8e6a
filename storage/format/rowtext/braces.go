package rowtext

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
)

// braces are the attributes of an edge in a dictionary at the end of its line, as networkx writes
// them: a b {'weight': 3.5, 'since': 2001}.
type braces struct {
	found        bool
	weight, time []byte       // texts of the values; nil if there are none
	left         []braceEntry // the others
}

// braceEntry is an entry of a dictionary: a value that is no text, number or boolean is a text as it is written, and
// a missing one is nil.
type braceEntry struct {
	name, value []byte
	kind        format.Type
}

// cut removes a dictionary from the end of a line, behind two columns or more, and takes what
// the options ask for.
func (b *braces) cut(line []byte, sep delimited.Separator, opts *format.EdgeListOptions) []byte {
	b.found = false
	text := bytes.TrimRight(line, delimited.Blanks)
	if len(text) == 0 || text[len(text)-1] != '}' {
		return line
	}
	*b = braces{left: b.left[:0]}
	wanted := opts.Wanted()
	for i := 1; i < len(text); i++ {
		if text[i] != '{' || bytes.IndexByte([]byte(" \t,;|"), text[i-1]) < 0 {
			continue
		}
		before := bytes.TrimRight(text[:i], delimited.Blanks)
		if last := separatorAt(before); last != delimited.SeparatorAuto {
			before, sep = bytes.TrimRight(before[:len(before)-1], delimited.Blanks), last
		}
		if !twoColumns(before, sep) {
			continue
		}
		if !dictionary(text[i:], func(name, value []byte, form valueForm) { b.take(name, value, form, wanted) }) {
			*b = braces{left: b.left[:0]}
			return line
		}
		b.found = true
		return before
	}
	return line
}

// separatorAt returns the separator at the end of a text, unless that is a blank.
func separatorAt(text []byte) delimited.Separator {
	if len(text) > 0 && bytes.IndexByte([]byte(",;|"), text[len(text)-1]) >= 0 {
		sep, _ := delimited.ParseSeparator(string(text[len(text)-1:]))
		return sep
	}
	return delimited.SeparatorAuto
}

// twoColumns reports whether a line has two columns or more.
func twoColumns(line []byte, sep delimited.Separator) bool {
	if sep == delimited.SeparatorAuto {
		sep, _ = delimited.Detect(line)
	}
	var c delimited.Columns
	c.Split(line, sep, &delimited.NoPlan, len(line))
	return c.Count > 1 && !c.Bad.Found()
}

// take takes an entry as weight or time, or else among the others.
func (b *braces) take(name, value []byte, form valueForm, wanted [delimited.Roles]string) {
	for r := delimited.Weight; r <= delimited.Time && form != formCompound; r++ {
		to := &b.weight
		if r == delimited.Time {
			to = &b.time
		}
		if wanted[r] == string(name) || wanted[r] == "" && *to == nil && delimited.UsualRole(string(name)) == r {
			*to = value
			return
		}
	}
	entry := braceEntry{name: unescaped(name), value: value, kind: format.Text}
	switch form {
	case formQuoted:
		entry.value = unescaped(value)
	case formWord:
		entry.value, entry.kind = wordValue(value)
	}
	b.left = append(b.left, entry)
}

// wordValue returns the value of a word without quotes in Python or JSON. A number that is not finite is missing.
func wordValue(word []byte) ([]byte, format.Type) {
	switch string(word) {
	case "True", "true":
		return []byte("true"), format.Boolean
	case "False", "false":
		return []byte("false"), format.Boolean
	case "None", "null":
		return nil, format.Untyped
	case "nan", "NaN", "inf", "-inf", "Infinity", "-Infinity":
		return nil, format.Float
	}
	if kind := format.TypeOf(word); kind == format.Integer || kind == format.Float {
		return word, kind
	}
	return word, format.Text
}

// unescaped resolves the escapes of a text in quotes, as Python and JSON write them. What is none stays as it is.
func unescaped(text []byte) []byte {
	if bytes.IndexByte(text, '\\') < 0 {
		return text
	}
	var out []byte
	for len(text) > 0 {
		if text[0] != '\\' || len(text) == 1 {
			out, text = append(out, text[0]), text[1:]
			continue
		}
		if i := bytes.IndexByte([]byte(`nrtbf\'"/`), text[1]); i >= 0 {
			out, text = append(out, "\n\r\t\b\f\\'\"/"[i]), text[2:]
			continue
		}
		r, size := codePoint(text)
		if low, more := codePoint(text[size:]); utf16.IsSurrogate(r) && more > 0 {
			r, size = utf16.DecodeRune(r, low), size+more
		}
		if size == 0 {
			out, text = append(out, text[0]), text[1:]
			continue
		}
		out, text = utf8.AppendRune(out, r), text[size:]
	}
	return out
}

// codePoint reads an escape of a character by its number, such as \x7f, \u20ac or \U0001f600. size is 0 if there is
// none.
func codePoint(text []byte) (r rune, size int) {
	if len(text) < 2 || text[0] != '\\' {
		return 0, 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(text[2:2+digits]), 16, 31)
	if err != nil || n == 0 {
		return 0, 0
	}
	return rune(n), 2 + digits
}

// valueForm is how a value of a dictionary is written.
type valueForm uint8

const (
	formWord     valueForm = iota // a number or a name
	formQuoted                    // a text in quotes
	formCompound                  // a list, a tuple, a dictionary or a call
)

// dictionary parses a dictionary of Python or an object of JSON, which must be all of the text. It
// passes each entry to f.
func dictionary(text []byte, f func(name, value []byte, form valueForm)) bool {
	d := cursor{text: text, at: 1}
	for d.skip(); d.at < len(text) && text[d.at] != '}'; d.skip() {
		name, form := d.value(':')
		if form == formCompound || len(name) == 0 || !d.take(':') {
			return false
		}
		d.skip()
		value, form := d.value(',')
		if form == formWord && len(value) == 0 {
			return false
		}
		f(name, value, form)
		d.skip()
		if !d.take(',') && (d.at == len(text) || text[d.at] != '}') {
			return false
		}
	}
	return d.at == len(text)-1 && len(text) > 1
}

// cursor is a place in the text of a dictionary.
type cursor struct {
	text []byte
	at   int
}

func (d *cursor) skip() {
	for d.at < len(d.text) && delimited.IsBlank(d.text[d.at]) {
		d.at++
	}
}

func (d *cursor) take(c byte) bool {
	if d.at < len(d.text) && d.text[d.at] == c {
		d.at++
		return true
	}
	return false
}

// value returns the text in quotes or the word that begins here, up to end or a closing brace. It
// passes over lists and dictionaries.
func (d *cursor) value(end byte) (text []byte, form valueForm) {
	start := d.at
	if d.at < len(d.text) && (d.text[d.at] == '\'' || d.text[d.at] == '"') {
		d.quoted()
		return d.text[start+1 : max(start+1, d.at-1)], formQuoted
	}
	for depth := 0; d.at < len(d.text); {
		switch c := d.text[d.at]; {
		case depth == 0 && (c == end || c == '}'):
			return bytes.TrimRight(d.text[start:d.at], delimited.Blanks), form
		case c == '\'' || c == '"':
			form = formCompound
			d.quoted()
			continue
		case c == '[' || c == '(' || c == '{':
			depth++
			form = formCompound
		case c == ']' || c == ')' || c == '}':
			depth--
		}
		d.at++
	}
	return nil, formCompound
}

// quoted passes over a text in quotes, in which a backslash hides the next character.
func (d *cursor) quoted() {
	quote := d.text[d.at]
	for d.at++; d.at < len(d.text); d.at++ {
		switch d.text[d.at] {
		case '\\':
			d.at++
		case quote:
			d.at++
			return
		}
	}
	d.at = min(d.at, len(d.text))
}
