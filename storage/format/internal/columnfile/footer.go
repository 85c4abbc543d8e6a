package columnfile

import (
	"encoding/binary"
	"io"
)

// maxFooter is the largest number of bytes of a footer; 1,000 columns in 1,000 row groups of Parquet need as many.
const maxFooter = 64 << 20

// Footer reads the table of contents of a file of size bytes, which begins and ends with a magic number: before the
// second one is the footer, and then the number of its bytes. at is where it begins, which is not before the byte least.
func Footer(form Form, in io.ReaderAt, size int64, magic string, least int64) (footer []byte, at int64, err error) {
	start, tail := make([]byte, len(magic)), make([]byte, 4+len(magic))
	end := size - int64(len(tail))
	if end < least {
		return nil, 0, Damaged("the file has %d bytes, which is too short for %s", size, form.Title())
	}
	if err := ReadAt(in, start, 0); err != nil {
		return nil, 0, err
	}
	if err := ReadAt(in, tail, end); err != nil {
		return nil, 0, err
	}
	switch {
	case string(start) != magic:
		return nil, 0, Damaged("the file does not begin with %s", magic)
	case string(tail[4:]) != magic:
		return nil, 0, Damaged("the file does not end with %s, and is probably cut off", magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	switch at = end - length; {
	case at < least:
		return nil, 0, Damaged("a footer of %d bytes is longer than the file", length)
	case length > maxFooter:
		return nil, 0, Limited("a footer of %d bytes exceeds the limit of %d", length, maxFooter)
	}
	footer = make([]byte, length)
	return footer, at, ReadAt(in, footer, at)
}
