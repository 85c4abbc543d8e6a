package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"heavytail/query"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// Run runs one shard, numbered from 0, on the file of db, which is only read: RunAll of one.
func (m *Manifest) Run(ctx context.Context, db *query.DB, shard int) error {
	return m.RunAll(ctx, db, shard, shard)
}

// RunAll runs the shards first to last, numbered from 0, on the file of db, which is only read.
// For finished shards it only verifies the parts. If the shards read pieces of one text,
// consecutive ones are run as one statement and have one part, which counts once all of them are
// finished; others are run one after the other. Rows, notices and progress are those of the
// statement.
//
// Errors are ErrNumber, ErrChanged if the file or the kernels differ from those of the
// plan, ErrDamaged if the input or a part was changed, format.ErrPartInUse if another
// process runs the same shards, and those of the statement.
func (m *Manifest) RunAll(ctx context.Context, db *query.DB, first, last int) error {
	if first < 0 || last < first || last >= len(m.Shards) {
		return fmt.Errorf("%s, expected 0 to %d: %w", group{first, last}.text(), len(m.Shards)-1, ErrNumber)
	}
	done, err := m.groups()
	if err != nil {
		return err
	}
	for _, g := range done {
		if g.last < first || g.first > last {
			continue
		}
		if err := m.checkPart(g); err != nil {
			return fmt.Errorf("%s: %w", g.text(), err)
		}
	}
	missing := slices.DeleteFunc(m.missing(done), func(i int) bool { return i < first || i > last })
	for len(missing) > 0 {
		g := one(missing[0])
		for missing = missing[1:]; m.Text != "" && len(missing) > 0 && missing[0] == g.last+1; missing = missing[1:] {
			g.last++
		}
		if err := m.run(ctx, db, g); err != nil {
			return fmt.Errorf("%s: %w", g.text(), err)
		}
	}
	return nil
}

// run checks what a group reads, and then writes its part and its state.
func (m *Manifest) run(ctx context.Context, db *query.DB, g group) error {
	if m.Kernel != vec.Kind() {
		return fmt.Errorf("this machine uses the kernels %s, and the plan those of %s, which round differently; set HEAVYTAIL_KERNELS=%s where this machine has them: %w", vec.Kind(), m.Kernel, m.Kernel, ErrChanged)
	}
	if err := m.checkSources(ctx, db, m.work.names()); err != nil {
		return err
	}
	p := piece{first: m.Shards[g.first].First}
	for i := g.first; i <= g.last; i++ {
		p.rows += m.Shards[i].Rows
	}
	var err error
	if _, ok := m.work.(copied); ok {
		if p.input, p.bytes, err = m.checkInput(g); err != nil {
			return err
		}
	}
	// Paths in statements are relative to the working directory of the process.
	if p.input, err = filepath.Abs(p.input); err != nil {
		return err
	}
	if p.output, err = filepath.Abs(m.output(g)); err != nil {
		return err
	}
	began := time.Now()
	if err := runPiece(ctx, db, m.work, p); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	file, err := os.Open(p.output)
	if err != nil {
		return err
	}
	defer file.Close()
	sum, err := sumOf(file, make([]byte, bufferSize))
	if err != nil {
		return err
	}
	return writeJSON(m.state(g), part{m.Checksum, sum.bytes, sum.text(), seconds}, true)
}

func runPiece(ctx context.Context, db *query.DB, work divisible, p piece) error {
	if w, ok := work.(computed); ok {
		return w.run(ctx, db, p)
	}
	rows, err := db.Run(ctx, work.(written).on(p), nil)
	if err != nil {
		return err
	}
	return drain(rows)
}

