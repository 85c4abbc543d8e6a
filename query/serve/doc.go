// Package serve answers the statements of other processes on the file that this process has open.
//
//	db, err := query.Open("social.ht", &query.Options{Folder: "."})
//	server := serve.New(db, nil)
//	socket, err := serve.Listen("social.ht") // social.ht.sock, for the user alone
//	err = server.Serve(ctx, socket)          // until ctx ends
//
// Package remote is the client in Go, and the page serve of the manual describes the lines for clients
// in other languages. There is no HTTP.
//
// # What a client gets
//
// A statement of a client is a call of query.DB.Execute: the same rows, notices, progress and errors, with
// their positions. Statements of all clients run at the same time, as those of goroutines do: readers do not
// wait for a writer. A client cancels a statement by a line, or all of its statements by closing the
// connection. Jobs IN BACKGROUND belong to the file: they continue without their client. In place of a statement
// a client may ask for a picture, if [Options.Draw] draws.
//
// # What a client cannot do
//
// It cannot hold memory: rows are written in batches of 32 KiB as they are computed, and nothing but a picture is
// computed ahead of a client that does not read. One that reads nothing for [Options.Stall] is closed. Lines, statements at
// once, clients at once, rows and seconds of an answer have limits. Files that statements name are those
// that query.Options.Folder and NoFiles allow.
//
// It cannot read without permission: a socket is for the user of the process alone (mode 0600), and
// every other address needs a token ([Options.Token]), which is compared in constant time. Lines are
// not encrypted.
//
// # How it ends
//
// When the context of Serve ends, the server accepts nothing more, waits for running statements for
// [Options.Grace], cancels the rest, and answers these with remote.ErrStopped. A process that is killed
// leaves its socket behind, which the next server of the file replaces; its clients get remote.ErrLost.
//
// # Reading the source
//
// server.go accepts clients, client.go reads the lines of one, answer.go runs a statement, output.go writes frames,
// and socket.go makes sockets.
package serve
