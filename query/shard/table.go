package shard

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"heavytail/query"
	"heavytail/storage/format"
)

// This file has rows in Parquet: the inputs of shards, and the parts that Merge joins.

// copyTable writes the rows of a Parquet file into those of the shards, each with the same number
// of rows and the types of the file.
func (m *Manifest) copyTable(ctx context.Context, db *query.DB, w typed, rows int64, types []format.Type, shards int) error {
	columns, err := w.columns(ctx, db)
	if err != nil {
		return err
	}
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			return fmt.Errorf("%w: the file has two columns called %s, and Parquet has one of a name; rename one", ErrStatement, name)
		}
	}
	m.Inputs, m.Shards = parquetEnding, make([]Input, shards)
	t := tableCopy{m: m, ctx: ctx, columns: columns, types: types, rows: rows}
	defer t.discard()
	if err := t.next(); err != nil {
		return err
	}
	values := make([]any, len(columns))
	err = w.each(ctx, db, func(row ...string) error {
		for t.at == t.end {
			if err := t.next(); err != nil {
				return err
			}
			if t.file == nil {
				return fmt.Errorf("the file has more than %d rows: %w", rows, ErrChanged)
			}
		}
		for i, text := range row {
			values[i] = types[i].ValueOf(text)
		}
		t.at++
		return t.to.Row(values)
	})
	for err == nil && t.file != nil {
		err = t.next()
	}
	return err
}

// tableCopy writes the inputs of shards one after the other.
type tableCopy struct {
	m       *Manifest
	ctx     context.Context
	columns []string
	types   []format.Type
	rows    int64 // of all shards
	shard   int   // number after the shard that is being written
	at, end int64 // the next row, and the first of the next shard
	file    *format.File
	sum     checksum
	to      *format.ParquetRows
}

// next ends the input of a shard, and begins the next one, if there is one.
func (t *tableCopy) next() (err error) {
	if t.file != nil {
		if err := t.to.Close(); err != nil {
			return err
		}
		if err := t.file.Commit(); err != nil {
			return err
		}
		in := &t.m.Shards[t.shard-1]
		in.Bytes, in.CRC32C, t.file = t.sum.bytes, t.sum.text(), nil
	}
	if t.shard == len(t.m.Shards) {
		if t.at != t.rows {
			return fmt.Errorf("the file has %d rows, expected %d: %w", t.at, t.rows, ErrChanged)
		}
		return nil
	}
	if t.file, err = format.CreateFile(t.m.input(t.shard), true); err != nil {
		return err
	}
	first, end := bounds(t.rows, int64(t.shard), int64(len(t.m.Shards)))
	t.m.Shards[t.shard] = Input{First: first, Rows: end - first}
	t.end, t.sum = end, checksum{}
	t.to = format.NewParquetRows(io.MultiWriter(&t.sum, t.file), t.columns, t.types, nil)
	t.shard++
	return t.ctx.Err()
}

func (t *tableCopy) discard() {
	if t.file != nil {
		_ = t.file.Close()
	}
}

// joinParts writes the rows of all groups, each verified when it is opened.
func (m *Manifest) joinParts(ctx context.Context, w io.Writer, groups []group, notes []format.Note) error {
	var parts []func() (*os.File, error)
	for _, g := range groups {
		parts = append(parts, func() (*os.File, error) { return m.openVerified(g) })
	}
	return format.JoinParquet(ctx, w, parts, notes)
}
