// Package tune searches the parameters of embedding methods for the values
// that serve a purpose best on a given graph. No values are best on all
// graphs: the paper says so of the penalty β (AAAI 2018, section 5), and the
// same holds for the normalisation, the scale γ and the row scale δ of the
// spectral methods.
//
// A search has a list of [Method]s and an [Objective]: how well the graph is
// reconstructed, how well held-out edges are predicted, or how well labels
// are. Options that are given stay fixed; the others are searched. The trials
// belong to these stages.
//
//	defaults  the defaults of each method, in full and judged exactly, before
//	          all other trials, the cheapest first
//	survey    a coarse grid over all parameters of all methods at a low price: few
//	          dimensions, few walks, and a rough judgement
//	select    the best of the grid, for each method separately, in full and judged
//	          closely: after 3, 7, 15 … rounds of the survey, and at its end
//	refine    steps from the best of all in each parameter, halved when none
//	          helps; methods that are far behind at this point are dropped;
//	          a method that leads after a selection takes its first steps then
//	confirm   every trial in full that was better than all before it, judged exactly
//
// This is successive halving followed by a local search: cheap trials only
// decide where to look. The best of a search is the best of the trials that
// are [Trial.Confirmed], all computed in full and measured with the same
// measure on the same sample; embedding the graph with its options and
// measuring it again gives the same score. One solve of a spectral method
// serves all its scales and row scales, so trials are ordered by solves.
//
// The survey gives all methods the same fraction of the work, by prices that
// are computed from the graph and the options: by the time an expensive method
// has been tried once or twice, the survey of a cheap one is complete, and a
// short time suffices to choose among its solves. The work of a method whose
// best in full is no contender counts four times, so that the others come first.
//
// The order of the trials depends only on their scores and these prices,
// neither on the limits nor on the time that trials take. So the same number
// of trials gives the same best with the same bytes, at any number of workers;
// a time limit ends a search after some number of trials, with which it can be
// repeated exactly; and a search with a higher limit confirms every trial that
// one with a lower limit confirms. More time never gives a worse best, and no
// best is worse than the defaults of a method, unless the limit ends the
// search before these are tried. A limit can lose only the results since the
// last selection, and one trial that awaits its confirmation.
//
// The best of many is overestimated if it is measured on the data by which it was chosen.
// For links and labels, therefore, choices are made without the pairs and the classes that
// confirm them, and only the few confirmed trials compete on those. Their best score is
// still slightly too high, since it is the best of a few: on random data by half a standard
// error of the measurement for two confirmed trials, and by one standard error for four.
//
// The package depends neither on the store nor on the language; embedding/run
// connects them.
package tune
