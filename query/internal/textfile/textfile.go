package textfile

import (
	"errors"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/storage"
	"heavytail/storage/format"
)

// importLayouts are the layouts of IMPORT; tables of vertices have a statement
// of their own.
func importLayouts() []string {
	var names []string
	for _, l := range format.Layouts() {
		if l != format.LayoutVertices {
			names = append(names, string(l))
		}
	}
	return names
}

// Repeats are the allowed values of the option repeated.
func Repeats() []string {
	return lists.Map(storage.Repeats(), func(r storage.Repeated) string { return string(r) })
}

// ImportOptions are the options of IMPORT.
func ImportOptions() []help.Option {
	return slices.Concat([]help.Option{
		{Name: "format", Type: "text", Default: "'auto'", Choices: importLayouts(), Doc: "form of the text; auto goes by its first bytes and the ending of the file's name"},
		sourceOption(), targetOption(),
		{Name: "weight", Type: "column", Default: "''", Doc: "column of weights; by default weight, w or value in the header, 'none' takes none"},
		{Name: "time", Type: "column", Default: "''", Doc: "column of timestamps, integers or dates; by default time, timestamp, ts or date in the header, 'none' takes none"},
		{Name: "time_unit", Type: "text", Default: "'none'", Choices: append([]string{format.NoColumn}, format.TimeUnits()...), Doc: "unit of times that are numbers since 1970, which makes dates of them: seconds (s), milliseconds (ms), microseconds (us) or nanoseconds (ns)"},
		{Name: "repeated", Type: "text", Default: "'last'", Choices: Repeats(), Doc: "weight of an edge that occurs again or exists already: the last, first, sum, min or max, or the number of occurrences"},
		{Name: "keys", Type: "text", Default: "''", Doc: "file with the keys of the vertices of METIS, one a line; by default the name of the graph's file with .keys appended, if there is one, and 'none' uses the numbers of the vertices from 1 on"},
		{Name: "key", Type: "text", Default: "''", Doc: "attribute of nodes in GML that is the key, such as 'id' or 'label'; by default label if each node has one of its own, else id"},
		{Name: "ends", Type: "text", Default: "'auto'", Choices: format.EndsChoices(), Doc: "what the ends of links in node-link JSON are: ids of nodes, or their places counted from 0; auto goes by the content"},
	}, textOptions())
}

func sourceOption() help.Option {
	return help.Option{Name: "source", Type: "column", Default: "''", Doc: "column of one end; by default one of a known name, else the first"}
}

func targetOption() help.Option {
	return help.Option{Name: "target", Type: "column", Default: "''", Doc: "column of the other end; by default one of a known name, else the second"}
}

func skipOption() help.Option {
	return help.Option{Name: "on_error", Type: "text", Default: "'fail'", Choices: []string{"fail", "skip"}, Doc: "what happens at a bad line: fail ends the statement, skip counts the line and leaves it out"}
}

// EdgePairsOptions are the options of statements that read a file of edges.
func EdgePairsOptions() []help.Option {
	return slices.Concat([]help.Option{sourceOption(), targetOption()}, PairsOptions(), []help.Option{skipOption()})
}

// ImportVerticesOptions are the options of IMPORT VERTICES.
func ImportVerticesOptions() []help.Option {
	return slices.Concat([]help.Option{
		{Name: "key", Type: "column", Default: "''", Doc: "column of the keys; by default key, id, vertex or node in the header, else the first"},
		{Name: "columns", Type: "text", Default: "''", Doc: "comma-separated columns to take as attributes, all by default; for a table without a header, the names of its columns"},
		{Name: "join", Type: "text", Default: "''", Doc: "text that joins the values of a vertex that occurs again, such as ','; by default the last value counts"},
	}, textOptions())
}

// textOptions are the options of every statement that reads a graph from text.
func textOptions() []help.Option {
	return []help.Option{
		{Name: "header", Type: "text", Default: "'auto'", Choices: format.HeaderModes(), Doc: "what the first line is: column names (names or TRUE), the counts n and m, or an edge (none or FALSE)"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what separates columns: auto, whitespace, tab, comma, semicolon or bar"},
		skipOption(),
		{Name: "max_line", Type: "int", Default: "1048576", Doc: "largest length of a line in bytes; 64 times as many in an adjacency list"},
		{Name: "max_key", Type: "int", Default: "1024", Doc: "largest length of a vertex key in bytes"},
		{Name: "max_bytes", Type: "int", Default: "68719476736", Doc: "largest length of the text in bytes, after decompression"},
		{Name: "max_lines", Type: "int", Default: "9223372036854775807", Doc: "most lines"},
	}
}

// FormatMistake converts the error of package format for an invalid option to an
// Error, and returns other errors unchanged.
func FormatMistake(err error) error {
	var refused *format.OptionError
	if !errors.As(err, &refused) {
		return err
	}
	name, value := refused.Option, bind.Describe(refused.Value)
	if text, ok := refused.Value.(string); ok {
		value = fault.QuoteKey(text)
	}
	if name == "layout" {
		name = "format" // the name of the option in statements
	}
	e := fault.OfOption(name, "is %s, and must be %s", value, refused.Allowed)
	switch {
	case refused.Conflict != "":
		e.Option, e.Message = "", refused.Conflict
	case refused.Expected != nil:
		e.Message, e.Expected = "is "+value, refused.Expected
	}
	e.Err = errors.Join(fault.ErrInvalid, err)
	return e
}

// PairsFields are the options of statements that read a file of pairs.
func PairsFields[O any](header func(*O) *format.HeaderMode, separator func(*O) *string) option.Schema[O] {
	return option.Schema[O]{
		headerField("whether the first line has column names (names or TRUE) or is a pair (none or FALSE)",
			slices.DeleteFunc(format.HeaderModes(), func(mode string) bool { return mode == format.HeaderCounts.String() }), header),
		separatorField(separator),
	}
}

func headerField[O any](doc string, modes []string, at func(*O) *format.HeaderMode) option.Field[O] {
	return option.Parsed("header", doc, at, format.ParseHeader, format.HeaderMode.String).Among(modes)
}

func separatorField[O any](at func(*O) *string) option.Field[O] {
	return option.String("separator", "what separates columns: auto, whitespace, tab, comma, semicolon or bar", at).OrElse("auto")
}

// PairsOptions are the options of statements that read a file of pairs.
func PairsOptions() []help.Option {
	return []help.Option{
		{Name: "header", Type: "text", Default: "'auto'", Choices: []string{"auto", "none", "names", "true", "false"}, Doc: "whether the first line has column names (names or TRUE) or is a pair (none or FALSE)"},
		{Name: "separator", Type: "text", Default: "'auto'", Doc: "what separates columns: auto, whitespace, tab, comma, semicolon or bar"},
	}
}

// NoteComments reports lines of a list of edges that were taken as comments although they are
// not above it.
func NoteComments(c *engine.Call, late int64) {
	if late > 0 {
		c.Notice("%s left out as a comment that could be an edge: keys that begin with # or %% need quotes, in a file with commas or tabs",
			fault.Count(late, "line"))
	}
}

// Header returns the option of a file of pairs.
func Header(b *engine.Binder, set bind.Settings) format.HeaderMode {
	text := set.Text("header")
	if text == "" {
		return format.HeaderAuto
	}
	mode, err := format.ParseHeader(text)
	b.Fail(err)
	return mode
}
