package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/repl"
)

// The exit codes of the command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// interruptible returns a context that an interrupt ends, for every command but
// the shell, which continues after one. The first interrupt cancels the running
// statement and leaves the file undamaged. After it the signal has its default
// effect, so that a second interrupt ends the process.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// streams are the standard streams of the process, or those of a test.
type streams struct {
	in       io.Reader
	out, err io.Writer

	limitMemory func(options *query.Options) // for a process of its own; nil in tests
}

// errReported is returned by a command that has printed its error already.
var errReported = errors.New("reported")

// usageError is an error of the command line, in contrast to an error of the
// work.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

func (e usageError) Unwrap() error { return e.err }

// wrongArguments is the error of a command line with too few or too many arguments.
type wrongArguments struct {
	expected string
	found    int
}

func (e wrongArguments) Error() string {
	return fmt.Sprintf("expected %s, found %s", e.expected, count(e.found, "argument"))
}

// exactly requires n arguments, described by what.
func exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// between requires from least to most arguments, described by what.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError{wrongArguments{what, len(args)}}
		}
		return nil
	}
}

// unreported replaces the error of failed statements, which were already
// printed, by errReported. Other errors stay the same.
func unreported(err error) error {
	var failure *repl.Failure
	if errors.As(err, &failure) {
		return errReported
	}
	return err
}

// must panics on an error that only a bug of this program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// count returns a number with its noun, in the singular or the plural.
func count[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "ex"):
		return fmt.Sprintf("%d %sices", n, strings.TrimSuffix(thing, "ex"))
	case strings.HasSuffix(thing, "s"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
