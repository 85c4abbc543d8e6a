package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"heavytail/cmd/picture"
	"heavytail/query/vectors"
)

type projectionFlags struct {
	output
	vectors.ProjectionRequest
	points int
}

func newPlotProjection(on plotter) *cobra.Command {
	var flags projectionFlags
	cmd := &cobra.Command{
		Use:   "projection FILE EMBEDDING",
		Short: "Draw an embedding in two dimensions",
		Long: `Draw the vectors of an embedding by their first two principal components, in
colours by the degree of the vertices or by an attribute: shades of one scale for
numbers, and colours for the texts that are most frequent.

If the embedding placed the components of its graph apart, only the largest component
is drawn, unless --all is given.`,
		Example: `  heavytail plot projection social.ht spec
  heavytail plot projection social.ht spec --color city --out spec.png`,
		Args: exactly(2, "FILE and EMBEDDING"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.points < 1 {
				return usageError{errors.New("expected --points of 1 or more")}
			}
			flags.Embedding = args[1]
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotProjection(flags) })
		},
	}
	addOutput(cmd, &flags.output)
	f := cmd.Flags()
	f.StringVar(&flags.Attribute, "color", "", "attribute that the colours show; the degree by default")
	f.BoolVar(&flags.All, "all", false, "draw all components of the graph")
	f.IntVar(&flags.points, "points", 20_000, "vertices to draw at most, evenly from all of them")
	return cmd
}

func (r *runner) plotProjection(flags projectionFlags) error {
	result, err := r.db.Vectors().Projection(r.ctx, flags.ProjectionRequest)
	if err != nil {
		return err
	}
	r.noteAll(result.Notices)
	chart, drawn := picture.Projection(flags.Embedding, flags.Attribute, result, flags.points)
	if drawn < len(result.Vertices) {
		fmt.Fprintf(r.std.err, "notice: %d of %d vertices drawn; --points draws more\n", drawn, len(result.Vertices))
	}
	return r.draw(flags.output, chart)
}
