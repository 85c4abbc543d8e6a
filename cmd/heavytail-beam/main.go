// Heavytail-beam runs long work of heavytail on Apache Beam: on this machine (prism), or on
// Flink, Spark or Dataflow.
//
// It runs a statement in ranges, each of which writes a part:
//
//	heavytail-beam --file social.ht --ranges 64 --rows 2000 --out near.csv --statement 'NEAREST 10
//	  FOR ALL USING spec WITH (first := $first, count := $count) INTO FILE $file'
//
// Or it scores the pairs of any files, and writes CSV:
//
//	heavytail-beam --file social.ht --pairs 'pairs-*.csv' --with 'jaccard, cosine(spec)' --out scores.csv
//
// The flags of Beam choose the runner: --runner, --endpoint, --environment_type and those
// of each runner. Without any, prism runs in this process. "heavytail manual cluster" explains
// both ways and has the commands for each runner. The exit code is 0, 1 after an error, and
// 2 for a wrong flag.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // gs:// comes with beamx
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"heavytail/cmd/heavytail-beam/transform"
	"heavytail/query/links"
	_ "heavytail/storage/format/arrow"
	_ "heavytail/storage/format/parquet"
)

var (
	file      = flag.String("file", "", "heavytail file, as the workers see it, also gs:// or s3://")
	ranged    = flag.String("statement", "", "statement with the parameters $first, $count and $file, which runs once for each range")
	ranges    = flag.Int("ranges", 64, "number of ranges of --statement, and of the files that --out becomes")
	rows      = flag.Int64("rows", 0, "rows of a range: vertices, walks, or rows of a file; the last range has all that follow")
	out       = flag.String("out", "", "file to write")
	overwrite = flag.Bool("overwrite", false, "replace what is there under the name of --out")
	pairs     = flag.String("pairs", "", "files of pairs, with * and ? as in the shell: text or Parquet")
	graph     = flag.String("graph", "", "graph of the pairs, if no scorer reads an embedding or model")
	with      = flag.String("with", "", "comma-separated scorers, as in SCORE FILE")
	top       = flag.Int("top", 0, "pairs to keep of each source, the likeliest by the first scorer; 0 for all")
	files     = flag.Int("files", 1, "number of files that --out becomes; a worker holds one of them in memory")
)

// errUsage is the error of a wrong flag.
var errUsage = errors.New("see heavytail-beam --help")

func main() {
	flag.Usage = usage
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	if *provisionEndpoint != "" {
		exitOn(becomeWorker(ctx))
	}
	beam.Init() // in a process that a runner has started as a worker, Init does not return
	exitOn(run(ctx))
	stop()
}

// exitOn ends the program after an error.
func exitOn(err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func usage() {
	fmt.Fprint(os.Stderr, `Run long work of heavytail on Apache Beam.

Usage:
  heavytail-beam --file FILE --statement STATEMENT --rows N --out FILE [flags of the runner]
  heavytail-beam --file FILE --pairs FILES --with SCORERS --out FILE [flags of the runner]

The first runs a statement in ranges, the second scores pairs.

Flags, with those of Beam and its runners:
`)
	flag.PrintDefaults()
}

// run builds the pipeline that the flags ask for, and runs it.
func run(ctx context.Context) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: %w", flag.Arg(0), errUsage)
	case *file == "":
		return fmt.Errorf("--file is missing: %w", errUsage)
	case (*ranged == "") == (*pairs == ""):
		return fmt.Errorf("expected --statement or --pairs: %w", errUsage)
	case *ranged != "":
		return runRanges(ctx)
	}
	return runScore(ctx)
}

// runRanges runs a statement in ranges.
func runRanges(ctx context.Context) error {
	for _, name := range []string{"pairs", "graph", "with", "top", "files"} {
		if given(name) {
			return fmt.Errorf("--%s has no meaning with --statement: %w", name, errUsage)
		}
	}
	if *out == "" {
		return fmt.Errorf("--statement needs --out: %w", errUsage)
	}
	opts := transform.RangesOptions{File: *file, Statement: *ranged, Ranges: *ranges, Rows: *rows, Out: *out, Overwrite: *overwrite}
	if err := opts.Validate(); err != nil {
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	p, s := beam.NewPipelineWithRoot()
	transform.Ranges(s, opts)
	return runPipeline(ctx, p)
}

func runScore(ctx context.Context) error {
	switch {
	case *with == "" || *out == "":
		return fmt.Errorf("--pairs needs --with and --out: %w", errUsage)
	case *top < 0 || *files < 1:
		return fmt.Errorf("--top must be at least 0 and --files at least 1: %w", errUsage)
	}
	scorers, err := links.ParseScorers(*with)
	if err != nil {
		return fmt.Errorf("--with: %w", err)
	}
	if err := notThere(ctx, transform.FileNames(*out, *files)); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	scored := transform.Score(s, transform.ReadPairs(s, *pairs), transform.ScoreOptions{File: *file, Graph: *graph, With: scorers})
	if *top > 0 {
		scored = transform.Top(s, scored, *top, scorers[0])
	}
	transform.WriteCSV(s, scored, scorers, *out, *files)
	return runPipeline(ctx, p)
}

// given reports whether a flag was set.
func given(name string) (set bool) {
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// notThere returns an error if one of the files exists, unless --overwrite is set.
func notThere(ctx context.Context, names []string) error {
	if *overwrite {
		return nil
	}
	for _, name := range names {
		there, err := transform.Exists(ctx, name)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%s exists; --overwrite replaces it", name)
		}
	}
	return nil
}

func runPipeline(ctx context.Context, p *beam.Pipeline) error {
	// Beam would compile the program again for the workers, for which it needs the source.
	if program, err := os.Executable(); err == nil && runtime.GOOS == "linux" && *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = program
	}
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return err
	}
	if result == nil { // the runner does not wait for the pipeline
		return nil
	}
	for _, c := range result.Metrics().Query(func(r beam.MetricResult) bool { return r.Namespace() == "heavytail" }).Counters() {
		fmt.Fprintf(os.Stderr, "%s: %d\n", c.Name(), c.Result())
	}
	return nil
}
