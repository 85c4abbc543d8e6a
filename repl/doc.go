// Package repl runs statements of the query language for people and for pipes,
// and renders rows, progress, notices and errors.
//
// # Two ways in
//
// [Run] is for scripts: it reads from any reader, runs every statement as soon as
// it is complete, and stops at the first that fails. [Shell] is for people: it
// reads from the terminal of the process, runs what was typed, and goes on. Where
// [Interactive] says that nobody is there, a caller uses Run.
//
// Both feed the same session (session.go), one piece after the other: a statement,
// or a command, which is a line that begins with a dot or a colon (command.go has
// the table, commands.go what they do). The pieces are cut out of the text by
// parser.Splitter, so that what a person pastes means what it means in a script.
// Commands that need a person (.edit, .pager) are refused in scripts; all others
// work there: .mode, .timer, .output, .param, .read, .graphs, .embeddings,
// .schema, .plot, .help, .quit.
//
//	In ──► Run ──────────────┐
//	                         ├─► session: pieces ──► query.DB ──► renderer ──► pager ──► Out
//	keys ──► input ──► Shell ┘                                 └► Status ──► standard error
//
// # What is written
//
// Rows go to Config.Out in one of the formats of format.go. A renderer holds at
// most a page of rows, whatever the length of the result. Everything else goes to
// a [Status], which owns the other stream: a bar where that is a terminal, plain
// lines where it is not.
//
// Nothing that came from data, from a file of history or from the clipboard can
// move the cursor, change the direction of writing or do anything else to a
// terminal. Table, box, markdown and line are for people and safe always; JSON and
// NDJSON are safe by their own escapes; CSV and TSV hold the text as it is where
// they are written to a file or a pipe, and are safe on a terminal.
//
// # The shell
//
// An input (shell.go) gives whole pieces: the editor (editor.go), which is the
// line editor of a library with history (history.go), completion (complete.go),
// colours and hints (color.go), or, where the terminal cannot be drawn on, lines
// as the terminal sends them (lineinput.go). A statement runs under a context that
// Ctrl-C ends, and the terminal is in its own mode meanwhile, so that Ctrl-C,
// Ctrl-Z and Ctrl-\ have their usual meaning. Long results go through the user's
// pager (pager.go), which is started only when there is more than a screen.
//
// The package knows package query by its rows, notices, progress and tables of
// help; it never touches a graph or the file of the store.
package repl
