// Package textfile has the options of files of edges and of pairs, and the mistakes in them.
package textfile
