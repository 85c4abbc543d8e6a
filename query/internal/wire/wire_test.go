package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"

	"pgregory.net/rapid"
)

// TestAny writes and reads values of every type: the same value of the same type comes back.
func TestAny(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, value any) {
		text, err := json.Marshal(Any{value})
		if err != nil {
			t.Errorf("%v: %v", value, err)
			return
		}
		var back Any
		if err := json.Unmarshal(text, &back); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if x, ok := value.(float64); ok && math.IsNaN(x) {
			y, ok := back.Value.(float64)
			if !ok || !math.IsNaN(y) {
				t.Errorf("NaN is %v", back.Value)
			}
			return
		}
		if !reflect.DeepEqual(back.Value, value) {
			t.Errorf("%T %v is %s and then %T %v", value, value, text, back.Value, back.Value)
		}
	}
	for _, value := range []any{
		nil, "", "\xff", "a\u2028\"<b>\x00", int64(math.MinInt64), int64(math.MaxInt64), 0.0, 1.0, 1e21, 5e-324, math.MaxFloat64,
		math.Inf(1), math.Inf(-1), math.NaN(), true, false, rows.Untyped("007"), []float64{1, -0.5, 1e300},
	} {
		check(t, value)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.OneOf(
			rapid.String().AsAny(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }).AsAny(),
			rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(),
		).Draw(t, "value"))
	})
	if _, err := json.Marshal(Any{struct{}{}}); err == nil {
		t.Error("a value of no known type is written")
	}
}

// again is an error that was sent.
func again(t *testing.T, err error) error {
	t.Helper()
	text, failed := json.Marshal(ErrorOf(err))
	if failed != nil {
		t.Fatal(failed)
	}
	var e *Error
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	return e.Err()
}

// TestError_Sentinels expects errors.Is to find every sentinel again, alone and below other errors.
func TestError_Sentinels(t *testing.T) {
	for _, c := range codes() {
		if got := again(t, c.Err); got != c.Err {
			t.Errorf("%s is %#v", c.Name, got)
		}
		for _, err := range []error{
			fmt.Errorf("wrapped: %w", c.Err),
			&fault.StatementError{Statement: "CHECK", Err: fmt.Errorf("read: %w", c.Err)},
			fault.New(fault.Graph, "a mistake").WithErr(c.Err),
			errors.Join(errors.New("another"), c.Err),
		} {
			got := again(t, err)
			if !errors.Is(got, c.Err) || got.Error() != err.Error() {
				t.Errorf("%v (%s) is %v", err, c.Name, got)
			}
			for _, other := range codes() {
				if errors.Is(got, other.Err) != errors.Is(err, other.Err) {
					t.Errorf("%v is %s: %v", err, other.Name, errors.Is(got, other.Err))
				}
			}
		}
	}
}

// TestError_Kinds sends each kind of error, and expects the same text in every choice of words, the same remedy, and
// the same fields.
func TestError_Kinds(t *testing.T) {
	place := parser.Range{Start: parser.Pos{Offset: 3, Line: 1, Column: 4}, End: parser.Pos{Offset: 7, Line: 2, Column: 1}}
	_, syntax := parser.Parse("SHOW\nGRAPSH")
	mistake := fault.OfOption("dim", "is 0").WithNearest("spce", []string{"spec"}, nil).WithExpected("a", "b").WithRemedy("remedy").WithOption("to replace", "overwrite", "TRUE")
	mistake.Range = place
	limit := &fault.LimitError{What: "the answer", Need: 5, Limit: 4, Unit: "rows", Field: "MaxRows"}
	words := []fault.Words{{}, {Bare: true}, {Option: func(name string) string { return "--" + name }, Field: func(name string) string { return "--" + name }}}
	for _, err := range []error{
		syntax, mistake, limit,
		&fault.FieldError{Field: "Workers", Value: -1, Message: "must not be negative"},
		&fault.StatementError{Statement: "EMBED", Err: limit},
		&fault.StatementError{Statement: "EMBED", Err: &fault.JobError{Job: 7, State: storage.JobInterrupted, Err: context.Canceled}},
		&fault.JobError{Job: 7, State: storage.JobRunning, Err: context.DeadlineExceeded},
		&fault.PartError{File: "a\nb", Pairs: 1, Err: context.Canceled},
		errors.Join(mistake, limit),
		fmt.Errorf("query: %w", mistake),
		&storage.FileError{Path: "f", Err: storage.ErrLocked, Remedy: "wait"},
		errors.New(""),
	} {
		got := again(t, err)
		for _, w := range words {
			if w.Message(got) != w.Message(err) || w.Remedy(got) != w.Remedy(err) {
				t.Errorf("%T %q is %T %q", err, w.Message(err), got, w.Message(got))
			}
		}
		var a, b *fault.Error
		if errors.As(err, &a) != errors.As(got, &b) || a != nil && (a.Range != b.Range || a.At != b.At || a.Found != b.Found) {
			t.Errorf("%v is %v", err, got)
		}
	}
	if ErrorOf(nil) != nil || (*Error)(nil).Err() != nil {
		t.Error("no error is one")
	}
}

// FuzzMessage reads lines, which must not panic, and a value that is read must be written again.
func FuzzMessage(f *testing.F) {
	f.Add([]byte(`{"id":1,"statement":"SHOW GRAPHS","params":{"a":{"float":"NaN"},"b":[1,2],"c":{"base64":"/w=="}}}`))
	f.Add([]byte(`{"hello":1,"token":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m Message
		if json.Unmarshal(text, &m) != nil {
			return
		}
		for _, value := range m.Params {
			if _, err := json.Marshal(value); err != nil {
				t.Error(err)
			}
		}
		var e Error
		if json.Unmarshal(text, &e) == nil && e.Err() == nil {
			t.Error("an error is nil")
		}
	})
}
