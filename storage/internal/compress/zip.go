package compress

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"heavytail/storage/internal/excerpt"
)

const zipMagic = "PK\x03\x04"

// IsZip reports whether bytes are those at the beginning of a zip archive.
func IsZip(start []byte) bool { return strings.HasPrefix(string(start), zipMagic) }

// zipFile is the one file inside a zip archive. Folders, and what macOS adds beside files, are
// not counted.
type zipFile struct {
	io.ReadCloser
	name string
}

// openZip opens the file inside an archive, whose table of contents is at its end. read counts
// the bytes that are read.
func openZip(r io.Reader, read *atomic.Int64) (*zipFile, error) {
	in, random := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !random {
		return nil, errors.New("zip is read from a file, not from a stream, as its table of contents is at its end")
	}
	at, err := in.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := in.Seek(at, io.SeekStart); err != nil { // the rest is hashed from there
		return nil, err
	}
	archive, err := zip.NewReader(readerAt{in, read}, size)
	if err != nil {
		return nil, err
	}
	var found []*zip.File
	for _, f := range archive.File {
		if !f.FileInfo().IsDir() && !strings.HasPrefix(f.Name, "__MACOSX/") {
			found = append(found, f)
		}
	}
	switch {
	case len(found) == 0:
		return nil, errors.New("the archive has no file")
	case len(found) > 1:
		var names []string
		for _, f := range found {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("the archive has %d files (%s); unpack it and name one of them, or pass one to standard input", len(found), excerpt.List(names))
	}
	body, err := found[0].Open()
	if err != nil {
		return nil, err
	}
	return &zipFile{body, found[0].Name}, nil
}

// readerAt counts the bytes that are read.
type readerAt struct {
	io.ReaderAt
	read *atomic.Int64
}

func (r readerAt) ReadAt(p []byte, at int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(p, at)
	r.read.Add(int64(n))
	return n, err
}
