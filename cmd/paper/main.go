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
	"strings"
	"syscall"

	"heavytail/repl"
)

// purpose is an experiment that the command line names.
type purpose struct {
	name, about string
	graphs      []dataset
	steps       func(*experiment) []step
	report      func(*experiment) string
}

func purposes() []purpose {
	return []purpose{
		{"reproduce", "every claim of the paper: its figure, ours by its own protocol, that of a null model, and a verdict; then what the methods reach here with their defaults; 20 minutes on two processors, with -quick five", ofPaper(datasets()), reproduceSteps, reproduceReport},
		{"methods", "all methods on all graphs: reconstruction, hidden links, labels, time and memory; with -methods others, such as settings of unit_ball", datasets(), methodSteps, methodReport},
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
		fmt.Fprint(help, "go run ./cmd/paper EXPERIMENT [flags]\n\n")
		for _, x := range purposes() {
			fmt.Fprintf(help, "%s: %s.\n  Graphs: %s.\n", x.name, x.about, strings.Join(graphNames(x.graphs), ", "))
		}
		fmt.Fprintln(help, "\nFinished steps are kept in the folder of -out, and the same command continues from there.")
		f.PrintDefaults()
	}
	split := func(list *[]string, by string) func(string) error {
		return func(text string) error { *list = strings.Split(text, by); return nil }
	}
	f.StringVar(&config.Data, "data", "../shared/data", "folder of the graphs, as SNAP, LAW and AMiner publish them; only those of the run are needed")
	f.StringVar(&config.Out, "out", "", "folder for finished steps and the report (default the name of the experiment)")
	f.Func("graphs", "graphs, separated by commas; all by default", split(&config.Graphs, ","))
	f.Func("methods", "of methods, methods with their options, separated by semicolons; all with their defaults by default", split(&config.Calls, ";"))
	f.BoolVar(&config.Quick, "quick", false, "leave out large graphs and what takes long")
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
	for _, x := range purposes() {
		if x.name != name {
			continue
		}
		if config.Calls != nil && name != "methods" {
			return config, nil, errors.New("-methods is of the experiment methods")
		}
		config.Out = cmp.Or(config.Out, name)
		return config, func(ctx context.Context, config Config) (string, error) {
			graphs, err := choose(config, x.graphs)
			if err != nil {
				return "", err
			}
			return runSteps(ctx, config, graphs, x.steps, x.report)
		}, nil
	}
	return config, nil, fmt.Errorf("unknown experiment %q: expected reproduce or methods", name)
}

// runAndPrint makes an experiment and prints its report. If the run was stopped, the
// report has the steps that were finished.
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
