package graphtext

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/excerpt"
)

// dense reads a square matrix of numbers as an adjacency matrix: a line for every row, with or
// without a header of names and names in front of the rows. A number that is not 0 is the weight of
// an edge.
type dense struct {
	feed.Lines
	options format.Options
	h       format.Handler
	sep     delimited.Separator

	first  [][]byte // the fields of the first data line, until the second one is read
	text   []byte   // that line
	begins int64    // its number

	ready    bool
	labelled bool // rows begin with their names
	names    []string
	index    map[string]int
	row      int
	seen     []bool // rows, by number
	weights  bool
}

func newDense(opts format.Options, h format.Handler) *dense {
	d := &dense{options: opts, h: h, weights: opts.Weight != format.NoColumn}
	d.Opts, d.To = opts.EdgeListOptions, d
	d.sep, _ = delimited.ParseSeparator(opts.Separator) // Validate has seen it
	return d
}

func (d *dense) Line(line []byte) error {
	content, kind := d.Sort(line)
	if kind != feed.LineData {
		return nil
	}
	if f := fault.OfText(content); f.Found() {
		return d.LineError(content, f)
	}
	if d.sep == delimited.SeparatorAuto {
		sep, doubt := delimited.Detect(content)
		if doubt != "" {
			return d.Wrong(content, "%s", doubt)
		}
		d.sep = sep
	}
	fields := delimited.FieldsIn(content, d.sep)
	switch {
	case fields == nil:
		return d.Wrong(content, "malformed line %s", excerpt.Of(content))
	case d.ready:
		return d.take(content, fields)
	case d.first == nil:
		d.text = bytes.Clone(content)
		d.first, d.begins = delimited.FieldsIn(d.text, d.sep), d.Stats.Lines
		return nil
	}
	if err := d.begin(fields); err != nil {
		return err
	}
	return d.take(content, fields)
}

// begin decides by the first two lines whether the first one has names, and delivers the vertices.
func (d *dense) begin(second [][]byte) error {
	shape := shapeOf(d.first, second)
	switch {
	case d.Opts.Header == format.HeaderNone:
		shape = shapeBare
	case d.Opts.Header == format.HeaderNames && shape == shapeBare:
		shape = shapeHeader
	}
	d.ready, d.labelled = true, shape == shapeLabelled || shape == shapeCorner
	names := d.first
	if shape == shapeCorner {
		names = names[1:]
	}
	if int64(len(names)) > d.options.MaxVertices {
		return d.ErrorAt(d.begins, format.ErrLimit, "%d vertices exceed the limit of %d", len(names), d.options.MaxVertices)
	}
	d.index, d.seen = map[string]int{}, make([]bool, len(names))
	for i, name := range names {
		key := string(name)
		if shape == shapeBare {
			key = strconv.Itoa(i + 1)
		}
		if f := delimited.KeyFault([]byte(key), 0, i+1, d.Opts.MaxKey); f.Found() {
			return d.ErrorAt(d.begins, f.Kind, "%s", f.Reason)
		}
		if other, twice := d.index[key]; twice {
			return d.ErrorAt(d.begins, format.ErrSyntax, "columns %d and %d are both called %s", other+1, i+1, excerpt.Of([]byte(key)))
		}
		d.index[key], d.names = i, append(d.names, key)
		d.Stats.Vertices++
		if err := d.h.Vertex([]byte(key), nil); err != nil {
			return err
		}
	}
	if shape != shapeBare {
		d.Stats.Header = string(d.text)
		return nil
	}
	now := d.Stats.Lines
	d.Stats.Lines = d.begins
	err := d.take(d.text, d.first)
	d.Stats.Lines = now
	return err
}

