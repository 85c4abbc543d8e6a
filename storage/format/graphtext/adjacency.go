package graphtext

import (
	"bytes"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
)

// adjacency reads adjacency lists: on every line a vertex, then its neighbours,
// as networkx writes them.
type adjacency struct {
	feed.Lines
	h        format.Handler
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

func newAdjacency(opts format.Options, h format.Handler) *adjacency {
	a := &adjacency{h: h, header: opts.Header == format.HeaderNames}
	a.Opts, a.To = opts.EdgeListOptions, a
	a.columns.Each = a.field
	a.sep, _ = delimited.ParseSeparator(opts.Separator) // Validate has seen it
	return a
}

// End refuses a METIS file: its lines hold only neighbours, and the vertex of a line follows
// from the line's position.
func (a *adjacency) End() error {
	if a.n > 0 && a.vertices == a.n && a.neighbours == 2*a.m {
		return a.ErrorAt(1, format.ErrSyntax, "this is a METIS file, whose first line declares %d vertices and %d edges; the format metis reads it", a.n, a.m)
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

func (a *adjacency) Line(line []byte) error {
	line, kind := a.Sort(line)
	if kind != feed.LineComment && (!a.first || a.n > 0) {
		a.count(line)
	}
	if kind != feed.LineData {
		return nil
	}
	if f := fault.OfText(line); f.Found() {
		return a.Bad(line, f)
	}
	sep := a.sep
	if sep == delimited.SeparatorAuto {
		var doubt string
		if sep, doubt = delimited.Detect(line); doubt != "" {
			return a.Wrong(line, "%s", doubt)
		}
	}
	if a.header {
		a.header, a.Stats.Header = false, string(line)
		return nil
	}
	// The whole line is checked first, so that a line that is skipped delivers no edge.
	a.checking = true
	if a.columns.Split(line, sep, &delimited.NoPlan, 0); a.columns.Bad.Found() {
		return a.Bad(line, a.columns.Bad)
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
		return delimited.KeyFault(field, at, a.columns.Count+1, a.Opts.MaxKey)
	case a.err != nil:
	case a.vertex == nil:
		a.vertex = field
		a.Stats.Vertices++
		a.err = a.h.Vertex(field, nil)
	default:
		a.Stats.Edges++
		a.err = a.h.Edge(format.Edge{Source: a.vertex, Target: field, Weight: 1})
	}
	return fault.Fault{}
}
