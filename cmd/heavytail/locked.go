package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/remote"
	"heavytail/storage"
)

// served adds to the error of a file that is locked what a server on it does.
func served(path string, err error) error {
	if !errors.Is(err, storage.ErrLocked) {
		return err
	}
	client, none := remote.Open(context.Background(), path) // which takes seconds at most
	if none != nil {
		return err
	}
	client.Close()
	return fmt.Errorf("%w; it serves the file: heavytail exec runs statements there", err)
}

// completeGraphs completes the argument behind FILE by the names of the graphs in it, if it can be read at
// once.
func completeGraphs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) != 1 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return graphsIn(args[0]), cobra.ShellCompDirectiveNoFileComp
}

// graphsIn lists the names of the graphs of a file, or of the server that has it open; none if it cannot be read at once.
func graphsIn(path string) (names []string) {
	ctx := context.Background()
	var db database
	db, err := remote.Open(ctx, path)
	if err != nil {
		db, err = query.Open(path, &query.Options{ReadOnly: true, NoCreate: true, LockTimeout: 100 * time.Millisecond})
	}
	if err != nil {
		return nil
	}
	defer db.Close() // it was only read
	graphs, err := db.Execute(ctx, query.Request{Source: parser.Source{Text: "SHOW GRAPHS COLUMNS graph"}})
	if err != nil {
		return nil
	}
	defer graphs.Close()
	for graphs.Next() {
		names = append(names, graphs.Row()[0].(string))
	}
	return names
}
