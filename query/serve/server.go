package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/wire"
)

// Server answers statements on a database. It is safe for concurrent use.
type Server struct{ service }

// New makes a server. It does not close the database. The error is that of Options.Validate.
func New(db *query.DB, o *Options) (*Server, error) {
	var full Options
	if o != nil {
		full = *o
	}
	if err := full.Validate(); err != nil {
		return nil, err
	}
	full.MaxClients = cmp.Or(full.MaxClients, 1000)
	full.MaxStatements = cmp.Or(full.MaxStatements, 64)
	full.Stall = cmp.Or(full.Stall, time.Minute)
	full.Grace = cmp.Or(full.Grace, 2*time.Second)
	s := &Server{service{db: db, opts: full, slots: make(chan struct{}, full.MaxStatements)}}
	s.greeting = wire.Greeting{Heavytail: wire.Version, File: absolute(db.Path()), Root: absolute(full.Root), ReadOnly: db.ReadOnly()}
	return s, nil
}

// absolute is a path for processes in other folders; "" stays so.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil && path != "" {
		return full
	}
	return path
}

// ErrNoToken is returned by Serve for an address that is no Unix socket if Options.Token is empty: everyone on the
// machine could connect.
var ErrNoToken = errors.New("a network address needs a token")

// Serve answers the clients of a listener until ctx ends, and closes it. It then returns nil after the last
// client has its answer or its error.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer l.Close()
	trusted := l.Addr().Network() == "unix"
	if !trusted && s.opts.Token == "" {
		return ErrNoToken
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var running sync.WaitGroup
	defer running.Wait()
	places := make(chan struct{}, s.opts.MaxClients)
	for pause := time.Duration(0); ; {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files: some client may leave
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			continue
		}
		pause = 0
		select {
		case places <- struct{}{}:
			running.Go(func() {
				defer func() { <-places }()
				newClient(&s.service, conn, conn, conn, trusted).serve(ctx)
			})
		default:
			refuse(conn, fmt.Errorf("the server has %s: %w", fault.Count(int64(s.opts.MaxClients), "client"), wire.ErrBusy))
		}
	}
}

// refuse sends an error to a client that is not served, if it takes it at once.
func refuse(conn net.Conn, err error) {
	defer conn.Close()
	if conn.SetWriteDeadline(time.Now().Add(10*time.Millisecond)) == nil {
		_, _ = conn.Write(line(wire.Frame{Error: wire.ErrorOf(err)})) // a client that is gone needs no answer
	}
}

// ServeStream answers the one client of a pair of streams, such as standard input and output, until in
// ends, and then finishes what was asked. If ctx ends before, it stops as Serve does; a read of in that blocks
// is then abandoned, and its goroutine ends when the read does.
func (s *Server) ServeStream(ctx context.Context, in io.Reader, out io.Writer) {
	newClient(&s.service, in, out, nil, true).serve(ctx)
}
