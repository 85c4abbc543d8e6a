package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"heavytail/query/parser"
)

// ShellConfig says what a shell works on. It uses the standard input and output
// of the process, which must be a terminal.
type ShellConfig struct {
	// Config is as for Run, without In, Name and KeepGoing.
	Config
	// Title is what the shell works on, for its first line.
	Title string
	// Mark stands in the prompt, such as "read-only"; it may be empty.
	Mark string
	// History is the file of the history, usually HistoryFile; "" keeps none.
	History string
	// Lookup reads variables of the environment, usually os.LookupEnv: TERM,
	// NO_COLOR, PAGER, VISUAL and EDITOR.
	Lookup func(string) (string, bool)
}

// ErrStuck is returned by Shell where the person has left a statement that did
// not end in spite of being cancelled twice. The database cannot be closed then:
// the process should end, which leaves the file as it was before the statement.
var ErrStuck = errors.New("the statement does not end; leaving it")

// Interactive reports whether both streams are terminals, so that Shell can be
// used on them.
func Interactive(in io.Reader, out io.Writer) bool {
	keys, ok := in.(*os.File)
	if !ok {
		return false
	}
	return columnsOf(keys) > 0 && columnsOf(out) > 0
}

// Shell talks with a person: it reads statements and commands from the terminal,
// with editing, completion and history, and runs them until the person leaves.
// Ctrl-C clears what is being typed, or cancels what runs; Ctrl-D leaves. Where
// the terminal cannot be drawn on, since TERM is dumb or missing, lines are read as
// the terminal sends them.
//
// Statements that fail are no error of Shell: the person has seen it. An error is
// that of the terminal, ErrStuck, or that of the context, which ends the shell.
func Shell(ctx context.Context, c ShellConfig) error {
	c.In = os.Stdin
	if err := c.Validate(); err != nil {
		return err
	}
	sh := newShell(&c)
	defer sh.restore()
	signal.Notify(sh.interrupts, os.Interrupt)
	defer signal.Stop(sh.interrupts)
	sh.greet(ctx)
	sh.chooseInput()
	err := sh.loop(ctx)
	if errors.Is(err, ErrStuck) {
		return err
	}
	return errors.Join(err, sh.session.close())
}

// input gives what a person typed: at least one whole statement or command.
type input interface {
	// read returns errCleared for Ctrl-C and io.EOF for Ctrl-D.
	read(ctx context.Context) (string, error)
}

// errCleared is the end of a line by Ctrl-C.
var errCleared = errors.New("cleared")

// shell is a session and the person in front of it.
type shell struct {
	config     *ShellConfig
	session    *session
	history    *history
	completer  *completer
	input      input
	interrupts chan os.Signal
	before     *ttyState // of the terminal when the shell began
	color      bool
}

func newShell(c *ShellConfig) *shell {
	sh := &shell{
		config: c, history: &history{path: c.History}, interrupts: make(chan os.Signal, 1), before: getTTY(os.Stdin),
	}
	sh.session = newSession(&c.Config, executorOf(c.DB))
	sh.session.edit = sh.edit
	sh.session.pager = newPager(c.Lookup, func() (int, int) {
		columns, rows, _ := terminalSize(os.Stdout)
		return columns, rows
	})
	sh.color = Detect(os.Stdout, sh.getenv).Color
	sh.completer = &completer{db: c.DB, params: func() map[string]any { return sh.session.params }}
	return sh
}

func (sh *shell) getenv(name string) string {
	value, _ := sh.config.Lookup(name)
	return value
}

// restore gives the terminal back as it was.
func (sh *shell) restore() { setTTY(os.Stdin, sh.before) }

// greet says what the shell works on and how to get help.
func (sh *shell) greet(ctx context.Context) {
	line := sh.config.Title
	if graphs, err := sh.config.DB.Graphs(ctx); err == nil {
		names := make([]string, 0, len(graphs))
		for _, g := range graphs {
			names = append(names, g.Name)
		}
		const most = 5
		switch n := len(names); {
		case n == 0:
			line += ": no graphs yet"
		case n > most:
			line += ": graphs " + strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n-most)
		case n == 1:
			line += ": graph " + names[0]
		default:
			line += ": graphs " + strings.Join(names, ", ")
		}
	}
	sh.config.Status.print(line)
	sh.config.Status.print("HELP; explains the statements, .help the shell. Ctrl-D leaves.")
}

// chooseInput takes the line editor where the terminal can be drawn on.
func (sh *shell) chooseInput() {
	sh.input = &lineInput{shell: sh}
	if drawable(sh.getenv("TERM")) {
		sh.input = newEditor(sh)
	}
}

