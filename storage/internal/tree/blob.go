package tree

import (
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// BlobWriter writes a blob. It belongs to one goroutine.
type BlobWriter struct {
	db     *Store
	ctx    context.Context
	owner  string     // in words, for the journal and errors
	record BlobRecord // the blocks written so far, to the file or to the transaction that publishes
	err    error      // error of a transaction; after it nothing more is written
	keep   func()     // releases the file, which is kept locked so that no other process discards the written blocks

	// Blocks that are to be written, without checksums; all but the last are full. Each
	// transaction reuses the memory of the one before, which ends with its commit.
	pending      [][]byte
	pendingBytes int
}

// NewBlobWriter returns a writer of a blob; owner names what it belongs to, in errors. The file is
// kept locked until Abandon, which every writer needs, after Publish as well.
func NewBlobWriter(ctx context.Context, db *Store, owner string) *BlobWriter {
	return &BlobWriter{db: db, ctx: ctx, owner: owner, keep: db.Hold()}
}

// Write buffers bytes, and writes a batch to the file whenever there are
// enough. The caller must not hold the writer's lock.
func (w *BlobWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if w.err != nil {
			return 0, w.err
		}
		last := len(w.pending) - 1
		if last < 0 || len(w.pending[last]) == block.ChecksumSize+BlobBlock {
			if w.pendingBytes >= w.db.Opts.BatchBytes {
				w.err = w.flush()
				continue
			}
			if last++; last == cap(w.pending) || w.pending[:last+1][last] == nil {
				w.pending = append(w.pending, make([]byte, block.ChecksumSize, block.ChecksumSize+BlobBlock))
			} else {
				w.pending = w.pending[:last+1]
				w.pending[last] = w.pending[last][:block.ChecksumSize]
			}
		}
		n := min(len(rest), block.ChecksumSize+BlobBlock-len(w.pending[last]))
		w.pending[last] = append(w.pending[last], rest[:n]...)
		w.pendingBytes += n
		rest = rest[n:]
	}
	return len(p), nil
}

// flush writes the pending blocks, all of which are full, under the journal.
func (w *BlobWriter) flush() error {
	unlock, err := w.db.LockWriter(w.ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return w.db.Update(w.ctx, func(t *Tx) error {
		if err := w.put(t); err != nil {
			return err
		}
		return t.Put(block.JournalName, JournalKey(JournalBlob, ObjectName(w.record.Object)), &JournalRecord{Object: w.record.Object, Next: w.record.Size, Source: w.owner, Started: time.Now().UnixNano()})
	})
}

func (w *BlobWriter) put(t *Tx) error {
	if len(w.pending) == 0 {
		return nil
	}
	if w.record.Object == 0 {
		id, err := t.NewObject(block.BlobName)
		if err != nil {
			return err
		}
		w.record.Object = id
	}
	p, err := t.Part(w.record.Object, block.BlobName)
	if err != nil {
		return fault.Corrupt(t.Path, w.owner, err)
	}
	t.Pending = true         // the transaction may hold more bytes than the file, so its size bounds nothing
	p.Bucket.FillPercent = 1 // blocks only follow each other
	for _, record := range w.pending {
		number := w.record.Blocks()
		if number > math.MaxUint32 {
			return fmt.Errorf("%s: more than %d bytes: %w", w.owner, w.record.Size, fault.ErrLimit)
		}
		key := block.Key32(uint32(number))
		if err := p.Put(key, p.Seed.Seal(key, record)); err != nil {
			return err
		}
		w.record.Size += uint64(len(record) - block.ChecksumSize)
	}
	w.pending, w.pendingBytes = w.pending[:0], 0
	return nil
}

// Publish writes the remaining bytes and returns the record for the owner,
// which the same transaction must write. If there are no bytes, it is the
// zero record. The caller holds the writer's lock. If the transaction fails,
// the writer can only be abandoned.
func (w *BlobWriter) Publish(t *Tx) (BlobRecord, error) {
	if w.err == nil {
		w.err = w.put(t)
	}
	if w.err != nil || w.record.Object == 0 {
		return BlobRecord{}, w.err
	}
	return w.record, t.Remove(block.JournalName, JournalKey(JournalBlob, ObjectName(w.record.Object)))
}

// Abandon frees the blocks that were written and not published, even if the context
// has ended. After a failed commit it cannot; then the next open frees them. The
// caller must not hold the writer's lock.
func (w *BlobWriter) Abandon(ctx context.Context) {
	w.db.DropUnpublished(ctx, w.record.Object)
	w.keep()
}

// BlobReader reads a blob. It belongs to one goroutine.
type BlobReader struct {
	db     *Store
	ctx    context.Context
	owner  string // in words, for errors
	record BlobRecord
	opened uint64 // DB.Reopened when the reader was made
	next   uint64 // block
	rest   []byte // of the blocks before, not yet read
}

// OpenBlob returns a reader of a blob whose record was read in this transaction.
func OpenBlob(t *Tx, db *Store, owner string, b BlobRecord) (*BlobReader, error) {
	if b.Object != 0 {
		if _, err := t.ImmutablePart(b.Object, block.BlobName); err != nil {
			return nil, fault.Corrupt(t.Path, owner, err)
		}
	}
	return &BlobReader{db: db, ctx: t.Ctx, owner: owner, record: b, opened: db.Reopened()}, nil
}

// Read reads the next bytes; at the end it is io.EOF. Damage is ErrCorrupt. If the
// owner has replaced or dropped the blob meanwhile, it is ErrConflict.
func (r *BlobReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == r.record.Blocks() {
			return 0, io.EOF
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *BlobReader) fill() error {
	return r.db.View(r.ctx, func(t *Tx) error {
		objects, err := t.Top(block.ObjectsName)
		if err != nil {
			return err
		}
		// In another copy of the file the same number may belong to another object.
		if objects.Bucket(block.Key64(r.record.Object)) == nil || r.opened != r.db.Reopened() {
			return fmt.Errorf("%s was replaced or removed while it was read: %w", r.owner, fault.ErrConflict)
		}
		p, err := t.Part(r.record.Object, block.BlobName)
		if err != nil {
			return fault.Corrupt(t.Path, r.owner, err)
		}
		most := min(r.record.Blocks()-r.next, BlobBlocks)
		rest := make([]byte, 0, most*BlobBlock)
		cursor := p.Bucket.Cursor()
		key, record := cursor.Seek(block.Key32(uint32(r.next)))
		for range most {
			payload, err := r.record.Open(p.Seed, r.next, key, record)
			if err != nil {
				return fault.Corrupt(t.Path, r.owner, err)
			}
			rest = append(rest, payload...)
			r.next++
			key, record = cursor.Next()
		}
		r.rest = rest
		return nil
	})
}
