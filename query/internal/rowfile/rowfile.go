// Package rowfile writes the rows of statements into files of several formats. It
// depends neither on statements nor on the store.
package rowfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/query/rows"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
)

// Form is a file format.
type Form struct {
	Name     string          // name in the option format
	Endings  []string        // of file names, that of a format that is written first
	Title    string          // name in a plan
	Columnar format.Columnar // empty if it is none
	open     func(out *bufio.Writer, columns []string, more more) writer

	headless bool
}

// Headless is the form without a header, for CSV and TSV; another form is returned unchanged.
func (f Form) Headless() Form {
	f.headless = true
	return f
}

// more is what only some forms have.
type more struct {
	types []format.Type
	notes []columnar.Note

	headless bool // of CSV and TSV
}

// writer writes rows. A row has a value for each column: a string, int64, float64, bool,
// or nil. Close writes the end and flushes nothing.
type writer interface {
	Row(values []any) error
	Close() error
}

// Forms are all forms, that of no ending first.
func Forms() []Form {
	forms := []Form{
		{Name: "csv", Endings: []string{".csv"}, Title: "CSV", open: newCSV},
		{Name: "tsv", Endings: []string{".tsv"}, Title: "TSV", open: newTSV},
		{Name: "json", Endings: []string{".json"}, Title: "JSON", open: newJSON},
		{Name: "ndjson", Endings: []string{".ndjson"}, Title: "NDJSON", open: newNDJSON},
		{Name: "markdown", Endings: []string{".md"}, Title: "Markdown", open: newMarkdown},
	}
	for _, form := range format.Columnars() {
		forms = append(forms, columnarForm(form))
	}
	return forms
}

// FormOf is the form that the ending of a file name selects, before .gz or .zst.
func FormOf(path string) (form Form, found bool) {
	for _, f := range Forms() {
		if slices.Contains(f.Endings, format.Ending(path)) {
			return f, true
		}
	}
	return form, false
}

// ArrowStream is the form of answers that a program reads while they are written.
func ArrowStream() Form { return columnarForm(format.ArrowStream) }

func columnarForm(form format.Columnar) Form {
	return Form{
		Name: string(form), Endings: format.ColumnarEndings(form), Title: form.Title(), Columnar: form,
		open: func(out *bufio.Writer, columns []string, more more) writer {
			return columnar.NewRows(out, form, columns, more.types, more.notes)
		},
	}
}

// Writer writes the rows of one file.
type Writer struct {
	out *bufio.Writer
	to  writer
}

// New begins a file with columns. If several columns have the same name, the later ones get a
// number. Only columnar files have the notes, which are metadata, and the types of the columns, where the
// empty type, or nil for all, follows from the first rows.
func New(out io.Writer, form Form, columns []string, types []format.Type, notes []columnar.Note) *Writer {
	buffer := bufio.NewWriterSize(out, 1<<16)
	return &Writer{buffer, form.open(buffer, distinct(columns), more{types, notes, form.headless})}
}

// TypesOf are the types of columns as those of a file; a column without a type takes that of
// its values.
func TypesOf(columns []rows.ColumnType) []format.Type {
	types := make([]format.Type, len(columns))
	for i, c := range columns {
		if c.Type != 0 {
			types[i] = format.Type(c.Type.String())
		}
	}
	return types
}

// Row writes a row.
func (w *Writer) Row(values []any) error { return w.to.Row(values) }

// Close writes the end of the file. It does not close the io.Writer.
func (w *Writer) Close() error {
	if err := w.to.Close(); err != nil {
		return err
	}
	return w.out.Flush()
}

// distinct appends numbers to repeated names of columns.
func distinct(columns []string) []string {
	names, seen := make([]string, len(columns)), map[string]bool{}
	for i, name := range columns {
		names[i] = name
		for n := 2; seen[names[i]]; n++ {
			names[i] = fmt.Sprintf("%s_%d", name, n)
		}
		seen[names[i]] = true
	}
	return names
}

// appendText appends a value, with as many digits as are needed to parse the same value;
// nothing for nil.
func appendText(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return dst
	case string:
		return append(dst, v...)
	case float64:
		return appendFloat(dst, v)
	}
	return fmt.Append(dst, value)
}

