package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"heavytail/query/parser"
	"heavytail/storage"
)

// TestWords_Message writes every kind of error in the words of statements and in those
// of a command line.
func TestWords_Message(t *testing.T) {
	flags := Words{
		Option: func(name string) string {
			return map[string]string{"dim": "--dim", "overwrite": "--overwrite", "resume": "--resume"}[name]
		},
		Field: func(name string) string { return map[string]string{"MemoryLimit": "--memory-limit"}[name] },
		Bare:  true,
	}
	placed := OfOption("dim", "is 0, and must be at least 1")
	placed.Range = parser.Range{Start: parser.Pos{Line: 1, Column: 7}}
	other := OfOption("beta", "is 'x'")
	other.Expected = []string{"a number"}
	taken := New(Into, "file \"a\" exists")
	taken.Options = []OptionRemedy{{Purpose: "to replace it", Option: "overwrite", Value: "true"}, {Purpose: "to choose the form", Option: "format"}}
	limit := &LimitError{What: "the graph", Need: 9, Limit: 8, Unit: "bytes", Field: "MemoryLimit"}
	for _, tt := range []struct {
		err         error
		text, flags string
	}{
		{placed, "line 1, column 7: option dim is 0, and must be at least 1", "--dim is 0, and must be at least 1"},
		{other, "option beta is 'x', expected a number", "option beta is 'x', expected a number"},
		{taken, `file "a" exists: to replace it, set the option overwrite := true; to choose the form, set the option format`,
			`file "a" exists: to replace it, set --overwrite; to choose the form, set the option format`},
		{&StatementError{"EMBED", limit}, "EMBED: the graph would take 9 bytes, and MemoryLimit allows 8 bytes", "the graph would take 9 bytes, and --memory-limit allows 8 bytes"},
		{&FieldError{"MemoryLimit", -1, "must not be negative"}, "MemoryLimit (-1) must not be negative", "--memory-limit (-1) must not be negative"},
		{&FieldError{"MaxRows", -1, "must not be negative"}, "MaxRows (-1) must not be negative", "MaxRows (-1) must not be negative"},
		{&PartError{"s.part", 1, limit}, `the graph would take 9 bytes, and MemoryLimit allows 8 bytes; "s.part" has the first 1 pair; to continue it, set the option resume := true`,
			`the graph would take 9 bytes, and --memory-limit allows 8 bytes; "s.part" has the first 1 pair; to continue it, set --resume`},
		{&JobError{3, storage.JobCancelled, context.Canceled}, "context canceled; RESUME JOB 3 continues from its checkpoint", "context canceled; RESUME JOB 3 continues from its checkpoint"},
		{errors.Join(placed, limit), "line 1, column 7: option dim is 0, and must be at least 1\nthe graph would take 9 bytes, and MemoryLimit allows 8 bytes",
			"--dim is 0, and must be at least 1\nthe graph would take 9 bytes, and --memory-limit allows 8 bytes"},
		{fmt.Errorf("%w and %w", limit, ErrClosed), limit.Error() + " and the database is closed", limit.Error() + " and the database is closed"},
		{ErrClosed, "the database is closed", "the database is closed"},
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
	flags := Words{Option: func(name string) string { return "--" + name }}
	for err, want := range map[error]string{
		&StatementError{"EMBED", &JobError{3, storage.JobCancelled, context.Canceled}}: "RESUME JOB 3 continues from its checkpoint",
		&StatementError{"SCORE FILE", &PartError{"s.part", 2, context.Canceled}}:       `"s.part" has the first 2 pairs; to continue it, set --resume`,
		&StatementError{"CHECK", context.Canceled}:                                     "",
	} {
		if got := flags.Remedy(err); got != want {
			t.Errorf("%v: %q, expected %q", err, got, want)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v is not context.Canceled", err)
		}
	}
	if !errors.Is(&FieldError{Field: "Workers"}, ErrInvalid) {
		t.Error("a FieldError is not ErrInvalid")
	}
}
