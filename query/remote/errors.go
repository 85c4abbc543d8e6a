package remote

import (
	"errors"

	"heavytail/query/internal/wire"
)

// ErrNoServer is returned by Open if no process serves the file, or not for this user.
var ErrNoServer = errors.New("no server has the file open")

// The errors of a server.
var (
	ErrLost    = wire.ErrLost    // the server has ended, or has closed the connection, before the answer was complete
	ErrStopped = wire.ErrStopped // the server stops; a statement that ran was cancelled
	ErrBusy    = wire.ErrBusy    // too many clients, or too many statements at once
	ErrRequest = wire.ErrRequest // the server does not understand the client
	ErrToken   = wire.ErrToken   // the token is missing or wrong
)
