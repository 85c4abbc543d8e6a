// Package base has what index and the packages below it share: their common errors, checks of
// matrices and options, and the progress of several goroutines.
package base
