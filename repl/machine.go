package repl

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	written "heavytail/query/files"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// sheets is what CSV and TSV have in common: an empty line between two results, and
// exact cells.
type sheets struct {
	out     *bufio.Writer
	limit   func() int // as in newRenderer
	safe    bool       // the output is a terminal
	results int        // results with columns, so far
	cell    []byte
}

// begin begins a result, and writes the names of its columns, if it has any, as a row.
func (s *sheets) begin(columns []string, row func([]rows.Value) error) {
	if len(columns) == 0 {
		return
	}
	if s.results++; s.results > 1 {
		s.out.WriteByte('\n')
	}
	s.safe = s.limit != nil && s.limit() > 0
	header := make([]rows.Value, len(columns))
	for i, c := range columns {
		header[i] = c
	}
	row(header)
}

func (s *sheets) end(error) {}

// text returns the text of a cell, which is valid until the next call.
func (s *sheets) text(v rows.Value) []byte {
	s.cell = appendShown(s.cell[:0], v, s.safe)
	return s.cell
}

type csvRenderer struct {
	sheets
	record []string
	line   bytes.Buffer
	csv    *csv.Writer // writes to line
}

func (r *csvRenderer) begin(columns []string, _ []rows.ColumnType) { r.sheets.begin(columns, r.row) }

func (r *csvRenderer) row(values []rows.Value) error {
	r.record = r.record[:0]
	for _, v := range values {
		r.record = append(r.record, string(r.text(v)))
	}
	return r.write(r.record)
}

func (r *csvRenderer) write(record []string) error {
	r.line.Reset()
	if len(record) == 1 && record[0] == "" {
		// csv.Writer would write an empty line, which readers skip.
		r.line.WriteString("\"\"\n")
	} else {
		if r.csv == nil {
			r.csv = csv.NewWriter(&r.line)
		}
		r.csv.Write(record) // writing to a buffer cannot fail
		r.csv.Flush()
	}
	_, err := r.out.Write(r.line.Bytes())
	return err
}

var tsvEscapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)

// tsvRenderer writes fields between tabs.
type tsvRenderer struct {
	sheets
	line []byte
}

func (r *tsvRenderer) begin(columns []string, _ []rows.ColumnType) { r.sheets.begin(columns, r.row) }

func (r *tsvRenderer) row(values []rows.Value) error {
	r.line = r.line[:0]
	for i, v := range values {
		if i > 0 {
			r.line = append(r.line, '\t')
		}
		r.line = append(r.line, tsvEscapes.Replace(string(r.text(v)))...)
	}
	_, err := r.out.Write(append(r.line, '\n'))
	return err
}

// ndjsonRenderer writes a line of JSON for each row.
type ndjsonRenderer struct {
	out   *bufio.Writer
	names [][]byte // names of the columns, quoted and followed by a colon
	line  []byte
}

func (r *ndjsonRenderer) begin(columns []string, _ []rows.ColumnType) {
	r.names = r.names[:0]
	for _, c := range columns {
		r.names = append(r.names, append(appendJSON(nil, c), ':'))
	}
}

func (r *ndjsonRenderer) row(values []rows.Value) error {
	r.line = append(r.appendObject(r.line[:0], values), '\n')
	_, err := r.out.Write(r.line)
	return err
}

// appendObject appends a row as an object.
func (r *ndjsonRenderer) appendObject(dst []byte, values []rows.Value) []byte {
	dst = append(dst, '{')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(append(dst, r.names[i]...), v)
	}
	return append(dst, '}')
}

func (r *ndjsonRenderer) end(error) {}

// jsonRenderer writes a line of JSON for each statement, an array of the objects of ndjsonRenderer.
type jsonRenderer struct {
	ndjsonRenderer
	rows int
}

func (r *jsonRenderer) begin(columns []string, _ []rows.ColumnType) {
	r.ndjsonRenderer.begin(columns, nil)
	r.rows = 0
	r.out.WriteByte('[')
}

func (r *jsonRenderer) row(values []rows.Value) error {
	r.line = r.line[:0]
	if r.rows++; r.rows > 1 {
		r.line = append(r.line, ',')
	}
	r.line = r.appendObject(r.line, values)
	_, err := r.out.Write(r.line)
	return err
}

// end closes the array, unless the statement failed: no reader takes a part for the whole.
func (r *jsonRenderer) end(failed error) {
	if failed == nil {
		r.out.WriteByte(']')
	}
	r.out.WriteByte('\n')
}

// appendJSON appends a value as JSON. NaN and infinities, which JSON lacks,
// are null.
func appendJSON(dst []byte, v rows.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return appendJSONString(dst, v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return append(dst, "null"...)
		}
		return appendFloat(dst, v)
	case bool, int64:
		return appendExact(dst, v)
	default:
		return appendJSONString(dst, string(appendExact(nil, v)))
	}
}

// appendJSONString quotes a string. Characters that Escape would replace are
// written as \u and four digits: programs read the same text, and printing it
// on a terminal is safe. Bytes that are not valid UTF-8, which JSON cannot
// hold, become U+FFFD.
func appendJSONString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 0x20 && c < 0x7F {
			if c == '"' || c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch char := text[i : i+size]; {
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case parser.Escape(char) == char:
			dst = append(dst, char...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				dst = fmt.Appendf(dst, `\u%04x`, unit)
			}
		}
		i += size
	}
	return append(dst, '"')
}

// arrowRenderer writes streams of Arrow.
type arrowRenderer struct {
	out    *bufio.Writer
	stream written.ArrowStream
}

func (r *arrowRenderer) begin(columns []string, types []rows.ColumnType) {
	r.stream = written.NewArrowStream(r.out, columns, types)
}

func (r *arrowRenderer) row(values []rows.Value) error { return r.stream.Row(values) }

func (r *arrowRenderer) end(failed error) {
	if failed == nil {
		r.stream.Close() // an error of the buffer stays
	}
}
