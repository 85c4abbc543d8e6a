package repl

import (
	"errors"
	"fmt"
	"strings"

	"heavytail/query/rows"
)

// commandSigns are the characters that begin a command. The colon is for users of
// other shells.
const commandSigns = ".:"

// isCommand reports whether a text is a command of the shell, not a statement.
func isCommand(text string) bool {
	return text != "" && strings.IndexByte(commandSigns, text[0]) >= 0
}

// errMisused is returned by a command whose arguments are not those of its usage.
var errMisused = errors.New("misused")

type word struct {
	text   string
	quoted bool // was in quotes
}

// splitWords splits a line at its blanks. Single and double quotes keep
// blanks; a doubled quote inside quotes is read as one quote.
func splitWords(line string) ([]word, error) {
	var words []word
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		quote := line[0]
		if quote != '\'' && quote != '"' {
			text, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
			words, line = append(words, word{text: text}), rest
			continue
		}
		var text strings.Builder
		for line = line[1:]; ; line = line[1:] {
			end := strings.IndexByte(line, quote)
			if end < 0 {
				return nil, fmt.Errorf("a quote %c is never closed", quote)
			}
			text.WriteString(line[:end])
			if line = line[end+1:]; line == "" || line[0] != quote {
				break
			}
			text.WriteByte(quote)
		}
		words = append(words, word{text: text.String(), quoted: true})
	}
	return words, nil
}

// paramValue returns the value of a parameter: a quoted word is text, and any other
// word is untyped.
func paramValue(w word) any {
	if w.quoted {
		return w.text
	}
	return rows.Untyped(w.text)
}

// ParseParam returns the value of a text from a command line: text if it is in
// single quotes, otherwise a value whose type depends on its place in the
// statement; see rows.Untyped.
func ParseParam(text string) any {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'")
	}
	return rows.Untyped(text)
}
