package repl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reeflective/readline"
	"github.com/reeflective/readline/inputrc"

	"heavytail/query/parser"
)

// editor reads typed text with editing, history and completion, on a terminal
// with cursor control.
//
// The library can query the terminal for its cursor position whenever it
// draws. That is switched off: the library would wait forever for a terminal that does
// not answer, and lose keys that arrive with the answer. Without the position the
// library does not know whether there is a row below the input. It needs one, and
// belowInput makes it.
type editor struct {
	keyboard *keyboard
	rl       *readline.Shell
}

func newEditor(k *keyboard) *editor {
	e := &editor{keyboard: k}
	e.start()
	return e
}

// belowInput moves down two rows, which scrolls at the end of the screen, and up
// again: one row for the library, and one for a line that fills its last row.
const belowInput = "\x1bD\x1bD\x1b[2A"

// start creates the line editor of the library.
func (e *editor) start() {
	e.rl = readline.NewShell()
	// The mark in the prompt changes with .open.
	e.rl.Prompt.Primary(func() string { first, _ := e.keyboard.prompt(); return first })
	e.rl.Prompt.Secondary(func() string { _, more := e.keyboard.prompt(); return more })
	e.rl.History.Add("history", e.keyboard.history)
	e.rl.AcceptMultiline = func(line []rune) bool { return whole(string(line)) }
	e.rl.SyntaxHighlighter = func(line []rune) string { return shownInput(string(line), e.keyboard.color) + belowInput }
	e.rl.PasteTransformer = cleanInput
	e.rl.Completer = e.menu
	e.rl.Hint.SetProvider(func(line []rune, _ int) []rune {
		if text := hint(string(line)); text != "" {
			return []rune(text)
		}
		return nil
	})
	for name, value := range map[string]any{
		"comment-begin":          "\x00", // colours of our own
		"completion-ignore-case": true,
		"multiline-column":       true,
		"history-autosuggest":    false,
		"cursor-position-probe":  false,
		"convert-meta":           false, // or ö would be M-v
		"usage-hint-always":      true,  // shows that there are more candidates
		"enable-bracketed-paste": true,  // a pasted script is not run line by line
	} {
		e.rl.Config.Set(name, value)
	}
	if !e.keyboard.color { // instead of a background
		e.rl.Config.Set("completion-selection-style", `\e[0;7m`)
	}
	e.commands()
}

// commands redefines what some keys do.
func (e *editor) commands() {
	all := e.rl.Keymap.Commands()
	all["heavytail-complete"] = e.complete
	all["heavytail-suspend"] = e.suspend
	all["abort"] = e.abort(all["abort"])
	all["self-insert"] = e.insert
	// Up and Down move inside a statement of several lines, and at its ends in the history.
	all["previous-history"], all["next-history"] = all["up-line-or-history"], all["down-line-or-history"]
	for name := range all {
		// These commands do nothing: abort cannot detect the modes that the former begin, and
		// the latter waits for a key that clean would remove.
		if strings.HasPrefix(name, "non-incremental-") || name == "quoted-insert" {
			all[name] = func() {}
		}
	}
	for name, f := range all {
		all[name] = func() {
			f()
			e.clean()
		}
	}
	for _, keymap := range []string{"emacs", "emacs-standard", "vi-insert"} {
		e.rl.Config.Bind(keymap, inputrc.Unescape(`\C-i`), "heavytail-complete", false)
		e.rl.Config.Bind(keymap, inputrc.Unescape(`\C-z`), "heavytail-suspend", false)
		// Unassigned keys do nothing, instead of inserting parts of their
		// escape sequence.
		e.rl.Config.Bind(keymap, inputrc.Unescape(`\e[`), "skip-csi-sequence", false)
	}
}

// insert inserts the character of a key with all its combining marks; the
// library takes only the first.
func (e *editor) insert() {
	e.rl.History.SkipSave()
	keys := e.rl.Keys.Caller()
	if strings.ContainsAny(string(keys), "\r\n") { // several keys at once, which the library reads as one character
		e.rl.Keymap.Commands()["accept-line"]()
		return
	}
	e.rl.Cursor().InsertAt(keys...)
}

// abort ends a menu or a search with the command of the library, and otherwise ends the
// line itself: there the command of the library would lose the next key.
func (e *editor) abort(ofLibrary func()) func() {
	return func() {
		if string(e.rl.Keymap.Local()) != "" {
			ofLibrary()
			return
		}
		e.rl.Display.AcceptLine()
		e.rl.History.Accept(false, false, readline.ErrInterrupt)
	}
}

// searchMode is the mode of a search in the history. The library draws the text to
// search for without escapes.
const searchMode = "isearch"

// clean removes from the line the characters that must not reach the terminal,
// whether they came from a key, a macro, the kill ring or an external editor.
func (e *editor) clean() {
	keep := cleanInput
	if string(e.rl.Keymap.Local()) == searchMode {
		keep = func(text string) string { return visible(cleanInput(text)) }
	}
	line := e.rl.Line()
	if text := string(*line); keep(text) != text {
		at := e.rl.Cursor().Pos()
		before := keep(string((*line)[:min(at, line.Len())]))
		line.Set([]rune(keep(text))...)
		e.rl.Cursor().Set(utf8.RuneCountInString(before))
	}
}

