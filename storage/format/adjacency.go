package format

import (
	"bytes"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
)

// adjacency reads adjacency lists: on every line a vertex, then its neighbours,
// as networkx writes them.
type adjacency struct {
	lines
	h        Handler
	sep      delimited.Separator
	header   bool // the first data line is skipped
	columns  delimited.Columns
	checking bool   // fields are only checked, not delivered
	vertex   []byte // the first field of the line
	err      error  // of the handler

	// State of the test whether the text is a METIS file: its header and the lines below it.
	first      bool // it was read
	n, m       int64
	vertices   int64
	neighbours int64
}

func newAdjacency(opts Options, h Handler) *adjacency {
	a := &adjacency{h: h, header: opts.Header == HeaderNames}
	a.opts, a.to = opts.EdgeListOptions, a
	a.columns.Each = a.field
	a.sep, _ = delimited.ParseSeparator(opts.Separator) // Validate has seen it
	return a
}

// end refuses a METIS file: its lines hold only neighbours, and the vertex of a line follows
// from the line's position.
func (a *adjacency) end() error {
	if a.n > 0 && a.vertices == a.n && a.neighbours == 2*a.m {
		return a.errorAt(1, ErrSyntax, "this is a METIS file, whose first line declares %d vertices and %d edges; the format metis reads it", a.n, a.m)
	}
	return nil
}

// count checks whether the text may be a METIS file without weights.
func (a *adjacency) count(line []byte) {
	words := bytes.Fields(line)
	if a.first {
		a.vertices++
		a.neighbours += int64(len(words))
		for _, word := range words {
			if v, ok := decimal.Count(word); !ok || v < 1 || v > a.n {
				a.n = 0 // not a METIS file
			}
		}
		return
	}
	if a.first = len(words) > 0; len(words) == 2 || len(words) == 3 && len(bytes.Trim(words[2], "0")) == 0 {
		a.n, a.m, _ = decimal.Counts(words[0], words[1])
	}
}

func (a *adjacency) line(line []byte) error {
	line, kind := a.sort(line)
	if kind != lineComment && (!a.first || a.n > 0) {
		a.count(line)
	}
	if kind != lineData {
		return nil
	}
	if f := fault.OfText(line); f.Found() {
		return a.bad(line, f)
	}
	sep := a.sep
	if sep == delimited.SeparatorAuto {
		var doubt string
		if sep, doubt = delimited.Detect(line); doubt != "" {
			return a.wrong(line, "%s", doubt)
		}
	}
	if a.header {
		a.header, a.stats.Header = false, string(line)
		return nil
	}
	// The whole line is checked first, so that a line that is skipped delivers no edge.
	a.checking = true
	if a.columns.Split(line, sep, &delimited.NoPlan, 0); a.columns.Bad.Found() {
		return a.bad(line, a.columns.Bad)
	}
	if a.columns.Count > 1 {
		a.sep = sep // a line with a single vertex does not show the separator
	}
	a.checking, a.vertex, a.err = false, nil, nil
	a.columns.Split(line, sep, &delimited.NoPlan, 0)
	return a.err
}

// field checks or delivers a field of a line.
func (a *adjacency) field(field []byte, at int, _ bool) fault.Fault {
	switch {
	case a.checking:
		return delimited.KeyFault(field, at, a.columns.Count+1, a.opts.MaxKey)
	case a.err != nil:
	case a.vertex == nil:
		a.vertex = field
		a.stats.Vertices++
		a.err = a.h.Vertex(field, nil)
	default:
		a.stats.Edges++
		a.err = a.h.Edge(Edge{Source: a.vertex, Target: field, Weight: 1})
	}
	return fault.Fault{}
}
