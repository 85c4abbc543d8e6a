// Package writing is what the writers of graphs and vectors share: a buffered output that can be cancelled (Output), the
// elements of a graph one by one (GraphWriter), the checks of keys, names and values, and quoting as in CSV. It knows no
// format.
package writing
