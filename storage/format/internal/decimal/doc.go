// Package decimal recognises the decimal numbers of texts, and the words that mean a missing one.
package decimal
