package repl

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"heavytail/query/parser"
	"heavytail/query/rows"
)

// Format is a way to write rows.
type Format string

// The formats.
const (
	// Table is columns for people: numbers right-aligned with six significant
	// digits, bytes with their unit (1.5 MiB), and the number of rows below. A missing value is blank. Nothing
	// is written for a statement without a result. On a terminal that is too
	// narrow, floats have fewer digits, down to three, and texts are cut; a
	// short result that is still too wide has one line for each value.
	Table Format = "table"
	// Box is Table with lines around the cells.
	Box Format = "box"
	// CSV is RFC 4180 with a header line; an empty line separates the results
	// of statements. A missing value is an empty field, numbers have as many
	// digits as they need to be read back. On a terminal, texts are made safe
	// to print.
	CSV Format = "csv"
	// TSV is fields separated by tabs with a header line, and otherwise like
	// CSV. A tab, line feed, carriage return or backslash inside a text is
	// written as \t, \n, \r or \\, so that every line is one row.
	TSV Format = "tsv"
	// JSON is one line for every statement that ran, an array with an object for each
	// row, empty if there is none, then without the names of the columns, and not closed if it failed after its
	// first rows. A missing value is null.
	JSON Format = "json"
	// NDJSON is one line for every row, an object with a member for each column.
	NDJSON Format = "ndjson"
	// Markdown is a table of GitHub's Markdown with the numbers of Table.
	Markdown Format = "markdown"
	// Line is one line "column = value" for each value, never cut, and an
	// empty line between rows.
	Line Format = "line"
	// Arrow is a stream of Arrow IPC for every statement with columns; see files.ArrowStream. It is not among
	// Formats, since no terminal shows it. A stream of a statement that failed has no end.
	Arrow Format = "arrow"
)

// Formats returns the names of all formats.
func Formats() []string {
	return []string{"table", "box", "csv", "tsv", "json", "ndjson", "markdown", "line"}
}

// ParseFormat returns the format of a name in any case. The error lists the
// names of all formats.
func ParseFormat(name string) (Format, error) {
	lower := strings.ToLower(name)
	if slices.Contains(Formats(), lower) {
		return Format(lower), nil
	}
	hint := ""
	if near, ok := parser.Suggest(name, Formats()); ok {
		hint = "; did you mean " + near + "?"
	}
	return "", fmt.Errorf("%w %q, expected one of %s%s", ErrFormat, name, strings.Join(Formats(), ", "), hint)
}

// renderer writes the results of one statement after another to a buffer,
// which keeps its first error; row returns it.
type renderer interface {
	begin(columns []string, types []rows.ColumnType) // as many types as columns
	row(values []rows.Value) error
	end(failed error) // failed, if not nil, is the error that ended the rows early
}

// newRenderer returns the renderer of a format. If limit is not nil and
// returns more than 0, the output is a terminal of that many columns: table
// and box fit into them, and CSV and TSV are safe to print.
func newRenderer(f Format, out *bufio.Writer, limit func() int) renderer {
	switch f {
	case Box:
		return &pageRenderer{out: out, style: boxStyle, limit: limit}
	case CSV:
		return &csvRenderer{sheets: sheets{out: out, limit: limit}}
	case TSV:
		return &tsvRenderer{sheets: sheets{out: out, limit: limit}}
	case JSON:
		return &jsonRenderer{ndjsonRenderer: ndjsonRenderer{out: out}}
	case NDJSON:
		return &ndjsonRenderer{out: out}
	case Markdown:
		return &pageRenderer{out: out, style: markdownStyle}
	case Line:
		return &lineRenderer{out: out}
	case Arrow:
		return &arrowRenderer{out: out}
	default:
		return &pageRenderer{out: out, style: tableStyle, limit: limit}
	}
}
