package conditions

import "unicode/utf8"

// pattern is a pattern of LIKE: literal texts, with any text between them.
type pattern []piece

// piece is a text in which anyCharacter stands for one character.
type piece []rune

// No character of a text: _ in a pattern, and the escape character of a pattern without one.
const (
	anyCharacter rune = -1
	noEscape     rune = -1
)

// patternOf reads a pattern: % is any text, _ is any character, and the character behind the escape
// character is itself. It returns false if nothing is behind one.
func patternOf(text string, escape rune) (pattern, bool) {
	p := pattern{nil}
	escaped := false
	for _, r := range text {
		last := &p[len(p)-1]
		switch {
		case escaped:
			*last, escaped = append(*last, r), false
		case r == escape:
			escaped = true
		case r == '%':
			p = append(p, nil)
		case r == '_':
			*last = append(*last, anyCharacter)
		default:
			*last = append(*last, r)
		}
	}
	return p, !escaped
}

// matches reports whether the whole text is like the pattern: the first piece begins it, the last
// one ends it, and each of the others is at the first place behind the one before it.
func (p pattern) matches(text string) bool {
	at, ok := p[0].at(text)
	if !ok || len(p) == 1 {
		return ok && at == len(text)
	}
	for _, piece := range p[1 : len(p)-1] {
		text = text[at:]
		for at, ok = piece.at(text); !ok; at, ok = piece.at(text) {
			if text == "" {
				return false
			}
			_, size := utf8.DecodeRuneInString(text)
			text = text[size:]
		}
	}
	text = text[at:]
	last := p[len(p)-1]
	for more := utf8.RuneCountInString(text) - len(last); more > 0; more-- {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	at, ok = last.at(text)
	return ok && at == len(text)
}

// at reports whether a text begins with the piece, and where it then ends.
func (p piece) at(text string) (end int, ok bool) {
	for _, want := range p {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || want != anyCharacter && want != r {
			return 0, false
		}
		end += size
	}
	return end, true
}
