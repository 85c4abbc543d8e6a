package feed

import "errors"

// Reader reads the text of a feed, up to a limit.
type Reader struct {
	feed *Feed
	text []byte
	left int64 // bytes left until the limit
	err  error
}

// NewReader returns a reader of a text; above the limit of the options it fails with ErrTooLong.
func NewReader(f *Feed) *Reader { return &Reader{feed: f, left: f.opts.MaxBytes} }

// ErrTooLong reports that the limit of bytes was reached.
var ErrTooLong = errors.New("too long")

// Read implements io.Reader.
func (r *Reader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.text, r.err = r.feed.next()
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	if r.left -= int64(n); r.left < 0 {
		return 0, ErrTooLong
	}
	return n, nil
}
