package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
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

// addOptions gives a command a flag for every option of a statement.
func addOptions(cmd *cobra.Command, statement string) { addFlags(cmd, statementOptions(statement)) }

// addFlags gives a command a flag for every option, with the words of HELP. A flag
// that is there already keeps its meaning.
func addFlags(cmd *cobra.Command, options []query.OptionInfo) {
	for _, o := range options {
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
			cmd.Flags().Bool(name, o.Default == "TRUE", doc)
		case "int":
			cmd.Flags().Int64(name, 0, doc+shownDefault(o))
		case "float":
			cmd.Flags().Float64(name, 0, doc+shownDefault(o))
		default:
			cmd.Flags().String(name, strings.Trim(o.Default, "'"), doc)
		}
		if o.Choices != nil {
			must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(o.Choices, cobra.ShellCompDirectiveNoFileComp)))
		}
	}
}

// shownDefault is the default of a number in the words of its flag. Who does not give
// the flag leaves the option out, so that the flag has none of its own.
func shownDefault(o query.OptionInfo) string {
	if o.Default == "" {
		return ""
	}
	return " (default " + o.Default + ")"
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

// givenOptions are the options of a statement that the user has set by flags, in
// the order of HELP.
func givenOptions(cmd *cobra.Command, statement string) []parser.Option {
	return givenFlags(cmd, statementOptions(statement))
}

// givenFlags are those of some options that the user has set by flags.
func givenFlags(cmd *cobra.Command, options []query.OptionInfo) []parser.Option {
	var given []parser.Option
	for _, o := range options {
		if flag := cmd.Flags().Lookup(flagName(o.Name)); flag.Changed {
			given = append(given, parser.Option{Name: parser.Ident{Name: o.Name}, Value: literal(flag.Value.Type(), flag.Value.String())})
		}
	}
	return given
}

// refuseOthers is the error of a flag that was given and is an option of other
// statements only, where the command stands for one of several.
func refuseOthers(cmd *cobra.Command, statement string, others ...string) error {
	for _, other := range others {
		for _, o := range statementOptions(other) {
			has := func(own query.OptionInfo) bool { return own.Name == o.Name }
			if cmd.Flags().Changed(flagName(o.Name)) && !slices.ContainsFunc(statementOptions(statement), has) {
				return usageError{fmt.Errorf("--%s is for %s, not for %s", flagName(o.Name), other, statement)}
			}
		}
	}
	return nil
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
	case "float64":
		x, err := strconv.ParseFloat(text, 64)
		must(err)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			break // no number of the language: refused as the text that it is
		}
		return parser.Float{Value: x}
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
	cmd    *cobra.Command
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
	err = f(&runner{cmd, ctx, db, std, status, rows})
	status.Clear()
	return errors.Join(err, db.Close())
}

// runStatement runs one statement on the file at path.
func runStatement(cmd *cobra.Command, std streams, path string, options query.Options, format string, statement parser.Statement) error {
	return runOn(cmd, std, path, options, format, func(r *runner) error { return r.run(statement) })
}

// run runs one statement. Its errors do not show it, since the user has written
// a command line, and speak of flags.
func (r *runner) run(statement parser.Statement) error {
	return unreported(repl.Run(r.ctx, repl.Config{
		DB: r.db, In: strings.NewReader(statement.String()), Out: r.std.out, Status: r.status, Format: r.format,
		Unplaced: true, Reword: func(message string) string { return inFlags(r.cmd, message) },
	}))
}

// optionInMessage is how errors name the option of a statement.
var optionInMessage = regexp.MustCompile(`(?:the )?option "?([a-z_]+)"?( := true)?`)

// statementInMessage is how errors begin that have no place in the statement.
var statementInMessage = regexp.MustCompile(`^[A-Z ]+: `)

// inFlags words the error of a statement for who gave its options as flags.
func inFlags(cmd *cobra.Command, message string) string {
	message = statementInMessage.ReplaceAllString(message, "")
	return optionInMessage.ReplaceAllStringFunc(message, func(found string) string {
		name := flagName(optionInMessage.FindStringSubmatch(found)[1])
		if cmd.Flags().Lookup(name) == nil {
			return found
		}
		return "--" + name
	})
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
