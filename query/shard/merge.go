package shard

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"heavytail/query"
	"heavytail/query/rows"
	"heavytail/storage/format"
)

// Merge writes the rows of all shards in order to a file, by default the file of the
// statement. The file appears when it is complete and every part was verified. The rows of Parquet
// are decoded and written again, since row groups go over parts; others are copied.
// ErrIncomplete names the shards that are missing, ErrDamaged a part that was changed.
//
// If all shards have one part, the file is a hard link to it, or a copy if the file system has no
// hard links. To change the file in place, copy it first or remove the folder.
func (m *Manifest) Merge(ctx context.Context, into string, overwrite bool) error {
	groups, err := m.complete()
	if err != nil {
		return err
	}
	work, ok := m.work.(written)
	if !ok {
		return m.elsewhere()
	}
	into = cmp.Or(into, m.Output)
	var notes []format.Note
	if w, ok := work.(noted); ok && isParquet(m.Output) {
		notes = w.notes()
	}
	if len(groups) == 1 && notes == nil {
		if err := m.checkPart(groups[0]); err != nil {
			return err
		}
		err := format.LinkFile(m.output(groups[0]), into, overwrite)
		if !errors.Is(err, format.ErrLink) {
			return err
		}
	}
	if isParquet(m.Output) {
		return writeFile(into, overwrite, func(w io.Writer) error { return m.joinParts(ctx, w, groups, notes) })
	}
	return writeFile(into, overwrite, func(w io.Writer) error {
		var head string
		buffer := make([]byte, bufferSize)
		for _, g := range groups {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.appendPart(w, g, work.headed(), &head, buffer); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stored reports whether the rows are stored in the heavytail file, by MergeInto.
func (m *Manifest) Stored() bool { _, ok := m.work.(stored); return ok }

// Answered reports whether the statement returns rows, which Answer makes of its trials.
func (m *Manifest) Answered() bool { _, ok := m.work.(answered); return ok }

// elsewhere is the error for a merge of the wrong kind for the statement.
func (m *Manifest) elsewhere() error {
	switch {
	case m.Stored():
		return fmt.Errorf("MergeInto stores them in the heavytail file: %w", ErrTarget)
	case m.Answered():
		return fmt.Errorf("Answer returns them: %w", ErrTarget)
	}
	return fmt.Errorf("Merge writes them into %s: %w", m.Output, ErrTarget)
}

// MergeInto stores the rows of all shards in the file of db, which must be open for writing, as
// the statement would have, in one step: if it fails or is stopped, nothing has changed. Every
// part is verified, and the objects of the file are compared with those of the plan, as Verify
// does. Errors are those of Merge, ErrChanged and those of the statement; ErrTarget is a
// statement that does not write the heavytail file.
func (m *Manifest) MergeInto(ctx context.Context, db *query.DB) error {
	groups, err := m.complete()
	if err != nil {
		return err
	}
	work, ok := m.work.(stored)
	if !ok {
		return m.elsewhere()
	}
	parts, err := m.parts(ctx, db, groups)
	if err != nil {
		return err
	}
	return work.merge(ctx, db, parts)
}

// Answer returns the rows and the notices of the statement, which are made of all its trials; with
// INTO FILE it writes the file of the statement. db is only read. Parts and objects are checked
// as by MergeInto, with the same errors; ErrTarget is a statement that is not made of trials.
func (m *Manifest) Answer(ctx context.Context, db *query.DB) (*rows.Rows, error) {
	groups, err := m.complete()
	if err != nil {
		return nil, err
	}
	work, ok := m.work.(answered)
	if !ok {
		return nil, m.elsewhere()
	}
	parts, err := m.parts(ctx, db, groups)
	if err != nil {
		return nil, err
	}
	return work.answer(ctx, db, parts)
}

// parts verifies all parts and the objects of a file, and returns functions that open the parts.
func (m *Manifest) parts(ctx context.Context, db *query.DB, groups []group) ([]func() (io.ReadCloser, error), error) {
	if err := m.checkSources(ctx, db, m.work.names()); err != nil {
		return nil, err
	}
	parts := make([]func() (io.ReadCloser, error), len(groups))
	for i, g := range groups {
		if err := cmp.Or(ctx.Err(), m.checkPart(g)); err != nil {
			return nil, err
		}
		parts[i] = func() (io.ReadCloser, error) { return m.openPart(g) }
	}
	return parts, nil
}

// complete returns all groups, if no shard is missing.
func (m *Manifest) complete() ([]group, error) {
	groups, err := m.groups()
	if err != nil {
		return nil, err
	}
	if missing := m.missing(groups); len(missing) > 0 {
		return nil, fmt.Errorf("%d of %d shards: %s: %w", len(missing), len(m.Shards), Ranges(missing), ErrIncomplete)
	}
	return groups, nil
}

// partFile is a part that is verified when it is closed after it was read to its end: it may
// have changed since checkPart read it.
type partFile struct {
	file *os.File
	sum  checksum
	end  bool
	done func(checksum) error
}

func (m *Manifest) openPart(g group) (io.ReadCloser, error) {
	p, err := m.done(g)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(m.output(g))
	if err != nil {
		return nil, err
	}
	return &partFile{file: file, done: func(sum checksum) error { return m.verify(g, p, sum) }}, nil
}

func (p *partFile) Read(b []byte) (int, error) {
	n, err := p.file.Read(b)
	p.sum.Write(b[:n])
	p.end = p.end || err == io.EOF
	return n, err
}

func (p *partFile) Close() error {
	err := p.file.Close()
	if p.end {
		err = errors.Join(err, p.done(p.sum))
	}
	return err
}

// appendPart copies the rows of a group. With a header the first one has it, and all others
// must have the same.
func (m *Manifest) appendPart(w io.Writer, g group, headed bool, head *string, buffer []byte) (err error) {
	file, err := m.openPart(g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReaderSize(file, bufferSize)
	if headed {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		switch {
		case g.first == 0:
			*head = line
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		case line != *head:
			return fmt.Errorf("the header of %s differs from that of the first part: %w", m.output(g), ErrDamaged)
		}
	}
	// Rows take the path of the buffer only: bufio.Reader.WriteTo would copy them once more.
	_, err = io.CopyBuffer(w, struct{ io.Reader }{in}, buffer)
	return err
}

// Ranges writes ascending numbers as 1, 4-7.
func Ranges(list []int) string {
	var texts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		text := fmt.Sprint(list[i])
		if j > i {
			text += fmt.Sprintf("-%d", list[j])
		}
		texts = append(texts, text)
		i = j + 1
	}
	return strings.Join(texts, ", ")
}
