// Package reading is what the readers of graphs share, whatever the file is: counting and remarking (Stats, Tally), the
// attributes that an element has (Attributes), what a text says of the direction of its edges (Direction), and the choice
// of columns of a table. It reads no input itself.
package reading
