package tune

import (
	"context"
	"math"

	"heavytail/embedding"
	"heavytail/storage/csr"
)

// penaltyDim is the number of coordinates of the solves by which a penalty is chosen. With 128 the
// choice was that of 200 coordinates on each of twelve graphs and on ego-facebook without a fifth
// of its edges, with 64 on the twelve, and with 32 on eleven.
const penaltyDim = 128

// penaltyVertices is the number of vertices from which the trials have fewer coordinates: a solve
// for 128 takes some tenths of a second for this many.
const penaltyVertices = 20_000

// surveyTolerance is the tolerance of solves whose vectors are only compared.
const surveyTolerance = 1e-2

// PenaltyChoice is a penalty that [Penalty] has tried.
type PenaltyChoice struct {
	Common, Beta float64
	H3           float64 // NaN where it is undefined
}

// penalties lists the options with the penalties that are tried in place of a beta and a common
// that were not given: none, a mild one of edges, and that of the paper, which counts common
// neighbours. A value that was given is tried with both kinds of the matrix, or with the
// penalties of its kind.
func penalties(o embedding.SpectralOptions) []embedding.SpectralOptions {
	if o.Common != nil && o.Beta != nil {
		return []embedding.SpectralOptions{o}
	}
	var list []embedding.SpectralOptions
	try := func(common float64, beta *float64) {
		next := o
		next.Common, next.Beta = &common, beta
		list = append(list, next)
	}
	switch {
	case o.Beta != nil:
		try(0, o.Beta)
		try(1, o.Beta)
	case o.Common != nil && *o.Common > 0:
		try(*o.Common, nil) // the default of the normalisation
	default:
		try(0, new(0.0))
		try(0, new(0.5))
		if o.Common == nil {
			try(1, nil)
		}
	}
	return list
}

// ChoosesPenalty reports whether [Penalty] compares solves for these options.
func ChoosesPenalty(o embedding.SpectralOptions) bool { return len(penalties(o)) > 1 }

// Penalty chooses the beta and the common of dp_spectral that were not given: those with which a
// solve for at most 128 coordinates reconstructs the graph best, by H3 as [RowScale] measures it, at
// the best of four row scales; of equal ones the first. No penalty is among them, with which the
// matrix is that of Laplacian Eigenmaps. It returns the options with the choice, and what was
// tried, nothing where there is no choice. Beta stays nil where it is the default of the
// normalisation. The result does not depend on the number of workers. Time and memory are those
// of the solves and of RowScale. Errors are those of RowScale and of [embedding.SolveSpectral],
// except that a penalty is left out if the graph refuses it.
func Penalty(ctx context.Context, g *csr.Graph, o embedding.SpectralOptions, workers int) (embedding.SpectralOptions, []PenaltyChoice, error) {
	list := penalties(o)
	if len(list) == 1 {
		return list[0], nil, nil
	}
	best, most := list[0], math.Inf(-1)
	var tried []PenaltyChoice
	for _, next := range list {
		h3, beta, err := judgePenalty(ctx, g, next, workers)
		if refused(err) {
			continue
		}
		if err != nil {
			return o, nil, err
		}
		tried = append(tried, PenaltyChoice{*next.Common, beta, h3})
		if h3 > most {
			best, most = next, h3
		}
	}
	return best, tried, nil
}

// judgePenalty returns the H3 of a penalty, and its beta.
func judgePenalty(ctx context.Context, g *csr.Graph, o embedding.SpectralOptions, workers int) (h3, beta float64, err error) {
	scale := *o.WithDefaults(embedding.MethodDPSpectral).Scale
	o.Dim, o.Tolerance, o.Workers = PenaltyDim(g.Vertices(), o), max(o.Tolerance, surveyTolerance), workers
	o.Progress, o.Checkpoints = nil, embedding.Checkpoints{}
	e, err := embedding.SolveSpectral(ctx, g, embedding.MethodDPSpectral, o)
	if err != nil {
		return 0, 0, err
	}
	_, list, err := bestScale(ctx, g, e, penaltyScales(), scale, workers)
	h3 = math.NaN()
	for _, x := range list {
		if !(h3 >= x) && !math.IsNaN(x) {
			h3 = x
		}
	}
	return h3, e.Stats.Beta, err
}

// PenaltyDim is the number of coordinates with which [Penalty] tries penalties: at most 128, and in
// large graphs, where this takes time, at most half of those of the embedding.
func PenaltyDim(vertices int, o embedding.SpectralOptions) int {
	dim := min(o.WithDefaults(embedding.MethodDPSpectral).Dim, penaltyDim)
	if vertices > penaltyVertices {
		dim = max(1, min(dim, o.WithDefaults(embedding.MethodDPSpectral).Dim/2))
	}
	return dim
}

// penaltyScales are the row scales with which a penalty is tried, every other one of RowScales.
func penaltyScales() []float64 { return []float64{0, 0.25, 0.5, 0.75} }

// PenaltySeconds is the approximate time of the comparisons of [Penalty], without its solves.
func PenaltySeconds(vertices int, o embedding.SpectralOptions) float64 {
	return float64(PenaltySolves(o)*len(penaltyScales())) * judgingSeconds(vertices, PenaltyDim(vertices, o), o.Workers)
}

// PenaltySolves is the number of solves with which [Penalty] chooses, 0 where there is no choice.
func PenaltySolves(o embedding.SpectralOptions) int {
	if !ChoosesPenalty(o) {
		return 0
	}
	return len(penalties(o))
}
