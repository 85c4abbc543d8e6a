// Package paper repeats the experiments of Feng, Yang, Hu, Wu and Zhuang,
// "Representation Learning for Scale-free Networks" (AAAI 2018), with the
// statements of heavytail, and compares the results with the figures that the
// paper prints.
//
// An experiment is a list of steps for each graph of the paper's Table 1, and a
// step is one statement. Its answer goes into a journal before the next one
// starts, so that a run that was killed continues after the last step that it
// finished, and a run over a journal that is complete only writes the tables. The
// text of the statement identifies a step. It contains the graph, the method, the
// options and the protocol, so a change of any of them makes a new step.
//
// Three forms of the methods are compared. "paper" has the options of the paper,
// and the radius of a reconstruction from the paper's grid of ε; options that the
// paper does not give, above all β, have one value for all graphs. "default" has
// the default options of heavytail. "tuned" is what TUNE finds on the graph
// within its budget, by a search in which no value is set by hand.
package paper
