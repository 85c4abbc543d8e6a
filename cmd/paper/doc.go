// Command paper repeats the experiments of Feng, Yang, Hu, Wu and Zhuang,
// "Representation Learning for Scale-free Networks" (AAAI 2018), with the
// statements of heavytail, and measures all methods on real graphs:
//
//	go run ./cmd/paper reproduce [-quick] [-data DIR] [-out DIR] [-graphs NAMES]
//	go run ./cmd/paper methods [-quick] [-methods CALLS] …
//
// reproduce compares each claim of the paper with what its own protocol gives here, and
// with a null model; methods is one table of what an embedding is for: reconstruction,
// hidden links, labels, time and memory. Both print Markdown. With cmd/paper/record in front
// of it, a run replaces the figures of the page paper of the manual, or of the page methods:
//
//	go run ./cmd/paper/record cmd/paper/figures/reproduce.json go run ./cmd/paper reproduce
//	go test ./cmd/paper/record -update
//
// An experiment is a list of steps, and a step is one statement. Its answer goes into a
// journal before the next one starts, so that a run that was stopped continues after the
// last step that it finished, and a run over a journal that is complete only writes the
// report. The text of the statement identifies a step. It contains the graph, the method,
// the options and the protocol, so a change of any of them makes a new step. Take a new
// folder for a different version of heavytail or of the graphs, because finished steps are
// not computed again.
package main
