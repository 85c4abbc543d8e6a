// Package run runs embedding methods against the store: it names the methods
// and their options, turns options of the language into those of the algorithm,
// and stores the result with everything that shaped it.
package run
