package repl

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/query/parser"
)

// Status shows what is not rows: progress, notices and errors. On a terminal
// progress is a bar in the last line, which goes away before anything else is
// written; elsewhere it is a plain line now and then. Errors of the writer are
// ignored, since there is no other place to report them. It is safe for
// concurrent use.
type Status struct {
	w    io.Writer
	term Terminal
	now  func() time.Time

	mu     sync.Mutex // guards the stream and what follows
	drawn  bool       // the bar is on the line
	paused bool       // rows are being written to the same terminal
	last   time.Time  // of the last progress shown for this statement
}

// NewStatus returns a Status that writes to w, of which term tells what it can
// show: usually Detect(w, os.Getenv).
func NewStatus(w io.Writer, term Terminal) *Status {
	return &Status{w: w, term: term, now: time.Now}
}

// When progress is shown. A bar waits until a person would wonder, and is drawn
// as often as the eye follows. A line waits for 2 seconds, so that short
// statements leave none in a log, and then comes often enough to see that
// something moves.
const (
	barDelay     = 200 * time.Millisecond
	barInterval  = 100 * time.Millisecond
	lineDelay    = 2 * time.Second
	lineInterval = 5 * time.Second
)

// Progress shows how far a statement is. It is what query.Options.Progress
// wants, and may be called as often as anyone likes.
func (s *Status) Progress(p query.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delay, interval := lineDelay, lineInterval
	if s.term.Bar {
		delay, interval = barDelay, barInterval
	}
	now := s.now()
	if s.paused || p.Elapsed < delay || !s.last.IsZero() && now.Sub(s.last) < interval {
		return
	}
	s.last = now
	if !s.term.Bar {
		fmt.Fprintln(s.w, progressLine(p, ""))
		return
	}
	// The last column stays free: some terminals wrap when it is written.
	width := s.term.Width
	if now := columnsOf(s.w); now > 0 {
		width = now // the window may have another size by now
	}
	line := progressLine(p, bar(p, widestBar))
	if over := len(line) - (width - 1); over > 0 {
		line = progressLine(p, bar(p, widestBar-over))
	}
	line = line[:max(0, min(len(line), width-1))] // all of it is ASCII
	fmt.Fprint(s.w, "\r"+line+eraseRight)
	s.drawn = true
}

const eraseRight = "\x1b[K"

// progressLine says how far a statement is, such as
// "IMPORT: reading 43 % of 3.16 MB, 12.3 MB/s, 12s left".
func progressLine(p query.Progress, bar string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s ", p.Statement, p.Stage)
	if p.Total > 0 {
		fmt.Fprintf(&b, "%3d %% %sof %s", percent(p), bar, query.Amount(float64(p.Total), p.Unit))
	} else {
		b.WriteString(query.Amount(float64(p.Done), p.Unit))
	}
	if p.Rate > 0 {
		b.WriteString(", " + query.Amount(p.Rate, p.Unit) + "/s")
	}
	if p.Remaining >= time.Second/2 {
		b.WriteString(", " + p.Remaining.Round(time.Second).String() + " left")
	}
	return b.String()
}

func percent(p query.Progress) int {
	return int(100 * min(max(float64(p.Done)/float64(p.Total), 0), 1))
}

// A bar of fewer than narrowestBar marks shows less than the percentage.
const widestBar, narrowestBar = 20, 5

func bar(p query.Progress, width int) string {
	if p.Total <= 0 || width < narrowestBar {
		return ""
	}
	full := percent(p) * width / 100
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "] "
}

// Clear takes the bar away, and begins anew with the next statement. Run clears
// for itself; who shows the progress of other work clears when it is done, before
// writing to the same terminal.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.paused, s.last = false, time.Time{}
}

// pause shows no progress until the next Clear.
func (s *Status) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.paused = true
}

func (s *Status) erase() {
	if s.drawn {
		fmt.Fprint(s.w, "\r"+eraseRight)
		s.drawn = false
	}
}

// print writes a line.
func (s *Status) print(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintln(s.w, parser.Escape(line))
}

// printError writes the message of an error and an excerpt of its source, both
// of which are safe to print already.
func (s *Status) printError(message, excerpt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	label := "error:"
	source, carets, marked := strings.Cut(excerpt, "\n")
	if s.term.Color {
		const red, plain = "\x1b[1;31m", "\x1b[0m"
		label, carets = red+label+plain, red+carets+plain
	}
	fmt.Fprintln(s.w, label, message)
	if marked {
		fmt.Fprintf(s.w, "  %s\n  %s\n", source, carets)
	}
}
