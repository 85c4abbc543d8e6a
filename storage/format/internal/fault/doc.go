// Package fault has what is wrong with a line: the place in it, the reason and its kind.
package fault
