package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"heavytail/query"
	"heavytail/query/graphs"
)

// shellFile names the file that the test binary opens a shell on, instead of
// running tests. A shell needs a process and a terminal of its own.
const shellFile = "REPL_TEST_SHELL"

func init() {
	ownProcess = func() {
		if path := os.Getenv(shellFile); path != "" {
			shellProcess(path)
		}
	}
}

// shellProcess runs the shell in the child process.
func shellProcess(path string) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	terminal := Detect(os.Stderr, os.Getenv)
	status := NewStatus(os.Stderr, terminal)
	opts := &query.Options{ReadOnly: os.Getenv("READONLY") != ""}
	if terminal.Bar { // without a bar, a line of progress would stay on the screen on a busy machine
		opts.Progress = status.Progress
	}
	db, err := query.Open(path, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := ShellConfig{
		Config: Config{DB: db, Out: os.Stdout, Status: status, Plot: echo}, Title: filepath.Base(path),
		History: HistoryFile(os.Getenv), Startup: StartupFile(os.Getenv), Lookup: os.LookupEnv, completionWait: time.Hour,
	}
	c.Open = func(path string) (Database, string, error) {
		other, err := query.Open(path, nil)
		if err != nil {
			return nil, "", err
		}
		before := db
		db = other
		return db, "other", before.Close()
	}
	if opts.ReadOnly {
		c.Mark = "read-only"
	}
	if err := errors.Join(Shell(ctx, c), db.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "shell:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// console is a terminal with a shell in it.
type console struct {
	t      testing.TB
	pty    *os.File
	before unix.Termios // the terminal before the shell began
	cmd    *exec.Cmd
	done   chan struct{} // the shell has ended and all is drawn

	mu      sync.Mutex
	screen  *screen
	changed chan struct{} // closed and replaced at each change
	above   int           // rows that the cursor must have left, since a key ended a line in them
}

// openConsole starts a shell on a file, in a terminal of the given size. The environment
// has only the given variables.
func openConsole(t testing.TB, path string, columns, rows int, env ...string) *console {
	t.Helper()
	pty, tty := openPTY(t)
	return startConsole(t, pty, tty, path, columns, rows, env...)
}

// startConsole starts a shell in an existing terminal.
func startConsole(t testing.TB, pty, tty *os.File, path string, columns, rows int, env ...string) *console {
	t.Helper()
	c := &console{t: t, pty: pty, screen: newScreen(columns, rows), changed: make(chan struct{}), done: make(chan struct{})}
	c.setSize(columns, rows)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(self)
	c.cmd.Env = append([]string{shellFile + "=" + path, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "GOCOVERDIR=" + t.TempDir()}, env...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = tty, tty, tty
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	c.before = c.attributes() // the shell changes them as soon as it runs
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	go c.draw()
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		pty.Close()
		<-c.done
	})
	return c
}

// openPTY makes a terminal.
func openPTY(t testing.TB) (pty, tty *os.File) {
	t.Helper()
	pty, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system gives no pseudo-terminal: %v", err)
	}
	var number int
	conn, err := pty.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) {
			if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
				number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
			}
		})
	}
	if err == nil {
		tty, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		pty.Close()
		t.Skipf("this system gives no pseudo-terminal: %v", err)
	}
	return pty, tty
}

// setSize sets the size of the window for the terminal, and so for the shell.
func (c *console) setSize(columns, rows int) {
	conn, err := c.pty.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(columns)})
		})
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// resize changes the window while the shell runs.
func (c *console) resize(columns, rows int) {
	c.mu.Lock()
	c.screen.resize(columns, rows)
	c.mu.Unlock()
	c.setSize(columns, rows)
}

