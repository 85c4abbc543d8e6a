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
	"slices"
	"strings"
	"syscall"

	"heavytail/query/parser"
	"heavytail/storage"
	_ "heavytail/storage/format/arrow"
	_ "heavytail/storage/format/parquet"

	"github.com/spf13/cobra"
)

func main() {
	if err := checkSpace(storage.AddressSpace()); err != nil {
		printError(os.Stderr, err)
		os.Exit(exitFailed)
	}
	if os.Getenv("GOGC") == "" {
		limitGarbage(100)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr, limitMemory: limitMemory})
	stop()
	os.Exit(code)
}

// endings returns the signals that cancel the command, which then saves checkpoints and removes
// its temporary files. SIGHUP is sent when the terminal is closed; under nohup it is ignored.
func endings() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{syscall.SIGTERM}
	}
	return []os.Signal{syscall.SIGTERM, syscall.SIGHUP}
}

// run executes one command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std, needed(args))
	root.SetArgs(args)
	failed, err := root.ExecuteContextC(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		printError(std.err, err)
		fmt.Fprintf(std.err, "Run '%s --help' for usage.\n", failed.CommandPath())
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

// printError prints each of the errors that err joins on a line of its own. It escapes
// them, since they may contain names of files and texts from files, with any characters.
func printError(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "heavytail: %s\n", parser.Escape(strings.TrimSuffix(line, "\n")))
	}
}

type maker struct {
	name string
	make func(std streams) *cobra.Command
}

func commands() []maker {
	return []maker{
		{"shell", newShell}, {"exec", newExec}, {"import", newImport}, {"export", newExport}, {"score", newScore},
		{"describe", newDescribe}, {"check", newCheck}, {"stats", newStats}, {"compact", newCompact}, {"backup", newBackup},
		{"recover", newRecover}, {"serve", newServe}, {"demo", newDemo},
		{"plot", func(std streams) *cobra.Command { return newPlot(plotFile(std)) }}, {"report", newReport},
		{"manual", newManual}, {"man", newMan},
	}
}

// needed returns the commands that a command line needs: the one that it names, none for
// --version alone and for a FILE.ht alone, or else all, for help, completion and corrections. Making
// all of them takes as long as a question to a small file.
func needed(args []string) []maker {
	commands := commands()
	if len(args) == 0 || args[0] == "man" { // man describes all commands
		return commands
	}
	if i := slices.IndexFunc(commands, func(c maker) bool { return c.name == args[0] }); i >= 0 {
		return commands[i : i+1]
	}
	if len(args) == 1 && (args[0] == "--version" || strings.HasSuffix(args[0], ".ht")) {
		return nil
	}
	return commands
}

func newRoot(std streams, list []maker) *cobra.Command {
	root := &cobra.Command{
		Use:   "heavytail [FILE]",
		Short: "Embeddings of scale-free networks in one file",
		Long: `heavytail keeps graphs and the embeddings of their vertices in one file,
computes degree-penalty embeddings, looks up neighbours, reconstructs the
network from the vectors and scores links.

With a FILE alone it opens the shell on it, as the command shell does. Words of
your own shell are completed after 'heavytail completion bash' (or zsh, fish,
powershell), which explains how to install that.`,
		Example: `  heavytail social.ht
  heavytail exec social.ht -c "IMPORT 'facebook_combined.txt.gz' INTO social"`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(badFlag)
	shellOnFile(root, std)
	root.SetHelpCommand(newHelp(std))
	root.CompletionOptions.DisableDefaultCmd = len(list) < len(commands()) // its texts take memory
	for _, c := range list {
		root.AddCommand(c.make(std))
	}
	return root
}
