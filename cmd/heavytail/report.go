package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heavytail/cmd/picture"
	"heavytail/cmd/report"
	"heavytail/query"
	"heavytail/repl"
)

type reportFlags struct {
	report.Options
	out   string
	skip  []string
	dated bool
}

// newReport is the command that writes a page about a file.
func newReport(std streams) *cobra.Command {
	var flags reportFlags
	cmd := &cobra.Command{
		Use:   "report FILE --out PAGE.html",
		Short: "Write a page about a file: figures, pictures, embeddings, links",
		Long: `Write the content of a file as one page of HTML: for each graph its figures, a picture,
the degrees with the fitted power law, the embeddings with their reconstructions, the
prediction of links with curves, the models with their calibration, measures, attributes
and communities; the age of everything computed; and the jobs. The page is one file, which
needs no network.

FILE is only read. Parts that take minutes are left out, and the page says so:
reconstructions of graphs with more than 20,000 vertices, and the prediction of links in
graphs with more than 200,000 edges. --full computes them. --using names a method, as in
EMBED, whose vectors predict links next to the scorers of the graph; it may be repeated.
The same file and flags give the same page.`,
		Example: `  heavytail report social.ht --out social.html
  heavytail report social.ht --graph social --using "dp_spectral(dim := 32)" --out social.html
  heavytail report big.ht --skip links,picture --out big.html`,
		Args: exactly(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			return runOn(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true}, string(repl.Table), func(r *runner) error { return r.report(flags) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.out, "out", "", "page to write, ending in .html; a file of that name is replaced")
	f.StringArrayVar(&flags.Graphs, "graph", nil, "graph to show; may be repeated; all by default")
	f.StringSliceVar(&flags.skip, "skip", nil, "comma-separated parts to leave out: "+strings.Join(partNames(), ", "))
	f.BoolVar(&flags.Full, "full", false, "also compute the parts that take minutes")
	f.StringArrayVar(&flags.Using, "using", nil, "method with its options, to predict links by; may be repeated")
	f.IntVar(&flags.Bootstrap, "bootstrap", 100, "synthetic data sets for the p-value of the power law; 0 leaves it out")
	f.IntVar(&flags.Vertices, "vertices", 5_000, "vertices of a picture at most, those of most edges")
	f.IntVar(&flags.Edges, "edges", 15_000, "edges of a picture at most")
	f.Uint64Var(&flags.Seed, "seed", 0, "seed of everything that is drawn at random")
	f.StringVar(&flags.Title, "title", "", "title of the page; the name of the file by default")
	f.BoolVar(&flags.dated, "dated", false, "write today's date into the page, which then differs from day to day")
	must(cmd.RegisterFlagCompletionFunc("skip", cobra.FixedCompletions(partNames(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"html"}, cobra.ShellCompDirectiveFilterFileExt
	}))
	return cmd
}

func partNames() []string {
	var names []string
	for _, p := range report.Parts() {
		names = append(names, string(p))
	}
	return names
}

// check returns an error for wrong flags, and for a page that cannot be written, before
// anything is computed.
func (f *reportFlags) check() error {
	for _, name := range f.skip {
		if !slices.Contains(partNames(), name) {
			return usageError{fmt.Errorf("--skip %q: expected %s", name, strings.Join(partNames(), ", "))}
		}
		f.Skip = append(f.Skip, report.Part(name))
	}
	for _, text := range f.Using {
		if _, err := methodOf(text); err != nil {
			return usageError{err}
		}
	}
	switch {
	case f.Vertices < 1 || f.Vertices > picture.MostVertices:
		return usageError{fmt.Errorf("--vertices is %d, and must be from 1 to %d", f.Vertices, picture.MostVertices)}
	case f.Edges < 1:
		return usageError{fmt.Errorf("--edges is %d, and must be at least 1", f.Edges)}
	case f.Bootstrap < 0:
		return usageError{fmt.Errorf("--bootstrap is %d, and must not be negative", f.Bootstrap)}
	case f.out == "":
		return usageError{errors.New("--out is missing: report FILE --out PAGE.html")}
	case !strings.HasSuffix(strings.ToLower(f.out), ".html") && !strings.HasSuffix(strings.ToLower(f.out), ".htm"):
		return usageError{fmt.Errorf("--out %q does not end in .html", f.out)}
	}
	f.Bootstrap = cmp.Or(f.Bootstrap, -1)
	if f.dated {
		f.Date = time.Now().Format(time.DateOnly)
	}
	return writable(f.out)
}

// report writes the page. The file appears only when the page is complete.
func (r *runner) report(flags reportFlags) error {
	flags.Progress = r.status.Progress
	var page bytes.Buffer
	if err := report.Write(r.ctx, r.db, &page, flags.Options); err != nil {
		return err
	}
	r.status.Clear()
	if err := r.ctx.Err(); err != nil {
		return err
	}
	return replaceFile(flags.out, page.Bytes())
}
