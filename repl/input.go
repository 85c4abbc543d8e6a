package repl

import (
	"context"
	"errors"
	"os"
	"strings"

	"heavytail/query/parser"
)

// input returns typed text: at least one whole statement or command.
type input interface {
	// read returns errCleared for Ctrl-C and io.EOF for Ctrl-D.
	read(ctx context.Context) (string, error)
}

// keyboard is what both kinds of input use: the terminal, the prompt, the history and the
// completion.
type keyboard struct {
	status     *Status
	mark       string // as in ShellConfig
	history    *history
	completer  *completer
	interrupts chan os.Signal
	before     *ttyState // of the terminal when the shell began
	color      bool
}

func (k *keyboard) restore() { setTTY(os.Stdin, k.before) }

// prompt returns the first prompt and the one of further lines, of equal width.
func (k *keyboard) prompt() (first, more string) {
	first = "heavytail> "
	if k.mark != "" {
		first = "heavytail (" + parser.Escape(k.mark) + ")> "
	}
	return first, strings.Repeat(" ", len(first)-len("...> ")) + "...> "
}

// errCleared is returned if Ctrl-C has cleared the typed text.
var errCleared = errors.New("cleared")

// whole reports whether a text needs no further line: it is a complete command
// or statement.
func whole(text string) bool {
	if _, ok := sugars[strings.ToLower(strings.TrimSpace(text))]; ok {
		return true
	}
	script := parser.NewSplitter(strings.NewReader(text))
	script.TakeLines(commandSigns)
	last := ""
	for {
		src, err := script.Next()
		if open := (*parser.Error)(nil); errors.As(err, &open) && !open.Limit {
			return false // inside a comment
		}
		if err != nil {
			break
		}
		last = src.Text
	}
	if last != "" {
		return isCommand(last) || parser.Complete(last)
	}
	tokens := parser.Tokens(text)
	return len(tokens) == 0 || tokens[len(tokens)-1].Kind != parser.KindInvalid
}

// sugars are words of other shells that users may type from habit.
var sugars = map[string]string{"quit": ".quit", "exit": ".quit", `\q`: ".quit", "help": ".help", "?": ".help", `\?`: ".help"}

// sugar returns the dot command for a word of another shell, and any other text
// unchanged.
func sugar(text string) string {
	if command, ok := sugars[strings.ToLower(strings.TrimSpace(text))]; ok {
		return command
	}
	return text
}
