package shard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage/vec"
)

// Make plans a statement as a number of shards in a folder, which is created if it does not
// exist. It reads the input of the statement once, and copies it into the folder, or gives
// a plain text of pairs a second name there; for
// NEAREST … FOR ALL the input is the keys of the graph, and for EXPORT WALKS,
// RECONSTRUCT, MATERIALIZE PREDICTIONS and the evaluations there is none: their rows are the
// numbers of walks, of vertices and of trials. Shards
// have about the same number of rows, and differ by at most one below 65,536 rows; those of
// a plain text of pairs have about the same number of bytes, and those of RECONSTRUCT of
// pairs of vertices, and those of MATERIALIZE PREDICTIONS of paths from their vertices. If there are fewer rows than shards, some shards have none. The
// statement must be valid for the file of db (errors are those of EXPLAIN), and its output, if
// it is a file, must not exist yet.
//
// ErrStatement is a statement that cannot be divided, ErrNumber a number of shards below 1
// or above MaxShards, and ErrPlanned a folder with a plan.
func Make(ctx context.Context, db *query.DB, dir, statement string, shards int) (*Manifest, error) {
	return makePlan(ctx, db, dir, statement, shards, false)
}

// MakeWithData is Make, and also writes what the statement reads into the folder, as Parquet: the
// graph with all attributes, and the embeddings, models and indexes. Package dataset has its
// form. Then Manifest.Restore makes a store of the folder, so that shards need no copy of the
// heavytail file. dataset.ErrUnfit is an embedding that cannot be written.
func MakeWithData(ctx context.Context, db *query.DB, dir, statement string, shards int) (*Manifest, error) {
	return makePlan(ctx, db, dir, statement, shards, true)
}

func makePlan(ctx context.Context, db *query.DB, dir, statement string, shards int, data bool) (*Manifest, error) {
	if shards < 1 || shards > MaxShards {
		return nil, fmt.Errorf("%d shards, expected 1 to %d: %w", shards, MaxShards, ErrNumber)
	}
	work, parsed, err := divide(statement)
	if err != nil {
		return nil, err
	}
	m := newManifest(dir)
	m.Format, m.Statement, m.Kernel, m.work = version, parser.Text(parsed), vec.Kind(), work
	switch w := work.(type) {
	case computed:
		err = w.check(ctx, db)
	case written:
		output, _ := w.output().(parser.String)
		m.Output, err = output.Value, explained(ctx, db, parsed)
	}
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(m.path()); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, errors.Join(ErrPlanned, err))
	}
	if m.Reads, err = sources(ctx, db, work.names()); err != nil {
		return nil, err
	}
	if err := m.addContent(ctx, db, m.Reads); err != nil {
		return nil, err
	}
	for _, folder := range []string{m.inputs(), m.outputs()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
	}
	if err := m.writeInputs(ctx, db, work, shards); err != nil {
		return nil, err
	}
	if data {
		if err := m.writeData(ctx, db, work.names()); err != nil {
			return nil, err
		}
	}
	if m.Checksum, err = m.sum(); err != nil {
		return nil, err
	}
	return m, writeJSON(m.path(), m, false)
}

func (m *Manifest) writeInputs(ctx context.Context, db *query.DB, work divisible, shards int) error {
	if w, ok := work.(numbered); ok {
		ends, err := w.divide(ctx, db, shards)
		first := int64(0)
		for _, end := range ends {
			m.Shards = append(m.Shards, Input{First: first, Rows: end - first})
			first = end
		}
		return err
	}
	if w, ok := work.(cuttable); ok {
		done, err := m.cutText(ctx, w, shards)
		if done || err != nil {
			return err
		}
	}
	if w, ok := work.(typed); ok {
		rows, types, err := w.table(ctx)
		if err != nil {
			return err
		}
		if types != nil {
			return m.copyTable(ctx, db, w, rows, types, shards)
		}
	}
	return m.copyRows(ctx, db, work.(copied), shards)
}
