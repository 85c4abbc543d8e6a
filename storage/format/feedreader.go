package format

import "errors"

// feedReader reads the text of a feed, up to a limit.
type feedReader struct {
	feed *feed
	text []byte
	left int64 // bytes left until the limit
	err  error
}

// newFeedReader returns a reader of a text of at most so many bytes; above them it fails with errTooLong.
func newFeedReader(f *feed, most int64) *feedReader { return &feedReader{feed: f, left: most} }

// errTooLong reports that the limit of bytes was reached.
var errTooLong = errors.New("too long")

func (r *feedReader) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.text, r.err = r.feed.next()
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	if r.left -= int64(n); r.left < 0 {
		return 0, errTooLong
	}
	return n, nil
}
