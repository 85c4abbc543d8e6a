package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/repl"
)

// execFlags are the flags of exec.
type execFlags struct {
	command   string
	inline    bool // command was given, if only as an empty text
	script    string
	format    string
	params    []string
	readOnly  bool
	noCreate  bool
	keepGoing bool
	timer     bool
	workers   int
	memory    int64
}

// newExec is the command that runs statements.
func newExec(std streams) *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:   "exec FILE [-c STATEMENTS | -f SCRIPT]",
		Short: "Run statements on a file",
		Long: `Run statements on a heavytail file, from -c, from a script, or from standard
input, and print their results to standard output. Progress, notices and errors
go to standard error. A file that does not exist is created.`,
		Example: `  heavytail exec social.ht -c "IMPORT 'facebook_combined.txt.gz' INTO social"
  heavytail exec social.ht -c 'NEAREST 10 TO $who USING spec' --param who=alice --format json
  heavytail exec social.ht -f night.script --keep-going > night.txt
  echo 'SHOW GRAPHS' | heavytail exec social.ht --format csv`,
		Args: exactly(1, "one FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.inline = cmd.Flags().Changed("command")
			return runExec(cmd, std, args[0], flags)
		},
	}
	addExecFlags(cmd, &flags)
	return cmd
}

// addExecFlags adds the flags that exec and the shell have in common.
func addExecFlags(cmd *cobra.Command, flags *execFlags) {
	f := cmd.Flags()
	f.StringVarP(&flags.command, "command", "c", "", "statements to run, separated by semicolons")
	f.StringVarP(&flags.script, "file", "f", "", "script to run; - is standard input")
	f.StringVar(&flags.format, "format", "table", "how results are printed: "+strings.Join(repl.Formats(), ", "))
	f.StringArrayVar(&flags.params, "param", nil, "parameter as name=value, for $name in the statements; may be repeated")
	f.BoolVar(&flags.readOnly, "read-only", false, "open the file for reading, beside other readers")
	f.BoolVar(&flags.noCreate, "no-create", false, "fail where the file does not exist")
	f.BoolVar(&flags.keepGoing, "keep-going", false, "go on after a statement that failed; the exit code is 1 all the same")
	f.BoolVar(&flags.timer, "timer", false, "print how long each statement took")
	f.IntVar(&flags.workers, "workers", 0, "processors to compute with; 0 is all")
	f.Int64Var(&flags.memory, "memory-limit", 0, "bytes that graphs and vectors may take; 0 is the default, 8 GiB")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(repl.Formats(), cobra.ShellCompDirectiveNoFileComp)))
}

// runExec runs the statements of one call of exec.
func runExec(cmd *cobra.Command, std streams, path string, flags execFlags) error {
	config, options, err := flags.settings(std)
	if err != nil {
		return usageError{err}
	}
	options.Input = importInput(std, flags)
	source, closeSource, err := openSource(std, flags)
	if err != nil {
		return err
	}
	defer closeSource()
	db, err := query.Open(path, options)
	if err != nil {
		return err
	}
	config.DB, config.In = db, source
	if config.Name = flags.script; flags.script == "-" {
		config.Name = ""
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	err = repl.Run(ctx, config)
	return errors.Join(unreported(err), db.Close())
}

// settings are what the flags say about running statements, and about opening the
// file.
func (f execFlags) settings(std streams) (repl.Config, *query.Options, error) {
	if f.inline && f.script != "" {
		return repl.Config{}, nil, errors.New("expected -c or -f, found both")
	}
	format, err := repl.ParseFormat(f.format)
	if err != nil {
		return repl.Config{}, nil, err
	}
	params, err := parseParams(f.params)
	if err != nil {
		return repl.Config{}, nil, err
	}
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	options := &query.Options{
		ReadOnly: f.readOnly, NoCreate: f.noCreate, Workers: f.workers,
		MemoryLimit: f.memory, Progress: status.Progress,
	}
	config := repl.Config{
		Out: std.out, Status: status, Format: format, Params: params, KeepGoing: f.keepGoing, Timer: f.timer,
		Reword: fieldsAsFlags.Replace,
	}
	if err := options.Validate(); err != nil {
		return repl.Config{}, nil, errors.New(fieldsAsFlags.Replace(err.Error()))
	}
	return config, options, nil
}

// fieldsAsFlags names the flags that set fields of query.Options, in messages
// that name the fields.
var fieldsAsFlags = strings.NewReplacer(
	"Workers (", "--workers (", "MemoryLimit (", "--memory-limit (", "and MemoryLimit allows", "and --memory-limit allows",
)

// unreported turns statements that failed, of which the user knows already, into
// errReported; other errors pass.
func unreported(err error) error {
	var failure *repl.Failure
	if errors.As(err, &failure) {
		return errReported
	}
	return err
}

// openSource returns the text of the statements.
func openSource(std streams, flags execFlags) (io.Reader, func(), error) {
	nothing := func() {}
	switch {
	case flags.inline:
		return strings.NewReader(flags.command), nothing, nil
	case flags.script != "" && flags.script != "-":
		f, err := os.Open(flags.script)
		if err != nil {
			return nil, nothing, fmt.Errorf("script: %w", err)
		}
		return f, func() { f.Close() }, nil
	default:
		return std.in, nothing, nil
	}
}

// importInput is what IMPORT '-' reads: standard input, unless the statements
// come from there.
func importInput(std streams, flags execFlags) io.Reader {
	if !flags.inline && (flags.script == "" || flags.script == "-") {
		return nil
	}
	return std.in
}

// parseParams reads name=value pairs. What a value is depends on the place where
// the parameter stands, as repl.ParseParam says.
func parseParams(list []string) (map[string]any, error) {
	params := make(map[string]any, len(list))
	for _, entry := range list {
		name, text, ok := strings.Cut(entry, "=")
		name = strings.TrimPrefix(name, "$")
		if !ok || name == "" {
			return nil, fmt.Errorf("--param %q: expected name=value", entry)
		}
		if _, twice := params[name]; twice {
			return nil, fmt.Errorf("--param %s is given twice", name)
		}
		params[name] = repl.ParseParam(text)
	}
	return params, nil
}

// must stops on a fault of this program itself.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
