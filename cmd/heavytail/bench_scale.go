package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heavytail/cmd/scale"
	"heavytail/storage"
)

// newBenchDisk is the command that compares edges in memory with edges in the file.
func newBenchDisk(std streams) *cobra.Command {
	var c scale.DiskConfig
	cmd := &cobra.Command{
		Use:   "disk FILE GRAPH",
		Short: "Compare dp_spectral with edges in memory and on disk",
		Long: `Embed a graph by dp_spectral with its edges in memory, and again with only a fraction
of their bytes in memory: the edges are then read from the file for each product, into
two buffers, one of which is filled while the other is multiplied. Print time, bytes and
memory of both, and an error if the vectors differ in a bit. The file is only read.

The vectors of the solver stay in memory: about 1.5 KB per vertex with 64 coordinates,
while an edge takes 8 bytes. So this saves much memory only for graphs with more than
about 100 edges per vertex; heavytail manual machines has the arithmetic.`,
		Example: `  heavytail bench disk social.ht social
  heavytail bench disk social.ht social --dim 16 --edges 0.05 --side disk`,
		Args: exactly(2, "FILE GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.File, c.Graph = args[0], args[1]
			if err := c.Validate(); err != nil {
				return usageError{err}
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			report, err := scale.Disk(ctx, c)
			if missing := (*storage.NotFoundError)(nil); errors.As(err, &missing) {
				return fmt.Errorf("%s: %w", c.File, err)
			}
			return errors.Join(err, writeText(std.out, report))
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.Dim, "dim", 64, "coordinates per vertex")
	f.Float64Var(&c.Fraction, "edges", 0.1, "fraction of the bytes of the edges that is in memory, above 0 and at most 1")
	f.StringVar(&c.Side, "side", scale.Both, "both, memory or disk")
	f.IntVar(&c.Workers, "workers", 0, "goroutines; 0 means one for each processor")
	must(cmd.RegisterFlagCompletionFunc("side", cobra.FixedCompletions([]string{scale.Both, scale.InMemory, scale.OnDisk}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// newBenchPartition is the command that counts work and traffic of a divided graph.
func newBenchPartition(std streams) *cobra.Command {
	var c scale.PartitionConfig
	cmd := &cobra.Command{
		Use:   "partition",
		Short: "Count work and traffic of a graph with hubs on several machines",
		Long: `Count the numbers that each of several machines would multiply, keep and receive for one
product of the adjacency matrix with 16 vectors, for graphs of preferential attachment
divided in several ways: by rows, by rows with equal numbers of edges, and by blocks of
edges, which also divide hubs. Nothing is sent between machines.`,
		Example: `  heavytail bench partition
  heavytail bench partition --vertices 100000 --m 10 --hub 0.5 --machines 64`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.Validate(); err != nil {
				return usageError{err}
			}
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			report, err := scale.Partition(ctx, c)
			return errors.Join(err, writeText(std.out, report))
		},
	}
	f := cmd.Flags()
	f.IntSliceVar(&c.Vertices, "vertices", []int{100_000, 1_000_000}, "vertices of each graph, separated by commas")
	f.IntVar(&c.M, "m", 10, "edges that each vertex brings")
	f.Float64Var(&c.Hub, "hub", 0, "make the last vertex a neighbour of this fraction of the others")
	f.IntVar(&c.Machines, "machines", 16, "machines; a square number also gives a grid")
	f.Uint64Var(&c.Seed, "seed", 1, "seed of the graphs and of the orders")
	return cmd
}
