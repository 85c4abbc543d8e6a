package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query"
	"heavytail/repl"
)

type demoFlags struct {
	file     string
	vertices int
	attach   int
	dim      int
	seed     uint64
}

// newDemo is the command that demonstrates the statements, from a generated
// graph to evaluated embeddings.
func newDemo(std streams) *cobra.Command {
	var flags demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the whole path on a generated scale-free graph",
		Long: `Make a scale-free graph, store it, embed it with DP-Spectral and with Laplacian
Eigenmaps, reconstruct it from both, look up neighbours and score links. Every step
prints the statement that it runs, so that the tour can be repeated by hand on
the file that it leaves.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			return runDemo(ctx, std, flags)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.file, "file", "", "file to make; by default one in a new temporary folder")
	// As dense as the paper's synthetic graph, and small enough that all of it
	// takes a few seconds on one core.
	f.IntVar(&flags.vertices, "vertices", 4000, "vertices of the graph")
	f.IntVar(&flags.attach, "attach", 40, "edges that each new vertex brings")
	f.IntVar(&flags.dim, "dim", 128, "dimension of the embeddings")
	f.Uint64Var(&flags.seed, "seed", 7, "seed of everything that is random")
	return cmd
}

// demoStep is one paragraph of the tour: what it shows, and the statements.
type demoStep struct {
	title      string
	statements []string
	plot       []string // graphs whose degrees are plotted after the statements
}

func demoSteps(f demoFlags) []demoStep {
	youngest := f.vertices - 1
	embed := func(method, options, name string) string {
		return fmt.Sprintf("EMBED original USING %s(dim := %d, %s, seed := %d) AS %s", method, f.dim, options, f.seed, name)
	}
	return []demoStep{
		{
			title: "A scale-free graph: each new vertex prefers those that have many edges.",
			statements: []string{
				fmt.Sprintf("GENERATE preferential_attachment(n := %d, m := %d, seed := %d) INTO original", f.vertices, f.attach, f.seed),
				"DESCRIBE GRAPH original",
			},
		},
		{
			title: "Two embeddings of it in the form of the paper: with the degree penalty, and without.",
			statements: []string{
				embed("dp_spectral", "normalization := 'degree', beta := 0.5, common := 1, scale := 0, row_scale := 0", "penalised"),
				embed("laplacian_eigenmaps", "scale := 0, row_scale := 0", "plain"),
			},
		},
		{
			title: "The graph reconstructed from each: an edge where two vectors are near enough. AUTO takes\n" +
				"the radius at which the reconstructed degrees correlate best with the original ones. With\n" +
				"the penalty the tail of the degrees comes back; without it most vertices turn into hubs.",
			statements: []string{
				"RECONSTRUCT penalised AUTO INTO GRAPH from_penalised",
				"RECONSTRUCT plain AUTO INTO GRAPH from_plain",
			},
			plot: []string{"original", "from_penalised", "from_plain"},
		},
		{
			title: "Neighbours: of the oldest vertex, a hub; and vertices of some degree that are near\n" +
				"the youngest one and not yet linked to it.",
			statements: []string{
				"NEAREST 5 TO '0' USING cosine(penalised)",
				fmt.Sprintf("NEAREST 5 TO '%d' USING penalised WHERE NOT linked AND degree >= %d", youngest, 5*f.attach/2),
			},
		},
		{
			title: "Scores of a few pairs as links, by neighbourhood and by embedding. One vertex does\n" +
				"not exist: its line stays, without scores.",
			statements: []string{fmt.Sprintf("SCORE ('0', '1'), ('0', '%d'), ('17', '%d'), ('17', 'nobody') IN original\n"+
				"  WITH common_neighbors, adamic_adar, resource_allocation, probability(penalised)", youngest, youngest)},
		},
		{
			title:      "What the file holds now, and that it is sound.",
			statements: []string{"SHOW GRAPHS", "SHOW EMBEDDINGS", "CHECK"},
		},
	}
}

func runDemo(ctx context.Context, std streams, flags demoFlags) error {
	if flags.vertices <= flags.attach || flags.attach < 1 || flags.dim < 1 {
		return usageError{errors.New("expected --vertices above --attach, --attach of 1 or more and --dim of 1 or more")}
	}
	path, err := demoPath(flags.file)
	if err != nil {
		return err
	}
	status := repl.NewStatus(std.err, repl.Detect(std.err, os.Getenv))
	db, err := openFile(std, path, &query.Options{Progress: status.Progress})
	if err != nil {
		return err
	}
	began := time.Now()
	for i, step := range demoSteps(flags) {
		fmt.Fprintf(std.out, "%d. %s\n\n", i+1, step.title)
		if err = runStep(ctx, std, db, status, step); err != nil {
			break
		}
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "All of it took %.1f s. The file is %s; continue with\n\n  heavytail shell %s\n",
		time.Since(began).Seconds(), path, shellQuote(path))
	return nil
}

// runStep shows and runs the statements of a step, and plots the degrees of its
// graphs.
func runStep(ctx context.Context, std streams, db *query.DB, status *repl.Status, step demoStep) error {
	for _, statement := range step.statements {
		fmt.Fprintf(std.out, "heavytail> %s;\n", statement)
		began := time.Now()
		err := repl.Run(ctx, repl.Config{DB: db, In: strings.NewReader(statement), Out: std.out, Status: status})
		if err != nil {
			return unreported(err)
		}
		fmt.Fprintf(std.out, "%.3f s\n\n", time.Since(began).Seconds())
	}
	if len(step.plot) == 0 {
		return nil
	}
	if err := plotDegrees(ctx, std.out, db, step.plot...); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.out)
	return err
}

// plotDegrees draws the degree distributions of graphs together, as lines of text.
func plotDegrees(ctx context.Context, out io.Writer, db *query.DB, graphs ...string) error {
	var list []figure.Degrees
	for _, name := range graphs {
		counts, err := db.Graphs().Degrees(ctx, name)
		if err != nil {
			return err
		}
		list = append(list, picture.Degrees(name, counts))
	}
	err := figure.WriteText(out, figure.DegreeChart("", list))
	if errors.Is(err, figure.ErrEmpty) {
		_, err = fmt.Fprintln(out, "no vertex has an edge: there are no degrees to plot")
	}
	return err
}

// demoPath returns the path of the file to create: the given path, which must
// not exist, or a path in a new temporary folder.
func demoPath(asked string) (string, error) {
	if asked == "" {
		dir, err := os.MkdirTemp("", "heavytail-demo-")
		if err != nil {
			return "", fmt.Errorf("make a folder for the demonstration: %w", err)
		}
		return filepath.Join(dir, "demo.ht"), nil
	}
	if _, err := os.Lstat(asked); err == nil {
		return "", fmt.Errorf("%s exists already: name another file with --file", asked)
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return asked, nil
}

// shellQuote returns a path as one word of a POSIX shell.
func shellQuote(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
