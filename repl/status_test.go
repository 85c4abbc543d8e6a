package repl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// clock is a time that moves only when the test moves it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newTestStatus returns a Status with a clock, and what is written to it.
func newTestStatus(term Terminal) (*Status, *clock, *bytes.Buffer) {
	var b bytes.Buffer
	c := &clock{time.Unix(1_000_000, 0)}
	s := NewStatus(&b, term)
	s.now = c.now
	return s, c, &b
}

// reportFor reports an import every 50 ms of a clock, for the duration d.
func reportFor(s *Status, c *clock, d time.Duration) {
	for elapsed := time.Duration(0); elapsed <= d; elapsed += 50 * time.Millisecond {
		p := rows.Progress{
			Statement: "IMPORT", Stage: "reading", Done: int64(elapsed / time.Microsecond), Total: 20_000_000,
			Unit: "bytes", Elapsed: elapsed,
		}
		if elapsed > 0 {
			p.Rate, p.Remaining = 1e6, 20*time.Second-elapsed
		}
		s.Progress(p)
		c.at = c.at.Add(50 * time.Millisecond)
	}
}

// TestStatus_Lines shows progress where the stream is no terminal.
func TestStatus_Lines(t *testing.T) {
	s, c, out := newTestStatus(Terminal{})
	reportFor(s, c, 1900*time.Millisecond)
	if out.Len() > 0 {
		t.Errorf("before two seconds: %q", out)
	}
	s.Clear()
	reportFor(s, c, 13*time.Second)
	s.Clear()
	want := "IMPORT: reading  10 % of 19.1 MiB, 977 KiB/s, 18s left\n" +
		"IMPORT: reading  35 % of 19.1 MiB, 977 KiB/s, 13s left\n" +
		"IMPORT: reading  60 % of 19.1 MiB, 977 KiB/s, 8s left\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestStatus_Bar shows progress on a terminal: how often, how wide, and that it
// goes away before anything else.
func TestStatus_Bar(t *testing.T) {
	s, c, out := newTestStatus(Terminal{Width: 80, Bar: true})
	reportFor(s, c, 10*time.Second)
	draws := strings.Split(out.String(), "\r")[1:]
	if len(draws) < 90 || len(draws) > 100 {
		t.Errorf("the bar was drawn %d times in ten seconds", len(draws))
	}
	if got, want := draws[len(draws)-1], "IMPORT: reading  50 % [##########..........] of 19.1 MiB, 977 KiB/s, 10s left\x1b[K"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	s.print("notice: done")
	s.print("notice: all")
	if got, want := out.String(), "\r\x1b[Knotice: done\nnotice: all\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for width, want := range map[int]string{
		1: "", 2: "I", 20: "IMPORT: reading   5", 62: "IMPORT: reading   5 % of 19.1 MiB, 977 KiB/s, 19s left",
		63: "IMPORT: reading   5 % [.....] of 19.1 MiB, 977 KiB/s, 19s left", 77: "IMPORT: reading   5 % [...................] of 19.1 MiB, 977 KiB/s, 19s left",
	} {
		s, c, out := newTestStatus(Terminal{Width: width, Bar: true})
		reportFor(s, c, time.Second)
		draws := strings.Split(out.String(), "\r")[1:]
		if got := strings.TrimSuffix(draws[len(draws)-1], "\x1b[K"); got != want {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
		for _, draw := range draws {
			if line := strings.TrimSuffix(draw, "\x1b[K"); len(line) >= width {
				t.Errorf("width %d: %q is %d columns wide", width, line, len(line))
			}
		}
	}
}

// TestStatus_Pause keeps the bar out of rows on the same terminal.
func TestStatus_Pause(t *testing.T) {
	s, c, out := newTestStatus(Terminal{Width: 80, Bar: true})
	reportFor(s, c, time.Second)
	s.pause()
	out.Reset()
	reportFor(s, c, time.Second)
	if out.Len() > 0 {
		t.Errorf("wrote %q while paused", out)
	}
	s.Clear()
	reportFor(s, c, time.Second)
	if out.Len() == 0 {
		t.Error("shows nothing after a pause")
	}
}

func TestProgressLine(t *testing.T) {
	for _, tt := range []struct {
		p    rows.Progress
		want string
	}{
		{rows.Progress{Statement: "CHECK", Stage: "checking", Done: 12, Unit: "objects"}, "CHECK: checking 12 objects"},
		{rows.Progress{Statement: "IMPORT", Stage: "reading", Done: 1_234_567, Unit: "bytes", Rate: 999_600}, "IMPORT: reading 1.18 MiB, 976 KiB/s"},
		{rows.Progress{Statement: "RECONSTRUCT", Stage: "joining", Done: 1, Total: 1.5e9, Unit: "pairs", Rate: 12_345, Remaining: 90 * time.Minute},
			"RECONSTRUCT: joining   0 % of 1.5 G pairs, 12.3 k pairs/s, 1h30m0s left"},
		{rows.Progress{Statement: "EMBED", Stage: "solving", Done: 7, Total: 5, Unit: "steps", Rate: 0.25}, "EMBED: solving 100 % of 5 steps, 0.25 steps/s"},
		{rows.Progress{Statement: "EMBED", Stage: "solving", Done: -1, Total: 5, Unit: "steps"}, "EMBED: solving   0 % of 5 steps"},
	} {
		if got := progressLine(tt.p, ""); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// TestRun_Terminal runs statements with a bar, colours and a timer.
func TestRun_Terminal(t *testing.T) {
	s, c, status := newTestStatus(Terminal{Width: 80, Bar: true, Color: true})
	var out bytes.Buffer
	config := &Config{In: strings.NewReader("CHECK; CHEKC;"), Out: &out, Status: s, Timer: true}
	config.Out = writerFunc(func(p []byte) (int, error) {
		if !strings.HasSuffix(status.String(), "\r\x1b[K") {
			t.Errorf("rows are written behind %q", status)
		}
		return out.Write(p)
	})
	err := run(t.Context(), config, func(context.Context, query.Request) (tabular, error) {
		reportFor(s, c, time.Second)
		return &result{columns: []string{"n"}, rows: [][]rows.Value{{int64(1)}}}, nil
	})
	var failure *Failure
	if !errors.As(err, &failure) || !errors.Is(err, parser.ErrSyntax) {
		t.Errorf("got error %v", err)
	}
	_, after, _ := strings.Cut(status.String(), "\r\x1b[K")
	timing, message, _ := strings.Cut(after, "\n")
	if !strings.HasPrefix(timing, "CHECK: ") || !strings.HasSuffix(timing, " s") {
		t.Errorf("got %q for the time", timing)
	}
	if !strings.HasPrefix(message, "\x1b[1;31merror:\x1b[0m line 1, column 8: ") || !strings.HasSuffix(message, "; did you mean CHECK?\n  CHEKC;\n  \x1b[1;31m^^^^^\x1b[0m\n") {
		t.Errorf("got error %q", message)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestDetect_NoTerminal(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, w := range []io.Writer{&bytes.Buffer{}, file, null} {
		if got := Detect(w, os.Getenv); got != (Terminal{}) {
			t.Errorf("%T is taken for a terminal: %+v", w, got)
		}
	}
}
