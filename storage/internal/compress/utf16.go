package compress

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// decodeUTF16 returns a text in UTF-8: a text that begins with a byte order mark of UTF-16 is
// converted, any other is returned as it is.
func decodeUTF16(text io.Reader) io.Reader {
	start := make([]byte, len("\xff\xfe"))
	n, err := fill(text, start)
	head := &headReader{start[:n], err, text}
	if !IsUTF16(start[:n]) {
		return head
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(bufio.NewReader(head))
}

// IsUTF16 recognises a text in UTF-16 by its byte order mark.
func IsUTF16(text []byte) bool {
	return bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))
}

// headReader returns bytes that were read before, and then the rest.
type headReader struct {
	head []byte
	err  error // of reading the head
	rest io.Reader
}

func (h *headReader) Read(p []byte) (int, error) {
	if len(h.head) > 0 {
		n := copy(p, h.head)
		h.head = h.head[n:]
		return n, nil
	}
	if h.err != nil {
		return 0, h.err
	}
	return h.rest.Read(p)
}

// fill reads until the buffer is full or the input ends.
func fill(r io.Reader, buffer []byte) (n int, err error) {
	const patience = 100 // empty reads in a row, as bufio allows
	for empty := 0; n < len(buffer) && err == nil; {
		var m int
		m, err = r.Read(buffer[n:])
		n += m
		if empty++; m > 0 {
			empty = 0
		} else if empty == patience && err == nil {
			err = io.ErrNoProgress
		}
	}
	return n, err
}
