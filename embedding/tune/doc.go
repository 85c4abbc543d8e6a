// Package tune searches the parameters of embedding methods for those that
// serve a purpose best on the graph at hand. There are no values that are best
// on all graphs: the paper says so of the penalty β (AAAI 2018, section 5), and
// the normalisation, the scale γ and the row scale δ of the spectral methods
// are no different.
//
// A search is over [Method]s, of which every option that was given stays as it
// is and the others are searched, and for an [Objective]: how well the graph is
// reconstructed, how well edges that were held out are predicted, how well
// labels are. It goes in four stages.
//
//	survey   a coarse grid over all parameters of all methods at a low price: few
//	         dimensions, few walks, and a rough judgement
//	select   the best of the grid, of each method by itself, as it will be
//	         stored, and judged closely
//	refine   steps from the best of all in each parameter, halved while none
//	         helps; methods that are far behind by then are left
//	confirm  exact figures of the best few, where there are only close ones
//
// That is successive halving with a local search at its end: what is cheap
// decides where to look, and only what was measured exactly is compared with
// the figures that anybody else measures. One solve of a spectral method serves
// all its scales and row scales, so that trials come in the order of solves.
//
// Trials come in an order that depends on their scores and on nothing else, so
// that the same number of trials gives the same best with the same bytes, at
// any number of workers. A limit of time makes a search end after some number of
// trials; with that number as its limit the search can be repeated exactly.
//
// The package knows neither the store nor the language; embedding/job joins
// them.
package tune