// drawable reports whether a terminal of that name can be drawn on. Consoles of
// Windows have no name.
func drawable(term string) bool {
	return runtime.GOOS == "windows" || term != "" && term != "dumb"
}

// loop reads and runs until the person leaves.
func (sh *shell) loop(ctx context.Context) error {
	for !sh.session.quit {
		text, err := sh.input.read(ctx)
		switch {
		case errors.Is(err, errCleared):
			continue
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		sh.remember(text)
		if err := sh.run(ctx, sugar(text)); err != nil {
			return err
		}
		if err := sh.history.failed(); err != nil {
			sh.config.Status.print("notice: the history is not kept: " + err.Error())
		}
	}
	return nil
}

// run runs what was typed. Only errors after which the shell cannot go on are
// returned.
func (sh *shell) run(ctx context.Context, text string) error {
	err := sh.interruptible(ctx, func(ctx context.Context) error {
		return sh.session.script(ctx, strings.NewReader(text), "")
	})
	var failure *Failure
	if errors.As(err, &failure) && ctx.Err() == nil {
		var broken *outputError
		if !errors.As(err, &broken) {
			return nil
		}
	}
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil // between two statements of a script
	}
	return err
}

// patience is how long a statement may take to end after Ctrl-C, before a second
// Ctrl-C leaves it behind.
const patience = time.Second

// interruptible runs f under a context that Ctrl-C ends. While a pager is open
// it has the keys, and the shell stays.
func (sh *shell) interruptible(ctx context.Context, f func(context.Context) error) error {
	select {
	case <-sh.interrupts: // of a moment when nothing ran
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	var first time.Time
	var leave <-chan time.Time
	for {
		select {
		case err := <-done:
			return err
		case <-sh.interrupts:
			cancel()
			switch paging := sh.session.pager != nil && sh.session.pager.open.Load(); {
			case first.IsZero() || paging:
				first = time.Now()
			case leave == nil:
				leave = time.After(max(0, patience-time.Since(first)))
			}
		case <-leave:
			return ErrStuck
		}
	}
}

// remember adds the statements and commands of a text to the history.
func (sh *shell) remember(text string) {
	if private(text) {
		return
	}
	script := parser.NewSplitter(strings.NewReader(text))
	script.TakeLines(commandSigns)
	for {
		src, err := script.Next()
		if err != nil {
			return
		}
		if !private(src.Text) {
			sh.history.add(src.Text)
		}
	}
}

// whole reports whether a text needs no further line: what a person wrote before
// it was a whole command or statement.
func whole(text string) bool {
	if _, ok := sugars[strings.ToLower(strings.TrimSpace(text))]; ok {
		return true
	}
	script := parser.NewSplitter(strings.NewReader(text))
	script.TakeLines(commandSigns)
	last := ""
	for {
		src, err := script.Next()
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

// sugars are words that other shells understand, and people write without
// thinking.
var sugars = map[string]string{"quit": ".quit", "exit": ".quit", `\q`: ".quit", "help": ".help", "?": ".help", `\?`: ".help"}

// sugar returns the command that a text stands for, or the text.
func sugar(text string) string {
	if command, ok := sugars[strings.ToLower(strings.TrimSpace(text))]; ok {
		return command
	}
	return text
}

// prompt returns the first prompt and the one of further lines, of equal width.
func (sh *shell) prompt() (first, more string) {
	first = "heavytail> "
	if sh.config.Mark != "" {
		first = "heavytail (" + parser.Escape(sh.config.Mark) + ")> "
	}
	return first, strings.Repeat(" ", len(first)-len("...> ")) + "...> "
}

// edit lets the person edit a text with their editor, in a file that only they
// can read.
func (sh *shell) edit(text string) (string, error) {
	editor := sh.getenv("VISUAL")
	if editor == "" {
		editor = sh.getenv("EDITOR")
	}
	if editor == "" {
		return "", errors.New("no editor: set VISUAL or EDITOR")
	}
	folder, err := os.MkdirTemp("", "heavytail-edit-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "statement.sql")
	if text != "" {
		text += "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return "", err
	}
	if err := editorCommand(editor, path).Run(); err != nil {
		return "", fmt.Errorf("%s: %w", editor, err)
	}
	edited, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	result := strings.TrimSpace(cleanInput(string(edited)))
	if result != "" {
		sh.config.Status.print(result)
		sh.remember(result)
	}
	return result, nil
}

// editorCommand starts an editor, which may be a program with arguments.
func editorCommand(editor, path string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", editor, path)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd
}
