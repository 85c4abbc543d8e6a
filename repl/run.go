package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"heavytail/query"
	"heavytail/query/parser"
)

// Config says what to run and where its answers go.
type Config struct {
	DB  *query.DB
	In  io.Reader // the script
	Out io.Writer // rows
	// Status shows progress, notices and errors. For progress its method
	// Progress must also be what DB was opened with.
	Status *Status
	// Name is what errors call the script, such as its file name. Empty says
	// only the line, which is enough for a statement on a command line.
	Name string
	// Format is how rows are written; empty means Table.
	Format Format
	// Params are the values of $name in every statement.
	Params map[string]any
	// KeepGoing runs the statements after one that failed as well. By default
	// they do not run, since they often build on it.
	KeepGoing bool
	// Timer reports the seconds that each statement took.
	Timer bool
}

// Validate returns every fault of the configuration, joined.
func (c *Config) Validate() error {
	var faults []error
	check := func(bad bool, message string) {
		if bad {
			faults = append(faults, errors.New(message))
		}
	}
	check(c.DB == nil, "DB is missing")
	check(c.In == nil, "In is missing")
	check(c.Out == nil, "Out is missing")
	check(c.Status == nil, "Status is missing")
	if _, err := ParseFormat(string(c.Format)); c.Format != "" && err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// Run executes the statements of a script, each as soon as its semicolon was
// read, the last also without one, and writes their rows. In memory it holds one
// statement and at most a page of rows.
//
// The error is a *Failure where statements failed: they were reported already.
// Any other error was not: that of a reader or writer, or of a context that was
// cancelled between statements. It wraps ctx.Err() where the context ended the
// run, also through a Failure. A read of In that blocks is left behind then, and
// its goroutine ends with it.
func Run(ctx context.Context, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return run(ctx, &c, func(ctx context.Context, st parser.Statement, params map[string]any) (rows, error) {
		r, err := c.DB.Run(ctx, st, params)
		if err != nil {
			return nil, err
		}
		return r, nil
	})
}

// executor runs one statement. Tests have their own.
type executor func(context.Context, parser.Statement, map[string]any) (rows, error)

// rows is what the package needs of query.Rows.
type rows interface {
	Columns() []string
	Next() bool
	Row() []query.Value
	Err() error
	Notices() []query.Notice
	Close() error
}

var _ rows = (*query.Rows)(nil)

func run(ctx context.Context, c *Config, exec executor) error {
	s := newSession(c, exec)
	script := parser.NewSplitter(c.In)
	failure := &Failure{}
	for {
		src, err := nextStatement(ctx, script)
		switch {
		case err == io.EOF:
			return failure.orNil()
		case err == nil:
			err = s.statement(ctx, src)
		case !errors.Is(err, parser.ErrSyntax): // which a statement that is too long has
			return errors.Join(failure.orNil(), err)
		}
		if err == nil {
			continue
		}
		var broken *outputError
		if errors.As(err, &broken) {
			return errors.Join(failure.orNil(), broken)
		}
		s.report(src, err)
		failure.add(err)
		if !c.KeepGoing || ctx.Err() != nil {
			return failure
		}
	}
}

// nextStatement waits for a statement or for the end of the context.
func nextStatement(ctx context.Context, script *parser.Splitter) (parser.Source, error) {
	type result struct {
		src parser.Source
		err error
	}
	if err := ctx.Err(); err != nil {
		return parser.Source{}, err
	}
	read := make(chan result, 1)
	go func() {
		src, err := script.Next()
		read <- result{src, err}
	}()
	select {
	case r := <-read:
		if r.err != nil && r.err != io.EOF && !errors.Is(r.err, parser.ErrSyntax) {
			r.err = fmt.Errorf("read statements: %w", r.err)
		}
		return r.src, r.err
	case <-ctx.Done():
		return parser.Source{}, ctx.Err()
	}
}

// session executes statements one after the other and renders what they give.
type session struct {
	config *Config
	exec   executor
	out    *bufio.Writer
	render renderer
	now    func() time.Time
	shared bool // rows and status are seen on the same terminal
}

func newSession(c *Config, exec executor) *session {
	out := bufio.NewWriterSize(c.Out, 64<<10)
	return &session{
		config: c, exec: exec, out: out, render: newRenderer(c.Format, out), now: time.Now,
		shared: Detect(c.Out, nil).Width > 0,
	}
}

// statement parses and runs a statement, and writes its rows. An error of Out
// is an *outputError.
func (s *session) statement(ctx context.Context, src parser.Source) error {
	begin := s.now()
	st, err := src.Parse()
	if err != nil {
		return err
	}
	defer s.config.Status.Clear()
	r, err := s.exec(ctx, st, s.config.Params)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := s.write(r); err != nil {
		return err
	}
	for _, n := range r.Notices() {
		s.config.Status.print("notice: " + n.Text)
	}
	if s.config.Timer {
		kind, _, _ := strings.Cut(st.String(), " ")
		s.config.Status.print(fmt.Sprintf("%s: %.3f s", kind, s.now().Sub(begin).Seconds()))
	}
	return nil
}

// write renders rows. Those before an error are written too.
func (s *session) write(r rows) error {
	s.config.Status.Clear()
	if s.shared {
		s.config.Status.pause()
	}
	s.render.begin(r.Columns())
	for r.Next() {
		// A bufio.Writer keeps its first error, so that only rows, which may
		// come without end, need to look at it.
		if err := s.render.row(r.Row()); err != nil {
			return &outputError{err}
		}
	}
	s.render.end(r.Err())
	if err := s.out.Flush(); err != nil {
		return &outputError{err}
	}
	return r.Err()
}
