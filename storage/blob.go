package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"
)

// A blob is a stream of bytes of any length that belongs to something in the
// catalogue: the checkpoint of a job, what an embedding keeps beside its rows.
// Its bytes lie in blocks in an object of their own, and its owner keeps the
// blobRecord that leads to them:
//
//	object / "blob" / number 4   checksum 4 │ blobBlock bytes, the last block fewer
//
// The checksum is over bucket, key and bytes, as that of every record, and the
// bucket has the number of the object, which is never used again: a block cannot
// be taken for one of another blob, nor for another one of the same.
//
// # How an owner uses it
//
// Writing: newBlobWriter makes an io.Writer, which writes in transactions of
// Options.BatchBytes and takes the writer's lock for each, so that others write
// meanwhile. What it has written belongs to the journal, and is discarded by the
// next opening where the process ends. publish, in the transaction that writes
// the record of the owner, writes the rest and hands the blob over; until then
// abandon frees it.
//
// (PutJobCheckpoint is an example.)
//
//	w := db.newBlobWriter(ctx, "state of embedding \"e\"")
//	defer w.abandon(ctx)                  // nothing after publish
//	_, err := state.WriteTo(w)            // without the writer's lock
//	… db.update(ctx, func(t *tx) error {  // with it
//		if record.State, err = w.publish(t); err != nil {
//			return err
//		}
//		return t.put(embeddingsName, key, &record)
//	})
//
// Reading: t.openBlob makes an io.Reader that outlives the transaction: it reads
// a mebibyte at a time in transactions of its own. Where the owner gave the blob
// up meanwhile, the next Read is ErrConflict.
//
// Deleting: t.discard(record.Object), in the transaction that changes the owner,
// and db.sweep after it.
//
// An owner of a new kind must name its blobs in these places, beside what it
// does for its own record: validate (with that of the record), Check
// (checker.checkBlob), copyTo (refer in copyCatalogue), Stats (sizes.object),
// and in Recover the owners of salvage and the objects in use of mender.
type blobRecord struct {
	Object uint64 `msgpack:"object"` // 0 where there are no bytes
	Size   uint64 `msgpack:"size"`   // bytes
}

// blobBlock is how many bytes a block has. bbolt puts at least two elements into
// a leaf, however large they are, and two blocks fill 32 pages of 4 KiB exactly.
// Blocks of this size cost next to nothing for keys and pages of the tree, and a
// transaction, which writes the last leaf of the one before anew, writes little
// twice.
const blobBlock = 64<<10 - pageHeadSize/2 - leafElemSize - 4 - sumSize

// blobBlocks is how many blocks a read transaction of a blob reads: a mebibyte.
const blobBlocks = 16

// blocks is the number of blocks.
func (b blobRecord) blocks() uint64 { return (b.Size + blobBlock - 1) / blobBlock }

// validate bounds what later code allocates by.
func (b blobRecord) validate(size int64) error {
	if (b.Object == 0) != (b.Size == 0) || b.Size > uint64(size) || b.blocks() > math.MaxUint32 {
		return badRecord("stream of %d bytes in object %d", b.Size, b.Object)
	}
	return nil
}

// check verifies a block against its place.
func (b blobRecord) check(number uint64, key, payload []byte) error {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != number || number >= b.blocks() {
		return badRecord("block %x where block %d of %d should be", key, number, b.blocks())
	}
	if want := min(blobBlock, b.Size-number*blobBlock); uint64(len(payload)) != want {
		return badRecord("block %d of %d bytes instead of %d", number, len(payload), want)
	}
	return nil
}

// blobWriter writes a blob. It belongs to one goroutine.
type blobWriter struct {
	db     *DB
	ctx    context.Context
	owner  string     // in words, for the journal and errors
	record blobRecord // what is in the file, or in the transaction that publishes
	err    error      // of a transaction; nothing more is written

	// Blocks that are to be written, without checksums; all but the last are full.
	pending      [][]byte
	pendingBytes int
}

func (db *DB) newBlobWriter(ctx context.Context, owner string) *blobWriter {
	return &blobWriter{db: db, ctx: ctx, owner: owner}
}

// Write takes bytes, and writes a batch of them to the file where there are
// enough. The caller must not hold the writer's lock.
func (w *blobWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		if w.err != nil {
			return 0, w.err
		}
		last := len(w.pending) - 1
		if last < 0 || len(w.pending[last]) == sumSize+blobBlock {
			if w.pendingBytes >= w.db.opts.BatchBytes {
				w.err = w.flush()
				continue
			}
			w.pending = append(w.pending, make([]byte, sumSize, sumSize+blobBlock))
			last++
		}
		n := min(len(rest), sumSize+blobBlock-len(w.pending[last]))
		w.pending[last] = append(w.pending[last], rest[:n]...)
		w.pendingBytes += n
		rest = rest[n:]
	}
	return len(p), nil
}