// draw draws what the shell writes until it ends.
func (c *console) draw() {
	defer close(c.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.pty.Read(buffer)
		c.mu.Lock()
		c.screen.Write(buffer[:n])
		close(c.changed)
		c.changed = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// keys presses keys.
func (c *console) keys(text string) {
	c.t.Helper()
	c.mu.Lock()
	if last := text[len(text)-1]; last == '\r' || last == '\x03' || last == '\x04' {
		c.above = c.screen.scrolled + c.screen.y + 1
	} else {
		c.above = 0 // Ctrl-L may bring it up again
	}
	c.mu.Unlock()
	if _, err := io.WriteString(c.pty, text); err != nil {
		c.t.Fatal(err)
	}
}

// hangs is the time after which a shell counts as hanging. It is long because other tests
// and programs may take the processors.
const hangs = 5 * time.Minute

// wait waits until a condition is true of the screen, and returns the text of the screen.
func (c *console) wait(what string, is func(*screen) bool) string {
	c.t.Helper()
	shown, ok := c.within(hangs, is)
	if !ok {
		c.t.Fatalf("waited for %s, and the screen is\n%s", what, shown)
	}
	return shown
}

// within waits, at most for a time, until a condition is true of the screen. It returns the
// text of the screen, and whether the condition is true.
func (c *console) within(patience time.Duration, is func(*screen) bool) (shown string, ok bool) {
	timeout := time.After(patience)
	for {
		c.mu.Lock()
		shown, ok := c.screen.String(), is(c.screen)
		changed := c.changed
		c.mu.Unlock()
		if ok {
			return shown, true
		}
		select {
		case <-changed:
		case <-timeout:
			return shown, false
		}
	}
}

// at waits until the cursor is behind a text that fills its row so far.
func (c *console) at(text string) string {
	c.t.Helper()
	return c.wait(fmt.Sprintf("the cursor behind %q", text), func(s *screen) bool { return !s.hidden && s.before() == text && s.scrolled+s.y >= c.above })
}

// sees waits until a text is on the screen.
func (c *console) sees(text string) string {
	c.t.Helper()
	return c.wait(fmt.Sprintf("%q", text), func(s *screen) bool { return !s.hidden && strings.Contains(s.String(), text) })
}

// ends waits for the end of the shell and returns its exit code.
func (c *console) ends() int {
	c.t.Helper()
	timer := time.AfterFunc(hangs, func() { c.cmd.Process.Kill() })
	defer timer.Stop()
	c.cmd.Wait()
	<-c.done
	return c.cmd.ProcessState.ExitCode()
}

// sound fails the test if anything reached the terminal that should not.
func (c *console) sound() {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.screen.faults {
		c.t.Errorf("the terminal got a %s", f)
	}
}

// sampleStore is a file with the graph "ring" of a few vertices with names of all
// kinds, an attribute, and an embedding.
func sampleStore(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sample.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	edges := "alice bob\nbob carol\ncarol dave\ndave alice\nalice größe\ngröße 世界\n世界 al\n"
	if _, err := db.Graphs().ImportReader(t.Context(), strings.NewReader(edges), graphs.ImportRequest{Graph: "ring"}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(t.Context(), "EMBED ring USING laplacian_eigenmaps(dim := 2) AS spec", nil); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestShell_Terminals runs testdata/*.terminal and compares the screens. A file has a line
// with the size and the environment, and then steps: type presses keys; at, sees and gone
// wait for the screen; resize changes the window; ends waits for the exit code; screen is
// followed by the expected lines of the screen, each after a bar. A number after screen
// compares only so many last lines, since hints that appear and disappear can scroll a full
// screen.
func TestShell_Terminals(t *testing.T) {
	files, err := filepath.Glob("testdata/*.terminal")
	if err != nil || len(files) == 0 {
		t.Fatalf("found terminals %v, %v", files, err)
	}
	if testing.Short() {
		files = files[:2] // -short: the others differ in what is typed
	}
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".terminal"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := playTerminal(t, string(text))
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// playTerminal runs a file and returns it with the screens that were seen.
func playTerminal(t *testing.T, text string) string {
	var b strings.Builder
	var c *console
	shown := ""
	for line := range strings.Lines(text) {
		step, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if strings.HasPrefix(step, "|") {
			continue
		}
		b.WriteString(line)
		if c == nil && step != "terminal" && step != "" && step != "#" {
			t.Fatalf("%q comes before the terminal", line)
		}
		switch step {
		case "terminal":
			var columns, rows int
			words := strings.Fields(rest)
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], `\u0020`, " ")
			}
			if _, err := fmt.Sscanf(words[0], "%dx%d", &columns, &rows); err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir()) // for the files that the shell writes
			c = openConsole(t, sampleStore(t), columns, rows, append([]string{"HOME=" + t.TempDir()}, words[1:]...)...)
		case "type":
			c.keys(unquote(t, rest))
		case "at":
			shown = c.at(unquote(t, rest))
		case "sees":
			shown = c.sees(unquote(t, rest))
		case "gone":
			text := unquote(t, rest)
			shown = c.wait("an end of "+rest, func(s *screen) bool { return !s.hidden && !strings.Contains(s.String(), text) })
		case "resize":
			var columns, rows int
			if _, err := fmt.Sscanf(rest, "%dx%d", &columns, &rows); err != nil {
				t.Fatal(err)
			}
			c.resize(columns, rows)
		case "ends":
			if code := c.ends(); strconv.Itoa(code) != rest {
				t.Errorf("exit code %d", code)
			}
			shown = c.screen.String()
		case "screen":
			lines := strings.SplitAfter(strings.TrimSuffix(shown, "\n"), "\n")
			if last, err := strconv.Atoi(rest); err == nil {
				lines = lines[max(0, len(lines)-last):]
			}
			b.WriteString("|" + strings.Join(lines, "|") + "\n")
		case "", "#":
		default:
			t.Fatalf("unknown step %q", line)
		}
	}
	c.sound()
	return b.String()
}

func unquote(t *testing.T, text string) string {
	t.Helper()
	s, err := strconv.Unquote(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// TestShell_Interrupt presses Ctrl-C while a statement runs that would take a day,
// and expects the shell to continue.
func TestShell_Interrupt(t *testing.T) {
	c := openConsole(t, sampleStore(t), 80, 24, "HOME="+t.TempDir())
	c.at("heavytail> ")
	c.keys("GENERATE preferential_attachment(n := 500, m := 10, seed := 1) INTO g;\r")
	c.at("heavytail> ")
	c.keys("EMBED g USING deepwalk(epochs := 65536) AS e;\r")
	c.sees("EMBED: ") // the bar
	began := time.Now()
	c.keys("\x03")
	c.sees("error: cancelled; ") // and how to continue, if it has run for long enough
	t.Logf("cancelled and drawn after %v", time.Since(began))
	c.at("heavytail> ")
	c.keys(".schema\r")
	c.at("heavytail> ")
	c.keys("\x04")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.sound()
}

// TestShell_Open begins with a startup file, one statement of which fails, and continues
// with another file.
func TestShell_Open(t *testing.T) {
	home := t.TempDir()
	startup := filepath.Join(home, ".config", "heavytail", "init")
	if err := os.MkdirAll(filepath.Dir(startup), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(startup, []byte(".mode csv\n.nullvalue none\nDROP GRAPH nobody;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(home, "other.ht")
	c := openConsole(t, sampleStore(t), 100, 30, "HOME="+home)
	c.at("heavytail> ")
	c.sees("nobody")
	c.keys(".mode\r")
	c.sees("mode is csv")
	c.at("heavytail> ")
	c.keys(".open " + home + "\r") // a folder
	c.at("heavytail> ")
	c.keys("SHOW GRAPHS;\r") // of the first file, which stays open
	c.sees("graph,version")
	c.at("heavytail> ")
	c.keys(".open " + other + "\r")
	c.sees("other.ht is open")
	c.at("heavytail (other)> ")
	c.keys("CREATE GRAPH made;\r")
	c.at("heavytail (other)> ")
	c.keys(".schema\r")
	c.sees("made,0,0")
	c.at("heavytail (other)> ")
	c.keys("\x04")
	if code := c.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.sound()
	db, err := query.Open(other, &query.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if graphs, err := db.Graphs().List(t.Context()); err != nil || len(graphs) != 1 {
		t.Errorf("%v, %v", graphs, err)
	}
}

// TestShell_Jobs leaves while a job runs in the background: the shell asks first, and leaves when it is
// asked again.
func TestShell_Jobs(t *testing.T) {
	t.Parallel()
	for _, leave := range []string{".quit\r", "\x04"} {
		c := openConsole(t, filepath.Join(t.TempDir(), "jobs.ht"), 120, 30, "HOME="+t.TempDir())
		c.at("heavytail> ")
		c.keys("GENERATE preferential_attachment(n := 20000, m := 10) INTO g;\r")
		c.sees("(1 row)")
		c.at("heavytail> ")
		c.keys("COMPUTE betweenness(sources := 20000) IN g AS b IN BACKGROUND;\r")
		c.sees("job | state")
		c.at("heavytail> ")
		c.keys(leave)
		c.sees("job 1 runs in the background")
		c.at("heavytail> ")
		c.keys("SHOW GRAPHS;\r")
		c.at("heavytail> ")
		c.keys(leave)
		c.at("heavytail> ")
		c.keys(leave)
		if code := c.ends(); code != 0 {
			t.Errorf("%q: exit code %d", leave, code)
		}
	}
}

// TestShell_Terminated ends the shell by a signal while it waits for keys: the
// terminal is as it was before.
func TestShell_Terminated(t *testing.T) {
	for _, term := range []string{"xterm", "dumb"} {
		c := openConsole(t, sampleStore(t), 80, 24, "HOME="+t.TempDir(), "TERM="+term)
		c.at("heavytail> ")
		c.keys("half a statement")
		c.at("heavytail> half a statement")
		if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		c.sees("context canceled")
		if after := c.attributes(); after != c.before {
			t.Errorf("%s: the terminal was %+v, and is %+v", term, c.before, after)
		}
		c.ends()
	}
}

// attributes returns the mode of the terminal.
func (c *console) attributes() unix.Termios {
	c.t.Helper()
	var state unix.Termios
	conn, err := c.pty.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) {
			var got *unix.Termios
			if got, err = unix.IoctlGetTermios(int(fd), ioctlGetTermios); err == nil {
				state = *got
			}
		})
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return state
}

// silence switches off the terminal's echo of keys that are typed while a statement runs.
// The echo copies any bytes, and the test checks only what the shell itself draws.
func silence(t testing.TB, tty *os.File) {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(tty.Fd()), ioctlGetTermios)
	if err == nil {
		state.Lflag &^= unix.ECHO
		err = unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, state)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestShell_AnyKeys presses keys at random, among them pieces of statements,
// escape sequences, control keys and bytes that are not valid UTF-8. No sequence but those
// of the shell may reach the terminal, and the shell must still work.
func TestShell_AnyKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: types random keys for a second")
	}
	rounds, presses := 5, 120
	if text := os.Getenv("HEAVYTAIL_KEYS"); text != "" { // for a longer search
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	pieces := []string{
		"SHOW ", "graphs", ";", "\r", "\t", "'", "\"", "$p", " ", "(", "-- ", "/* ", ".mo", ":", "NEAREST 1 TO 'al", "größe", "世界", "e\u0301",
		"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1bb", "\x1bf", "\x1b\x7f", "\x1b[200~a\x1b[31m\r\nb\x00\x1b[201~",
		"\x01", "\x02", "\x05", "\x06", "\x07", "\x08", "\x0b", "\x0c", "\x0e", "\x10", "\x12", "\x14", "\x15", "\x16\x1b", "\x17", "\x19", "\x1a", "\x1f",
		"\x7f", "\x00", "\xff", "\x80\x9b31m", "\u202e", "\u200b", "\u009b", "\x1b", "\x1b]0;x\x07", "\x1bP", "\x18\x15", "\x1b<", "\x1b.", "\x03",
	}
	for seed := range rounds {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		pty, tty := openPTY(t)
		silence(t, tty)
		c := startConsole(t, pty, tty, sampleStore(t), 40, 12, "HOME="+t.TempDir(), "PAGER=", "VISUAL=true")
		c.at("heavytail> ")
		var typed []string
		for range presses {
			piece := pieces[random.IntN(len(pieces))]
			typed = append(typed, piece)
			c.keys(piece)
		}
		t.Logf("seed %d: keys %q", seed, typed)
		// Ctrl-G and Ctrl-C end any mode that the keys have begun; an incomplete escape sequence
		// may consume the first key. The terminal discards keys typed before an interrupt, so the
		// commands may have to be typed again.
		obeyed, shown := false, ""
		for began := time.Now(); !obeyed && time.Since(began) < hangs; {
			for range 4 {
				c.keys("~\x07\x03")
			}
			c.keys("\r\x03")
			c.within(time.Second, func(s *screen) bool { return !s.hidden && s.before() == "heavytail> " })
			c.keys(".mode line\r")
			c.keys(".mode\r")
			shown, obeyed = c.within(2*time.Second, func(s *screen) bool { return !s.hidden && strings.Contains(s.String(), "mode is line") })
		}
		if !obeyed {
			t.Fatalf("commands are not obeyed any more, and the screen is\n%s", shown)
		}
		c.sound()
		c.cmd.Process.Kill()
	}
}

// echo takes the place of pictures.
func echo(_ context.Context, out io.Writer, args []string) error {
	_, err := fmt.Fprintf(out, "a plot of %q\n", args)
	return err
}
