// Package scan splits blocks of a text into the edges of its plain lines, ahead of the reader and on
// several processors.
//
// In go blocks of text and the rules of their lines (Scanner); out come the places of the keys, and the weights
// and times (Lines). Most lines of all files are plain, so that the speed of an import is that of this package.
// It knows nothing of what a list of edges means: a line that needs a closer look, such as a comment or one with
// quotes, ends a scan, and the caller reads it.
package scan
