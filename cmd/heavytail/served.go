package main

import (
	"context"
	"errors"
	"io"

	"heavytail/query"
	"heavytail/query/remote"
	"heavytail/repl"
)

// readOnlyMark is in the prompt of a shell that cannot write.
const readOnlyMark = "read-only"

// database is a file on which statements run: open in this process, or in a server.
type database interface {
	repl.Database
	ReadOnly() bool
	Close() error
}

// opened is a file for statements.
type opened struct {
	db  database
	own *query.DB // db, if this process has it open; nil if a server has
}

// openOrServed connects to the server that has a file open, if there is one for this user, and otherwise opens
// the file as openWith does.
func openOrServed(ctx context.Context, std streams, path string, options *query.Options, config repl.Config, data string) (opened, error) {
	if path != query.Memory {
		client, err := remote.Open(ctx, path)
		if err == nil {
			return opened{db: client}, nil
		}
		if !errors.Is(err, remote.ErrNoServer) {
			return opened{}, err
		}
	}
	db, err := openWith(ctx, std, path, options, config, data)
	if err != nil {
		return opened{}, err
	}
	return opened{db, db}, nil
}

// mark is what the prompt of a shell on the file shows.
func (f opened) mark(readOnly bool) string {
	switch {
	case readOnly || f.own == nil && f.db.ReadOnly():
		return readOnlyMark
	case f.own == nil:
		return "served"
	}
	return ""
}

// plot is what .plot calls.
func (f opened) plot(std streams, status *repl.Status) func(context.Context, io.Writer, []string) error {
	if f.own != nil {
		return plotInShell(std, f.own, status)
	}
	return func(context.Context, io.Writer, []string) error {
		return errors.New("another process serves the file, and answers statements only: heavytail plot draws when it has ended")
	}
}
