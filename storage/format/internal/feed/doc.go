// Package feed gives readers the text of an input: as blocks (Feed), as lines with their numbers (Lines and Taker), as
// tokens or as an io.Reader. It keeps the limits on a text, refuses files that are no text, reports the progress, and
// places errors.
//
// It knows nothing of what a line means; whoever embeds Lines does.
package feed