// checkInput returns the file that a group reads, and its span if that is a piece of a text. The
// bytes must be those that were planned.
func (m *Manifest) checkInput(g group) (path string, bytes *format.Span, err error) {
	path = m.text()
	if m.Text == "" {
		path = m.input(g.first)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", nil, err
	}
	defer file.Close()
	buffer := make([]byte, bufferSize)
	for i := g.first; i <= g.last; i++ {
		in, from := m.Shards[i], io.Reader(file)
		if m.Text != "" {
			from = io.NewSectionReader(file, in.Offset, in.Bytes)
		}
		if sum, err := sumOf(from, buffer); err != nil {
			return "", nil, err
		} else if sum.bytes != in.Bytes || sum.text() != in.CRC32C {
			return "", nil, fmt.Errorf("%s is not what was planned: %w", path, ErrDamaged)
		}
	}
	if m.Text != "" {
		last := m.Shards[g.last]
		bytes = &format.Span{From: m.Shards[g.first].Offset, To: last.Offset + last.Bytes}
	}
	return path, bytes, nil
}

// checkPart verifies the rows of a group that is done.
func (m *Manifest) checkPart(g group) error {
	file, err := m.openVerified(g)
	if err != nil {
		return err
	}
	return file.Close()
}

// openVerified opens the rows of a group that is done, after they were read to their end and
// compared with the state.
func (m *Manifest) openVerified(g group) (*os.File, error) {
	p, err := m.done(g)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(m.output(g))
	if err != nil {
		return nil, err
	}
	sum, err := sumOf(file, make([]byte, bufferSize))
	if err == nil {
		err = m.verify(g, p, sum)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// verify compares the rows of a group with its state.
func (m *Manifest) verify(g group, p *part, sum checksum) error {
	if sum.bytes != p.Bytes || sum.text() != p.CRC32C {
		return fmt.Errorf("%s is not what was written; remove %s and run %s again: %w", m.output(g), m.state(g), g.text(), ErrDamaged)
	}
	return nil
}

// Verify returns ErrChanged, with the name of the object, if an object on which the rows depend
// differs from that of the plan. It reads graph and vectors, once for each process and file; every
// Run does the same before it computes anything.
func (m *Manifest) Verify(ctx context.Context, db *query.DB) error {
	return m.checkSources(ctx, db, m.work.names())
}

// checkSources compares the objects of a file with those of the plan: first their states,
// which costs nothing, and then their content.
func (m *Manifest) checkSources(ctx context.Context, db *query.DB, names named) error {
	now, err := sources(ctx, db, names)
	if err != nil {
		return err
	}
	for _, p := range m.Reads {
		if !slices.ContainsFunc(now, p.same) {
			return fmt.Errorf("%s %s is not %s, as in the plan: %w", p.Kind, p.Name, p.State, ErrChanged)
		}
	}
	if len(now) != len(m.Reads) {
		return fmt.Errorf("the statement reads more than in the plan: %w", ErrChanged)
	}
	if err := m.addContent(ctx, db, now); err != nil {
		return err
	}
	for _, p := range m.Reads {
		s := now[slices.IndexFunc(now, p.same)]
		if parts := s.Content.differs(p.Content); parts != "" {
			return fmt.Errorf("%s %s differs from that of the plan in %s, although both are %s: %w", s.Kind, s.Name, parts, s.State, ErrChanged)
		}
	}
	return nil
}

// State is the progress of a shard.
type State struct {
	Shard int   `json:"shard"`
	Rows  int64 `json:"rows"` // number of rows that it reads
	Done  bool  `json:"done"`
	// Bytes is the size of its part, if it is finished, and Seconds the time that it took. Of
	// shards with one part the first one has both.
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
}

// Status reports the progress of all shards, in order. It reads the states of the parts and
// not their rows, which Merge checks.
func (m *Manifest) Status() ([]State, error) {
	groups, err := m.groups()
	if err != nil {
		return nil, err
	}
	list := make([]State, len(m.Shards))
	for i := range list {
		list[i] = State{Shard: i, Rows: m.Shards[i].Rows}
	}
	for _, g := range groups {
		p, err := m.done(g)
		if err != nil {
			return nil, err
		}
		list[g.first].Bytes, list[g.first].Seconds = p.Bytes, p.Seconds
		for i := g.first; i <= g.last; i++ {
			list[i].Done = true
		}
	}
	return list, nil
}
