package format

import (
	"bytes"

	"heavytail/storage/format/internal/delimited"
)

// braces are the attributes of an edge in a dictionary at the end of its line, as networkx writes
// them: a b {'weight': 3.5, 'since': 2001}.
type braces struct {
	found        bool
	weight, time []byte   // texts of the values; nil if there are none
	left         [][]byte // the names of the others
}

// cut removes a dictionary from the end of a line, behind two columns or more, and takes what
// the options ask for.
func (b *braces) cut(line []byte, sep delimited.Separator, opts *EdgeListOptions) []byte {
	b.found = false
	text := bytes.TrimRight(line, delimited.Blanks)
	if len(text) == 0 || text[len(text)-1] != '}' {
		return line
	}
	*b = braces{left: b.left[:0]}
	wanted := opts.wanted()
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
		if !dictionary(text[i:], func(name, value []byte, plain bool) { b.take(name, value, plain, wanted) }) {
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

// take takes an entry as weight or time, or else among those that are left out.
func (b *braces) take(name, value []byte, plain bool, wanted [delimited.Roles]string) {
	for r := delimited.Weight; r <= delimited.Time && plain; r++ {
		to := &b.weight
		if r == delimited.Time {
			to = &b.time
		}
		if wanted[r] == string(name) || wanted[r] == "" && *to == nil && delimited.UsualRole(string(name)) == r {
			*to = value
			return
		}
	}
	b.left = append(b.left, name)
}

// dictionary parses a dictionary of Python or an object of JSON, which must be all of the text. It
// passes each entry to f; plain is false for a value that is a list, a tuple or a dictionary.
func dictionary(text []byte, f func(name, value []byte, plain bool)) bool {
	d := cursor{text: text, at: 1}
	for d.skip(); d.at < len(text) && text[d.at] != '}'; d.skip() {
		name, plain := d.value(':')
		if !plain || len(name) == 0 || !d.take(':') {
			return false
		}
		d.skip()
		value, plain := d.value(',')
		if plain && len(value) == 0 && (d.at == 0 || text[d.at-1] != '\'' && text[d.at-1] != '"') {
			return false
		}
		f(name, value, plain)
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
func (d *cursor) value(end byte) (text []byte, plain bool) {
	start := d.at
	if d.at < len(d.text) && (d.text[d.at] == '\'' || d.text[d.at] == '"') {
		d.quoted()
		return d.text[start+1 : max(start+1, d.at-1)], true
	}
	plain = true
	for depth := 0; d.at < len(d.text); {
		switch c := d.text[d.at]; {
		case depth == 0 && (c == end || c == '}'):
			return bytes.TrimRight(d.text[start:d.at], delimited.Blanks), plain
		case c == '\'' || c == '"':
			plain = false
			d.quoted()
			continue
		case c == '[' || c == '(' || c == '{':
			depth++
			plain = false
		case c == ']' || c == ')' || c == '}':
			depth--
		}
		d.at++
	}
	return nil, false
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
