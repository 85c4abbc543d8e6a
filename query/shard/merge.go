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

	"heavytail/storage/format"
)

// Merge writes the rows of all shards in order to a file, by default the file of the
// statement. The file appears when it is complete and every part was verified.
// ErrIncomplete names the shards that are missing, ErrDamaged a part that was changed.
//
// If all shards have one part, the file is a second name of it, unless the file system has no
// such names; else it is a copy. Whoever changes a file in place must take a copy first, or
// remove the folder.
func (m *Manifest) Merge(ctx context.Context, into string, overwrite bool) error {
	groups, err := m.groups()
	if err != nil {
		return err
	}
	if missing := m.missing(groups); len(missing) > 0 {
		return fmt.Errorf("%d of %d shards: %s: %w", len(missing), len(m.Shards), Ranges(missing), ErrIncomplete)
	}
	work, _, err := divide(m.Statement)
	if err != nil {
		return err
	}
	into = cmp.Or(into, m.Output)
	if len(groups) == 1 {
		if err := m.checkPart(groups[0]); err != nil {
			return err
		}
		err := format.LinkFile(m.output(groups[0]), into, overwrite)
		if !errors.Is(err, format.ErrLink) {
			return err
		}
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

// appendPart copies the rows of a group. With a header the first one has it, and all others
// must have the same.
func (m *Manifest) appendPart(w io.Writer, g group, headed bool, head *string, buffer []byte) error {
	p, err := m.done(g)
	if err != nil {
		return err
	}
	file, err := os.Open(m.output(g))
	if err != nil {
		return err
	}
	defer file.Close()
	var sum checksum
	in := bufio.NewReaderSize(file, bufferSize)
	if headed {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		sum.Write([]byte(line))
		switch {
		case g.first == 0:
			*head = line
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		case line != *head:
			return fmt.Errorf("%s has another header than the first part: %w", m.output(g), ErrDamaged)
		}
	}
	// Rows take the path of the buffer only: bufio.Reader.WriteTo would copy them once more.
	if _, err := io.CopyBuffer(io.MultiWriter(&sum, w), struct{ io.Reader }{in}, buffer); err != nil {
		return err
	}
	return m.verify(g, p, sum)
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
