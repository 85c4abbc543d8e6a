package repl

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// session executes statements and commands one after the other and renders
// their results. Run and Shell share it; the commands change its settings.
type session struct {
	config *Config
	exec   executor
	now    func() time.Time

	name   string // name in errors of the script that runs
	format Format
	timer  bool
	params map[string]any
	depth  int      // nesting of scripts
	quit   bool     // .quit was run
	null   string   // shown for missing values
	shown  []string // the columns of results; nil for all

	file   *os.File // of .output; nil means config.Out
	once   bool     // file is for one statement
	usual  Format   // the format after that statement
	out    *bufio.Writer
	render renderer

	// Fields of a shell; nil in a script.
	pager *pager
	edit  func(text string) (string, error) // opens a text in the user's editor
	last  string                            // the last statement
	swap  func(path string) error           // opens another file
}

func newSession(c *Config, exec executor) *session {
	s := &session{
		config: c, exec: exec, now: time.Now, name: c.Name,
		format: c.Format, timer: c.Timer, params: maps.Clone(c.Params),
	}
	s.redirect(nil)
	return s
}

// redirect sends rows to a file, or with nil to Config.Out.
func (s *session) redirect(file *os.File) {
	s.file = file
	var w io.Writer = s.config.Out
	if file != nil {
		w = file
	}
	s.out = bufio.NewWriterSize(w, 64<<10)
	s.newRenderer()
}

// newRenderer begins a series of results in the current format.
func (s *session) newRenderer() {
	s.render = newRenderer(s.format, s.out, s.columns)
}

// columns is the width that tables should fit; 0 means no limit.
func (s *session) columns() int {
	if s.file != nil {
		return 0
	}
	return columnsOf(s.config.Out)
}

// shared reports whether rows and status are written to the same terminal.
func (s *session) shared() bool { return s.columns() > 0 }

func (s *session) close() error {
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.out.Flush(), s.file.Close())
	s.redirect(nil)
	if err != nil {
		return &outputError{err}
	}
	return nil
}

func (s *session) endOnce() error {
	s.leaveOnce()
	if err := s.close(); err != nil {
		return err.(*outputError).err // no *outputError: Config.Out can still be written
	}
	return nil
}

// endOnceAfter ends .once, if it is in use, after a statement that gave *err, and keeps the first error.
func (s *session) endOnceAfter(err *error) {
	if !s.once {
		return
	}
	if closed := s.endOnce(); *err == nil {
		*err = closed
	}
}

// leaveOnce goes back to the format from before .once.
func (s *session) leaveOnce() {
	if s.once {
		s.once, s.format = false, s.usual
		s.newRenderer()
	}
}

// statement parses and runs a statement, and writes its rows. An error of the
// output is an *outputError.
func (s *session) statement(ctx context.Context, src parser.Source) (err error) {
	defer s.endOnceAfter(&err)
	begin := s.now()
	s.last = src.Text
	st, err := src.Parse()
	if err != nil {
		return err
	}
	r := query.Request{
		Source: src, Params: s.params, ReadOnly: s.config.ReadOnly, Input: s.config.Stdin,
		Progress: s.config.Status.Progress, Notice: s.config.Status.Notice,
	}
	if err := s.answer(func() (tabular, error) { return s.exec(ctx, r) }); err != nil {
		return err
	}
	if s.timer {
		kind, _, _ := strings.Cut(parser.Text(st), " ")
		s.config.Status.print(fmt.Sprintf("%s: %.3f s", kind, s.now().Sub(begin).Seconds()))
	}
	return nil
}

// answer runs a statement, and writes its rows and notices. An error of the output is
// an *outputError.
func (s *session) answer(run func() (tabular, error)) error {
	defer s.config.Status.Clear()
	s.config.Status.unsaid(nil) // discards the notices of an earlier statement that failed
	r, err := run()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := s.write(r); err != nil {
		return err
	}
	for _, n := range s.config.Status.unsaid(r.Notices()) {
		s.config.Status.print("notice: " + n.Text)
	}
	return nil
}

// write renders rows. Those before an error are written too.
func (s *session) write(r tabular) error {
	if left, err := s.paged(func() error { return s.renderRows(r) }); left || err != nil {
		return err
	}
	if table, ok := s.render.(*pageRenderer); ok && table.cut {
		s.config.Status.print("notice: texts are cut to the width of the terminal; the format line shows all of them")
	}
	return r.Err()
}

// paged calls write with the pager, if there is one, behind s.out. It reports whether the
// person has left the pager before the end, which is not an error.
func (s *session) paged(write func() error) (left bool, err error) {
	s.config.Status.Clear()
	if s.shared() {
		s.config.Status.pause()
	}
	endPaging := s.startPaging()
	err = write()
	if closed := endPaging(); err == nil {
		err = closed
	}
	if err == nil || errors.Is(err, errPagerLeft) {
		return err != nil, nil
	}
	return false, s.broken(err)
}

func (s *session) flush() error {
	if err := s.out.Flush(); err != nil {
		return s.broken(err)
	}
	return nil
}

// broken handles an error of writing rows: it closes a file of .output, and
// for Config.Out returns the error, since nothing more can be written.
func (s *session) broken(err error) error {
	if s.file == nil {
		return &outputError{err}
	}
	s.file.Close()
	s.redirect(nil)
	return fmt.Errorf(".output has ended: %w", err)
}

func (s *session) renderRows(r tabular) error {
	if picked := pick(r, s.shown); picked != nil {
		r = picked
	}
	s.render.begin(r.Columns(), r.ColumnTypes())
	for r.Next() {
		// A bufio.Writer keeps its first error until Flush. Only row returns it at once,
		// since a result may have rows without end.
		if err := s.render.row(s.filled(r.Row())); err != nil {
			return err
		}
	}
	s.render.end(r.Err())
	return s.out.Flush()
}

// filled returns a row with the text of .nullvalue for missing values.
func (s *session) filled(row []rows.Value) []rows.Value {
	if s.null == "" || s.format == JSON || s.format == NDJSON || !slices.Contains(row, nil) {
		return row
	}
	row = slices.Clone(row)
	for i, v := range row {
		if v == nil {
			row[i] = s.null
		}
	}
	return row
}

// startPaging sends the following output through the pager, if there is one,
// and returns a function that ends this.
func (s *session) startPaging() (end func() error) {
	if s.pager == nil || !s.pager.on || s.file != nil {
		return func() error { return nil }
	}
	p := s.pager.begin(s.config.Out)
	s.out.Reset(p)
	return func() error {
		err := p.end()
		s.out.Reset(s.config.Out)
		return err
	}
}
