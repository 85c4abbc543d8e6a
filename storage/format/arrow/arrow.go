package arrow

import (
	"encoding/binary"
	"io"
	"math"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/inflate"
)

const (
	magic     = "ARROW1"
	fileStart = 8             // the magic number and padding
	mark      = 0xFFFFFFFF    // before the length of the metadata of a message
	maxMeta   = 64 << 20      // bytes of the metadata of a message
	maxRows   = math.MaxInt32 // of a batch
)

// The kinds of messages.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageRows       = 3
)

// The versions of the metadata. Version 5 is of Arrow 1.0.
const (
	version4 = 3
	version5 = 4
)

// place is where a message of the file is.
type place struct {
	kind byte
	meta int64 // start of the metadata
	head int   // bytes of the metadata
	body int64 // start of the body
	size int64 // bytes of the body
	rows int64 // of a batch
}

// file is a columnfile.File.
type file struct {
	schema
	in       io.ReaderAt
	size     int64
	limits   columnfile.Limits
	messages []place // of dictionaries and batches, in the order in which they are read
	rows     int64
	known    map[int64]*dictionary // of the wanted columns

	zstd   inflate.Zstd
	memory int64 // bytes of the buffers of the present batch
	kept   int64 // bytes of the buffers of dictionaries
	read   int64 // bytes of all buffers so far
}

func (f *file) Rows() int64 { return f.rows }

func (f *file) Columns() []columnfile.Column { return f.columns }

func (f *file) Entries() []columnfile.Entry { return f.entries }

func newFile(in io.ReaderAt, size int64, limits columnfile.Limits) *file {
	return &file{in: in, size: size, limits: limits, known: map[int64]*dictionary{}}
}

// openStream reads the places of all messages, and the schema, which is the first one.
func openStream(in io.ReaderAt, size int64, limits columnfile.Limits) (columnfile.File, error) {
	f := newFile(in, size, limits)
	for at := int64(0); at < size; {
		p, header, err := f.message(at, size)
		if err != nil {
			return nil, err
		}
		if p.head == 0 { // the end of the stream
			break
		}
		if f.fields == nil {
			if p.kind != messageSchema {
				return nil, damaged("the stream does not begin with a schema")
			}
			if err := guarded(func() (err error) { f.schema, err = readSchema(header, limits.Columns); return err }); err != nil {
				return nil, err
			}
		} else if err := f.add(p); err != nil {
			return nil, err
		}
		at = p.body + p.size
	}
	if f.fields == nil {
		return nil, damaged("the file has %d bytes, which is too short for an Arrow stream", size)
	}
	return f, nil
}

// openFile reads the footer, and with it the places of all messages and the schema.
func openFile(in io.ReaderAt, size int64, limits columnfile.Limits) (columnfile.File, error) {
	f := newFile(in, size, limits)
	footer, at, err := columnfile.Footer(columnfile.Arrow, in, size, magic, fileStart)
	if err != nil {
		return nil, err
	}
	return f, guarded(func() error { return f.footer(root(footer), at) })
}

// footer reads the table of contents of a file; the messages end before the byte limit.
func (f *file) footer(t table, limit int64) error {
	schema, ok := t.table(1)
	if !ok {
		return damaged("the footer has no schema")
	}
	var err error
	if f.schema, err = readSchema(schema, f.limits.Columns); err != nil {
		return err
	}
	for i, kind := range []byte{messageDictionary, messageRows} { // the dictionaries are wanted first
		blocks := t.numbers(2+i, 3)
		for i := 0; i < len(blocks); i += 3 {
			if at := blocks[i]; at < fileStart || at > limit {
				return damaged("a message begins at byte %d, which is outside the file", at)
			}
			p, _, err := f.message(blocks[i], limit)
			if err != nil {
				return err
			}
			if p.kind != kind {
				return damaged("the footer has a message of the kind %d among those of the kind %d", p.kind, kind)
			}
			if err := f.add(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a message to those that are read.
func (f *file) add(p place) error {
	if p.kind != messageDictionary && p.kind != messageRows {
		return unread("the file has a message of the kind %d; schemas, dictionaries and batches are read", p.kind)
	}
	if p.rows < 0 || p.rows > maxRows {
		return damaged("a batch states %d rows", p.rows)
	}
	f.rows += p.rows
	f.messages = append(f.messages, p)
	return nil
}

// message reads the metadata of the message at a byte, which must end before the byte limit, and returns its
// place and its header. It has no bytes of metadata at the end of a stream.
func (f *file) message(at, limit int64) (p place, header table, err error) {
	var length [8]byte
	if limit-at < 4 {
		return p, header, damaged("the file ends in a message, and is probably cut off")
	}
	n := min(int64(len(length)), limit-at)
	if err := columnfile.ReadAt(f.in, length[:n], at); err != nil {
		return p, header, err
	}
	prefix := int64(4) // the length alone, before version 0.15
	size := int64(int32(binary.LittleEndian.Uint32(length[:])))
	if binary.LittleEndian.Uint32(length[:]) == mark {
		prefix, size = 8, int64(int32(binary.LittleEndian.Uint32(length[4:])))
	}
	switch {
	case n < prefix:
		return p, header, damaged("the file ends in a message, and is probably cut off")
	case size < 0 || size > limit-at-prefix:
		return p, header, damaged("the metadata of a message have %d bytes, which is more than the file", size)
	case size > maxMeta:
		return p, header, limited("metadata of %d bytes exceed the limit of %d", size, maxMeta)
	case size == 0:
		return p, header, nil
	}
	p.meta, p.head = at+prefix, int(size)
	p.body = p.meta + size
	err = guarded(func() error {
		header, err = f.header(&p)
		return err
	})
	if err == nil && (p.size < 0 || p.size > limit-p.body) {
		err = damaged("the body of a message has %d bytes, which is more than the file", p.size)
	}
	return p, header, err
}

// header reads the metadata of a message, and returns those of its kind.
func (f *file) header(p *place) (table, error) {
	data := make([]byte, p.head)
	if err := columnfile.ReadAt(f.in, data, p.meta); err != nil {
		return table{}, err
	}
	t := root(data)
	if v := t.int16(0, 0); v != version4 && v != version5 {
		return table{}, unread("the metadata have the version %d; those of Arrow 0.8 and later, 4 and 5, are read", v+1)
	}
	header, ok := t.table(2)
	if !ok {
		return table{}, damaged("a message has no header")
	}
	p.kind, p.size = t.byte(1), t.int64(3)
	if p.kind == messageRows {
		p.rows = header.int64(0)
	}
	return header, nil
}
