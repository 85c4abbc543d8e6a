// Command paper repeats the experiments of Feng, Yang, Hu, Wu and Zhuang,
// "Representation Learning for Scale-free Networks" (AAAI 2018), with the
// statements of heavytail, and compares the results with the figures that the
// paper prints. It also compares methods of link prediction, and unit_ball over
// its options, on real graphs:
//
//	go run ./cmd/paper [-data DIR] [-out DIR] [-graphs NAMES] [-quick] … [tables | links | curve]
//
// An experiment is a list of steps for each graph, and a step is one statement. Its
// answer goes into a journal before the next one starts, so that a run that was
// killed continues after the last step that it finished, and a run over a journal
// that is complete only writes the tables. The text of the statement identifies a
// step. It contains the graph, the method, the options and the protocol, so a
// change of any of them makes a new step. Take a new folder for a different version
// of heavytail or of the graphs, because finished steps are not computed again.
//
// Three forms of the methods are compared in the tables of the paper. "paper" has
// the options of the paper, and the radius of a reconstruction from the paper's grid
// of ε; options that the paper does not give, above all β, have one value for all
// graphs. "default" has the default options of heavytail. "tuned" is what TUNE finds
// on the graph within its budget, by a search in which no value is set by hand.
package main