// take delivers the edges of a row.
func (d *dense) take(line []byte, fields [][]byte) error {
	n, row := len(d.names), d.row
	if d.labelled {
		var known bool
		if row, known = d.index[string(fields[0])]; !known {
			return d.Wrong(line, "the header has no column for row %s", excerpt.Of(fields[0]))
		}
		fields = fields[1:]
	}
	switch {
	case d.row == n:
		return d.Wrong(line, "the matrix has %d columns, and here is one more row", n)
	case len(fields) != n:
		return d.Wrong(line, "the matrix has %d columns, and this row %d", n, len(fields))
	case d.seen[row]:
		return d.Wrong(line, "row %s is there twice", excerpt.Of([]byte(d.names[row])))
	}
	d.seen[row] = true
	d.row++
	for i, text := range fields {
		edge := format.Edge{Source: []byte(d.names[row]), Target: []byte(d.names[i]), Weight: 1}
		x, err := strconv.ParseFloat(string(text), 64)
		switch {
		case len(text) == 0 || err == nil && decimal.Is(text) && x == 0:
			continue
		case format.IsMissing(text):
			d.Stats.Remark("entries of the matrix taken as missing", string(text), d.Stats.Lines, "")
			continue
		}
		if edge.Weight, edge.Weighted = figure.Weight(text); !edge.Weighted {
			return d.Wrong(line, "%s", figure.WeightFault(text))
		}
		if edge.Weighted = d.weights; !d.weights {
			edge.Weight = 1
		}
		if edge.Weight != 1 {
			d.Stats.Weighted++
		}
		d.Stats.Edges++
		if err := d.h.Edge(edge); err != nil {
			return err
		}
	}
	return nil
}

func (d *dense) End() error {
	if !d.ready && d.first != nil {
		if err := d.begin(nil); err != nil {
			return err
		}
	}
	if d.row != len(d.names) {
		return d.ErrorAt(d.Stats.Lines+1, format.ErrSyntax, "the matrix has %d columns and %d rows", len(d.names), d.row)
	}
	return nil
}

// shape is how a matrix is written.
type shape uint8

const (
	shapeBare     shape = iota // numbers only
	shapeHeader                // below a line of names
	shapeLabelled              // the same, and each row begins with its name
	shapeCorner                // the same, and the header has a field above these names
)

// shapeOf decides by the first two lines of a matrix.
func shapeOf(first, second [][]byte) shape {
	named := slices.ContainsFunc(first, func(f []byte) bool { return !isEntry(f) })
	switch {
	case len(second) == len(first)+1:
		return shapeLabelled
	case len(first) > 1 && len(second) == len(first) && (bytes.Equal(second[0], first[1]) && (named || len(first[0]) == 0) || !isEntry(second[0])):
		return shapeCorner
	case named:
		return shapeHeader
	}
	return shapeBare
}

func textsOf(fields [][]byte) (texts []string) {
	for _, f := range fields {
		texts = append(texts, string(f))
	}
	return texts
}

// isEntry reports whether a field can be an entry of a matrix.
func isEntry(field []byte) bool {
	return len(field) == 0 || decimal.IsNumber(field) || format.IsMissing(field)
}

