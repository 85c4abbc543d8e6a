package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/repl"
	"heavytail/storage"
	"heavytail/storage/format"
)

// This file opens files of graphs as stores in memory.

// openWith is openFile, and imports a file with a graph into a new store, if it is given one.
func openWith(ctx context.Context, std streams, path string, options *query.Options, config repl.Config, data string) (*query.DB, error) {
	db, err := openFile(std, path, options)
	if err != nil || data == "" {
		return db, err
	}
	if err := importData(ctx, std, db, config, data); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// isData reports whether a file is there whose name ends as those of graphs do, and that is no store.
func isData(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || !format.IsEnding(format.Ending(path)) {
		return false
	}
	db, err := query.Open(path, &query.Options{ReadOnly: true, NoCreate: true})
	if err == nil {
		_ = db.Close() // it was only read
	}
	return errors.Is(err, storage.ErrNotStore)
}

// importData imports a file into a graph that is called as the file is. What it answers goes to standard
// error, since standard output is for the statements.
func importData(ctx context.Context, std streams, db *query.DB, config repl.Config, path string) error {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	name = strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, name)
	if first, _ := utf8.DecodeRuneInString(name); !unicode.IsLetter(first) {
		name = "graph_" + name
	}
	config.DB, config.Out, config.Format = db, std.err, repl.Table
	return unreported(repl.Answer(ctx, config, "IMPORT", graphs.ImportRequest{Graph: name, Path: path}))
}
