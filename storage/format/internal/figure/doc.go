// Package figure reads the weights and the times of edges: texts go in, numbers and dates come out, or the
// sentence that says what is wrong. It knows nothing of files, lines and graphs.
package figure
