package format

import (
	"bytes"
	"math"
)

// byteClass is what a byte means inside a plain line.
type byteClass uint8

const (
	classKey       byteClass = iota // part of a key
	classSeparator                  // between columns
	classNewline
	classUnusual // whatever needs a closer look
)

// classify returns the class of every byte. Bytes beyond ASCII are unusual
// since their encoding is to be checked.
func classify(sep separator) (class [256]byteClass) {
	for c := range 128 {
		class[c] = classKey
	}
	for c := 128; c < 256; c++ {
		class[c] = classUnusual
	}
	class[0], class['\r'], class['\n'] = classUnusual, classUnusual, classNewline
	class[' '], class['\t'] = classUnusual, classUnusual // to be trimmed, or inside a key
	if sep.quotes() {
		class['"'] = classUnusual
	}
	class[sep.character()] = classSeparator
	if sep == separatorWhitespace {
		class['\t'] = classSeparator
	}
	return class
}

// plainLines delivers the edges of the leading lines that are complete and hold
// nothing unusual: ASCII, no quotes, no comment, two columns or more. It returns
// how many bytes these lines take. It looks at every byte once, since on lines
// of a dozen bytes calls cost more than bytes.
func (p *parser) plainLines(text []byte) (done int, err error) {
	text = text[:bytes.LastIndexByte(text, '\n')+1] // so that every scan below ends
	class, runs := &p.class, p.sep == separatorWhitespace
	most := p.opts.MaxLines
	if most == 0 {
		most = math.MaxInt64
	}
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
		if end < 0 || target == targetEnd || max(sourceEnd-source, targetEnd-target) > p.opts.MaxKey || end-done > p.opts.MaxLine || p.stats.Lines == most {
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

// plainRest counts the columns that follow and returns the position of the line
// feed, or a negative number if there is something unusual.
func (p *parser) plainRest(text []byte, at int) (end, extra int) {
	class, runs := &p.class, p.sep == separatorWhitespace
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
