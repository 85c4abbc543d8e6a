package format

// adjacency reads adjacency lists: on every line a vertex, then its neighbours,
// as networkx writes them.
type adjacency struct {
	lines
	h       Handler
	sep     separator
	header  bool // the first data line is to be passed over
	columns columns
	vertex  []byte // the first field of the line
}

func newAdjacency(opts Options, h Handler) *adjacency {
	a := &adjacency{h: h, header: opts.Header == HeaderNames}
	a.opts, a.to = opts.EdgeListOptions, a
	a.sep, _ = parseSeparator(opts.Separator) // Validate has seen it
	return a
}

func (a *adjacency) bulk([]byte) (int, error) { return 0, nil }

func (a *adjacency) end() error { return nil }

func (a *adjacency) line(line []byte) error {
	line, kind := a.sort(line)
	if kind != lineData {
		return nil
	}
	if f := textFault(line); f.found() {
		return a.bad(line, f)
	}
	sep := a.sep
	if sep == separatorAuto {
		var doubt string
		if sep, doubt = detectSeparator(line); doubt != "" {
			return a.lineError(line, syntaxFault(0, "%s", doubt))
		}
	}
	if a.header {
		a.header, a.stats.Header = false, string(line)
		return nil
	}
	// Checked as a whole first: a line that is left out leaves no edge behind.
	a.columns.each = a.check
	if a.columns.split(line, sep, &plan{}, 0); a.columns.bad.found() {
		return a.bad(line, a.columns.bad)
	}
	if a.columns.count > 1 {
		a.sep = sep // a vertex alone tells nothing
	}
	var err error
	a.vertex = nil
	a.columns.each = func(field []byte, _ int, _ bool) fault {
		if err == nil {
			err = a.field(field)
		}
		return fault{}
	}
	a.columns.split(line, sep, &plan{}, 0)
	return err
}

func (a *adjacency) check(field []byte, at int, _ bool) fault {
	return keyFault(field, at, a.columns.count+1, a.opts.MaxKey)
}

// field delivers the vertex of a line, and then its edges.
func (a *adjacency) field(field []byte) error {
	if a.vertex == nil {
		a.vertex = field
		a.stats.Vertices++
		return a.h.Vertex(field, nil)
	}
	a.stats.Edges++
	return a.h.Edge(Edge{Source: a.vertex, Target: field, Weight: 1})
}
