package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"heavytail/query/parser"
)

// ShellConfig is the configuration of a shell. The shell uses the standard
// input and output of the process, which must be a terminal.
type ShellConfig struct {
	// Config is as for Run, without In, Name and KeepGoing.
	Config
	// Title is the name of the database in the first line.
	Title string
	// Mark appears in the prompt, such as "read-only"; it may be empty.
	Mark string
	// History is the file of the history, usually HistoryFile; "" keeps none.
	History string
	// Startup is a script that runs before the first prompt if there is such a file,
	// usually StartupFile; "" runs none.
	Startup string
	// Open opens another file for .open, closes the one before it, and returns the Mark
	// for it. If it returns no database, the one before stays open. It is nil if the
	// program opens no other file.
	Open func(path string) (db Database, mark string, err error)
	// Lookup reads variables of the environment, usually os.LookupEnv: TERM,
	// NO_COLOR, PAGER, VISUAL and EDITOR.
	Lookup func(string) (string, bool)

	// completionWait, if set, replaces the constant of this name in tests.
	completionWait time.Duration
}

// ErrStuck is returned by Shell if the user has abandoned a statement that did
// not stop: by another Ctrl-C at least a second after the one that cancelled
// it. The database cannot be closed then: the process should exit, which
// leaves the file as it was before the statement.
var ErrStuck = errors.New("the statement did not stop after cancellation; exiting")

// Interactive reports whether both streams are terminals, so that Shell can be
// used on them.
func Interactive(in io.Reader, out io.Writer) bool {
	keys, ok := in.(*os.File)
	if !ok {
		return false
	}
	return columnsOf(keys) > 0 && columnsOf(out) > 0
}

// Shell is an interactive session: it reads statements and commands from the
// terminal, with editing, completion and history, and runs them until the user
// leaves. Ctrl-C clears the typed text, or cancels the running statement;
// Ctrl-D leaves. If the terminal has no cursor control, since TERM is dumb or
// missing, lines are read as the terminal sends them.
//
// Failed statements are not an error of Shell: they were reported. An error is
// that of the terminal, ErrStuck, or that of the context, which ends the
// shell.
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
	err := sh.startUp(ctx)
	if err == nil {
		err = sh.loop(ctx)
	}
	if errors.Is(err, ErrStuck) {
		return err
	}
	return errors.Join(err, sh.session.close())
}

// shell is a session with its terminal.
type shell struct {
	keyboard
	config  *ShellConfig
	session *session
	input   input
}

func newShell(c *ShellConfig) *shell {
	sh := &shell{config: c, keyboard: keyboard{
		status: c.Status, mark: c.Mark, history: &history{path: c.History}, interrupts: make(chan os.Signal, 1), before: getTTY(os.Stdin),
	}}
	sh.session = newSession(&c.Config, executorOf(c.DB))
	sh.session.edit = sh.edit
	if c.Open != nil {
		sh.session.swap = sh.open
	}
	sh.session.pager = newPager(c.Lookup, func() (int, int) {
		columns, rows, _ := terminalSize(os.Stdout)
		return columns, rows
	})
	sh.color = Detect(os.Stdout, sh.getenv).Color
	sh.completer = &completer{db: c.DB, params: func() map[string]any { return sh.session.params }, plots: c.Plots, wait: cmp.Or(c.completionWait, completionWait)}
	return sh
}

// startUp runs the startup file. Its errors are reported, and the shell continues.
func (sh *shell) startUp(ctx context.Context) error {
	if sh.config.Startup == "" {
		return nil
	}
	if _, err := os.Stat(sh.config.Startup); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return sh.run(ctx, ".read "+quoteText(sh.config.Startup))
}

func (sh *shell) open(path string) error {
	db, mark, err := sh.config.Open(path)
	if db != nil {
		sh.config.DB, sh.completer.db, sh.mark = db, db, mark
		sh.status.print(path + " is open")
	}
	return err
}

func (sh *shell) getenv(name string) string {
	value, _ := sh.config.Lookup(name)
	return value
}

// greet prints the title of the database and how to get help.
func (sh *shell) greet(ctx context.Context) {
	line := sh.config.Title
	if names, err := graphNames(ctx, sh.config.DB); err == nil {
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
	sh.status.print(line)
	sh.status.print("HELP; explains the statements, .help the shell. Ctrl-D leaves.")
}

// chooseInput uses the line editor if the terminal has cursor control.
func (sh *shell) chooseInput() {
	sh.input = &lineInput{keyboard: &sh.keyboard}
	if drawable(sh.getenv("TERM")) {
		sh.input = newEditor(&sh.keyboard)
	}
}

// loop reads and runs statements and commands until the user leaves.
func (sh *shell) loop(ctx context.Context) error {
	for asked := false; !sh.session.quit; {
		text, err := sh.input.read(ctx)
		switch {
		case errors.Is(err, errCleared):
			continue
		case err == io.EOF:
			if asked || !sh.stays() {
				return nil
			}
			asked = true
			continue
		case err != nil:
			return err
		}
		sh.remember(text)
		if err := sh.run(ctx, sugar(text)); err != nil {
			return err
		}
		if sh.session.quit && (asked || !sh.stays()) {
			return nil
		}
		asked, sh.session.quit = sh.session.quit, false
		if err := sh.history.failed(); err != nil {
			sh.status.print("notice: the history is not kept: " + err.Error())
		}
	}
	return nil
}

// stays reports whether jobs run in the background, which leaving would stop, and says so: who asks to
// leave again leaves.
func (sh *shell) stays() bool {
	db, err := local(sh.config.DB)
	if err != nil {
		return false // jobs of a server continue
	}
	jobs := db.Jobs().Active()
	for _, j := range jobs {
		sh.status.print(fmt.Sprintf("notice: job %d runs in the background: %s", j.ID, parser.Escape(j.Statement)))
	}
	if len(jobs) == 0 {
		return false
	}
	sh.status.print(fmt.Sprintf("notice: .quit or Ctrl-D again leaves and stops it at a checkpoint, from which RESUME JOB %d continues; WAIT JOB %[1]d waits for its end", jobs[0].ID))
	return true
}

// run runs typed text. It returns only errors after which the shell cannot
// continue.
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
		return nil // Ctrl-C between two statements of a script
	}
	return err
}

// patience is how long a statement may take to end after Ctrl-C before another
// Ctrl-C abandons it. An earlier Ctrl-C is ignored: it counts as the same
// request.
const patience = time.Second

// interruptible runs f under a context that Ctrl-C cancels. While a pager is
// open, another Ctrl-C is meant for the pager and does not return ErrStuck.
func (sh *shell) interruptible(ctx context.Context, f func(context.Context) error) error {
	select {
	case <-sh.interrupts: // discards a Ctrl-C from before f began
	default:
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	var first time.Time
	for {
		select {
		case err := <-done:
			return err
		case <-sh.interrupts:
			cancel()
			switch paging := sh.session.pager != nil && sh.session.pager.open.Load(); {
			case first.IsZero() || paging:
				first = time.Now()
			case time.Since(first) >= patience:
				return ErrStuck
			}
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

// edit opens a text in the user's editor, in a file that only the user can
// read.
func (sh *shell) edit(text string) (string, error) {
	editor := cmp.Or(sh.getenv("VISUAL"), sh.getenv("EDITOR"))
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
		sh.status.print(result)
		sh.remember(result)
	}
	return result, nil
}

// editorCommand returns the command that starts an editor, which may have
// arguments.
func editorCommand(editor, path string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/c", editor, path)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd
}
