package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
)

// KindBeside is the kind of the files of streams beside the file of the store; see TempName.
const KindBeside = "checkpoint"

// besideName is the path of the file of a stream with a number.
func (db *Store) besideName(number uint64) string {
	dir, pattern := TempName(db.Beside, strconv.FormatUint(number, 10)+"."+KindBeside)
	return filepath.Join(dir, strings.Replace(pattern, ".*", "", 1))
}

func besideSeed(number uint64) block.Seed {
	return block.SeedOf(block.BlobName, block.Key64(number))
}

// WriteBeside writes a stream to a file of its own beside that of the store, and makes it
// durable. The record has the number of that file in the place of an object. No bytes make no
// file and a record without a number. Until a record of the store has the number, the next
// opening for writing removes the file; so the caller keeps the store (Hold) from before the
// call until that record is committed. possible is false if files cannot be made there, and
// then write was not called.
//
// The file has the blocks of a blob, each with its checksum before it, one after the other.
func (db *Store) WriteBeside(ctx context.Context, write func(w io.Writer) error) (record BlobRecord, possible bool, err error) {
	h, err := db.acquireToWrite(ctx) // takes the lock, which Hold then keeps
	if err != nil {
		return record, true, err
	}
	db.Release(h)
	f, err := os.CreateTemp(TempName(db.Beside, KindBeside))
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || err != nil && file.IsReadOnlyFS(err) {
		return record, false, nil
	}
	if err != nil {
		return record, true, err
	}
	w := &besideWriter{ctx: OrBackground(ctx), file: f, block: make([]byte, block.ChecksumSize, block.ChecksumSize+BlobBlock)}
	if record.Object, err = numberOf(f.Name()); err == nil {
		w.seed = besideSeed(record.Object)
		err = write(w)
	}
	if err == nil && len(w.block) > block.ChecksumSize {
		err = w.flush()
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && w.size > 0 {
		record.Size = w.size
		err = file.SyncDir(filepath.Dir(f.Name()))
	}
	if err != nil || w.size == 0 {
		_ = os.Remove(f.Name()) // a file that is left only takes space until the next opening
		return BlobRecord{}, true, err
	}
	return record, true, nil
}

// numberOf is the number in the name of a file of a stream.
func numberOf(name string) (uint64, error) {
	name = strings.TrimSuffix(name, "."+KindBeside)
	return strconv.ParseUint(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
}

// besideWriter writes blocks to a file.
type besideWriter struct {
	ctx   context.Context
	file  *os.File
	seed  block.Seed
	size  uint64 // bytes of the stream that are in the file
	block []byte // that is being filled, with room for its checksum
}

func (w *besideWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		n := min(len(rest), cap(w.block)-len(w.block))
		w.block, rest = append(w.block, rest[:n]...), rest[n:]
		if len(w.block) == cap(w.block) {
			if err := w.flush(); err != nil {
				return len(p) - len(rest), err
			}
		}
	}
	return len(p), nil
}

func (w *besideWriter) flush() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if _, err := w.file.Write(w.seed.Seal(block.Key32(uint32(w.size/BlobBlock)), w.block)); err != nil {
		return err
	}
	w.size += uint64(len(w.block) - block.ChecksumSize)
	w.block = w.block[:block.ChecksumSize]
	return nil
}

// BesideName is the path of the file of a stream.
func (db *Store) BesideName(b BlobRecord) string { return db.besideName(b.Object) }

// HasBeside reports whether the file of a stream is there with all its bytes.
func (db *Store) HasBeside(b BlobRecord) bool {
	info, err := os.Stat(db.besideName(b.Object))
	return err == nil && info.Mode().IsRegular() && uint64(info.Size()) == b.Size+b.Blocks()*block.ChecksumSize
}

// OpenBeside returns a reader of the file of a stream. Damage is ErrCorrupt, with what the
// stream is and what to do about it.
func (db *Store) OpenBeside(b BlobRecord, owner, remedy string) (io.ReadCloser, error) {
	f, err := os.Open(db.besideName(b.Object))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", owner, err)
	}
	return &besideReader{File: f, owner: owner, remedy: remedy, record: b}, nil
}

// besideReader reads and verifies a block at a time.
type besideReader struct {
	*os.File
	owner, remedy string
	record        BlobRecord
	next          uint64 // block
	block, rest   []byte // the last block, and the bytes of it that were not yet read
}

func (r *besideReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == r.record.Blocks() {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, &fault.FileError{Path: r.Name(), Object: r.owner, Err: fault.ErrCorrupt, Cause: err, Remedy: r.remedy}
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *besideReader) fill() (err error) {
	r.block = append(r.block[:0], make([]byte, block.ChecksumSize+min(BlobBlock, r.record.Size-r.next*BlobBlock))...)
	if _, err := io.ReadFull(r.File, r.block); err != nil {
		return err
	}
	r.rest, err = r.record.Open(besideSeed(r.record.Object), r.next, block.Key32(uint32(r.next)), r.block)
	r.next++
	return err
}

// RemoveBeside removes the files of streams that no record of the store has any more. One that
// cannot be removed only takes space until the next opening.
func (db *Store) RemoveBeside(streams ...BlobRecord) {
	for _, b := range streams {
		if b.Object != 0 {
			_ = os.Remove(db.besideName(b.Object))
		}
	}
}

// CollectBeside removes the files of streams that killed processes have left: used returns the
// numbers that records of the store have. It runs with the lock of the file, without which no
// process writes such a file.
func (db *Store) CollectBeside(ctx context.Context, used func(t *Tx) (map[uint64]bool, error)) error {
	return db.View(ctx, func(t *Tx) error {
		var there []uint64
		_, names := namesBeside(db.Beside)
		for _, name := range names {
			if of, ok := temporaryOf(name, KindBeside); ok && of == filepath.Base(db.Beside) {
				if n, err := numberOf(name); err == nil {
					there = append(there, n)
				}
			}
		}
		if len(there) == 0 {
			return nil
		}
		keep, err := used(t)
		for _, n := range there {
			if err == nil && !keep[n] {
				removeStale(db.besideName(n), db.Beside)
			}
		}
		return err
	})
}
