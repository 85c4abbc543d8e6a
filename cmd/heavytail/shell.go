package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/repl"
)

func newShell(std streams) *cobra.Command {
	var flags execFlags
	var noInit bool
	cmd := &cobra.Command{
		Use:   "shell [FILE]",
		Short: "Work on a file interactively",
		Long: `Work on a file interactively: statements over several lines, with completion by
Tab, history, colours, and commands such as .help, .mode and .plot. A FILE that
does not exist is created; without FILE, or with :memory:, the shell works on a store
that is deleted at the end. Where FILE is a file of data, such as edges.csv or social.graphml,
that store has its graph, called by the name of the file. While the shell waits for input,
other processes can use FILE.

Where standard input is no terminal, or with -c or -f, the statements are run as
exec does.

The shell first runs the statements and commands of its startup file, if there is
one: $XDG_CONFIG_HOME/heavytail/init, or ~/.config/heavytail/init. exec does not.`,
		Example: `  heavytail shell social.ht
  heavytail social.ht --read-only
  heavytail edges.csv
  heavytail shell`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exactly(1, "at most one FILE")(cmd, args)
			}
			flags.inline = cmd.Flags().Changed("command")
			if !noInit {
				flags.startup = repl.StartupFile(os.Getenv)
			}
			return runShell(cmd, std, strings.Join(args, ""), flags)
		},
	}
	addExecFlags(cmd, &flags)
	cmd.Flags().BoolVar(&noInit, "no-init", false, "do not run the startup file")
	return cmd
}

// shellOnFile makes heavytail FILE open the shell. A word without a dot or a
// slash is a file only if that file exists: otherwise the word may be a misspelt
// command, which should not create a file.
func shellOnFile(root *cobra.Command, std streams) {
	shell := newShell(std)
	root.Flags().AddFlagSet(shell.Flags())
	root.Args = cobra.ArbitraryArgs
	// The flag that cobra adds itself prints by package text/template, which layout of cmd/report avoids.
	showVersion := root.Flags().BoolP("version", "v", false, "version for heavytail")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *showVersion {
			_, err := fmt.Fprintf(std.out, "heavytail %s\n", version())
			return err
		}
		if len(args) == 0 {
			return cmd.Help()
		}
		if _, err := os.Stat(args[0]); err != nil && args[0] != query.Memory && !strings.ContainsAny(args[0], "./\\") {
			return unknownCommand(cmd, args[0])
		}
		shell.SetContext(cmd.Context())
		return shell.RunE(shell, args)
	}
}

// runShell opens the shell on the file at path, or on a store in memory, with the graph of the file if that
// is one of data.
func runShell(cmd *cobra.Command, std streams, path string, flags execFlags) error {
	if isData(path) {
		flags.data, path = path, query.Memory
	}
	path = cmp.Or(path, query.Memory)
	if path == query.Memory && (flags.options.ReadOnly || flags.options.NoCreate) {
		return usageError{errors.New("expected a FILE with --read-only or --no-create")}
	}
	return openShell(cmd, std, path, flags)
}

// openShell runs the shell on a terminal. With -c or -f, or without a terminal,
// it does the same as exec.
func openShell(cmd *cobra.Command, std streams, path string, flags execFlags) error {
	if flags.inline || flags.script != "" || !repl.Interactive(std.in, std.out) {
		return runExec(cmd, std, path, flags)
	}
	config, options, err := flags.settings(std)
	if err != nil {
		return usageError{err}
	}
	options.ReleaseIdle = true // the shell is idle most of the time, and other processes need the file
	f, err := openOrServed(cmd.Context(), std, path, options, config, flags.data)
	if err != nil {
		return err
	}
	config.DB = f.db
	config.Plot = func(ctx context.Context, out io.Writer, args []string) error {
		return f.plot(std, config.Status)(ctx, out, args) // the file that is open now, perhaps by .open
	}
	shell := repl.ShellConfig{Config: config, Title: path, History: repl.HistoryFile(os.Getenv), Startup: flags.startup, Lookup: os.LookupEnv}
	shell.Open = func(path string) (repl.Database, string, error) {
		if now, err := os.Stat(f.db.Path()); err == nil {
			if other, err := os.Stat(path); err == nil && os.SameFile(now, other) {
				return nil, "", errors.New("this file is open already")
			}
		}
		other, err := openOrServed(cmd.Context(), std, path, options, config, "")
		if err != nil {
			return nil, "", err
		}
		before := f
		f = other
		return f.db, f.mark(flags.options.ReadOnly), before.db.Close()
	}
	shell.Mark = f.mark(flags.options.ReadOnly)
	switch {
	case path == query.Memory:
		shell.Title, shell.Mark = "A store in memory, which is deleted at the end", "in memory"
	case shell.Mark != "":
		shell.Title = path + ", " + shell.Mark
	}
	err = repl.Shell(cmd.Context(), shell)
	if errors.Is(err, repl.ErrStuck) {
		return err // the file cannot be closed: a statement still uses it until the process ends
	}
	return errors.Join(unreported(err), f.db.Close())
}
