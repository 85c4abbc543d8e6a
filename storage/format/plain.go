package format

import (
	"bytes"
	"cmp"
	"math"

	"heavytail/storage/format/internal/delimited"
)

// plainLines delivers the edges of the leading lines that are complete and contain nothing
// unusual: ASCII, no quotes, no comment, two columns or more. It returns the number of bytes of
// these lines. It handles each byte once and without function calls, which on lines of a dozen
// bytes cost more than the bytes.
func (p *parser) plainLines(text []byte) (done int, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1] // so that every scan below ends
	class, runs := &p.class, p.sep == delimited.SeparatorWhitespace
	most := cmp.Or(p.opts.MaxLines, math.MaxInt64)
	for at := 0; at < len(text); done = at {
		for runs && class[text[at]] == classSeparator {
			at++
		}
		source := at
		for class[text[at]] == classKey {
			at++
		}
		sourceEnd := at
		if source == sourceEnd || class[text[at]] != classSeparator || isComment(text[source]) {
			return done, nil
		}
		at++
		for runs && class[text[at]] == classSeparator {
			at++
		}
		target := at
		for class[text[at]] == classKey {
			at++
		}
		targetEnd := at
		end, extra := p.plainRest(text, at)
		if end < 0 || extra > p.spare || target == targetEnd || max(sourceEnd-source, targetEnd-target) > p.opts.MaxKey || end-done > p.opts.MaxLine || p.stats.Lines == most {
			return done, nil
		}
		at = end + 1
		p.stats.Lines++
		err = p.emit(Edge{Source: text[source:sourceEnd:sourceEnd], Target: text[target:targetEnd:targetEnd], Weight: 1}, extra)
		if err != nil {
			return at, err
		}
	}
	return done, nil
}

// plainFields does the same as plainLines for a plan that reads different columns than the
// first two.
func (p *parser) plainFields(text []byte) (done int, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1] // so that every scan below ends
	most := cmp.Or(p.opts.MaxLines, math.MaxInt64)
	for at := 0; at < len(text); done = at {
		var field [delimited.Roles][]byte
		end, extra := p.fields(text, at, &field)
		if end < 0 || extra > p.spare || end-at > p.opts.MaxLine || p.stats.Lines == most {
			return done, nil
		}
		edge := Edge{Source: field[delimited.Source], Target: field[delimited.Target], Weight: 1}
		if !p.keysFit(edge) {
			return done, nil
		}
		if bad, _ := measure(&edge, &field); bad != delimited.Ignored {
			return done, nil
		}
		at = end + 1
		p.stats.Lines++
		if err := p.emitMeasured(edge, extra); err != nil {
			return at, err
		}
	}
	return done, nil
}

func (p *parser) keysFit(e Edge) bool {
	return len(e.Source) > 0 && len(e.Target) > 0 && max(len(e.Source), len(e.Target)) <= p.opts.MaxKey
}

// fields splits the line that begins at a byte of the text. It returns the position of the line
// feed and the number of columns that are not read, or a negative position if there is
// something unusual.
func (p *parser) fields(text []byte, at int, field *[delimited.Roles][]byte) (end, extra int) {
	class, runs, roles := &p.class, p.sep == delimited.SeparatorWhitespace, p.plan.Roles
	for column := 0; ; column++ {
		for runs && class[text[at]] == classSeparator {
			at++
		}
		start := at
		for class[text[at]] == classKey {
			at++
		}
		if column == 0 && (isComment(text[start]) || class[text[start]] == classNewline) {
			return -1, 0
		}
		switch {
		case runs && start == at: // blanks at the end of the line
		case column < len(roles) && roles[column] != delimited.Ignored:
			field[roles[column]] = text[start:at:at]
		default:
			extra++
		}
		switch {
		case class[text[at]] == classSeparator:
			at++
		case class[text[at]] == classNewline:
			return at, extra
		case text[at] == '\r' && text[at+1] == '\n':
			return at + 1, extra
		default:
			return -1, 0
		}
	}
}

// plainRest counts the remaining columns and returns the position of the line feed, or a
// negative number if there is something unusual.
func (p *parser) plainRest(text []byte, at int) (end, extra int) {
	class, runs := &p.class, p.sep == delimited.SeparatorWhitespace
	for {
		switch class[text[at]] {
		case classNewline:
			return at, extra
		case classSeparator:
			at++
			if !runs {
				extra++
			}
		case classKey:
			if runs {
				extra++
			}
			for class[text[at]] == classKey {
				at++
			}
		default:
			if text[at] == '\r' && text[at+1] == '\n' {
				return at + 1, extra
			}
			return -1, 0
		}
	}
}

// byteClass is the meaning of a byte in a plain line.
type byteClass uint8

const (
	classKey       byteClass = iota // part of a key
	classSeparator                  // between columns
	classNewline
	classUnusual // whatever needs a closer look
)

// classify returns the class of every byte. Bytes beyond ASCII are unusual since their encoding
// must be checked.
func classify(sep delimited.Separator) (class [256]byteClass) {
	for c := range 128 {
		class[c] = classKey
	}
	for c := 128; c < 256; c++ {
		class[c] = classUnusual
	}
	class[0], class['\r'], class['\n'] = classUnusual, classUnusual, classNewline
	class[' '], class['\t'] = classUnusual, classUnusual // trimmed, or part of a key
	class['{'] = classUnusual                            // may begin a dictionary of attributes
	if sep.Quotes() {
		class['"'] = classUnusual
	}
	class[sep.Character()] = classSeparator
	if sep == delimited.SeparatorWhitespace {
		class['\t'] = classSeparator
	}
	return class
}
