package shard

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"heavytail/query"
	"heavytail/storage/vec"
)

// Run runs one shard, numbered from 0, on the file of db, which is only read. If the
// shard is finished, it only verifies its part. Rows, notices and progress are those of
// the statement.
//
// Errors are ErrNumber, ErrChanged if the file or the kernels differ from those of the
// plan, ErrDamaged if the input or a part was changed, format.ErrPartInUse if another
// process runs the shard, and those of the statement.
func (m *Manifest) Run(ctx context.Context, db *query.DB, shard int) error {
	if shard < 0 || shard >= len(m.Shards) {
		return fmt.Errorf("shard %d, expected 0 to %d: %w", shard, len(m.Shards)-1, ErrNumber)
	}
	p, err := m.done(shard)
	if err != nil {
		return err
	}
	if p != nil {
		return m.checkPart(shard, p)
	}
	work, _, err := divide(m.Statement)
	if err != nil {
		return err
	}
	if err := m.checkSources(ctx, db, work.names()); err != nil {
		return err
	}
	if _, ok := work.(copied); ok {
		in := m.Shards[shard]
		if sum, err := sumFile(m.input(shard)); err != nil {
			return err
		} else if sum.bytes != in.Bytes || sum.text() != in.CRC32C {
			return fmt.Errorf("%s is not what was planned: %w", m.input(shard), ErrDamaged)
		}
	}
	return m.run(ctx, db, work, shard)
}

// run writes the part of a shard, and then its state.
func (m *Manifest) run(ctx context.Context, db *query.DB, work divisible, shard int) error {
	// Paths in statements are relative to the working directory of the process.
	input, err := filepath.Abs(m.input(shard))
	if err != nil {
		return err
	}
	output, err := filepath.Abs(m.output(shard))
	if err != nil {
		return err
	}
	began := time.Now()
	rows, err := db.Run(ctx, work.on(piece{input, m.Separator, output, m.Shards[shard].First, m.Shards[shard].Rows}), nil)
	if err != nil {
		return err
	}
	if err := drain(rows); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	sum, err := sumFile(output)
	if err != nil {
		return err
	}
	return writeJSON(m.state(shard), part{m.Checksum, sum.bytes, sum.text(), seconds}, true)
}

// checkPart verifies the rows of a shard that is done.
func (m *Manifest) checkPart(shard int, p *part) error {
	sum, err := sumFile(m.output(shard))
	if err != nil {
		return err
	}
	return m.verify(shard, p, sum)
}

// verify compares the rows of a shard with its state.
func (m *Manifest) verify(shard int, p *part, sum checksum) error {
	if sum.bytes != p.Bytes || sum.text() != p.CRC32C {
		return fmt.Errorf("%s is not what was written; remove %s and run shard %d again: %w", m.output(shard), m.state(shard), shard, ErrDamaged)
	}
	return nil
}

// checkSources returns an error for a file with different objects, and for kernels that round
// differently.
func (m *Manifest) checkSources(ctx context.Context, db *query.DB, names named) error {
	if m.Kernel != vec.Kind() {
		return fmt.Errorf("this machine has the kernels %s, the plan those of %s, which round differently: %w", vec.Kind(), m.Kernel, ErrChanged)
	}
	now, err := sources(ctx, db, names)
	if err != nil {
		return err
	}
	for _, s := range m.Reads {
		if !slices.Contains(now, s) {
			return fmt.Errorf("%s %s is not %s, as in the plan: %w", s.Kind, s.Name, s.State, ErrChanged)
		}
	}
	if len(now) != len(m.Reads) {
		return fmt.Errorf("the statement reads more than in the plan: %w", ErrChanged)
	}
	return nil
}

// State is the progress of a shard.
type State struct {
	Shard   int     `json:"shard"`
	Rows    int64   `json:"rows"` // number of rows that it reads
	Done    bool    `json:"done"`
	Bytes   int64   `json:"bytes"`   // size of its part, if it is finished
	Seconds float64 `json:"seconds"` // time that it took
}

// Status reports the progress of all shards, in order. It reads the states of the parts and
// not their rows, which Merge checks.
func (m *Manifest) Status() ([]State, error) {
	parts, err := m.parts()
	if err != nil {
		return nil, err
	}
	list := make([]State, len(parts))
	for i, p := range parts {
		list[i] = State{Shard: i, Rows: m.Shards[i].Rows}
		if p != nil {
			list[i].Done, list[i].Bytes, list[i].Seconds = true, p.Bytes, p.Seconds
		}
	}
	return list, nil
}
