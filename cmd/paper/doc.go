// Package paper repeats the experiments of Feng, Yang, Hu, Wu and Zhuang,
// "Representation Learning for Scale-free Networks" (AAAI 2018), with the
// statements of heavytail, and compares what comes out with what the paper
// prints.
//
// An experiment is a list of steps for each graph of the paper's Table 1, and a
// step is one statement. Its answer goes into a journal before the next one
// starts, so that a run that was killed continues after the last step that it
// finished, and a run over a journal that is complete only writes the tables. A
// step is known by the text of its statement, in which graph, method, options and
// protocol are: whatever is changed in it is a new step.
//
// Three forms of the methods are compared. "paper" has the options of the paper,
// and the radius of a reconstruction from the paper's grid of ε; what the paper
// does not say, β above all, is fixed for all graphs. "default" has the options
// that heavytail takes by default. "tuned" is what TUNE finds on the graph within
// its budget, by a search in which no value is set by hand.
package paper
