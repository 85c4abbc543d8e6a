package repl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// lineInput reads lines as the terminal sends them, for terminals without
// cursor control. It writes only the prompt.
type lineInput struct {
	keyboard *keyboard
	lines    *bufio.Reader
	pending  chan typedLine // a read that was pending at Ctrl-C; nil if there is none
}

type typedLine struct {
	text string
	err  error
}

func (in *lineInput) read(ctx context.Context) (string, error) {
	if in.lines == nil {
		in.lines = bufio.NewReader(os.Stdin)
	}
	prompt, more := in.keyboard.prompt()
	text := ""
	for {
		fmt.Fprint(os.Stdout, prompt)
		line, err := in.line(ctx)
		text += cleanInput(line)
		switch {
		case err == io.EOF && strings.TrimSpace(text) != "":
			fmt.Fprintln(os.Stdout)
			return text, nil // the next read returns io.EOF
		case err == io.EOF, err == errCleared:
			fmt.Fprintln(os.Stdout)
			return "", err
		case err != nil:
			return "", err
		case whole(text):
			return text, nil
		}
		prompt = more
	}
}

// line waits for a line, for Ctrl-C, or until ctx ends.
func (in *lineInput) line(ctx context.Context) (string, error) {
	if in.pending == nil {
		in.pending = make(chan typedLine, 1)
		go func(read chan<- typedLine) {
			line, err := in.lines.ReadString('\n')
			read <- typedLine{line, err}
		}(in.pending)
	}
	select {
	case r := <-in.pending:
		in.pending = nil
		return r.text, r.err
	case <-in.keyboard.interrupts:
		return "", errCleared
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
