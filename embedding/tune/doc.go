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
//	refine    steps in full from the best point in each parameter, halved when none
//	          helps: for methods that learn from walks from their defaults on, before
//	          their survey; for others when they lead after a selection; at the end for
//	          all that are not far behind
//	survey    a coarse grid over all parameters of all methods at a low price: few
//	          dimensions, few walks, and a rough judgement
//	select    the best of the grid, for each method separately, in full and judged
//	          closely: after 3, 7, 15 … rounds of the survey, and at its end
//	confirm   every trial in full that was better than all before it, judged exactly
//
// This is successive halving and a local search: cheap trials only
// decide where to look. The best of a search is the best of the trials that
// are [Trial.Confirmed], all computed in full and measured with the same
// measure on the same sample; embedding the graph with its options and
// measuring it again gives the same score. One solve of a spectral method
// serves all its scales and row scales, so trials are ordered by solves.
//
// # What is tried next
//
// After the defaults all methods get the same fraction of the work, by prices that are computed
// from the graph and the options: by the time an expensive method has made one or two steps,
// the survey of a cheap one is complete, and a short time suffices to choose among its solves.
// The work of a method whose best in full is no contender counts four times, and that of the
// method that leads counts half, since it gains most. So does the first work of each method,
// since its defaults alone say little.
//
// A survey is a good guide for solves and a bad one for learning rates: with a third of the
// walks too high a rate is best. Trainings in full of dp_walker and deepwalk with 4 to 12
// values of β and α, on CollegeMsg, ca-GrQc and blogcatalog, were ordered in 50 to 86 % of
// their pairs by few walks in 64 dimensions, which chose .736 where .817 was the best, or a
// training that diverges. The first 30 % of the same trainings ordered 67 to 100 % of
// the pairs (69 % where few walks ordered 86 %), and chose .579 where .678 was the best. So
// methods that learn from walks take steps in full before their survey.
//
// Scales of rows cost no training: one training serves all values of row_norm and row_scale, and
// the steps and the survey of a method that walks begin with them.
//
// # How long a training is
//
// The number of walks is searched too, from the default downwards, and first of all
// parameters that need a training: all steps after a success cost less. Half of the walks have
// twice the learning rate, which moves the vectors as far. Reconstruction (criterion both) in
// full, with the trained rows and walks of dp_walker over common neighbours:
//
//	walks, rate                     10, default   5, the same   5, twice
//	deepwalk, CollegeMsg            .775          .329          .857
//	deepwalk, ca-GrQc               .675          .657          .727
//	deepwalk, blogcatalog           .620          −.064         .774
//	dp_walker, CollegeMsg           .666          .622          .654
//	dp_walker, ca-GrQc              .746          .784          .738
//	dp_walker, blogcatalog, β 1.25  .683          .589          .712
//	deepwalk, PA 8,000/8            .860                        .842
//	dp_walker, PA 8,000/8           .606                        .661
//
// Of points with equal scores the one with fewer walks is better. The survey does not vary the
// walks; its best points are tried in full with the number of walks that is best so far.
//
// # Two at a time
//
// With two or more workers, two trials run side by side, each with half of them: a training
// and a small solve gain less from a second processor. Beside the next trial runs the one
// that would follow if that one is no success. What is tried next depends only on the scores
// and prices of the trials before, neither on the limits nor on the time that trials take. So
// the same number of trials gives the same best with the same bytes, at any number of workers.
// A trial that ran beside others is listed when its turn comes, and not at all if that does
// not come. A time limit ends a search before the first trial that has not begun by then; with
// the number of trials that it had, it can be repeated exactly.
//
// A search with a higher limit confirms every trial that one with a lower limit confirms. More
// time never gives a worse best, and no best is worse than the defaults of a method, unless
// the limit ends the search before these are tried. A limit can lose only the results of the
// survey since the last selection, and one trial that awaits its confirmation.
//
// # How good the best is
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
