package format

import (
	"bytes"
	"strings"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/internal/excerpt"
)

// comment handles a comment line. A comment above the data may name the columns or declare the
// graph.
func (p *parser) comment(content []byte) {
	f := &p.first
	if f.text != "" || p.opts.Header != HeaderAuto {
		return
	}
	names := p.declared(content)
	if names == nil && !f.konect {
		f.words = delimited.CommentWords(content)
		names = delimited.CommentNames(f.words)
	}
	if names != nil {
		f.comment, f.names = string(content), names
	}
}

// header reads the first data line as column names if it is certain to be that. It also applies
// the column names of a comment above the line.
func (p *parser) header(line []byte, sep delimited.Separator) (taken bool, err error) {
	f := &p.first
	named := p.opts.Header == HeaderNames
	if p.opts.Header == HeaderAuto {
		if f.bipartite {
			return true, p.wrong(line, "the comment above says bip: the two columns number their vertices apart, so that a number in one of them is another vertex than in the other; header := 'none' takes them as the same")
		}
		if f.comment == "" && p.measuresNamed(line, sep) {
			f.comment, f.names = strings.Join(f.words, " "), f.words
		}
		if f.comment != "" {
			if plan, doubt := delimited.PlanFor(p.opts.wanted(), f.names); doubt == "" {
				p.names = f.names
				p.follow(plan)
				return false, nil
			}
		}
		named = p.opts.namesColumns() && !p.braces.found
	}
	if !named && p.opts.Header != HeaderAuto {
		return false, nil
	}
	names := delimited.NamesIn(line, sep)
	if len(names) < 2 {
		return false, nil // malformed; the caller reports it
	}
	of, doubt := neo4jEdges(&p.opts, names)
	if of != nil {
		names, named, p.stats.Directed = of, true, true
	}
	if !named && doubt == "" {
		if _, _, named = delimited.KnownPair(names, sep != delimited.SeparatorWhitespace); !named || f.comment != "" {
			return false, nil
		}
	}
	var plan delimited.Plan
	if doubt == "" {
		plan, doubt = delimited.PlanFor(p.opts.wanted(), names)
	}
	if doubt != "" {
		return true, p.wrong(line, "%s", doubt)
	}
	if p.opts.Header == HeaderNames && p.opts.Source == "" && p.opts.Target == "" && !p.pairs {
		if _, _, known := delimited.KnownPair(names, true); !known && isKeyName(names[0]) {
			p.stats.remark("columns taken as the ends of edges by their places", excerpt.List(names[:2]), p.stats.Lines, "the options source and target name others; IMPORT VERTICES reads a table of vertices")
		}
	}
	p.separate(sep)
	p.name(names, plan)
	p.see(line)
	f.decided = true
	p.stats.Header = f.text
	return true, nil
}

// namesWords reports whether a comment above the data names columns between blanks, and a line has as
// many words, or one less where times may be missing.
func (f *firstLine) namesWords(line []byte) bool {
	words := len(bytes.Fields(line))
	return f.comment != "" && !strings.ContainsAny(f.comment, ",;|") && words > 1 && (words == len(f.names) || words == len(f.names)-1)
}

// measuresNamed reports whether the last comment above the first data line has a word for each of
// its columns, and one of them names a weight or a time in a column of numbers or dates.
func (p *parser) measuresNamed(line []byte, sep delimited.Separator) bool {
	words, fields := p.first.words, delimited.NamesIn(line, sep)
	if len(words) != len(fields) {
		return false
	}
	for i, word := range words {
		if i > 1 && delimited.UsualRole(word) != delimited.Ignored && isFigure(fields[i]) {
			return true
		}
	}
	return false
}

// see records the first data line.
func (p *parser) see(line []byte) {
	f := &p.first
	f.text, f.number, f.skipped = string(bytes.Trim(line, delimited.Blanks)), p.stats.Lines, p.stats.Skipped
}

// firstLine handles data lines until it is known whether the first one is a header.
func (p *parser) firstLine(line []byte) error {
	f := &p.first
	if len(f.held) > 0 {
		return p.hold(line, false)
	}
	p.see(line)
	f.decided, f.columns = true, p.columns.Count
	switch {
	case p.opts.Header == HeaderCounts:
		return p.countsHeader(line)
	case p.opts.Header == HeaderAuto && f.comment != "":
		p.stats.Header = f.comment
	case p.opts.Header == HeaderAuto && !p.pairs && p.declares(line):
		p.stats.Header, p.stats.DeclaredVertices, p.stats.DeclaredEdges = f.text, f.n, f.m
		return nil
	case p.opts.Header == HeaderAuto && p.mayName(line):
		f.decided = false
		return p.hold(line, false)
	case p.opts.Header == HeaderAuto:
		f.counts = !p.pairs && p.parseCounts() && f.n > 0 && f.m > 0
	}
	return p.emitColumns(line)
}

// parseCounts reads the first line as the two numbers of a counts header.
func (p *parser) parseCounts() (ok bool) {
	p.first.n, p.first.m, ok = decimal.Counts(p.columns.Field[delimited.Source], p.columns.Field[delimited.Target])
	return ok && p.columns.Count == 2
}

// declares reports whether the first line is a header of Graphs.jl, "n,m,u,name" with u for
// undirected or d for directed. No edge has this form.
func (p *parser) declares(line []byte) bool {
	names := delimited.NamesIn(line, p.sep)
	if p.sep != delimited.SeparatorComma || len(names) < 4 || names[2] != "u" && names[2] != "d" {
		return false
	}
	f := &p.first
	f.n, f.m, f.declared = decimal.Counts([]byte(names[0]), []byte(names[1]))
	return f.declared
}

// countsHeader reads the first line as a counts header, because the options ask for it.
func (p *parser) countsHeader(line []byte) error {
	if !p.parseCounts() {
		return p.wrong(line, "expected the numbers of vertices and edges, found %s", excerpt.Of(line))
	}
	p.stats.Header = p.first.text
	p.stats.DeclaredVertices, p.stats.DeclaredEdges = p.first.n, p.first.m
	return nil
}

// end decides at the end of the text what the first line was, if that is still open.
func (p *parser) end() error {
	for p.record.open {
		if err := p.tear(); err != nil {
			return err
		}
	}
	f := &p.first
	if len(f.held) > 0 {
		return p.decide(true)
	}
	below := p.stats.Edges + p.stats.Skipped - f.skipped // data lines
	switch {
	case p.opts.Header == HeaderCounts && !f.decided:
		return p.headerError("expected the numbers of vertices and edges, found no data line")
	case (p.opts.Header == HeaderCounts || f.declared) && below != f.m:
		return p.headerError("the header declares %d edges, but %d lines follow", f.m, below)
	case f.counts && below-1 == f.m:
		p.stats.CountsHeader = true
		p.stats.Header = f.text
		p.stats.DeclaredVertices, p.stats.DeclaredEdges = f.n, f.m
	}
	return nil
}

func (p *parser) headerError(format string, args ...any) error {
	return p.errorAt(max(p.first.number, 1), ErrSyntax, format, args...)
}
