package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/cmd/heavytail/manual"
	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/repl"
)

// This file turns single statements into commands. The options of the statement become
// flags; the flags and arguments become a request, which is answered like a statement
// of exec, with the same rows, progress, notices and errors.

func addOptions(cmd *cobra.Command, statement string) { addFlags(cmd, statementOptions(statement)) }

// addFlags gives a command a flag for every option, with the words of HELP. A flag
// that the command already has stays unchanged.
func addFlags(cmd *cobra.Command, options []option.Info) {
	for _, o := range options {
		name := flagName(o.Name)
		if cmd.Flags().Lookup(name) != nil {
			continue
		}
		doc := o.Doc
		if o.Choices != nil && o.Type == "text" {
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
			cmd.Flags().Var(&textFlag{strings.Trim(o.Default, "'"), o.Choices}, name, doc)
		}
		if o.Choices != nil && o.Type == "text" {
			must(cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(o.Choices, cobra.ShellCompDirectiveNoFileComp)))
		}
	}
}

// textFlag is a flag for a text. If it has choices, it accepts only these.
type textFlag struct {
	text    string
	choices []string // nil for any
}

func (f *textFlag) String() string { return f.text }
func (f *textFlag) Type() string   { return "string" }

func (f *textFlag) Set(text string) error {
	if f.choices != nil && !slices.Contains(f.choices, text) {
		return fmt.Errorf("expected %s", words(f.choices, "or"))
	}
	f.text = text
	return nil
}

// words joins two or more words by commas, with the word before, such as "or", before
// the last one.
func words(list []string, before string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + before + " " + list[last]
}

// shownDefault returns the default of a number for the help of its flag. The flag
// itself has no default: if it is not given, the statement has no such option.
func shownDefault(o option.Info) string {
	if o.Default == "" {
		return ""
	}
	return " (default " + o.Default + ")"
}

func statementOptions(statement string) []option.Info {
	for _, h := range query.Helps() {
		if h.Statement == statement {
			return h.Options
		}
	}
	panic("no statement " + statement)
}

// require makes a missing flag an error of the command line.
func require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		must(cmd.MarkFlagRequired(name)) // for completion
	}
	args := cmd.Args
	cmd.Args = func(cmd *cobra.Command, given []string) error {
		for _, name := range names {
			if !cmd.Flags().Changed(name) {
				return usageError{fmt.Errorf("--%s is missing: %s", name, cmd.UseLine())}
			}
		}
		return args(cmd, given)
	}
}

func flagName(option string) string { return strings.ReplaceAll(option, "_", "-") }

// given returns the options that the user has set by flags, which addFlags has added.
func given(cmd *cobra.Command, options []option.Info) (list []option.Given) {
	for _, o := range options {
		name := flagName(o.Name)
		if !cmd.Flags().Changed(name) {
			continue
		}
		var value any
		var err error
		switch o.Type {
		case "bool":
			value, err = cmd.Flags().GetBool(name)
		case "int":
			value, err = cmd.Flags().GetInt64(name)
		case "float":
			value, err = cmd.Flags().GetFloat64(name)
		default:
			value, err = cmd.Flags().GetString(name)
		}
		must(err)
		list = append(list, option.Given{Name: o.Name, Value: value})
	}
	return list
}

// refuseOthers returns an error if a flag was given that is an option of the other
// statements only. It is for commands that run one of several statements.
func refuseOthers(cmd *cobra.Command, statement string, others ...string) error {
	for _, other := range others {
		for _, o := range statementOptions(other) {
			has := func(own option.Info) bool { return own.Name == o.Name }
			if cmd.Flags().Changed(flagName(o.Name)) && !slices.ContainsFunc(statementOptions(statement), has) {
				return usageError{fmt.Errorf("--%s is for %s, not for %s", flagName(o.Name), other, statement)}
			}
		}
	}
	return nil
}

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

// openFile opens the file at path and prints notices about it.
func openFile(std streams, path string, options *query.Options) (*query.DB, error) {
	if std.limitMemory != nil {
		std.limitMemory(options)
	}
	options.Manual = manual.Files
	db, err := query.Open(path, options)
	if err != nil {
		return nil, served(path, err)
	}
	for _, n := range db.Notices() {
		fmt.Fprintf(std.err, "notice: %s\n", parser.Escape(n.Text))
	}
	return db, nil
}

// runOn opens the file at path, calls f, and closes the file. format is the format of
// the rows.
func runOn(cmd *cobra.Command, std streams, path string, options query.Options, format string, f func(*runner) error) error {
	rows, err := repl.ParseFormat(format)
	if err != nil {
		return usageError{err}
	}
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	options.Progress, options.Notice = status.Progress, status.Notice
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	db, err := openFile(std, path, &options)
	if err != nil {
		return err
	}
	err = f(&runner{cmd, ctx, db, std, status, rows})
	status.Clear()
	return errors.Join(err, db.Close())
}

func runStatement(cmd *cobra.Command, std streams, path string, options query.Options, format, statement string, request any) error {
	return runOn(cmd, std, path, options, format, func(r *runner) error { return r.answer(statement, request) })
}

// answer runs one statement by its request and the flags of its options. Its errors do not show the statement,
// since the user has written a command line, and they name flags instead of options.
func (r *runner) answer(statement string, request any) error {
	return unreported(repl.Answer(r.ctx, r.config(), statement, request, given(r.cmd, statementOptions(statement))...))
}

// config is how the runner prints rows.
func (r *runner) config() repl.Config {
	return repl.Config{DB: r.db, Out: r.std.out, Status: r.status, Format: r.format, Words: flagWords(r.cmd)}
}

// flagWords returns the flags of a command as the names of options and limits in
// errors.
func flagWords(cmd *cobra.Command) fault.Words {
	flag := func(name string) string {
		if cmd.Flags().Lookup(name) == nil {
			return ""
		}
		return "--" + name
	}
	return fault.Words{
		Option: func(name string) string { return flag(flagName(name)) },
		Field:  func(name string) string { return flag(fieldFlags[name]) },
		Bare:   true,
	}
}

// fieldFlags are the flags that set fields of query.Options.
var fieldFlags = map[string]string{"Workers": "workers", "MemoryLimit": "memory-limit", "MaxRows": "max-rows", "TimeLimit": "time-limit", "MaxClients": "max-clients"}
