package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/wire"
	"heavytail/query/rows"
)

// Options of New. The zero value and a nil pointer take the defaults.
type Options struct {
	// Token is what clients of a network address must send first. Unix sockets and streams need none, because they
	// have the permissions of the system.
	Token string
	// Root is the folder of the files that statements name, for clients: that of query.Options.Folder.
	Root string
	// Draw draws the pictures that clients ask for: args are a kind with names and flags, form is what the picture becomes,
	// such as svg. It has the contexts and the turns of statements. nil draws none.
	Draw func(ctx context.Context, args []string, form string) ([]byte, []rows.Notice, error)
	// MaxClients is the largest number of connections of one listener; 0 means 1,000, which take some 30 MB.
	// Each further one gets remote.ErrBusy and is closed.
	MaxClients int
	// MaxStatements is how many statements of all clients run at once; others wait. 0 means 64: more
	// would not be answered sooner, and each may have a result in memory.
	MaxStatements int
	// MaxRows is the largest number of rows of an answer; 0 for any number. Results in memory have
	// the limit of query.Options.MaxRows as well.
	MaxRows int64
	// TimeLimit is how long an answer may take, with the time in which the client reads it; 0 for any time.
	TimeLimit time.Duration
	// Stall is how long a client may read nothing of what is written to it; 0 means one minute.
	Stall time.Duration
	// Grace is how long running statements may continue when the server stops; 0 means 2 seconds.
	Grace time.Duration
}

// Validate returns every fault of the options, joined; each is a *fault.FieldError.
func (o Options) Validate() error {
	var faults []error
	check := func(field string, value int64) {
		if value < 0 {
			faults = append(faults, &fault.FieldError{Field: field, Value: value, Message: "must not be negative"})
		}
	}
	check("MaxClients", int64(o.MaxClients))
	check("MaxStatements", int64(o.MaxStatements))
	check("MaxRows", o.MaxRows)
	check("TimeLimit", int64(o.TimeLimit))
	check("Stall", int64(o.Stall))
	check("Grace", int64(o.Grace))
	return errors.Join(faults...)
}

// service is what all clients of a server share.
type service struct {
	db       *query.DB
	opts     Options
	greeting wire.Greeting
	slots    chan struct{} // one for each statement that may run
}

// limited is a context for an answer, with the limit of the server or that of the client, if it is shorter; 0 is none.
func (s *service) limited(ctx context.Context, own time.Duration) (context.Context, context.CancelFunc) {
	limit := s.opts.TimeLimit
	if own > 0 && (limit == 0 || own < limit) {
		limit = own
	}
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// admits reports whether a token is right, in a time that does not depend on it.
func (s *service) admits(token string) bool {
	want, got := sha256.Sum256([]byte(s.opts.Token)), sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
