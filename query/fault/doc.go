// Package fault has the errors of mistakes in statements and requests. Their
// fields are the piece of the request that is wrong, its position in the text,
// what was found and expected, the nearest known name and the remedy. The
// package also formats names and amounts in messages, and escapes text from data
// so that it cannot control a terminal.
package fault
