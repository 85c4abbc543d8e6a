package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

// This file makes commands of single statements: their options become flags,
// and the statement that a command line stands for runs as one of exec does, so
// that rows, progress, notices and errors are the same.

// addOptions gives a command a flag for every option of a statement, with the
// words of HELP. A flag that is there already keeps its meaning.
func addOptions(cmd *cobra.Command, statement string) {
	for _, o := range statementOptions(statement) {
		name := flagName(o.Name)
		if cmd.Flags().Lookup(name) != nil {
			continue
		}
		doc := o.Doc
		if o.Choices != nil {
			doc += ": " + strings.Join(o.Choices, ", ")
		}
		switch o.Type {
		case "bool":
			cmd.Flags().Bool(name, false, doc)
		case "int":
			cmd.Flags().Int64(name, 0, doc+" (default "+o.Default+")")
			cmd.Flags().Lookup(name).DefValue = "0" // which is not shown: the words have the true one
		default:
			cmd.Flags().String(name, strings.Trim(o.Default, "'"), doc)
		}
		if o.Choices != nil {
			must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(o.Choices, cobra.ShellCompDirectiveNoFileComp)))
		}
	}
}

// statementOptions are the options that HELP tells of a statement.
func statementOptions(statement string) []query.OptionInfo {
	for _, h := range query.Helps() {
		if h.Statement == statement {
			return h.Options
		}
	}
	panic("no statement " + statement)
}

// flagName is the flag of an option.
func flagName(option string) string { return strings.ReplaceAll(option, "_", "-") }

// givenOptions are the options of statements that the user has set by flags, in
// the order of HELP.
func givenOptions(cmd *cobra.Command, statements ...string) []parser.Option {
	var given []parser.Option
	for _, statement := range statements {
		for _, o := range statementOptions(statement) {
			flag := cmd.Flags().Lookup(flagName(o.Name))
			known := slices.ContainsFunc(given, func(g parser.Option) bool { return g.Name.Name == o.Name })
			if flag.Changed && !known {
				given = append(given, parser.Option{Name: parser.Ident{Name: o.Name}, Value: literal(flag.Value.Type(), flag.Value.String())})
			}
		}
	}
	return given
}

// literal is the value of a flag in the language.
func literal(kind, text string) parser.Value {
	switch kind {
	case "bool":
		return parser.Bool{Value: text == "true"}
	case "int64":
		n, err := strconv.ParseInt(text, 10, 64)
		must(err)
		return parser.Int{Value: n}
	}
	return parser.String{Value: text}
}

// addFormat gives a command the flag for the form of its rows.
func addFormat(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "table", "how results are printed: "+strings.Join(repl.Formats(), ", "))
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(repl.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// runner runs statements on one open file and prints their rows.
type runner struct {
	ctx    context.Context
	db     *query.DB
	std    streams
	status *repl.Status
	format repl.Format
}

// runOn opens the file at path, calls f, and closes the file. The format is that
// of the rows.
func runOn(cmd *cobra.Command, std streams, path string, options query.Options, format string, f func(*runner) error) error {
	rows, err := repl.ParseFormat(format)
	if err != nil {
		return usageError{err}
	}
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	options.Progress = status.Progress
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	db, err := query.Open(path, &options)
	if err != nil {
		return err
	}
	err = f(&runner{ctx, db, std, status, rows})
	status.Clear()
	return errors.Join(err, db.Close())
}

// runStatement runs one statement on the file at path.
func runStatement(cmd *cobra.Command, std streams, path string, options query.Options, format string, statement parser.Statement) error {
	return runOn(cmd, std, path, options, format, func(r *runner) error { return r.run(statement) })
}

// run runs one statement. Its text is parsed again on the way, so that errors
// can show it.
func (r *runner) run(statement parser.Statement) error {
	return unreported(repl.Run(r.ctx, repl.Config{
		DB: r.db, In: strings.NewReader(statement.String()), Out: r.std.out, Status: r.status, Format: r.format,
	}))
}

// between requires from least to most arguments, described by what.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usageError{fmt.Errorf("expected %s, found %s", what, count(len(args), "argument"))}
		}
		return nil
	}
}