// appendFloat appends the shortest digits that read back as x, with an exponent only
// for very small or large numbers, as in the JSON of most languages.
func appendFloat(dst []byte, x float64) []byte {
	if size := math.Abs(x); size != 0 && (size < 1e-6 || size >= 1e21) {
		return strconv.AppendFloat(dst, x, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// csvWriter writes CSV of RFC 4180 under a header. A missing value is an empty field.
type csvWriter struct {
	out    *bufio.Writer
	csv    *csv.Writer
	record []string
}

func newCSV(out *bufio.Writer, columns []string, more more) writer {
	w := &csvWriter{out: out, csv: csv.NewWriter(out)}
	if !more.headless {
		w.write(columns)
	}
	return w
}

func (w *csvWriter) Row(values []any) error {
	w.record = w.record[:0]
	for _, v := range values {
		w.record = append(w.record, string(appendText(nil, v)))
	}
	return w.write(w.record)
}

func (w *csvWriter) write(record []string) error {
	if len(record) == 1 && record[0] == "" { // readers would skip an empty line
		w.csv.Flush()
		_, err := w.out.WriteString("\"\"\n")
		return err
	}
	return w.csv.Write(record)
}

func (w *csvWriter) Close() error {
	w.csv.Flush()
	return w.csv.Error()
}

// tsvWriter writes fields between tabs under a header. A tab, line feed, carriage return
// or backslash of a text is written as \t, \n, \r or \\.
type tsvWriter struct {
	out  *bufio.Writer
	line []byte
}

var tsvEscapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, `\`, `\\`)

func newTSV(out *bufio.Writer, columns []string, more more) writer {
	w := &tsvWriter{out: out}
	if !more.headless {
		w.Row(anyOf(columns)) // an error of the buffer stays
	}
	return w
}

func (w *tsvWriter) Row(values []any) error {
	w.line = w.line[:0]
	for i, v := range values {
		if i > 0 {
			w.line = append(w.line, '\t')
		}
		if text, ok := v.(string); ok {
			v = tsvEscapes.Replace(text)
		}
		w.line = appendText(w.line, v)
	}
	_, err := w.out.Write(append(w.line, '\n'))
	return err
}

func (w *tsvWriter) Close() error { return nil }

func anyOf(columns []string) []any {
	values := make([]any, len(columns))
	for i, c := range columns {
		values[i] = c
	}
	return values
}

// jsonWriter writes objects with a member for each column: one a line, or the items of an
// array. A missing value is null.
type jsonWriter struct {
	out   *bufio.Writer
	names [][]byte
	array bool
	rows  int
	line  []byte
}

func newNDJSON(out *bufio.Writer, columns []string, _ more) writer {
	w := &jsonWriter{out: out}
	for _, c := range columns {
		w.names = append(w.names, append(appendJSON(nil, c), ':'))
	}
	return w
}

func newJSON(out *bufio.Writer, columns []string, more more) writer {
	w := newNDJSON(out, columns, more).(*jsonWriter)
	w.array = true
	return w
}

func (w *jsonWriter) Row(values []any) error {
	w.line = w.line[:0]
	switch {
	case w.array && w.rows == 0:
		w.line = append(w.line, "[\n"...)
	case w.array:
		w.line = append(w.line, ",\n"...)
	case w.rows > 0:
		w.line = append(w.line, '\n')
	}
	w.rows++
	w.line = append(w.line, '{')
	for i, v := range values {
		if i > 0 {
			w.line = append(w.line, ',')
		}
		w.line = appendJSON(append(w.line, w.names[i]...), v)
	}
	_, err := w.out.Write(append(w.line, '}'))
	return err
}

func (w *jsonWriter) Close() error {
	end := ""
	switch {
	case w.array && w.rows == 0:
		end = "[]\n"
	case w.array:
		end = "\n]\n"
	case w.rows > 0:
		end = "\n"
	}
	_, err := w.out.WriteString(end)
	return err
}

func appendJSON(dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case float64:
		return appendFloat(dst, v)
	case string:
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		e.Encode(v) // a string has no errors
		return append(dst, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...)
	}
	return fmt.Append(dst, value)
}

// markdownWriter writes a table of GitHub's Markdown.
type markdownWriter struct{ out *bufio.Writer }

var markdownEscapes = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>", "\r", "<br>", `\`, `\\`)

func newMarkdown(out *bufio.Writer, columns []string, _ more) writer {
	w := markdownWriter{out}
	w.Row(anyOf(columns)) // an error of the buffer stays
	out.WriteString(strings.Repeat("| --- ", len(columns)) + "|\n")
	return w
}

func (w markdownWriter) Row(values []any) error {
	for _, v := range values {
		if text, ok := v.(string); ok {
			v = markdownEscapes.Replace(text)
		}
		w.out.WriteString("| ")
		w.out.Write(appendText(nil, v))
		w.out.WriteByte(' ')
	}
	_, err := w.out.WriteString("|\n")
	return err
}

func (w markdownWriter) Close() error { return nil }
