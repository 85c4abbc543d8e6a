package parser

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Escape returns text that is safe to show on a terminal, whatever its origin:
// control characters, bytes that are not UTF-8 and characters without a width,
// among them those that change the direction of writing, become \x.. or \u....
// Everything else stays, letters of every script included. The result has one line.
// It is for people to read and cannot be reversed: a backslash of the text is not
// escaped.
func Escape(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return unsafe(r, utf8.RuneLen(r)) }) {
		return text
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case !unsafe(r, size):
			b.WriteString(rest[:size])
		case size == 1: // a control character, or a byte of no character
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		rest = rest[size:]
	}
	return b.String()
}

// unsafe reports whether Escape replaces a character. Cf holds the marks of
// direction, the joiners, the soft hyphen, the tags; Zl and Zp end lines.
func unsafe(r rune, size int) bool {
	switch {
	case r < 0x20 || r == 0x7F:
		return true
	case r < 0x7F:
		return false
	case r == utf8.RuneError && size == 1:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || unicode.Is(invisible, r)
}

// invisible are letters and marks without a shape that are not in Cf: fillers of
// Hangul, the combining grapheme joiner, and the variation selectors.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034F, Hi: 0x034F, Stride: 1},
		{Lo: 0x115F, Hi: 0x1160, Stride: 1},
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFE00, Hi: 0xFE0F, Stride: 1},
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xE0100, Hi: 0xE01EF, Stride: 1}},
}

// Width returns the number of terminal columns of a text that Escape returned: two for a wide
// character of East Asia or a picture, one for most others, and marks take none of their own.
func Width(text string) int {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return len(text)
	}
	return uniseg.StringWidth(text)
}

// Fit returns the length in bytes of the first characters of a text, with their marks, that fit
// into a number of columns.
func Fit(text string, columns int) int {
	rest, state := text, -1
	for rest != "" {
		_, after, width, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if columns -= width; columns < 0 {
			break
		}
		rest, state = after, next
	}
	return len(text) - len(rest)
}

// show returns a piece of the source as messages write it: short, in quotes unless
// it has its own, and safe to print.
func show(text string) string {
	const longest = 40
	n := 0
	for i := range text {
		if n++; n > longest {
			text = text[:i] + "…"
			break
		}
	}
	text = Escape(text)
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		return text
	}
	return `"` + text + `"`
}

// Excerpt returns the line of the source where at begins, and under it a line
// with carets that mark at. Long lines are cut around the marks, tabs are shown
// as blanks, and both lines are safe to print. It returns "" if at is not in the
// source.
func Excerpt(src Source, at Range) string {
	from := at.Start.Offset - src.Pos.Offset
	to := at.End.Offset - src.Pos.Offset
	if from < 0 || from > len(src.Text) || to < from {
		return ""
	}
	first := strings.LastIndexByte(src.Text[:from], '\n') + 1
	last := from + lineLength(src.Text[from:])
	to = min(to, last)
	before := strings.TrimPrefix(src.Text[first:from], byteOrderMark)
	marked := src.Text[from:to]
	after := strings.TrimRight(src.Text[to:last], "\r")

	const around, most = 60, 40 // columns kept before the marks; of the marks and behind them
	before = tail(expandTabs(before), around)
	marked = head(expandTabs(marked), most)
	after = head(expandTabs(after), most)
	carets := strings.Repeat("^", max(1, Width(marked)))
	return before + marked + after + "\n" + strings.Repeat(" ", Width(before)) + carets
}

// expandTabs makes text safe to print. A tab becomes a fixed number of blanks,
// because the excerpt may start anywhere in its line.
func expandTabs(text string) string {
	return Escape(strings.ReplaceAll(text, "\t", "    "))
}

// head returns the first columns of text, and … behind them if text is longer.
func head(text string, columns int) string {
	if n := Fit(text, columns); n < len(text) {
		return text[:n] + "…"
	}
	return text
}

// tail returns the last columns of text, and … before them if text is longer.
func tail(text string, columns int) string {
	rest, state := text, -1
	for width := Width(text); width > columns && rest != ""; {
		_, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		rest, state, width = after, next, width-w
	}
	if rest == text {
		return text
	}
	return "…" + rest
}

func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}