// flush writes the pending blocks, all of which are full, under the journal.
func (w *blobWriter) flush() error {
	unlock, err := w.db.lockWriter(w.ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return w.db.update(w.ctx, func(t *tx) error {
		if err := w.put(t); err != nil {
			return err
		}
		return t.put(journalName, w.journalKey(), &journalRecord{Object: w.record.Object, Next: w.record.Size, Source: w.owner, Started: time.Now().UnixNano()})
	})
}

// put writes the pending blocks.
func (w *blobWriter) put(t *tx) error {
	if len(w.pending) == 0 {
		return nil
	}
	if w.record.Object == 0 {
		id, err := t.newObject(blobName)
		if err != nil {
			return err
		}
		w.record.Object = id
	}
	p, err := t.part(w.record.Object, blobName)
	if err != nil {
		return corrupt(t.path, w.owner, err)
	}
	t.pending = true         // records of owners that are read from now on may be of more bytes than the file has
	p.bucket.FillPercent = 1 // blocks only follow each other
	for _, record := range w.pending {
		number := w.record.blocks()
		if number > math.MaxUint32 {
			return fmt.Errorf("storage: %s: more than %d bytes: %w", w.owner, w.record.Size, ErrLimit)
		}
		key := be32(uint32(number))
		if err := p.bucket.Put(key, p.seed.seal(key, record)); err != nil {
			return err
		}
		w.record.Size += uint64(len(record) - sumSize)
	}
	w.pending, w.pendingBytes = nil, 0
	return nil
}

// publish writes what is left and returns the record for the owner, which the
// same transaction must write. Without any bytes it is the zero record. The
// caller holds the writer's lock. Where the transaction fails, the writer can
// only be abandoned.
func (w *blobWriter) publish(t *tx) (blobRecord, error) {
	if w.err == nil {
		w.err = w.put(t)
	}
	if w.err != nil || w.record.Object == 0 {
		return blobRecord{}, w.err
	}
	return w.record, t.remove(journalName, w.journalKey())
}

// abandon frees what was written and not published. It does so even where the
// context has ended; after a failed commit it cannot, and the next opening does
// it. The caller must not hold the writer's lock.
func (w *blobWriter) abandon(ctx context.Context) {
	if w.record.Object == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	left := false // in the journal, which is right whatever transaction failed
	err := w.db.view(ctx, func(t *tx) (err error) {
		left, err = t.get(journalName, w.journalKey(), new(journalRecord))
		return err
	})
	if err != nil || !left {
		return
	}
	unlock, err := w.db.lockWriter(ctx)
	if err != nil {
		return
	}
	defer unlock()
	err = w.db.update(ctx, func(t *tx) error { return t.dropJournal(journalBlob, string(be64(w.record.Object))) })
	if err == nil {
		w.db.sweep(ctx)
	}
}

func (w *blobWriter) journalKey() []byte {
	return journalKey(journalBlob, string(be64(w.record.Object)))
}

// blobReader reads a blob. It belongs to one goroutine.
type blobReader struct {
	db     *DB
	ctx    context.Context
	owner  string // in words, for errors
	record blobRecord
	next   uint64 // block
	rest   []byte // of the blocks before, not yet read
}

// openBlob returns a reader of a blob whose record was read in this transaction.
func (t *tx) openBlob(db *DB, owner string, b blobRecord) (*blobReader, error) {
	if b.Object != 0 {
		if _, err := t.part(b.Object, blobName); err != nil {
			return nil, corrupt(t.path, owner, err)
		}
	}
	return &blobReader{db: db, ctx: t.ctx, owner: owner, record: b}, nil
}

// Read reads the next bytes; at the end it is io.EOF. Damage is ErrCorrupt, and
// a blob that its owner gave up meanwhile ErrConflict.
func (r *blobReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == r.record.blocks() {
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

// fill reads the next blocks.
func (r *blobReader) fill() error {
	return r.db.view(r.ctx, func(t *tx) error {
		objects, err := t.top(objectsName)
		if err != nil {
			return err
		}
		if objects.Bucket(be64(r.record.Object)) == nil {
			return fmt.Errorf("storage: %s was replaced or removed while it was read: %w", r.owner, ErrConflict)
		}
		p, err := t.part(r.record.Object, blobName)
		if err != nil {
			return corrupt(t.path, r.owner, err)
		}
		most := min(r.record.blocks()-r.next, blobBlocks)
		rest := make([]byte, 0, most*blobBlock)
		cursor := p.bucket.Cursor()
		key, record := cursor.Seek(be32(uint32(r.next)))
		for range most {
			payload, err := r.record.open(p.seed, r.next, key, record)
			if err != nil {
				return corrupt(t.path, r.owner, err)
			}
			rest = append(rest, payload...)
			r.next++
			key, record = cursor.Next()
		}
		r.rest = rest
		return nil
	})
}

// open verifies a block and returns its bytes, which alias the record.
func (b blobRecord) open(seed bucketSeed, number uint64, key, record []byte) ([]byte, error) {
	if key == nil || record == nil {
		return nil, badRecord("block %d of %d is missing", number, b.blocks())
	}
	payload, err := seed.open(key, record)
	if err == nil {
		err = b.check(number, key, payload)
	}
	return payload, err
}

// checkBlob verifies a blob for Check; where names its owner.
func (c *checker) checkBlob(where, remedy string, b blobRecord) error {
	if b.Object == 0 {
		return nil
	}
	c.refer(b.Object, where, blobName)
	return c.try(where, remedy, func() error {
		p, err := c.tx.part(b.Object, blobName)
		if err != nil {
			return err
		}
		c.tx.readAhead(p.bucket)
		number := uint64(0)
		err = c.tx.scan(p, func(key, payload []byte) error {
			err := b.check(number, key, payload)
			number++
			return err
		})
		if err == nil && number != b.blocks() {
			err = badRecord("%d blocks instead of %d", number, b.blocks())
		}
		return err
	})
}
