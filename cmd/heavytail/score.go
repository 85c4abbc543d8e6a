package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/links"
	"heavytail/repl"
)

func newScore(std streams) *cobra.Command {
	var pairs, graph, with, out string
	cmd := &cobra.Command{
		Use:   "score FILE --pairs PAIRS --with SCORERS --out SCORES",
		Short: "Score the pairs of a file",
		Long: `Score the pairs of vertices in a file of any length, and write them with their
additional columns and their scores as CSV, in the order of the file. A pair with a
vertex that the graph does not have keeps its line, without scores. The endings of the
names decide whether PAIRS and SCORES are plain or compressed text, or
Parquet; - is standard input or standard output. --threshold and --top keep only some
pairs, and --first and --count score only some lines of PAIRS.

Until a CSV file SCORES is complete, its name ends in .part. If the command is stopped, the
same command with --resume continues after the last pairs that are safely on the disk:
no line is lost or written twice.`,
		Example: `  heavytail score social.ht --pairs pairs.csv.gz --with 'adamic_adar, cosine(spec)' --out scores.csv.gz
  heavytail score social.ht --pairs pairs.csv.gz --with 'adamic_adar, cosine(spec)' --out scores.csv.gz --resume
  heavytail score social.ht --pairs pairs.parquet --with 'cosine(spec)' --top 10 --threshold 0.5 --out - | head`,
		Args: exactly(1, "FILE, and the pairs as --pairs PAIRS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			scorers, err := links.ParseScorers(with)
			if err != nil {
				return usageError{fmt.Errorf("--with is %q, expected scorers as in adamic_adar, cosine(spec): %w", with, err)}
			}
			form := repl.Table
			if out == "-" { // rows without a file
				out, form = "", repl.CSV
			}
			request := links.ScoreRequest{Path: pairs, Graph: graph, With: scorers, Into: out}
			return runStatement(cmd, std, args[0], query.Options{ReadOnly: true, NoCreate: true, Input: std.in}, string(form), "SCORE FILE", request)
		},
	}
	cmd.Flags().StringVar(&pairs, "pairs", "", "file of pairs, one pair of keys per line; - is standard input")
	cmd.Flags().StringVar(&with, "with", "", "scorers separated by commas, as in SCORE: adamic_adar, cosine(spec), model(friends)")
	cmd.Flags().StringVar(&out, "out", "", "file for the pairs and their scores; - is standard output, as CSV")
	cmd.Flags().StringVar(&graph, "in", "", "graph of the pairs, if the file has several and no scorer reads an embedding or model")
	require(cmd, "pairs", "with", "out")
	addOptions(cmd, "SCORE FILE")
	return cmd
}
