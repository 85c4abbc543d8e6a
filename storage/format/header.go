package format

import (
	"bytes"
	"fmt"
	"strings"
)

// areNames reports whether two fields are a pair of column names that HeaderAuto
// recognises by themselves, in upper or lower case.
func areNames(source, target []byte, sep separator) bool {
	const longest = len("fromnodeid")
	if len(source) > longest || len(target) > longest {
		return false
	}
	switch strings.ToLower(string(source)) + "," + strings.ToLower(string(target)) {
	case "source,target", "source_id,target_id", "src,dst", "src,dest",
		"from,to", "from_id,to_id", "from_node,to_node", "fromnodeid,tonodeid",
		"node1,node2", "node_1,node_2", "id1,id2", "id_1,id_2", "vertex1,vertex2":
		return true
	case "u,v", "i,j":
		// Also keys of many small examples, so these need the look of a CSV file.
		return sep.quotes()
	}
	return false
}

// commentNames reports whether a comment line only names the columns, as
// "# FromNodeId ToNodeId" does.
func commentNames(line []byte) bool {
	words := bytes.FieldsFunc(bytes.TrimLeft(line, "#% \t"), func(c rune) bool {
		return c == ' ' || c == '\t' || c == ',' || c == ';'
	})
	const most = 4 // two more columns, such as weight and time; above, it is prose
	return len(words) >= 2 && len(words) <= most && areNames(words[0], words[1], separatorComma)
}

// parseCount reads a decimal integer without a sign, as a counts header has them.
func parseCount(field []byte) (int64, bool) {
	const digits = 18 // the most that always fit
	if len(field) == 0 || len(field) > digits {
		return 0, false
	}
	var n int64
	for _, c := range field {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// firstLine follows what the first data line is.
type firstLine struct {
	decided bool
	names   string // a comment above it that names the columns
	text    string // the line itself
	number  int64  // its number
	skipped int64  // malformed lines above it
	held    *Edge  // the edge in it, copied, while the next line is awaited
	extra   int    // its columns beyond the second
	counts  bool   // it may be a counts header, of n and m
	n, m    int64
}

// comment counts a comment line. One above the data may name the columns.
func (p *parser) comment(content []byte) {
	p.stats.Comments++
	if p.first.text == "" && commentNames(content) {
		p.first.names = string(content)
	}
}

// firstLine takes data lines until it is decided what the first one is.
func (p *parser) firstLine(line []byte, edge Edge) error {
	f := &p.first
	if f.held != nil {
		return p.secondLine(edge)
	}
	f.text, f.number, f.skipped = string(bytes.Trim(line, blanks)), p.stats.Lines, p.stats.Skipped
	f.extra = p.columns.extra()
	f.decided = true
	header := p.opts.Header
	if header == HeaderAuto {
		switch {
		case f.names != "":
			p.stats.Header = f.names
			header = HeaderNone
		case areNames(edge.Source, edge.Target, p.sep):
			header = HeaderNames
		}
	}
	switch header {
	case HeaderNames:
		p.stats.Header = f.text
		return nil
	case HeaderCounts:
		return p.countsHeader(line, edge)
	case HeaderAuto:
		if !isInteger(edge.Source) && !isInteger(edge.Target) {
			f.decided = false
			f.held = &Edge{Source: bytes.Clone(edge.Source), Target: bytes.Clone(edge.Target), Weight: edge.Weight}
			return nil
		}
		f.counts = !p.pairs && f.parse(edge) && f.n > 0 && f.m > 0
	}
	return p.emit(edge, f.extra)
}

// secondLine decides what the first line was that it held back: column names
// if it has no integers and this line has two.
func (p *parser) secondLine(edge Edge) error {
	p.first.decided = true
	if isInteger(edge.Source) && isInteger(edge.Target) {
		p.stats.Header = p.first.text
	} else if err := p.emit(*p.first.held, p.first.extra); err != nil {
		return err
	}
	return p.emit(edge, p.columns.extra())
}

// parse reads the first line as the two numbers of a counts header.
func (f *firstLine) parse(edge Edge) bool {
	var okN, okM bool
	f.n, okN = parseCount(edge.Source)
	f.m, okM = parseCount(edge.Target)
	return okN && okM && f.extra == 0
}

// countsHeader takes the first line as a counts header, as it was told.
func (p *parser) countsHeader(line []byte, edge Edge) error {
	if !p.first.parse(edge) {
		// The whole file is not what was said: SkipBad does not help.
		return p.lineError(line, syntaxFault(0, "expected the numbers of vertices and edges, found %s", excerpt(line)))
	}
	p.stats.Header = p.first.text
	p.stats.DeclaredVertices, p.stats.DeclaredEdges = p.first.n, p.first.m
	return nil
}

// finishHeader settles at the end of the file what the first line was.
func (p *parser) finishHeader() error {
	f := &p.first
	below := p.stats.Edges + p.stats.Skipped - f.skipped // data lines
	switch {
	case p.opts.Header == HeaderCounts && !f.decided:
		return p.headerError("expected the numbers of vertices and edges, found no data line")
	case p.opts.Header == HeaderCounts && below != f.m:
		return p.headerError(fmt.Sprintf("the header declares %d edges, but %d lines follow", f.m, below))
	case f.counts && below-1 == f.m:
		p.stats.CountsHeader = true
		p.stats.Header = f.text
		p.stats.DeclaredVertices, p.stats.DeclaredEdges = f.n, f.m
	case f.held != nil && !f.decided:
		f.decided = true
		return p.emit(*f.held, f.extra)
	}
	return nil
}

func (p *parser) headerError(reason string) error {
	return &LineError{p.opts.Name, max(p.first.number, 1), 1, reason, ErrSyntax}
}
