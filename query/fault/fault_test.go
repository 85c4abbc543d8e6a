package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/storage"
)

func TestAmount(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "bytes", "0 bytes"},
		{1, "edges", "1 edges"},
		{0.25, "steps", "0.25 steps"},
		{999, "edges", "999 edges"},
		{999.6, "edges", "1 k edges"},
		{12_345, "pairs", "12.3 k pairs"},
		{1.5e9, "pairs", "1.5 G pairs"},
		{1e25, "pairs", "10000000 E pairs"},
		{1000, "bytes", "1000 bytes"},
		{1023, "bytes", "1023 bytes"},
		{1024, "bytes", "1 KiB"},
		{20e6, "bytes", "19.1 MiB"},
		{1000 << 10, "bytes", "1000 KiB"},
		{8 << 30, "bytes", "8 GiB"},
	} {
		if got := fault.Amount(tt.x, tt.unit); got != tt.want {
			t.Errorf("%v %s: got %q, want %q", tt.x, tt.unit, got, tt.want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "10": 10, "1048576": 1 << 20, "10b": 10, "500MB": 500e6, "4GiB": 4 << 30, "1.5 gib": 3 << 29, "1e3kB": 1e6, "0.5B": 0,
	} {
		if got, err := fault.ParseBytes(text); err != nil || got != want {
			t.Errorf("%q: got %d and %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GiB", "4G", "-1", "-0.5GB", "NaN", "Inf", "1 2", "8EiB", "9223372036854775808", "4GiBs"} {
		if got, err := fault.ParseBytes(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

// The two figures of an error differ even if their first three digits are equal.
func TestLimitError_NeedAndLimitDiffer(t *testing.T) {
	for _, tt := range []struct {
		need, limit int64
		want        string
	}{
		{3 << 30, 2 << 30, "x would take 3 GiB, and MemoryLimit allows 2 GiB"},
		{8<<30 + 1, 8 << 30, "x would take 8589934593 bytes, and MemoryLimit allows 8589934592 bytes"},
	} {
		err := &fault.LimitError{What: "x", Need: tt.need, Limit: tt.limit, Unit: "bytes", Field: "MemoryLimit"}
		if got := err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// Text that came from data cannot control a terminal.
func TestQuote_EscapesWhatATerminalObeys(t *testing.T) {
	hostile := "a\x1b[2J\r\n\u202eevil\u200b\xff" + strings.Repeat("x", 100)
	for _, text := range []string{fault.Quote(hostile), fault.QuoteKey(hostile), fault.Name(hostile)} {
		for _, r := range text {
			if r < 0x20 || r == 0x7f || r == '\u202e' || r == '\u200b' || r == '\ufffd' {
				t.Errorf("%q has %U", text, r)
			}
		}
		if len(text) > 200 {
			t.Errorf("%d bytes", len(text))
		}
	}
	if got := fault.QuoteKey("o'neil \"x\""); got != `'o''neil "x"'` {
		t.Errorf("quoteKey: %s", got)
	}
}

// TestWords_Message writes every kind of error in the words of statements and in those
// of a command line.
func TestWords_Message(t *testing.T) {
	flags := fault.Words{
		Option: func(name string) string {
			return map[string]string{"dim": "--dim", "overwrite": "--overwrite", "resume": "--resume"}[name]
		},
		Field: func(name string) string { return map[string]string{"MemoryLimit": "--memory-limit"}[name] },
		Bare:  true,
	}
	placed := fault.OfOption("dim", "is 0, and must be at least 1")
	placed.Range = parser.Range{Start: parser.Pos{Line: 1, Column: 7}}
	other := fault.OfOption("beta", "is 'x'")
	other.Expected = []string{"a number"}
	taken := fault.New(fault.Into, "file \"a\" exists")
	taken.Options = []fault.OptionRemedy{{Purpose: "to replace it", Option: "overwrite", Value: "true"}, {Purpose: "to choose the form", Option: "format"}}
	limit := &fault.LimitError{What: "the graph", Need: 9, Limit: 8, Unit: "bytes", Field: "MemoryLimit"}
	for _, tt := range []struct {
		err         error
		text, flags string
	}{
		{placed, "line 1, column 7: option dim is 0, and must be at least 1", "--dim is 0, and must be at least 1"},
		{other, "option beta is 'x', expected a number", "option beta is 'x', expected a number"},
		{taken, `file "a" exists: to replace it, set the option overwrite := true; to choose the form, set the option format`,
			`file "a" exists: to replace it, set --overwrite; to choose the form, set the option format`},
		{&fault.StatementError{Statement: "EMBED", Err: limit}, "EMBED: the graph would take 9 bytes, and MemoryLimit allows 8 bytes", "the graph would take 9 bytes, and --memory-limit allows 8 bytes"},
		{&fault.FieldError{Field: "MemoryLimit", Value: -1, Message: "must not be negative"}, "MemoryLimit (-1) must not be negative", "--memory-limit (-1) must not be negative"},
		{&fault.FieldError{Field: "MaxRows", Value: -1, Message: "must not be negative"}, "MaxRows (-1) must not be negative", "MaxRows (-1) must not be negative"},
		{&fault.PartError{File: "s.part", Pairs: 1, Err: limit}, `the graph would take 9 bytes, and MemoryLimit allows 8 bytes; "s.part" has the first 1 pair; to continue it, set the option resume := true`,
			`the graph would take 9 bytes, and --memory-limit allows 8 bytes; "s.part" has the first 1 pair; to continue it, set --resume`},
		{&fault.JobError{Job: 3, State: storage.JobCancelled, Err: context.Canceled}, "context canceled; RESUME JOB 3 continues from its checkpoint", "context canceled; RESUME JOB 3 continues from its checkpoint"},
		{errors.Join(placed, limit), "line 1, column 7: option dim is 0, and must be at least 1\nthe graph would take 9 bytes, and MemoryLimit allows 8 bytes",
			"--dim is 0, and must be at least 1\nthe graph would take 9 bytes, and --memory-limit allows 8 bytes"},
		{fmt.Errorf("%w and %w", limit, fault.ErrClosed), limit.Error() + " and the database is closed", limit.Error() + " and the database is closed"},
		{fault.ErrClosed, "the database is closed", "the database is closed"},
	} {
		if got := tt.err.Error(); got != tt.text {
			t.Errorf("%T: %s\nexpected %s", tt.err, got, tt.text)
		}
		if got := flags.Message(tt.err); got != tt.flags {
			t.Errorf("%T as flags: %s\nexpected %s", tt.err, got, tt.flags)
		}
	}
}

// TestWords_Remedy finds what continues an error behind other errors.
func TestWords_Remedy(t *testing.T) {
	flags := fault.Words{Option: func(name string) string { return "--" + name }}
	for err, want := range map[error]string{
		&fault.StatementError{Statement: "EMBED", Err: &fault.JobError{Job: 3, State: storage.JobCancelled, Err: context.Canceled}}: "RESUME JOB 3 continues from its checkpoint",
		&fault.StatementError{Statement: "SCORE FILE", Err: &fault.PartError{File: "s.part", Pairs: 2, Err: context.Canceled}}:      `"s.part" has the first 2 pairs; to continue it, set --resume`,
		&fault.StatementError{Statement: "CHECK", Err: context.Canceled}:                                                            "",
	} {
		if got := flags.Remedy(err); got != want {
			t.Errorf("%v: %q, expected %q", err, got, want)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v is not context.Canceled", err)
		}
	}
	if !errors.Is(&fault.FieldError{Field: "Workers"}, fault.ErrInvalid) {
		t.Error("a fault.FieldError is not ErrInvalid")
	}
}
