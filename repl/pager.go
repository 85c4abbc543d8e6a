package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"

	"heavytail/query/parser"
)

// errPagerLeft is the error of writing to a pager that has ended.
var errPagerLeft = errors.New("the pager was left")

// pager shows results that are longer than the terminal.
type pager struct {
	on      bool
	command []string // program and arguments
	size    func() (columns, rows int)
	open    atomic.Bool // the pager has the terminal at the moment
}

// newPager returns the pager of the user: $PAGER, or less, which exits at once
// if the text fits on a screen. It returns nil if there is neither, or $PAGER
// is empty.
func newPager(lookup func(string) (string, bool), size func() (columns, rows int)) *pager {
	p := &pager{on: true, size: size}
	switch value, set := lookup("PAGER"); {
	case set && (value == "" || value == "cat"):
		return nil
	case set && runtime.GOOS == "windows":
		p.command = []string{"cmd", "/c", value}
	case set:
		p.command = []string{"sh", "-c", value}
	default:
		less, err := exec.LookPath("less")
		if term, _ := lookup("TERM"); err != nil || !drawable(term) {
			return nil
		}
		p.command = []string{less, "-FRX"}
	}
	return p
}

// Page writes a text to out, through the pager of the user if out is a terminal whose window is too low for it.
// lookup reads the variables PAGER and TERM, usually os.LookupEnv. That the person leaves the pager before the end
// is no error.
func Page(out io.Writer, lookup func(string) (string, bool), text string) error {
	on := Detect(out, nil)
	p := newPager(lookup, func() (int, int) { return on.Width, on.Height })
	if on.Width == 0 || p == nil {
		_, err := io.WriteString(out, text)
		return err
	}
	shown := p.begin(out)
	_, err := io.WriteString(shown, text)
	if ended := shown.end(); err == nil {
		err = ended
	}
	if errors.Is(err, errPagerLeft) {
		return nil
	}
	return err
}

// begin returns a writer that shows one result on out.
func (p *pager) begin(out io.Writer) *paged {
	columns, rows := p.size()
	return &paged{pager: p, out: out, columns: columns, rows: rows, direct: rows <= 0} // such as a serial line
}

// paged is one result. It holds the text until that exceeds a screen, and only
// then starts the pager, so that short results need none.
type paged struct {
	pager         *pager
	out           io.Writer
	columns, rows int // of the terminal
	held          bytes.Buffer
	used          int // rows of the terminal that held takes
	width         int // columns of the last line of held
	direct        bool
	process       *exec.Cmd
	in            io.WriteCloser
}

func (p *paged) Write(b []byte) (int, error) {
	switch {
	case p.direct:
		return p.out.Write(b)
	case p.process != nil:
		return p.send(b)
	}
	p.held.Write(b)
	p.count(b)
	if p.used < p.rows {
		return len(b), nil
	}
	if err := p.start(); err != nil {
		p.direct = true
	}
	held := p.held.Bytes()
	p.held = bytes.Buffer{}
	if p.direct {
		_, err := p.out.Write(held)
		return len(b), err
	}
	_, err := p.send(held)
	return len(b), err
}

func (p *paged) send(b []byte) (int, error) {
	n, err := p.in.Write(b)
	if err != nil {
		err = errPagerLeft
	}
	return n, err
}

// count adds the rows that a text takes on the terminal. A character that is
// split by the end of the buffer counts as a few columns too many.
func (p *paged) count(b []byte) {
	for i, line := range bytes.SplitAfter(b, []byte{'\n'}) {
		if i > 0 {
			p.width = 0
		}
		p.width += parser.Width(string(bytes.TrimSuffix(line, []byte{'\n'})))
		if bytes.HasSuffix(line, []byte{'\n'}) {
			p.used += 1 + max(0, p.width-1)/max(1, p.columns)
		}
	}
}

func (p *paged) start() error {
	cmd := exec.Command(p.pager.command[0], p.pager.command[1:]...)
	cmd.Stdout, cmd.Stderr = p.out, os.Stderr
	if _, set := os.LookupEnv("LESSCHARSET"); !set {
		cmd.Env = append(os.Environ(), "LESSCHARSET=utf-8") // independent of the locale
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	p.pager.open.Store(true)
	if err := cmd.Start(); err != nil {
		p.pager.open.Store(false)
		return err
	}
	p.process, p.in = cmd, in
	return nil
}

// end shows the rest and waits until the person has left the pager.
func (p *paged) end() error {
	if p.process != nil {
		p.in.Close()
		p.process.Wait() // the exit status of the pager does not matter
		p.pager.open.Store(false)
		return nil
	}
	_, err := p.out.Write(p.held.Bytes())
	return err
}
