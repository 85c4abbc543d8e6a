package repl

import (
	"strings"

	"heavytail/query/parser"
)

// The colours of input, chosen to be readable on dark and on light
// backgrounds.
const (
	colorKeyword = "\x1b[1;36m"
	colorCommand = "\x1b[1;35m"
	colorString  = "\x1b[32m"
	colorParam   = "\x1b[33m"
	colorComment = "\x1b[90m"
	colorInvalid = "\x1b[31m"
	colorPlain   = "\x1b[0m"
)

// shownInput is a text as the line editor draws it: without characters of zero
// width, which might hide text or change its direction, and with colours for
// tokens if color is set.
func shownInput(text string, color bool) string {
	if !color {
		return visible(text)
	}
	if isCommand(strings.TrimLeft(text, " \t")) {
		line, rest, more := strings.Cut(text, "\n")
		shown := colorCommand + visible(line) + colorPlain
		if more {
			shown += "\n" + shownInput(rest, color)
		}
		return shown
	}
	var b strings.Builder
	end := 0
	for _, t := range parser.Tokens(text) {
		b.WriteString(visible(text[end:t.Start.Offset]))
		if c := tokenColor(t); c != "" {
			b.WriteString(c + visible(t.Text) + colorPlain)
		} else {
			b.WriteString(visible(t.Text))
		}
		end = t.End.Offset
	}
	b.WriteString(visible(text[end:]))
	return b.String()
}

func tokenColor(t parser.Token) string {
	switch t.Kind {
	case parser.KindWord:
		if parser.IsKeyword(t.Text) {
			return colorKeyword
		}
	case parser.KindString:
		return colorString
	case parser.KindParam:
		return colorParam
	case parser.KindComment:
		return colorComment
	case parser.KindInvalid:
		if t.Text[0] == '\'' { // still being written
			return colorString
		}
		return colorInvalid
	}
	return ""
}

// visible removes the characters that parser.Escape would escape, except line
// feeds and tabs.
func visible(text string) string {
	if parser.Escape(text) == text {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || parser.Escape(string(r)) == string(r) {
			return r
		}
		return -1
	}, text)
}

// hint warns about an unfinished text: a probable misspelling, an open quote,
// or characters that cannot be seen. It is "" if there is nothing to report.
func hint(text string) string {
	const longest = 16 << 10 // longer texts are not typed by hand
	if len(text) > longest || isCommand(strings.TrimLeft(text, " \t\n")) {
		return ""
	}
	if visible(text) != text {
		return "the text has characters that cannot be seen: " + parser.Escape(unseen(text))
	}
	_, err := parser.ParseScript(text)
	mistake, ok := err.(*parser.Error)
	if !ok {
		return ""
	}
	rest := text[min(len(text), mistake.Start.Offset):]
	switch {
	case mistake.Nearest != "" && mistake.End.Offset < len(text):
		return mistake.Hint()
	case strings.HasPrefix(rest, "'") && strings.Contains(rest, "\n"), strings.HasPrefix(rest, "\"") && strings.Contains(rest, "\n"):
		return "a quote is open"
	}
	return ""
}

// unseen returns the first of the characters that visible removes.
func unseen(text string) string {
	for _, r := range text {
		if r != '\n' && r != '\t' && parser.Escape(string(r)) != string(r) {
			return string(r)
		}
	}
	return ""
}
