package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/repl"
)

type execFlags struct {
	commands []string
	inline   bool   // -c was given, even with an empty text
	data     string // a file with a graph for the store, before the statements; "" for none
	script   string
	startup  string // of the shell; "" for none
	format   string
	params   []string
	options  query.Options
	config   repl.Config
}

func newExec(std streams) *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:   "exec FILE [STATEMENTS | -c STATEMENTS | -f SCRIPT]",
		Short: "Run statements on a file",
		Long: `Run statements on a heavytail file, from the arguments behind it or -c, from a
script, or from standard input, and print their results to standard output. Progress,
notices and errors go to standard error. A file that does not exist is created;
:memory: is a store that is deleted at the end.

At the end exec waits for the jobs that its statements started IN BACKGROUND, and
shows their progress. An interrupt stops them at a checkpoint, from which RESUME JOB
continues. The exit code is 1 if one of them failed.

If heavytail serve has FILE open, the statements are sent to it, and print the same.
Jobs in the background then continue there after exec; the limits are those of the
server, and the files that statements name are in its folder (--root).`,
		Example: `  heavytail exec social.ht 'SHOW GRAPHS'
  heavytail exec social.ht -c "IMPORT 'facebook_combined.txt.gz' INTO social"
  heavytail exec social.ht -c 'NEAREST 10 TO $who USING spec' --param who=alice --format json
  heavytail exec social.ht -f night.script --keep-going > night.txt
  echo 'SHOW GRAPHS' | heavytail exec social.ht --format csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.inline = cmd.Flags().Changed("command")
			switch {
			case len(args) == 0:
				return exactly(1, "one FILE")(cmd, args)
			case len(args) > 1 && (flags.inline || flags.script != ""):
				return usageError{errors.New("expected statements behind FILE, -c or -f, found two of them")}
			case len(args) > 1:
				flags.inline, flags.commands = true, args[1:]
			}
			return runExec(cmd, std, args[0], flags)
		},
	}
	addExecFlags(cmd, &flags)
	return cmd
}

func addExecFlags(cmd *cobra.Command, flags *execFlags) {
	f := cmd.Flags()
	f.StringArrayVarP(&flags.commands, "command", "c", nil, "statements to run, separated by semicolons; may be repeated")
	f.StringVarP(&flags.script, "file", "f", "", "script to run; - is standard input")
	f.StringVar(&flags.format, "format", "table", "how results are printed: "+strings.Join(execFormats(), ", "))
	f.StringArrayVar(&flags.params, "param", nil, "parameter as name=value, for $name in the statements; may be repeated")
	f.BoolVar(&flags.options.ReadOnly, "read-only", false, "open the file for reading only, together with other readers")
	f.BoolVar(&flags.options.NoCreate, "no-create", false, "fail if the file does not exist")
	f.BoolVar(&flags.config.KeepGoing, "keep-going", false, "continue after a statement that failed; the exit code is still 1")
	f.BoolVar(&flags.config.Timer, "timer", false, "print how long each statement took")
	f.IntVar(&flags.options.Workers, "workers", 0, "processors to compute with; 0 is all")
	f.Var((*bytesFlag)(&flags.options.MemoryLimit), "memory-limit", "bytes that graphs and vectors may take, such as 4GiB; 0 is the default, 8GiB and at most three quarters of what there is")
	must(cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(execFormats(), cobra.ShellCompDirectiveNoFileComp)))
}

// execFormats are the formats of exec.
func execFormats() []string { return append(repl.Formats(), string(repl.Arrow)) }

// bytesFlag is a flag with a number of bytes.
type bytesFlag int64

func (b *bytesFlag) String() string { return strconv.FormatInt(int64(*b), 10) }
func (b *bytesFlag) Type() string   { return "bytes" }
func (b *bytesFlag) Set(text string) error {
	bytes, err := fault.ParseBytes(text)
	*b = bytesFlag(bytes)
	return err
}

func runExec(cmd *cobra.Command, std streams, path string, flags execFlags) error {
	config, options, err := flags.settings(std)
	if err != nil {
		return usageError{err}
	}
	config.Stdin = importInput(std, flags)
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	source, closeSource, err := openSource(ctx, std, flags)
	if err != nil {
		return err
	}
	defer closeSource()
	f, err := openOrServed(ctx, std, path, options, config, flags.data)
	if err != nil {
		return err
	}
	config.DB, config.In, config.Plot = f.db, source, f.plot(std, config.Status)
	if config.Name = flags.script; flags.script == "-" {
		config.Name = ""
	}
	err = unreported(repl.Run(ctx, config))
	if f.own != nil {
		waited := waitForJobs(ctx, f.own, config.Status, std.err)
		if err == nil || ctx.Err() == nil { // after an interrupt both errors are the cancellation
			err = errors.Join(err, waited)
		}
	}
	return errors.Join(err, f.db.Close())
}

// waitForJobs waits for the jobs that statements started in the background, with
// their progress: closing the file would interrupt them. It prints how each job ended;
// if one failed, it returns errReported. After an interrupt it no longer waits:
// closing the file stops the jobs at a checkpoint.
func waitForJobs(ctx context.Context, db *query.DB, status *repl.Status, messages io.Writer) error {
	var failed error
	for jobs := db.Jobs().Active(); len(jobs) > 0; jobs = db.Jobs().Active() {
		for _, j := range jobs {
			info, err := db.Jobs().Wait(ctx, j.ID)
			status.Clear()
			switch {
			case ctx.Err() != nil:
				for _, left := range db.Jobs().Active() {
					fmt.Fprintf(messages, "notice: job %d is interrupted; RESUME JOB %d continues it\n", left.ID, left.ID)
				}
				return ctx.Err()
			case err != nil:
				return err
			case info.Error != "": // the job failed
				fmt.Fprintf(messages, "error: job %d failed: %s\n", info.ID, parser.Escape(info.Error))
				failed = errReported
			default:
				fmt.Fprintf(messages, "notice: job %d is %s\n", info.ID, info.State)
			}
		}
	}
	return failed
}

// settings returns the configuration for running statements and the options for
// opening the file that the flags set.
func (f execFlags) settings(std streams) (repl.Config, *query.Options, error) {
	if f.inline && f.script != "" {
		return repl.Config{}, nil, errors.New("expected -c or -f, found both")
	}
	config, options := f.config, f.options
	var err error
	if config.Format = repl.Arrow; f.format != string(repl.Arrow) {
		if config.Format, err = repl.ParseFormat(f.format); err != nil {
			return repl.Config{}, nil, err
		}
	}
	if config.Params, err = parseParams(f.params); err != nil {
		return repl.Config{}, nil, err
	}
	config.Out, config.Status = std.out, repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	config.ReadOnly = options.ReadOnly
	config.Words, config.Manual, config.Plots = execWords, manualText, plotKinds
	options.Progress, options.Notice = config.Status.Progress, config.Status.Notice
	if err := options.Validate(); err != nil {
		return repl.Config{}, nil, errors.New(execWords.Message(err))
	}
	return config, &options, nil
}

// execWords name the flags that set fields of query.Options. The options of statements
// keep their names, since the user wrote them in a statement.
var execWords = fault.Words{Field: func(name string) string {
	if flag := fieldFlags[name]; flag != "" {
		return "--" + flag
	}
	return ""
}}

// openSource returns the text of the statements. Opening a named pipe waits until
// another process opens it for writing; a signal ends this wait.
func openSource(ctx context.Context, std streams, flags execFlags) (io.Reader, func(), error) {
	nothing := func() {}
	switch {
	case flags.inline:
		return strings.NewReader(scriptOf(flags.commands)), nothing, nil
	case flags.script != "" && flags.script != "-":
		var f *os.File
		var err error
		opened := make(chan struct{})
		go func() {
			defer close(opened)
			f, err = os.Open(flags.script)
		}()
		select {
		case <-opened:
		case <-ctx.Done():
			return nil, nothing, ctx.Err()
		}
		if err != nil {
			return nil, nothing, fmt.Errorf("script: %w", err)
		}
		return f, func() { f.Close() }, nil
	default:
		return std.in, nothing, nil
	}
}

// scriptOf joins the texts of -c. Each begins on the line after the last one of the text before,
// where errors have it, unless that text ends with a comment or has commands of the shell: their
// lines must not end with a semicolon. Empty statements are ignored.
func scriptOf(texts []string) string {
	script := texts[0]
	for i, text := range texts[1:] {
		switch before := texts[i]; {
		case parser.Complete(before):
			script += "\n"
		case parser.Complete(before+";") && !hasCommand(before):
			script += ";\n"
		default:
			script += "\n;\n"
		}
		script += text
	}
	return script
}

// hasCommand reports whether a line of a text may be a command of the shell.
func hasCommand(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimLeft(line, " \t"); strings.HasPrefix(line, ".") || strings.HasPrefix(line, ":") {
			return true
		}
	}
	return false
}

// importInput returns what IMPORT '-' reads: standard input, or nil if the statements
// are read from there.
func importInput(std streams, flags execFlags) io.Reader {
	if !flags.inline && (flags.script == "" || flags.script == "-") {
		return nil
	}
	return std.in
}

// parseParams reads name=value pairs. The type of a value depends on the place of the
// parameter in the statement; see repl.ParseParam.
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
