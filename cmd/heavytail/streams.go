package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// unknownCommand is the error of a word that is neither a command nor a file.
func unknownCommand(cmd *cobra.Command, word string) error {
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	err := fmt.Errorf("unknown command %q", word)
	if near, ok := parser.Suggest(word, known); ok {
		return usageError{fmt.Errorf("%w: did you mean %s?", err, near)}
	}
	return usageError{fmt.Errorf("%w, and there is no file of that name: heavytail shell %s creates it", err, word)}
}

// badFlag makes an error of flags a fault of the command line, and names the
// nearest flag to one that is not known.
func badFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		if name == "detach" {
			return usageError{fmt.Errorf("%w: exec waits for the jobs that it starts, unless heavytail serve has the file open", err)}
		}
		var known []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { known = append(known, flag.Name) })
		if near, ok := parser.Suggest(name, known); ok {
			err = fmt.Errorf("%w: did you mean --%s?", err, near)
		}
	}
	return usageError{err}
}

// version describes this build of the command.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return versionOf(info)
}

// versionOf describes a build: the version of the module, or "development" if the build
// has none; the commit, and whether files were changed since; the version of Go, and the
// platform. A build without git or with -buildvcs=false has no commit, and the text says
// so.
func versionOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "development"
	}
	commit := "commit not recorded"
	if revision := settings["vcs.revision"]; revision != "" {
		commit = "commit " + revision
		if settings["vcs.modified"] == "true" {
			commit += ", modified"
		}
		if at := settings["vcs.time"]; at != "" {
			commit += ", of " + at
		}
	}
	return fmt.Sprintf("%s (%s), %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
