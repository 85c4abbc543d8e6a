// Package repl runs statements of the query language for people and pipes: it
// reads a script, executes every statement as soon as it is complete, and
// renders rows, progress, notices and errors.
//
// Run is the whole of it for a script. Rows go to Config.Out in one of four
// formats; everything else goes to a Status, which owns the other stream: a bar
// where that is a terminal, and plain lines where it is not. Table and markdown
// are for people, so text that came from data cannot move their cursor or turn
// the direction of writing; CSV and JSON are for programs and hold the text as
// it is.
//
// The package knows package query by the rows, notices and progress it gives
// out, and never touches a graph or a file.
package repl
