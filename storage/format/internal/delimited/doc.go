// Package delimited splits lines into columns: it finds out what separates them, reads quoted fields,
// and decides which columns hold the ends, the weight and the time of an edge. It knows no options
// and delivers nothing.
package delimited
