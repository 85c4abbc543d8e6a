package shard

import (
	"bufio"
	"context"
	"errors"
	"os"
	"strings"
	"unicode"

	"heavytail/query"
	"heavytail/storage/format"
)

// copyRows writes the rows of a statement into one file, in a form that every reader takes, and
// cuts it into the inputs of the shards.
func (m *Manifest) copyRows(ctx context.Context, db *query.DB, w copied, shards int) error {
	columns, err := w.columns(ctx, db)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(m.inputs(), ".rows-")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<18)
	places := places{step: 1, most: max(1<<16, 4*shards)}
	var line []byte
	err = w.each(ctx, db, func(row ...string) error {
		line = appendLine(line[:0], row)
		places.add(len(line))
		_, err := out.Write(line)
		return err
	})
	if err := errors.Join(err, out.Flush()); err != nil {
		return err
	}
	m.Shards = make([]Input, shards)
	head := header(columns)
	return m.eachInput(func(i int, buffer []byte) error {
		var span format.Span
		first, end := bounds(places.rows, int64(i), int64(shards))
		first, span.From = places.near(first)
		end, span.To = places.near(end)
		m.Shards[i].Rows = end - first
		return m.copySpan(ctx, file, i, span, head, buffer)
	})
}

// places are the offsets of some rows in a file, at equal distances. The distance doubles when
// they become too many.
type places struct {
	step    int64 // number of rows from one place to the next
	most    int
	offsets []int64
	rows    int64 // of the file
	bytes   int64
}

// add counts a row of so many bytes.
func (p *places) add(bytes int) {
	if p.rows%p.step == 0 {
		if len(p.offsets) == p.most {
			half := p.offsets[:0]
			for i := 0; i < p.most; i += 2 {
				half = append(half, p.offsets[i])
			}
			p.offsets, p.step = half, 2*p.step
		}
		if p.rows%p.step == 0 {
			p.offsets = append(p.offsets, p.bytes)
		}
	}
	p.rows++
	p.bytes += int64(bytes)
}

// near returns the known row before or at a row, and its offset. The end of the file is known.
func (p *places) near(row int64) (known, offset int64) {
	if row == p.rows {
		return p.rows, p.bytes
	}
	i := row / p.step
	return i * p.step, p.offsets[i]
}

// header is the first line of an input. A name that is a word has no quotes.
func header(columns []string) string {
	for i, name := range columns {
		if strings.ContainsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			columns[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return strings.Join(columns, ",")
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
