package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// Make plans a statement as a number of shards in a folder, which is created if it does not
// exist. It reads the input of the statement twice, and copies it into the folder; for
// NEAREST … FOR ALL the input is the keys of the graph, and for EXPORT WALKS and
// RECONSTRUCT there is none: their rows are the numbers of walks and of vertices. Shards
// differ by at most one row; those of RECONSTRUCT have about the same number of pairs of
// vertices. If there are fewer rows than shards, some shards have none. The statement must
// be valid for the file of db (errors are those of EXPLAIN), and its output must not exist
// yet.
//
// ErrStatement is a statement that cannot be divided, ErrNumber a number of shards below 1
// or above MaxShards, and ErrPlanned a folder with a plan.
func Make(ctx context.Context, db *query.DB, dir, statement string, shards int) (*Manifest, error) {
	if shards < 1 || shards > MaxShards {
		return nil, fmt.Errorf("%d shards, expected 1 to %d: %w", shards, MaxShards, ErrNumber)
	}
	work, parsed, err := divide(statement)
	if err != nil {
		return nil, err
	}
	if err := explained(ctx, db, parsed); err != nil {
		return nil, err
	}
	output, _ := work.output().(parser.String)
	m := &Manifest{Format: version, Statement: parsed.String(), Output: output.Value, Kernel: vec.Kind(), dir: dir}
	if _, err := os.Lstat(m.path()); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, errors.Join(ErrPlanned, err))
	}
	if m.Reads, err = sources(ctx, db, work.names()); err != nil {
		return nil, err
	}
	for _, folder := range []string{filepath.Dir(m.input(0)), filepath.Dir(m.output(0))} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return nil, err
		}
	}
	if err := m.writeInputs(ctx, db, work, shards); err != nil {
		return nil, err
	}
	if m.Checksum, err = m.sum(); err != nil {
		return nil, err
	}
	return m, writeJSON(m.path(), m, false)
}

// writeInputs divides the rows of the statement.
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
	w := work.(copied)
	columns, err := w.columns(ctx, db)
	if err != nil {
		return err
	}
	d := divider{m: m, shards: shards, head: header(columns)}
	if err := w.each(ctx, db, func(...string) error { d.total++; return nil }); err != nil {
		return err
	}
	err = w.each(ctx, db, d.row)
	if err == nil {
		err = d.end()
	}
	if d.file != nil {
		err = errors.Join(err, d.file.Close())
	}
	return err
}

// bounds are the first row of shard i of n, and the one behind its last.
func bounds(rows, i, n int64) (first, end int64) {
	at := func(i int64) int64 { return rows/n*i + rows%n*i/n } // rows·i/n, without overflow
	return at(i), at(i + 1)
}

// divider writes rows into the inputs of the shards, one after the other.
type divider struct {
	m      *Manifest
	shards int
	total  int64 // rows
	head   string

	left int64 // rows that are still to be written to the present shard
	file *format.File
	hash hash.Hash
	line []byte
}

// row writes one row, so that any key can be written.
func (d *divider) row(values ...string) error {
	for d.left == 0 {
		if len(d.m.Shards) == d.shards {
			return fmt.Errorf("the input has more rows than when they were counted: %w", ErrChanged)
		}
		if err := d.next(); err != nil {
			return err
		}
	}
	d.left--
	d.line = appendLine(d.line[:0], values)
	return d.write(d.line)
}

// header is the first line of an input. A name that is a word has no quotes.
func header(columns []string) string {
	for i, name := range columns {
		if strings.ContainsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			columns[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(columns, ",") + "\n"
}

// appendLine appends a line of CSV. Values are in quotes unless they are plain: a reader
// takes up to twice as long for values in quotes.
func appendLine(line []byte, values []string) []byte {
	for i, v := range values {
		if i > 0 {
			line = append(line, ',')
		}
		if plain(v) {
			line = append(line, v...)
			continue
		}
		line = append(append(append(line, '"'), strings.ReplaceAll(v, `"`, `""`)...), '"')
	}
	return append(line, '\n')
}

// plain reports whether a value is read back as it is without quotes, and cannot be taken
// for a comment or an empty line.
func plain(v string) bool {
	for i := range len(v) {
		if c := v[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' {
			return false
		}
	}
	return v != ""
}

// next ends the input of the present shard, and begins that of the next one.
func (d *divider) next() error {
	if err := d.commit(); err != nil {
		return err
	}
	i := len(d.m.Shards)
	first, end := bounds(d.total, int64(i), int64(d.shards))
	d.left = end - first
	d.m.Shards = append(d.m.Shards, Input{First: first, Rows: d.left})
	d.hash = sha256.New()
	var err error
	if d.file, err = format.CreateFile(d.m.input(i), true); err != nil {
		return err
	}
	return d.write([]byte(d.head))
}

func (d *divider) write(text []byte) error {
	d.hash.Write(text)
	_, err := d.file.Write(text)
	return err
}

// commit gives the input of the present shard its name.
func (d *divider) commit() error {
	if d.file == nil {
		return nil
	}
	d.m.Shards[len(d.m.Shards)-1].SHA256 = hex.EncodeToString(d.hash.Sum(nil))
	return d.file.Commit()
}

// end ends the last input with rows, and writes the inputs without rows.
func (d *divider) end() error {
	if d.left > 0 {
		return fmt.Errorf("the input has fewer rows than when they were counted: %w", ErrChanged)
	}
	for len(d.m.Shards) < d.shards {
		if err := d.next(); err != nil {
			return err
		}
	}
	return d.commit()
}
