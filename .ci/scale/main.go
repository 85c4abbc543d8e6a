package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	report, err := measure(ctx, os.Args[1:])
	stop()
	fmt.Print(report)
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, args []string) (string, error) {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	f := flag.NewFlagSet("scale "+name, flag.ExitOnError)
	switch name {
	case "disk":
		var c DiskConfig
		f.IntVar(&c.Dim, "dim", 64, "coordinates per vertex")
		f.Float64Var(&c.Fraction, "edges", 0.1, "fraction of the bytes of the edges that is in memory, above 0 and at most 1")
		f.StringVar(&c.Side, "side", Both, "both, memory or disk")
		f.IntVar(&c.Workers, "workers", 0, "goroutines; 0 means one for each processor")
		f.Parse(args) // ends the process on an error
		if f.NArg() != 2 {
			return "", fmt.Errorf("expected FILE GRAPH")
		}
		c.File, c.Graph = f.Arg(0), f.Arg(1)
		return Disk(ctx, c)
	case "partition":
		c := PartitionConfig{Vertices: []int{100_000, 1_000_000}}
		f.Func("vertices", "vertices of each graph, separated by commas (default 100000,1000000)", func(text string) error {
			c.Vertices = nil
			for part := range strings.SplitSeq(text, ",") {
				n, err := strconv.Atoi(part)
				if err != nil {
					return err
				}
				c.Vertices = append(c.Vertices, n)
			}
			return nil
		})
		f.IntVar(&c.M, "m", 10, "edges that each vertex brings")
		f.Float64Var(&c.Hub, "hub", 0, "make the last vertex a neighbour of this fraction of the others")
		f.IntVar(&c.Machines, "machines", 16, "machines; a square number also gives a grid")
		f.Uint64Var(&c.Seed, "seed", 1, "seed of the graphs and of the orders")
		f.Parse(args)
		return Partition(ctx, c)
	}
	return "", fmt.Errorf("expected disk or partition, found %q", name)
}
