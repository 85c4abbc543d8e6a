package export

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
)

// Format is a form of files that a statement can write.
type Format struct {
	Name    string
	Endings []string // endings of file names that select it; a name without an ending selects the first format
	Title   string   // its name in a plan
	Holds   string   // a format that can hold the keys that this one cannot, if there is one
	// Attributes is set for a form of graphs that has all vertices, with their attributes.
	Attributes bool
	// PlainEdges is set for a form whose edges have no attributes.
	PlainEdges bool
	Columnar   format.Columnar // empty if it is none
}

// GraphFormats are the forms of the edges of a graph.
func GraphFormats() []Format {
	return append([]Format{
		{Name: "edges", Endings: session.ListEndings, Title: "edge list"}, {Name: "csv", Endings: []string{".csv"}, Title: "CSV"},
		{Name: "graphml", Endings: []string{".graphml"}, Title: "GraphML", Holds: "json", Attributes: true},
		{Name: "gexf", Endings: []string{".gexf"}, Title: "GEXF", Holds: "json", Attributes: true},
		{Name: "json", Endings: []string{".json"}, Title: "node-link JSON", Attributes: true},
		{Name: "gml", Endings: []string{".gml"}, Title: "GML", Attributes: true},
		{Name: "pajek", Endings: []string{".net"}, Title: "Pajek", Holds: "json", PlainEdges: true},
		{Name: "metis", Endings: []string{".graph", ".metis"}, Title: "METIS", PlainEdges: true},
		{Name: "neo4j", Title: "CSV for Neo4j"},
	}, ColumnarFormats()...)
}

// ColumnarFormats are the formats that every table has.
func ColumnarFormats() (formats []Format) {
	for _, form := range format.Columnars() {
		formats = append(formats, Format{Name: string(form), Endings: format.ColumnarEndings(form), Title: form.Title(), Columnar: form})
	}
	return formats
}

// The forms of times that a request may name.
const (
	timesISO  = "iso"
	timesUnix = "unix"
)

// TimesOf is the form of times that a request asks for.
func TimesOf(r files.ExportRequest, graph storage.GraphInfo) format.TimeForm {
	switch {
	case r.Times == timesUnix:
		return format.TimeNumbers
	case r.Times == timesISO && graph.Times == format.TimeNumbers:
		return format.TimeClocks
	}
	return graph.Times
}

// FormatOf is the form that a request names, or else the ending of its path.
func FormatOf(r files.ExportRequest, formats []Format) (Format, error) {
	var known []string
	for _, f := range formats {
		if r.Format == f.Name || r.Format == "" && slices.Contains(f.Endings, format.Ending(r.Path)) {
			return f, nil
		}
		known = append(known, f.Endings...)
	}
	err := session.CheckEnding(r.Path, known)
	var e *fault.Error
	if errors.As(err, &e) {
		e.Options = []fault.OptionRemedy{{Purpose: "to choose the form", Option: engine.FormOption}}
	}
	return formats[0], err
}

// refused adds to the error of a key that this format cannot hold the name of a format that can.
func (f Format) refused(err error) error {
	var key *format.KeyError
	if f.Holds == "" || !errors.As(err, &key) {
		return err
	}
	return fmt.Errorf("%w; format := '%s' can hold it", err, f.Holds)
}

// Schema are the options of a statement that writes a file in one of these forms.
func Schema(formats []Format) option.Schema[files.ExportRequest] {
	type request = files.ExportRequest
	schema := option.Schema[request]{
		engine.OverwriteField(func(r *request) *bool { return &r.Overwrite }),
		engine.FormField(lists.Map(formats, func(f Format) string { return f.Name }), func(r *request) *string { return &r.Format }),
	}
	if formats[0].Name == GraphFormats()[0].Name {
		schema = append(schema, option.Auto("times", "form of the times of edges, as dates or as seconds since 1970; auto is the form in which they came into the graph",
			[]string{timesISO, timesUnix}, func(r *request) *string { return &r.Times }))
	}
	if slices.ContainsFunc(formats, func(f Format) bool { return f.Name == csv }) {
		schema = append(schema, option.Bool("spreadsheet", "in CSV, put an apostrophe before text that a spreadsheet could take for a formula",
			func(r *request) *bool { return &r.Spreadsheet }).Rule(func(r request) error {
			if form, err := FormatOf(r, formats); r.Spreadsheet && err == nil && form.Name != csv {
				return fault.Rule("does not apply to the format %s", form.Name)
			}
			return nil
		}))
	}
	return schema
}

const csv = "csv"

// Bind converts the parts of an EXPORT statement to a request.
func Bind(b *engine.Binder, statement parser.Statement, object string, file parser.Value, options []parser.Option, formats []Format) files.ExportRequest {
	req := files.ExportRequest{Name: object, Path: b.Text(fault.Into, file)}
	engine.Bind(b, parser.Heading(statement), Schema(formats), options, &req)
	return req
}

// Table is the table of an EXPORT statement.
func Table[Q any](_ Q, r files.ExportResult) [][]rows.Value { return [][]rows.Value{{r.Path, r.Rows}} }

// Check returns the format of the file, or an error if the file cannot be written.
func Check(c *engine.Call, req files.ExportRequest, formats []Format) (Format, error) {
	if err := c.CheckPath(req.Path, fault.Into); err != nil {
		return Format{}, err
	}
	form, err := FormatOf(req, formats)
	if err != nil {
		return form, err
	}
	err = engine.CheckFile(c, form.Columnar, req.Path, req.Overwrite)
	if err == nil && form.keyed() {
		err = c.CheckOutput(req.Path+engine.KeysEnding, req.Overwrite, fault.Into)
	}
	return form, err
}

// Run writes the file of a request, with so many rows, and before it the file of their keys,
// where the form has one.
func Run(c *engine.Call, req files.ExportRequest, form Format, rows int64, keys, write func(io.Writer) error) (result files.ExportResult, err error) {
	stop := c.Watch.Start(plan.Write)
	if form.keyed() {
		result.Keys = req.Path + engine.KeysEnding
		err = c.WriteFile(result.Keys, req.Overwrite, keys)
	}
	if err == nil {
		err = c.WriteFile(req.Path, req.Overwrite, write)
	}
	if err != nil {
		return files.ExportResult{}, form.refused(err)
	}
	stop(rows, "")
	result.Path, result.Rows, result.Notices = req.Path, rows, c.Notices
	return result, nil
}

// GraphNotes are the metadata of a columnar file that was made from a graph.
func GraphNotes(g storage.GraphInfo) []columnar.Note {
	return []columnar.Note{{Key: "heavytail.graph", Text: g.Name}, {Key: "heavytail.version", Text: strconv.FormatUint(g.Version, 10)}}
}

// keyed reports whether a form has rows without keys, which a second file has.
func (f Format) keyed() bool { return f.Name == "npy" || f.Name == "metis" }