// read edits a line until it is a whole statement or command.
func (e *editor) read(ctx context.Context) (string, error) {
	text, err := await(ctx, e.readline)
	switch {
	case errors.Is(err, readline.ErrInterrupt):
		return "", errCleared
	case err != nil && err == ctx.Err():
		e.keyboard.restore()
		fmt.Fprintln(os.Stdout, bracketedPasteOff)
	}
	return cleanInput(text), err
}

// readline calls Readline of the library. If the library panics, readline creates a new
// line editor: no typed text may end the shell.
func (e *editor) readline() (text string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			e.keyboard.restore()
			fmt.Fprintln(os.Stdout, bracketedPasteOff)
			e.keyboard.status.print("notice: the line editor failed, and the typed text is lost")
			e.start()
			text, err = "", errCleared
		}
	}()
	return e.rl.Readline()
}

const bracketedPasteOff, bracketedPasteOn = "\x1b[?2004l", "\x1b[?2004h"

// suspend stops the shell until it is continued. Meanwhile the terminal has
// the mode that it had before the shell began.
func (e *editor) suspend() {
	raw := getTTY(os.Stdin)
	e.keyboard.restore()
	fmt.Fprint(os.Stdout, bracketedPasteOff+"\r\n")
	suspend()
	setTTY(os.Stdin, raw)
	fmt.Fprint(os.Stdout, bracketedPasteOn)
	e.rl.Display.PrintPrimaryPrompt()
}

// complete completes the word before the cursor as far as that is unambiguous,
// and lists the candidates if there are several.
func (e *editor) complete() {
	line, cursor := e.rl.Line(), e.rl.Cursor()
	before := string((*line)[:min(cursor.Pos(), line.Len())])
	start, list, more := e.keyboard.completer.at(before)
	switch word := before[start:]; {
	case len(list) == 0:
		return
	case len(list) == 1:
		e.replace(word, list[0].text+e.tail(list[0].tail))
	default:
		if common := commonPrefix(list); len(common) > len(word) && !more {
			e.replace(word, common)
			return
		}
		if _, ok := anchor(before, start); ok {
			e.rl.Keymap.Commands()["menu-complete"]()
			return
		}
		e.rl.Hint.SetTemporary(listed(list))
	}
}

func (e *editor) replace(word, text string) {
	line, cursor := e.rl.Line(), e.rl.Cursor()
	at := cursor.Pos()
	from := at - utf8.RuneCountInString(word)
	line.Cut(from, at)
	cursor.Set(from)
	cursor.InsertAt([]rune(text)...)
}

// tail returns the text to add behind a completed word, or "" if the line already has it
// there.
func (e *editor) tail(tail string) string {
	line, at := e.rl.Line(), e.rl.Cursor().Pos()
	if rest := string((*line)[min(at, line.Len()):]); strings.HasPrefix(rest, strings.TrimRight(tail, " ")) && rest != "" {
		return ""
	}
	return tail
}

func commonPrefix(list []candidate) string {
	prefix := list[0].text
	for _, c := range list[1:] {
		for !strings.HasPrefix(c.text, prefix) {
			_, size := utf8.DecodeLastRuneInString(prefix)
			prefix = prefix[:len(prefix)-size]
		}
	}
	return prefix
}

// anchor returns the part of a text that the menu of the library is to
// replace: the word, or if it is empty the character before it, since the
// library does not accept an empty word. The library counts bytes as columns, so only
// ASCII is possible.
func anchor(before string, start int) (string, bool) {
	word := before[start:]
	if word == "" && start > 0 {
		_, size := utf8.DecodeLastRuneInString(before)
		word = before[start-size:]
	}
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf || word[i] == '\n' || word[i] == '\t' {
			return "", false
		}
	}
	return word, true
}

// menu passes the candidates to the menu of the library.
func (e *editor) menu(line []rune, cursor int) readline.Completions {
	before := string(line[:min(cursor, len(line))])
	start, list, more := e.keyboard.completer.at(before)
	word, ok := anchor(before, start)
	if !ok {
		return readline.Completions{}
	}
	room := menuRoom(string(line), list)
	if len(list) > room { // in columns, without details
		list = slices.Clone(list)
		for i := range list {
			list[i].detail = ""
		}
		room = menuRoom(string(line), list)
	}
	if len(list) > room {
		list, more = list[:room], true
	}
	prefix := ""
	if start == len(before) {
		prefix = word
	}
	values := make([]readline.Completion, len(list))
	for i, c := range list {
		values[i] = readline.Completion{Value: prefix + c.text, Display: c.text, Description: c.detail}
	}
	completions := readline.CompleteRaw(values).NoSort().NoSpace()
	completions.PREFIX = word
	if more {
		completions = completions.Usage("there are more; type further letters")
	}
	return completions
}

// menuRoom is how many of the candidates fit below the input, so that a menu does
// not push the input off the screen.
func menuRoom(line string, list []candidate) int {
	columns, rows, _ := terminalSize(os.Stdout)
	columns = max(columns, 1)
	used := 4 // the prompt, what belowInput keeps free, and the hint
	for l := range strings.Lines(line) {
		used += 1 + parser.Width(parser.Escape(l))/columns
	}
	widest := 1
	for _, c := range list {
		if c.detail != "" {
			return max(2, rows-used)
		}
		widest = max(widest, parser.Width(c.text))
	}
	return max(2, rows-used) * max(1, columns/(widest+2))
}

func listed(list []candidate) string {
	const most = 20
	var texts []string
	for i, c := range list {
		if i == most {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, c.text)
	}
	return strings.Join(texts, "  ")
}
