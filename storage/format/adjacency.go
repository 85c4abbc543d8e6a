package format

// adjacency reads adjacency lists: on every line a vertex, then its neighbours,
// as networkx writes them.
type adjacency struct {
	lines
	h        Handler
	sep      separator
	header   bool // the first data line is to be passed over
	columns  columns
	checking bool   // the line is looked through before it is delivered
	vertex   []byte // the first field of the line
	err      error  // of the handler
}

func newAdjacency(opts Options, h Handler) *adjacency {
	a := &adjacency{h: h, header: opts.Header == HeaderNames}
	a.opts, a.to = opts.EdgeListOptions, a
	a.columns.each = a.field
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
	a.checking = true
	if a.columns.split(line, sep, &noPlan, 0); a.columns.bad.found() {
		return a.bad(line, a.columns.bad)
	}
	if a.columns.count > 1 {
		a.sep = sep // a vertex alone tells nothing
	}
	a.checking, a.vertex, a.err = false, nil, nil
	a.columns.split(line, sep, &noPlan, 0)
	return a.err
}

// field checks or delivers a field of a line.
func (a *adjacency) field(field []byte, at int, _ bool) fault {
	switch {
	case a.checking:
		return keyFault(field, at, a.columns.count+1, a.opts.MaxKey)
	case a.err != nil:
	case a.vertex == nil:
		a.vertex = field
		a.stats.Vertices++
		a.err = a.h.Vertex(field, nil)
	default:
		a.stats.Edges++
		a.err = a.h.Edge(Edge{Source: a.vertex, Target: field, Weight: 1})
	}
	return fault{}
}
