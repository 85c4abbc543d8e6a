package tokens

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/excerpt"
)

// xmlSource passes a text to the XML decoder and enforces the limits. The decoder reads byte by
// byte, so that the length of every token is known.
type xmlSource struct {
	in    Source
	text  []byte
	at    int
	taken int64 // bytes of the text handed out before these
	mark  int64 // the byte at which the current token began
	err   error

	charset   *charmap.Charmap // of the text; nil for UTF-8
	converted []byte           // a block of it in UTF-8
}

func (s *xmlSource) offset() int64 { return s.taken + int64(s.at) }

// ReadByte returns the next byte of the text in UTF-8.
func (s *xmlSource) ReadByte() (byte, error) {
	for s.at == len(s.text) {
		if err := s.refill(); err != nil {
			return 0, err
		}
	}
	c := s.text[s.at]
	s.at++
	return c, nil
}

// use converts the text from here on from another encoding.
func (s *xmlSource) use(charset *charmap.Charmap) {
	s.charset = charset
	s.taken += int64(s.at)
	s.text, s.at = s.utf8(s.text[s.at:]), 0
}

// utf8 returns a block of the text in UTF-8, valid until the next call.
func (s *xmlSource) utf8(block []byte) []byte {
	if s.charset == nil {
		return block
	}
	s.converted = s.converted[:0]
	for _, c := range block {
		s.converted = utf8.AppendRune(s.converted, s.charset.DecodeByte(c))
	}
	return s.converted
}

// Read is required by the decoder's interface, but not used: the decoder calls ReadByte.
func (s *xmlSource) Read(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if p[n], err = s.ReadByte(); err == nil {
			n++
		}
	}
	return n, err
}

func (s *xmlSource) refill() error {
	if s.err != nil {
		return s.err
	}
	s.taken += int64(len(s.text))
	s.at = 0
	switch {
	case s.taken > s.in.MaxBytes:
		return &limitError{fmt.Sprintf("the text exceeds the limit of %d bytes", s.in.MaxBytes)}
	case s.tooLong():
		return s.longToken()
	}
	first := s.taken == 0 && s.text == nil
	s.text, s.err = s.in.Next()
	s.text = s.utf8(s.text)
	if first && strings.HasPrefix(string(s.text[:min(3, len(s.text))]), ByteOrderMark) {
		s.at = len(ByteOrderMark)
	}
	return nil
}

func (s *xmlSource) tooLong() bool { return s.offset()-s.mark > int64(s.in.MaxLine) }

func (s *xmlSource) longToken() error {
	return &limitError{fmt.Sprintf("a tag or a text exceeds the limit of %d bytes", s.in.MaxLine)}
}

// charsetError reports an encoding that is not supported.
type charsetError struct{ name string }

func (e *charsetError) Error() string {
	return fmt.Sprintf("the encoding %s is not read; convert the text to UTF-8", printable(e.name))
}

// XML reads tokens of XML. It limits the nesting of elements and refuses document types
// with declarations.
type XML struct {
	source  *xmlSource
	decoder *xml.Decoder
	depth   int
	Line    int64 // where the last token began
	Column  int   // in bytes
}

func NewXML(in Source) *XML {
	source := &xmlSource{in: in}
	x := &XML{source: source, decoder: xml.NewDecoder(source)}
	x.decoder.CharsetReader = func(charset string, text io.Reader) (io.Reader, error) {
		switch name := strings.ToLower(charset); name {
		case "us-ascii", "ascii", "utf8", "utf-16", "utf-16le", "utf-16be": // UTF-16 was converted before
		default:
			table := charsetOf(name)
			if table == nil {
				return nil, &charsetError{charset}
			}
			source.use(table)
		}
		return text, nil
	}
	return x
}

