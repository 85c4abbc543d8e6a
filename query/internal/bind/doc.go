// Package bind turns the values in a statement, literals, parameters and options,
// into Go values. It checks options against the tables that HELP prints, and
// remembers the position of every piece, so that an error about a request can
// point at its text.
package bind
