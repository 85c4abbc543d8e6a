package repl

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"

	"heavytail/query"
)

// csvRenderer writes CSV.
type csvRenderer struct {
	out     *bufio.Writer
	results int // with columns, so far
	record  []string
	cell    []byte
	line    bytes.Buffer
}

func (r *csvRenderer) begin(columns []string) {
	if len(columns) == 0 {
		return
	}
	if r.results++; r.results > 1 {
		r.out.WriteByte('\n')
	}
	r.write(columns)
}

func (r *csvRenderer) row(values []query.Value) error {
	r.record = r.record[:0]
	for _, v := range values {
		r.cell = appendExact(r.cell[:0], v)
		r.record = append(r.record, string(r.cell))
	}
	return r.write(r.record)
}

func (r *csvRenderer) write(record []string) error {
	r.line.Reset()
	if len(record) == 1 && record[0] == "" {
		// As an empty line, which is what csv.Writer makes of it, readers
		// would skip the row.
		r.line.WriteString("\"\"\n")
	} else {
		w := csv.NewWriter(&r.line)
		w.Write(record) // a buffer has no errors
		w.Flush()
	}
	_, err := r.out.Write(r.line.Bytes())
	return err
}

func (r *csvRenderer) end(error) {}

// jsonRenderer writes a line of JSON for each statement.
type jsonRenderer struct {
	out  *bufio.Writer
	line []byte
	rows int
}

func (r *jsonRenderer) begin(columns []string) {
	r.rows = 0
	r.line = append(r.line[:0], `{"columns":[`...)
	for i, c := range columns {
		if i > 0 {
			r.line = append(r.line, ',')
		}
		r.line = appendJSON(r.line, c)
	}
	r.line = append(r.line, `],"rows":[`...)
	r.out.Write(r.line)
}

func (r *jsonRenderer) row(values []query.Value) error {
	r.line = r.line[:0]
	if r.rows++; r.rows > 1 {
		r.line = append(r.line, ',')
	}
	r.line = append(r.line, '[')
	for i, v := range values {
		if i > 0 {
			r.line = append(r.line, ',')
		}
		r.line = appendJSON(r.line, v)
	}
	r.line = append(r.line, ']')
	_, err := r.out.Write(r.line)
	return err
}

func (r *jsonRenderer) end(failed error) {
	r.line = append(r.line[:0], ']')
	if failed != nil {
		r.line = appendJSON(append(r.line, `,"error":`...), failed.Error())
	}
	r.line = append(r.line, "}\n"...)
	r.out.Write(r.line)
}

// appendJSON appends a value as JSON. What JSON has no number for is null.
func appendJSON(dst []byte, v query.Value) []byte {
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

// appendJSONString quotes a string. Most are plain, and need no more than that.
func appendJSONString(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			var quoted bytes.Buffer
			enc := json.NewEncoder(&quoted)
			enc.SetEscapeHTML(false)
			enc.Encode(text) // a string and a buffer have no errors
			return append(dst, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
		}
	}
	dst = append(dst, '"')
	dst = append(dst, text...)
	return append(dst, '"')
}
