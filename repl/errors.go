package repl

import (
	"context"
	"errors"
	"fmt"
)

// ErrFormat is wrapped if the name of a format is unknown.
var ErrFormat = errors.New("unknown format")

// Failure is the error of a run in which statements failed. Each of them was
// reported to the Status.
type Failure struct {
	Count int   // statements that failed
	First error // the first error; if the context ended the run, that error
}

// Error returns how many statements failed.
func (f *Failure) Error() string {
	if f.Count == 1 {
		return "1 statement failed"
	}
	return fmt.Sprintf("%d statements failed", f.Count)
}

// Unwrap returns First.
func (f *Failure) Unwrap() error { return f.First }

func (f *Failure) add(err error) {
	if f.First == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		f.First = err
	}
	f.Count++
}

// join adds the failures of a script that .read has run.
func (f *Failure) join(inner *Failure) {
	f.add(inner.First)
	f.Count += inner.Count - 1
}

func (f *Failure) orNil() error {
	if f.Count == 0 {
		return nil
	}
	return f
}

// outputError is an error of Config.Out, after which no result can be written.
type outputError struct{ err error }

func (e *outputError) Error() string { return "write rows: " + e.err.Error() }

func (e *outputError) Unwrap() error { return e.err }
