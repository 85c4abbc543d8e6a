package run

import (
	"context"
	"fmt"
	"slices"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Axis is an option of a method with the values to try one after the other.
type Axis struct {
	Option string
	Values []float64
}

// Vary embeds a graph once for every value of every axis, with the options of the request
// except that one, and calls use with each embedding, in the order of the axes and of their
// values. use must not keep the vectors.
//
// For a spectral method one solve, with the most coordinates, serves all values of dim, scale and row_scale:
// its leading coordinates are equal, within the tolerance, to those of a solve for fewer coordinates. Where
// dp_spectral chooses its penalty, which depends on dim and scale, it serves the values of row_scale. Every
// other value needs an embedding of its own. Errors are those of [Compute] and of use.
func Vary(ctx context.Context, g *csr.Graph, req Request, axes []Axis, use func(axis, value int, vectors *vec.Matrix) error) error {
	v := variation{ctx: ctx, g: g, req: req}
	for _, axis := range axes {
		for _, value := range axis.Values {
			p, err := prepare(req.Method, withOption(req.Options, axis.Option, value))
			if err != nil {
				return err
			}
			if v.shares(p, axis.Option) {
				v.widest = max(v.widest, p.solved.Dim)
			}
		}
	}
	for a, axis := range axes {
		for i, value := range axis.Values {
			p, err := prepare(req.Method, withOption(req.Options, axis.Option, value))
			if err != nil {
				return err
			}
			rows, err := v.embed(p, axis.Option)
			if err != nil {
				return fmt.Errorf("%s: %w", req.Method, err)
			}
			if err := use(a, i, rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// VaryBytes estimates the memory that Vary takes in addition to the graph: the memory
// of its most expensive embedding, and of the eigenvectors from which other embeddings
// are scaled.
func VaryBytes(g *csr.Graph, req Request, axes []Axis) (int64, error) {
	most := int64(0)
	for _, axis := range axes {
		for _, value := range axis.Values {
			bytes, err := Bytes(g, req.Method, withOption(req.Options, axis.Option, value))
			if err != nil {
				return 0, err
			}
			most = max(most, bytes)
		}
	}
	return 2 * most, nil
}

// withOption returns the options with a different value for one of them.
func withOption(options []option.Given, name string, value float64) []option.Given {
	others := slices.DeleteFunc(slices.Clone(options), func(o option.Given) bool { return o.Name == name })
	if n := int64(value); float64(n) == value { // which an option for a number takes too
		return append(others, option.Given{Name: name, Value: n})
	}
	return append(others, option.Given{Name: name, Value: value})
}

type variation struct {
	ctx    context.Context
	g      *csr.Graph
	req    Request
	widest int                   // coordinates of the shared solve
	pairs  *embedding.Eigenpairs // result of the shared solve; nil before it is needed
}

// shares reports whether the shared solve serves the values of an option.
func (v *variation) shares(p prepared, option string) bool {
	if p.solved == nil || option == "row_scale" {
		return p.solved != nil
	}
	chosen := v.req.Method == embedding.MethodDPSpectral && tune.ChoosesPenalty(*p.solved) // for each dim and scale
	return !chosen && (option == "dim" || option == "scale")
}

func (v *variation) embed(p prepared, option string) (*vec.Matrix, error) {
	if !v.shares(p, option) {
		computed, err := p.run(v.ctx, v.g, Request{Directed: v.req.Directed, Workers: v.req.Workers, Progress: v.req.Progress})
		return computed.vectors, err
	}
	if v.pairs == nil {
		o := *p.solved
		o.Dim, o.Workers, o.Progress = v.widest, v.req.Workers, v.req.Progress
		o, _, err := penaltyOf(v.ctx, v.g, v.req.Method, o)
		if err != nil {
			return nil, err
		}
		if v.pairs, err = embedding.SolveSpectral(v.ctx, v.g, v.req.Method, o); err != nil {
			return nil, err
		}
	}
	pairs := v.pairs.Leading(p.solved.Dim)
	delta, _, err := rowScaleOf(v.ctx, v.g, v.req.Method, *p.solved, pairs, v.req.Workers)
	if err != nil {
		return nil, err
	}
	return pairs.Rows(*p.solved.Scale, delta)
}
