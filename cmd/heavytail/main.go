// Command heavytail works on heavytail files from the command line: it runs
// statements, checks a file, and shows in a demonstration what the statements
// do.
//
// Exit codes: 0 all done, 1 something failed, 2 the command line was wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"heavytail/query/parser"
)

const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}

// interruptible returns a context that an interrupt ends, for every command but
// the shell, which goes on after one. The first interrupt cancels what runs and
// leaves the file good; after it the signal has its usual effect again, so that a
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

// errReported is returned by a command that has told the user already.
var errReported = errors.New("reported")

// usageError is a fault of the command line, as against one of the work.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		printError(std.err, err)
		fmt.Fprintln(std.err, "Run 'heavytail --help' for usage.")
		return exitUsage
	case errors.Is(err, errReported):
		return exitFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(std.err, "heavytail: cancelled")
		return exitFailed
	default:
		printError(std.err, err)
		return exitFailed
	}
}

// printError prints an error in one line for each of those that it joins. It may
// hold names of files and texts from them, which may hold anything.
func printError(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "heavytail: %s\n", parser.Escape(strings.TrimSuffix(line, "\n")))
	}
}

// newRoot builds the tree of commands.
func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "heavytail [FILE]",
		Short: "Embeddings of scale-free networks in one file",
		Long: `heavytail keeps graphs and the embeddings of their vertices in one file,
computes degree-penalty embeddings, looks up neighbours, rebuilds the network
from the vectors and scores links.

With a FILE alone it opens the shell on it, as the command shell does. Words of
your own shell are completed after 'heavytail completion bash' (or zsh, fish,
powershell), which explains how to install that.`,
		Example: `  heavytail social.ht
  heavytail exec social.ht -c "IMPORT 'facebook_combined.txt.gz' INTO social"`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(badFlag)
	root.SetVersionTemplate("heavytail {{.Version}}\n")
	shellOnFile(root, std)
	root.AddCommand(newShell(std), newExec(std), newImport(std), newExport(std), newScore(std), newDescribe(std),
		newCheck(std), newStats(std), newCompact(std), newBackup(std), newMigrate(std), newRecover(std), newDemo(std), newPlot(std), newBench(std))
	return root
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
	return usageError{fmt.Errorf("%w, and there is no file of that name: heavytail shell %s makes one", err, word)}
}

// badFlag makes an error of flags a fault of the command line, and names the
// nearest flag to one that is not known.
func badFlag(cmd *cobra.Command, err error) error {
	if name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --"); unknown {
		var known []string
		for _, word := range strings.Fields(cmd.Flags().FlagUsages()) {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				known = append(known, flag)
			}
		}
		if near, ok := parser.Suggest(name, known); ok {
			err = fmt.Errorf("%w: did you mean --%s?", err, near)
		}
	}
	return usageError{err}
}

// exactly requires n arguments, described by what.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("expected %s, found %s", what, count(len(args), "argument"))}
		}
		return nil
	}
}

// version is that of the module where it was installed by version, or the
// revision that it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return "development " + setting.Value
		}
	}
	return "development"
}
