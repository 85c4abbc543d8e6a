package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/skipgram"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// walks is a method of package embedding that learns from walks.
func walks(name, summary string) algorithm {
	complete := func(o embedding.WalkOptions) embedding.WalkOptions { return o.WithDefaults(name) }
	a := method(name, summary, WalkSchema(name), embedding.WalkOptions.Validate, complete, func(o embedding.WalkOptions) prepared {
		return prepared{
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
				o := o
				o.Workers, o.Progress, o.Checkpoints, o.Directed = req.Workers, req.Progress, req.Checkpoints, req.Directed
				model, stats, err := embedding.TrainWalks(ctx, g, name, o)
				if err != nil {
					return outcome{}, err
				}
				return walkOutcome(ctx, g, o, model, stats)
			},
			renew: func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error) {
				o := o
				o.Workers, o.Progress = workers, r.progress
				return renewWalks(ctx, g, name, o, r)
			},
			walk: func(ctx context.Context, g *csr.Graph, req Request) (embedding.Walks, error) {
				o := o
				o.Workers, o.Directed = req.Workers, req.Directed
				return embedding.NewWalks(ctx, g, name, o)
			},
			bytes: func(g *csr.Graph) int64 { return embedding.WalkBytes(g, name, o) },
			seconds: func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				o := o
				o.Workers, o.Directed = req.Workers, req.Directed
				return embedding.WalkSeconds(ctx, g, name, o)
			},
			sampler: func(g *csr.Graph) int64 { return embedding.SamplerBytes(g, name, o) },
			follows: o.Follows(),
		}
	})
	a.Walks = true
	return a
}

// walkOutcome scales the rows of a model. The lengths that they had before are in its state,
// so that a renewal continues from the rows that were trained. Walks that follow the direction of edges have no
// renewal.
func walkOutcome(ctx context.Context, g *csr.Graph, o embedding.WalkOptions, model *skipgram.Model, stats embedding.WalkStats) (outcome, error) {
	lengths, err := o.ScaleRows(ctx, g, model.Vectors)
	if err != nil {
		return outcome{}, err
	}
	result := outcome{vectors: model.Vectors, info: walkRecord(g, o, stats)}
	if !o.Follows() {
		result.state = func(w io.Writer) error { return cmp.Or(vec.WriteNumbers(w, lengths), model.Write(w)) }
	}
	return result, nil
}

// readWalkModel reads the model of an embedding from its state and its vectors, which it
// leaves as they are.
func readWalkModel(o embedding.WalkOptions, state io.Reader, vectors *vec.Matrix) (*skipgram.Model, error) {
	if o.ScalesRows() {
		lengths := make([]float32, vectors.Rows)
		if err := vec.ReadNumbers(state, embedding.ErrState, lengths); err != nil {
			return nil, err
		}
		vectors = &vec.Matrix{Rows: vectors.Rows, Dim: vectors.Dim, Data: slices.Clone(vectors.Data)}
		embedding.RestoreLengths(vectors, lengths)
	}
	return skipgram.ReadModel(state, vectors)
}

// walkRecord returns, for the record of an embedding, the settings of the
// training and, for a graph with weights, whether the weights were used.
func walkRecord(g *csr.Graph, o embedding.WalkOptions, stats embedding.WalkStats) storage.EmbeddingInfo {
	info := storage.EmbeddingInfo{
		Seed: o.Seed, Iterations: o.Epochs, Seconds: stats.Seconds,
		Stats: []storage.Setting{
			{Name: "visits", Value: strconv.FormatInt(stats.Visits, 10)},
			{Name: "pairs", Value: strconv.FormatInt(stats.Pairs, 10)},
		},
	}
	for i, loss := range stats.Loss {
		info.Stats = append(info.Stats, storage.Setting{Name: "loss of epoch " + strconv.Itoa(i+1), Value: fmt.Sprintf("%.4f", loss)})
	}
	info.Stats = append(info.Stats, storage.Setting{Name: "visits per second", Value: fmt.Sprintf("%.0f", stats.VisitsPerSecond)},
		storage.Setting{Name: "steps of walks per second", Value: fmt.Sprintf("%.0f", stats.StepsPerSecond)})
	info.Stats = append(info.Stats, weighted(g, o.UsesWeights(g))...)
	return info
}

// WalkSchema returns the options of a method of package embedding that learns from walks; without a
// name, those of all of them.
func WalkSchema(method string) option.Schema[embedding.WalkOptions] {
	type options = embedding.WalkOptions
	rate := "learning rate at the beginning; it falls linearly towards 0"
	if method == embedding.MethodDPWalker {
		rate += "; with common neighbours it grows by default from 0.0125 with beta 1.5 to 0.03 with 2.5"
	}
	passes := "passes over the walks"
	if method == embedding.MethodDPWalker {
		passes += "; with common neighbours the default is 1"
	}
	list := option.Schema[options]{
		dim("", func(o *options) *int { return &o.Dim }),
		count("walks", "walks from each vertex", 1, 1048576, func(o *options) *int { return &o.Walks }),
		count("length", "vertices of a walk", 1, 65536, func(o *options) *int { return &o.Length }),
		count("window", "largest distance on a walk of two vertices that are trained together", 1, 1024,
			func(o *options) *int { return &o.Window }),
		count("epochs", passes, 1, 65536, func(o *options) *int { return &o.Epochs }),
		positive("alpha", rate, "a number above 0 and at most 1",
			func(o *options) *float64 { return &o.Alpha }),
		count("negative", "negative samples of each pair; 0 is hierarchical softmax", 0, 256, func(o *options) *int { return &o.Negative }),
	}
	if method == embedding.MethodDPWalker || method == "" {
		list = append(list, float("beta", "degree penalty of the walks; 0 for none; with common neighbours the default is 2", "a number from -8 to 8",
			func(o *options) **float64 { return &o.Beta }),
			float("common", "weight of each common neighbour beside that of an edge; with 0 walks follow edges only, and 1 is the walk of the paper", "a number from 0 to 1e6",
				func(o *options) **float64 { return &o.Common }))
	}
	if method == embedding.MethodNode2Vec || method == "" {
		list = append(list,
			positive("p", "how rarely a walk goes back", "a number from 1e-6 to 1e6", func(o *options) *float64 { return &o.P }),
			positive("q", "how rarely a walk leaves the neighbourhood it is in", "a number from 1e-6 to 1e6", func(o *options) *float64 { return &o.Q }))
	}
	list = append(list,
		rowNorm(func(o *options) **float64 { return &o.RowNorm }),
		rowScale(func(o *options) **float64 { return &o.RowScale }),
		weights(func(o *options) *bool { return &o.IgnoreWeights }))
	if method != embedding.MethodDPWalker {
		list = append(list, option.Choice(DirectionOption, "in a directed graph: walks follow edges in both directions, from source to target (out), or from target to source (in)",
			[]string{string(embedding.DirectionBoth), string(embedding.DirectionOut), string(embedding.DirectionIn)}, func(o *options) *embedding.Direction { return &o.Direction }))
	}
	return append(list,
		count("partitions", "number of parts that are trained at the same time, and so the largest number of processors used; the result depends on it", 1, 64,
			func(o *options) *int { return &o.Partitions }),
		seed("seed of the walks and of the training", func(o *options) *uint64 { return &o.Seed }))
}
