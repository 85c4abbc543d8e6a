// Package run runs embedding methods against the store: it names the methods
// and their options, converts options of the language to those of the
// algorithm, and stores the result with its provenance.
package run
