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

	"heavytail/repl"
)

// How a process of the command ends.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// interruptible returns a context that an interrupt ends, for every command but
// the shell, which continues after one. The first interrupt cancels what runs and
// leaves the file sound; after it the signal has its usual effect again, so that a
// second one always ends the process.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// streams are the standard streams of the process, or those of a test.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// errReported is returned by a command that has printed its error already.
var errReported = errors.New("reported")

// usageError is a fault of the command line, as against one of the work.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

func (e usageError) Unwrap() error { return e.err }

// exactly requires n arguments, described by what.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("expected %s, found %s", what, count(len(args), "argument"))}
		}
		return nil
	}
}

// unreported turns statements that failed, of which the user knows already, into
// errReported; other errors pass.
func unreported(err error) error {
	var failure *repl.Failure
	if errors.As(err, &failure) {
		return errReported
	}
	return err
}

// must stops on a fault of this program itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// count writes a number of things.
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
