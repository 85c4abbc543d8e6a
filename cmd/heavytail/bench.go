package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heavytail/cmd/paper"
	"heavytail/repl"
)

func newBench(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Repeat published experiments and comparisons",
		Args:  exactly(1, "one of: paper, links, curve, disk, partition"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError{fmt.Errorf("unknown experiment %q: expected paper, links, curve, disk or partition", args[0])}
		},
	}
	cmd.AddCommand(newBenchPaper(std), newBenchLinks(std), newBenchCurve(std), newBenchDisk(std), newBenchPartition(std))
	return cmd
}

func newBenchPaper(std streams) *cobra.Command {
	var config paper.Config
	cmd := &cobra.Command{
		Use:   "paper --data DIR",
		Short: "Repeat the tables of the paper and compare",
		Long: `Repeat the experiments of "Representation Learning for Scale-free Networks" (AAAI
2018) on every graph of its Table 1 that is available, with the methods in the form
of the paper, with the defaults and tuned, and print its tables 2, 3 and 4 with the
figures of the paper next to ours, and which rows beat them. The tables also have rows
of unit_ball, which the paper does not have: with a random start, and with vectors of
deepwalk.

DIR has the graphs: ego-facebook.txt.gz, ego-twitter.txt.gz and ca-GrQc.txt.gz of
SNAP, dblp.txt.gz and dblp-labels.txt.gz of AMiner. Synthetic is generated.

All of it takes hours. --quick runs the part that takes ten minutes on two processors:
no searches, no plots, no Twitter, and not the most expensive methods on Synthetic and
Citation. It begins and ends with a list of the steps that it leaves out, which the same
command without --quick runs.

Finished steps are kept in the folder of --out, so that the same command continues
after an interruption, and after a complete run only writes the tables. A search with a
different --budget or --trials is a new one. Take a new folder for a different version of
heavytail or of the graphs, because finished steps are not computed again.`,
		Example: `  heavytail bench paper --data ../shared/data
  heavytail bench paper --data ../shared/data --quick
  heavytail bench paper --data ../shared/data --graphs coauthor,facebook --out two`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config.Data == "" {
				return usageError{errors.New("expected --data DIR, the folder of the graphs")}
			}
			if config.Budget <= 0 {
				return usageError{fmt.Errorf("--budget is %v, and must be above 0", config.Budget)}
			}
			if config.Trials < 0 {
				return usageError{fmt.Errorf("--trials is %d, and must not be negative", config.Trials)}
			}
			for _, kind := range config.Only {
				if !slices.Contains(paper.Kinds(), kind) && kind != "tables" {
					return usageError{fmt.Errorf("--only %s: expected tables, %s", kind, strings.Join(paper.Kinds(), ", "))}
				}
			}
			if kind := slices.IndexFunc(config.Only, func(kind string) bool { return kind == paper.Searches || kind == paper.Plots }); config.Quick && kind >= 0 {
				return usageError{fmt.Errorf("--only %s: --quick makes no searches and no plots", config.Only[kind])}
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return runBench(ctx, std, config, paper.Run)
		},
	}
	f := cmd.Flags()
	f.StringVar(&config.Data, "data", "", "folder of the graphs")
	f.StringVar(&config.Out, "out", "paper", "folder for finished steps, tables and plots")
	f.StringSliceVar(&config.Graphs, "graphs", nil, "graphs, separated by commas; all by default: "+strings.Join(paper.Graphs(), ", "))
	f.StringSliceVar(&config.Only, "only", nil, "kinds of steps to run, separated by commas: "+strings.Join(paper.Kinds(), ", ")+"; tables makes none")
	f.BoolVar(&config.Quick, "quick", false, "run only the part that takes ten minutes on two processors: no searches, no plots, and not the most expensive steps")
	f.DurationVar(&config.Budget, "budget", 10*time.Minute, "time of each search for the best parameters")
	f.IntVar(&config.Trials, "trials", 0, "trials of each search, instead of --budget: the same number gives the same tables")
	must(cmd.RegisterFlagCompletionFunc("only", cobra.FixedCompletions(append(paper.Kinds(), "tables"), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("graphs", cobra.FixedCompletions(paper.Graphs(), cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func newBenchLinks(std streams) *cobra.Command {
	return newComparison(std, comparison{name: "links", graphs: paper.LinkGraphs(), quick: "only small graphs", run: paper.RunLinks,
		short: "Compare methods of link prediction on real graphs",
		long: `Compare all scorers of links, embeddings in 64 dimensions and the models of TRAIN MODEL
on real and generated graphs: by recommendations, and by pairs of all kinds of
negatives.`,
		example: "cora,grqc",
	})
}

// newBenchCurve is the command that measures unit_ball over its options.
func newBenchCurve(std streams) *cobra.Command {
	return newComparison(std, comparison{name: "curve", graphs: paper.CurveGraphs(), quick: "only small graphs", run: paper.RunCurve,
		short: "Measure unit_ball over anchor, dim, start and margin",
		long: `Measure unit_ball over its options anchor, dim, start and margin on real graphs: how well
it reconstructs the graph at radius 1, how well its distances predict a hidden fifth of
the edges, and how well its vectors predict labels, compared with the methods from whose
vectors it starts. The last table has the worst graph for each choice of options. Small
graphs come first, and for each graph the most important choices.`,
		example: "cora,facebook",
	})
}

// comparison describes a command that measures methods on real graphs.
type comparison struct {
	name, short, long string
	graphs            []string
	quick             string // what --quick makes
	example           string // graphs of an example
	run               func(context.Context, paper.Config) (string, error)
}

func newComparison(std streams, of comparison) *cobra.Command {
	var config paper.Config
	cmd := &cobra.Command{
		Use:   of.name + " --data DIR",
		Short: of.short,
		Long: of.long + ` DIR has the graphs as SNAP, LAW and AMiner publish them; only the graphs of the
run are needed.

Finished steps are kept in the folder of --out, so that the same command continues
after an interruption, and after a complete run only writes the tables. Take a new
folder for a different version of heavytail or of the graphs.`,
		Example: fmt.Sprintf(`  heavytail bench %s --data ../shared/data --quick
  heavytail bench %s --data ../shared/data --graphs %s --out two`, of.name, of.name, of.example),
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if config.Data == "" {
				return usageError{errors.New("expected --data DIR, the folder of the graphs")}
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return runBench(ctx, std, config, of.run)
		},
	}
	f := cmd.Flags()
	f.StringVar(&config.Data, "data", "", "folder of the graphs")
	f.StringVar(&config.Out, "out", of.name, "folder for finished steps and tables")
	f.StringSliceVar(&config.Graphs, "graphs", nil, "graphs, separated by commas; all by default: "+strings.Join(of.graphs, ", "))
	f.BoolVar(&config.Quick, "quick", false, of.quick)
	must(cmd.RegisterFlagCompletionFunc("graphs", cobra.FixedCompletions(of.graphs, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// runBench runs the experiments and prints the tables. If the run was stopped,
// the tables have the steps that were finished.
func runBench(ctx context.Context, std streams, config paper.Config, run func(context.Context, paper.Config) (string, error)) error {
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	config.Progress = status.Progress
	config.Log = func(line string) {
		status.Clear()
		fmt.Fprintln(std.err, line)
	}
	report, err := run(ctx, config)
	status.Clear()
	if errors.Is(err, paper.ErrGraph) {
		return usageError{err}
	}
	if report != "" {
		err = errors.Join(err, writeText(std.out, report))
	}
	if errors.Is(err, context.Canceled) {
		fmt.Fprintln(std.err, "stopped: the same command continues from here")
		return context.Canceled
	}
	return err
}
