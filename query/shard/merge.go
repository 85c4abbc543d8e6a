package shard

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
)

// Merge writes the rows of all shards in order to a file, by default the file of the
// statement. The file appears when it is complete and every part was verified.
// ErrIncomplete names the shards that are missing, ErrDamaged a part that was changed.
func (m *Manifest) Merge(ctx context.Context, into string, overwrite bool) error {
	parts, err := m.parts()
	if err != nil {
		return err
	}
	var missing []int
	for i, p := range parts {
		if p == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d of %d shards: %s: %w", len(missing), len(parts), Ranges(missing), ErrIncomplete)
	}
	work, _, err := divide(m.Statement)
	if err != nil {
		return err
	}
	return writeFile(cmp.Or(into, m.Output), overwrite, func(w io.Writer) error {
		var head string
		buffer := make([]byte, 1<<18)
		for i, p := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.appendPart(w, i, p, work.headed(), &head, buffer); err != nil {
				return err
			}
		}
		return nil
	})
}

// appendPart copies the rows of a shard. With a header the first one has it, and all others
// must have the same.
func (m *Manifest) appendPart(w io.Writer, shard int, p *part, headed bool, head *string, buffer []byte) error {
	file, err := os.Open(m.output(shard))
	if err != nil {
		return err
	}
	defer file.Close()
	var sum checksum
	in := bufio.NewReaderSize(file, 1<<18)
	if headed {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		sum.Write([]byte(line))
		switch {
		case shard == 0:
			*head = line
			if _, err := io.WriteString(w, line); err != nil {
				return err
			}
		case line != *head:
			return fmt.Errorf("%s has another header than the first part: %w", m.output(shard), ErrDamaged)
		}
	}
	// Rows take the path of the buffer only: bufio.Reader.WriteTo would copy them once more.
	if _, err := io.CopyBuffer(io.MultiWriter(&sum, w), struct{ io.Reader }{in}, buffer); err != nil {
		return err
	}
	return m.verify(shard, p, sum)
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
