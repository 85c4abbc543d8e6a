package repl

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// Status shows everything except rows: progress, notices and errors. On a
// terminal progress is a bar in the last line, which is removed before other
// text is written; elsewhere it is an occasional plain line. Errors of the
// writer are ignored, since there is no other place to report them. It is safe
// for concurrent use.
type Status struct {
	w    io.Writer
	term Terminal
	now  func() time.Time

	mu     sync.Mutex    // guards the stream and the fields below
	drawn  bool          // the bar is on the line
	paused bool          // rows are being written to the same terminal
	last   time.Time     // time of the last progress shown for this statement
	said   []rows.Notice // of this statement, printed before its rows
}

// NewStatus returns a Status that writes to w, with the capabilities term:
// usually Detect(w, os.Getenv).
func NewStatus(w io.Writer, term Terminal) *Status {
	return &Status{w: w, term: term, now: time.Now}
}

// When progress is shown. A bar appears after a short delay, and is redrawn as
// often as the eye can follow. A line waits for 2 seconds, so that short
// statements leave none in a log, and repeats often enough to show that work
// continues.
const (
	barDelay     = 200 * time.Millisecond
	barInterval  = 100 * time.Millisecond
	lineDelay    = 2 * time.Second
	lineInterval = 5 * time.Second
)

// Progress shows the progress of a statement. It has the type of
// query.Options.Progress, and may be called at any rate.
func (s *Status) Progress(p rows.Progress) {
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
		width = now // the window may have been resized
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

// progressLine is the text of a progress report, such as
// "IMPORT: reading 43 % of 3.16 MB, 12.3 MB/s, 12s left".
func progressLine(p rows.Progress, bar string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s ", p.Statement, p.Stage)
	if p.Total > 0 {
		fmt.Fprintf(&b, "%3d %% %sof %s", percent(p), bar, fault.Amount(float64(p.Total), p.Unit))
	} else {
		b.WriteString(fault.Amount(float64(p.Done), p.Unit))
	}
	if p.Rate > 0 {
		b.WriteString(", " + fault.Amount(p.Rate, p.Unit) + "/s")
	}
	if p.Remaining >= time.Second/2 {
		b.WriteString(", " + p.Remaining.Round(time.Second).String() + " left")
	}
	return b.String()
}

func percent(p rows.Progress) int {
	return int(100 * min(max(float64(p.Done)/float64(p.Total), 0), 1))
}

// A bar of fewer than narrowestBar marks is less precise than the percentage,
// so it is omitted.
const widestBar, narrowestBar = 20, 5

func bar(p rows.Progress, width int) string {
	if p.Total <= 0 || width < narrowestBar {
		return ""
	}
	full := percent(p) * width / 100
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", width-full) + "] "
}

// Notice prints at once a notice that comes before the work of a statement
// (rows.Notice.Early); other notices are printed after the rows. It has the
// type of query.Options.Notice.
func (s *Status) Notice(n rows.Notice) {
	if !n.Early {
		return
	}
	s.print("notice: " + n.Text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, n)
}

// unsaid returns the notices that were not printed early, and forgets which were.
func (s *Status) unsaid(notices []rows.Notice) []rows.Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []rows.Notice
	for _, n := range notices {
		if !slices.Contains(s.said, n) {
			rest = append(rest, n)
		}
	}
	s.said = nil
	return rest
}

// Clear removes the bar and resets the state for the next statement. Run calls
// Clear; a program that shows the progress of other work must call it when that
// work is done, before writing to the same terminal.
func (s *Status) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	s.paused, s.last = false, time.Time{}
}

// pause suppresses progress until the next Clear.
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
