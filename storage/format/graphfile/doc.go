// Package graphfile reads a file whose form is not known before: it finds out by the first bytes and by the name
// whether it is text, Parquet or Arrow and which layout it has, and passes it to the package that reads that.
//
// In go an input and options; out go vertices and edges of a graph (Read), pairs of keys (ReadPairs) or keys
// (ReadKeys). It parses no line itself.
package graphfile
