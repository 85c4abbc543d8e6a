// Package repl runs statements of the query language for people and for pipes,
// and renders rows, progress, notices and errors.
//
// # Two entry points
//
// [Run] is for scripts: it reads from any reader, runs every statement as soon
// as it is complete, and stops at the first one that fails. [Shell] is for
// interactive use: it reads from the terminal of the process, runs what was
// typed, and continues after errors. If [Interactive] reports that there is no
// terminal, a caller uses Run.
//
// Both pass statements and commands to the same session (session.go), one
// after the other. A command is a line that begins with a dot or a colon
// (command.go has the table, commands.go the implementations). parser.Splitter
// splits the text, so that pasted text has the same meaning as in a script.
// Interactive commands (.edit, .open, .pager) are refused in scripts; all
// others work there.
//
//	In ──► Run ──────────────┐
//	                         ├─► session: pieces ──► Database ──► renderer ──► pager ──► Out
//	keys ──► input ──► Shell ┘                                 └► Status ──► standard error
//
// # What is written
//
// Rows go to Config.Out in one of the formats of format.go. A renderer holds
// at most a page of rows, whatever the length of the result. Everything else
// goes to a [Status], which writes to the other stream: a bar if that is a
// terminal, plain lines otherwise.
//
// No text from data, from a history file or from the clipboard can move the
// cursor, change the direction of writing or control a terminal in any other
// way. Table, box, markdown and line are for people and always safe; JSON and
// NDJSON are safe by their own escapes; CSV and TSV keep the text unchanged in
// a file or a pipe, and are safe on a terminal.
//
// # The shell
//
// An input (input.go) returns whole statements and commands. It is the editor
// (editor.go), the line editor of a library with history (history.go),
// completion (complete.go), colours and hints (color.go), or, on terminals
// without cursor control, lines as the terminal sends them (lineinput.go). A
// statement runs under a context that Ctrl-C cancels, with the terminal in its
// normal mode, so that Ctrl-C, Ctrl-Z and Ctrl-\ have their usual meaning.
// Results longer than a screen go through the user's pager (pager.go).
//
// The package reads graphs only through the statements and methods of query.DB,
// and never opens the file of the store. Statements also work with the client of a server that has
// the file open; what has no statement then is an error.
package repl
