package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"heavytail/repl"
)

// comparison is an experiment that the command line names.
type comparison struct {
	name, about string
	graphs      []string
	run         func(context.Context, Config) (string, error)
}

func comparisons() []comparison {
	return []comparison{
		{"tables", "tables 2, 3 and 4 of the paper with its figures next to ours, on every graph of its Table 1 that is available, and figures 1 and 3; with -quick, what takes ten minutes on two processors, and with it a list of what is left out", Graphs(), Run},
		{"links", "all scorers of links, embeddings in 64 dimensions and the models of TRAIN MODEL, by recommendations and by pairs of all kinds of negatives; with -quick, on small graphs", LinkGraphs(), RunLinks},
		{"curve", "unit_ball over its options anchor, dim, start and margin: reconstruction at radius 1, a hidden fifth of the edges, and labels; with -quick, on small graphs", CurveGraphs(), RunCurve},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	config, run, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err == nil:
		err = runAndPrint(ctx, config, run)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "paper: %s\n", strings.TrimPrefix(err.Error(), "paper: "))
		os.Exit(1)
	}
}

// parse reads the command line. Its flags may follow the name of the experiment.
func parse(args []string, help io.Writer) (config Config, run func(context.Context, Config) (string, error), err error) {
	f := flag.NewFlagSet("paper", flag.ContinueOnError)
	f.SetOutput(help)
	f.Usage = func() {
		fmt.Fprint(help, "go run ./cmd/paper [flags] [EXPERIMENT]\n\n")
		for _, c := range comparisons() {
			fmt.Fprintf(help, "%s: %s.\n  Graphs: %s.\n", c.name, c.about, strings.Join(c.graphs, ", "))
		}
		fmt.Fprintln(help, "\nFinished steps are kept in the folder of -out, and the same command continues from there.")
		f.PrintDefaults()
	}
	split := func(list *[]string) func(string) error {
		return func(text string) error { *list = strings.Split(text, ","); return nil }
	}
	f.StringVar(&config.Data, "data", "../shared/data", "folder of the graphs, as SNAP, LAW and AMiner publish them; only those of the run are needed")
	f.StringVar(&config.Out, "out", "", "folder for finished steps, tables and pictures (default the name of the experiment)")
	f.Func("graphs", "graphs, separated by commas; all by default", split(&config.Graphs))
	f.Func("only", "of tables, kinds of steps to run, separated by commas: "+strings.Join(Kinds(), ", ")+"; none makes none, and writes the tables", split(&config.Only))
	f.BoolVar(&config.Quick, "quick", false, "leave out what takes long")
	f.DurationVar(&config.Budget, "budget", 10*time.Minute, "of tables, time of each search for the best parameters")
	f.IntVar(&config.Trials, "trials", 0, "of tables, trials of each search, instead of -budget: the same number gives the same tables")
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if err := f.Parse(args); err != nil {
		return config, nil, err
	}
	rest := f.Args()
	if name == "" && len(rest) > 0 {
		name, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		return config, nil, fmt.Errorf("unexpected argument %q", rest[0])
	}
	name = cmp.Or(name, "tables")
	list := comparisons()
	i := slices.IndexFunc(list, func(c comparison) bool { return c.name == name })
	if i < 0 {
		return config, nil, fmt.Errorf("unknown experiment %q: expected tables, links or curve", name)
	}
	if config.Out == "" {
		config.Out = name
	}
	return config, list[i].run, config.validate()
}

// validate returns an error for the first field that cannot be used.
func (c Config) validate() error {
	for _, kind := range c.Only {
		switch {
		case !slices.Contains(Kinds(), kind) && kind != "none":
			return fmt.Errorf("-only %s: expected none, %s", kind, strings.Join(Kinds(), ", "))
		case c.Quick && (kind == Searches || kind == Plots):
			return fmt.Errorf("-only %s: -quick makes no searches and no plots", kind)
		}
	}
	switch {
	case c.Budget <= 0:
		return fmt.Errorf("-budget is %v, and must be above 0", c.Budget)
	case c.Trials < 0:
		return fmt.Errorf("-trials is %d, and must not be negative", c.Trials)
	}
	return nil
}

// runAndPrint runs the experiments and prints the tables. If the run was stopped, the
// tables have the steps that were finished.
func runAndPrint(ctx context.Context, config Config, run func(context.Context, Config) (string, error)) error {
	status := repl.NewStatus(os.Stderr, repl.Detect(os.Stderr, os.Getenv))
	config.Progress = status.Progress
	config.Log = func(line string) {
		status.Clear()
		fmt.Fprintln(os.Stderr, line)
	}
	report, err := run(ctx, config)
	status.Clear()
	if _, failed := io.WriteString(os.Stdout, report); failed != nil {
		err = errors.Join(err, failed)
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped: the same command continues from here")
	}
	return err
}
