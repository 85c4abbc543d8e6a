// Package wire is the protocol between a server of a heavytail file (query/serve) and its clients
// (query/remote, and those in other languages): lines of JSON, in both directions. The page serve of
// the manual of the command heavytail describes it for clients.
//
// A client sends a [Message] a line: first a hello, which a Unix socket does not require, then
// statements, data for IMPORT '-', and cancellations. The server answers a statement with frames,
// each a line with the id of the statement ([Frame]): progress, notices, columns, batches of rows, and
// in the end the end or an error. A frame may have several of these, so that a short answer is one line.
//
// Values keep their types (values.go): a number with a point or an exponent is a float, and any other
// an integer. Errors keep their fields, positions and sentinels (errors.go), so that a client prints
// the same message as the process that has the file open, and errors.Is finds the same.
//
// The socket of a file (socket.go) follows from its path, so that a client needs no further address.
package wire
