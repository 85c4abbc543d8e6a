package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/repl"
)

func newDescribe(std streams) *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "describe FILE [GRAPH]",
		Short: "Describe a graph, and plot its degrees",
		Long: `Show size, density, components, degrees, clustering and the power law of a graph,
or of every graph of the file, and plot the degrees on logarithmic axes: a power
law is a straight line there.`,
		Example: `  heavytail describe social.ht
  heavytail describe social.ht social --bootstrap 100
  heavytail describe social.ht social --format json`,
		Args:              between(1, 2, "FILE and at most one GRAPH"),
		ValidArgsFunction: completeGraphs,
		RunE: func(cmd *cobra.Command, args []string) error {
			options := query.Options{ReadOnly: true, NoCreate: true}
			return runOn(cmd, std, args[0], options, format, func(r *runner) error {
				return r.describe(args[1:], all)
			})
		},
	}
	addFormat(cmd, &format)
	cmd.Flags().BoolVar(&all, "all", false, "show all properties, and the diameter of the largest component")
	addOptions(cmd, "DESCRIBE GRAPH")
	return cmd
}

// describe prints the description of each graph, or of all graphs if none is
// named. In the format table the plot of its degrees follows each description.
func (r *runner) describe(names []string, all bool) error {
	if len(names) == 0 {
		known, err := r.db.Graphs().List(r.ctx)
		if err != nil {
			return err
		}
		if len(known) == 0 {
			return errors.New("the file has no graph yet")
		}
		for _, g := range known {
			names = append(names, g.Name)
		}
	}
	for _, graph := range names {
		err := r.answer("DESCRIBE GRAPH", graphs.DescribeGraphRequest{Graph: graph, All: all})
		if err == nil && r.format == repl.Table {
			fmt.Fprintln(r.std.out)
			err = plotDegrees(r.ctx, r.std.out, r.db, graph)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