// Token returns the next token, and io.EOF after the last one.
func (x *XML) Token() (xml.Token, error) {
	line, column := x.decoder.InputPos()
	x.Line, x.Column = int64(line), column
	if most := x.source.in.MaxLines; most > 0 && x.Line > most {
		return nil, x.Fault(fault.ErrLimit, "the text exceeds the limit of %d lines", most)
	}
	x.source.mark = x.source.offset()
	token, err := x.decoder.Token()
	if err == nil && x.source.tooLong() {
		err = x.source.longToken()
	}
	if err != nil {
		return nil, x.explain(err)
	}
	switch t := token.(type) {
	case xml.StartElement:
		if x.depth++; x.depth > maxDepth {
			return nil, x.Fault(fault.ErrLimit, "elements are nested more than %d deep", maxDepth)
		}
	case xml.EndElement:
		x.depth--
	case xml.Directive:
		if strings.ContainsRune(string(t), '[') {
			return nil, x.Fault(fault.ErrSyntax, "a document type with declarations is not read")
		}
	}
	return token, nil
}

// Fault returns an error at the last token.
func (x *XML) Fault(kind error, format string, args ...any) error {
	return x.source.in.At(x.Line, x.Column, kind, fmt.Sprintf(format, args...))
}

// explain adds the position to an error of the decoder.
func (x *XML) explain(err error) error {
	if err == io.EOF || x.source.err != nil && x.source.err != io.EOF && errors.Is(err, x.source.err) {
		return err // an error of the input, which already has a position
	}
	line, column := x.decoder.InputPos()
	column = max(column, 1) // after a line feed the decoder steps back to column 0
	reason, kind := printable(err.Error()), fault.ErrSyntax
	var limit *limitError
	var charset *charsetError
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &limit):
		reason, kind = limit.reason, fault.ErrLimit
	case errors.As(err, &charset):
		reason = charset.Error()
	case errors.As(err, &syntax):
		reason = "not well-formed XML: " + printable(syntax.Msg)
	}
	return x.source.in.At(int64(line), column, kind, reason)
}

// Document reads the whole text: a root element, whose children top reads. top sets begun at
// the graph element. title is the format's name for messages.
func (x *XML) Document(root, title string, begun *bool, top func(xml.StartElement) error) error {
	found := false
	for {
		token, err := x.Token()
		switch {
		case err == io.EOF && found:
			return nil
		case err == io.EOF:
			return x.Fault(fault.ErrSyntax, "expected a graph in %s, found the end", title)
		case err != nil:
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != root {
			return x.Fault(fault.ErrSyntax, "expected the element %s, found %s", root, excerpt.Of([]byte(start.Name.Local)))
		}
		if err := x.Children(top); err != nil {
			return err
		}
		if !*begun {
			return x.Fault(fault.ErrSyntax, "expected an element graph inside %s, found its end", root)
		}
		found = true
	}
}

// Position returns where the last token began.
func (x *XML) Position() (line int64, column int) { return x.Line, x.Column }

// Extent returns the number of lines and of bytes of the text that were read.
func (x *XML) Extent() (lines, bytes int64) {
	line, _ := x.decoder.InputPos()
	return int64(line), x.source.offset()
}

// Children calls f for every element inside the one that has just begun, up to its end. f must
// read its element to the end.
func (x *XML) Children(f func(xml.StartElement) error) error {
	for {
		token, err := x.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := f(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// Skip reads past the rest of the element that has just begun.
func (x *XML) Skip() error {
	return x.Children(func(xml.StartElement) error { return x.Skip() })
}

// Attribute returns the value of an attribute of an element, or "".
func Attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// charsetOf returns the table of an encoding with a byte for each character, or nil if it is not
// one that is read.
func charsetOf(name string) *charmap.Charmap {
	switch strings.ToLower(name) {
	case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1":
		return charmap.ISO8859_1
	case "iso-8859-2", "latin2":
		return charmap.ISO8859_2
	case "iso-8859-15", "latin-9", "latin9":
		return charmap.ISO8859_15
	case "windows-1250", "cp1250":
		return charmap.Windows1250
	case "windows-1251", "cp1251":
		return charmap.Windows1251
	case "windows-1252", "cp1252":
		return charmap.Windows1252
	case "koi8-r":
		return charmap.KOI8R
	}
	return nil
}
