// Package query is the door to a heavytail file for Go programs, and the
// executor of its language. DB has one typed method for every statement; Query
// runs a statement from text and calls the same method.
package query