// squareIn looks for a square matrix of three rows or more in the first block of a text, which is
// all of it if whole is set. certain means that the text can be nothing else: rows and columns have
// the same names. rows are those of the matrix.
func squareIn(text []byte, whole bool, sep delimited.Separator) (found, certain bool, rows [][][]byte) {
	text = bytes.TrimPrefix(text, []byte(tokens.ByteOrderMark))
	if !whole {
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	var all [][][]byte
	for line := range bytes.FieldsFuncSeq(text, func(c rune) bool { return c == '\n' || c == '\r' }) {
		content := bytes.TrimLeft(line, delimited.Blanks)
		if len(content) == 0 || delimited.IsComment(content[0]) {
			continue
		}
		if sep == delimited.SeparatorAuto {
			var doubt string
			if sep, doubt = delimited.Detect(line); doubt != "" {
				return false, false, nil
			}
		}
		fields := delimited.FieldsIn(line, sep)
		const least = 3
		if len(fields) < least || len(all) > 2 && len(fields) != len(all[1]) {
			return false, false, nil
		}
		all = append(all, fields)
	}
	if len(all) < 3 {
		return false, false, nil
	}
	shape := shapeOf(all[0], all[1])
	if names := textsOf(all[0]); shape == shapeHeader {
		if _, _, edges := delimited.KnownPair(names, true); edges {
			return false, false, nil
		}
	}
	names := all[0]
	rows = all[1:]
	switch shape {
	case shapeBare:
		rows = all
	case shapeCorner:
		names = names[1:]
	}
	if len(rows) > len(names) || whole && len(rows) != len(names) {
		return false, false, nil
	}
	for i, row := range rows {
		if shape >= shapeLabelled {
			if !bytes.Equal(row[0], names[i]) {
				return false, false, nil
			}
			row = row[1:]
			rows[i] = row
		}
		if len(row) != len(names) || slices.ContainsFunc(row, func(f []byte) bool { return !isEntry(f) }) {
			return false, false, nil
		}
	}
	certain = shape >= shapeLabelled
	const many = 16 // more columns than lists of edges have
	return certain || !whole && len(names) >= many || whole && likeAdjacency(rows), certain, rows
}

// likeAdjacency reports whether a square looks like the matrix of a graph rather than a list of as
// many edges as it has columns: it is of zeros and ones, or symmetric, or its diagonal is zero.
func likeAdjacency(rows [][][]byte) bool {
	binary, symmetric, empty := true, true, true
	for i, row := range rows {
		for j, f := range row {
			binary = binary && (len(f) == 1 && (f[0] == '0' || f[0] == '1'))
			symmetric = symmetric && bytes.Equal(f, rows[j][i])
		}
		x, err := strconv.ParseFloat(string(row[i]), 64)
		empty = empty && (len(row[i]) == 0 || err == nil && x == 0)
	}
	return binary || symmetric || empty
}

// maybeLists reports whether a square of numbers may also be adjacency lists: no vertex has two
// lists, and none is twice in one.
func maybeLists(rows [][][]byte) bool {
	listed := map[string]bool{}
	for _, row := range rows {
		if listed[string(row[0])] {
			return false
		}
		listed[string(row[0])] = true
		in := map[string]bool{}
		for _, f := range row {
			if len(f) == 0 || in[string(f)] {
				return false
			}
			in[string(f)] = true
		}
	}
	return true
}

// ResolveSquare looks for a matrix in a text that is read as a list of edges, because its name says
// so, or as adjacency lists. It returns the layout to use and a remark about it. A square of numbers
// that may be a list of edges is an error.
func ResolveSquare(text []byte, whole, auto bool, opts format.Options) (format.Layout, *format.Remark, error) {
	sep, _ := delimited.ParseSeparator(opts.Separator)
	found, certain, rows := squareIn(text, whole, sep)
	if !found {
		return opts.Layout, nil, nil
	}
	what := fmt.Sprintf("%d rows", len(rows))
	switch {
	case opts.Layout == format.LayoutEdges && !certain:
		return "", nil, &format.LineError{File: opts.Name, Line: 1, Column: 1, Reason: fmt.Sprintf("this looks like a square matrix of %d columns: format := 'matrix' reads it as one, and format := 'edges' as a list of edges", len(rows[0])), Kind: format.ErrSyntax}
	case opts.Layout == format.LayoutAdjacency && !certain && maybeLists(rows):
		return format.LayoutAdjacency, &format.Remark{What: "square of numbers read as adjacency lists", Count: 1, Names: []string{what}, Remedy: "format := 'matrix' reads it as an adjacency matrix"}, nil
	case opts.Layout == format.LayoutAdjacency && !auto:
		return format.LayoutMatrix, &format.Remark{What: "square of numbers read as an adjacency matrix", Count: 1, Names: []string{what}, Remedy: "rows are its vertices, in their order"}, nil
	}
	return format.LayoutMatrix, nil, nil
}
