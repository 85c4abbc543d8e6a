// Package tokens reads XML, JSON and GML as tokens: it enforces the limits of the text, and knows the
// place of each token for errors. It knows nothing of graphs.
package tokens
