// Package search finds the vectors nearest to others: in the file, in memory or by an index, for one
// question or for each of many.
package search
