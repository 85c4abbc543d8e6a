package storage

import (
	"encoding/binary"
	"math"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
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
//		return t.put(block.EmbeddingsName, key, &record)
//	})
//
// Reading: t.openBlob makes an io.Reader that outlives the transaction: it reads
// a mebibyte at a time in transactions of its own. Where the owner gave the blob
// up meanwhile, or without Keep another process wrote to the file, the next Read is
// ErrConflict.
//
// Deleting: t.discard(record.Object), in the transaction that changes the owner,
// and db.sweep after it.
//
// An owner of a new kind is an artefact: its description in kinds (artefact.go) is all
// that Check, Stats, the copies and Recover need.
type blobRecord struct {
	Object uint64 `msgpack:"object"` // 0 where there are no bytes
	Size   uint64 `msgpack:"size"`   // bytes
}

// blobBlock is how many bytes a block has. bbolt puts at least two elements into
// a leaf, however large they are, and two blocks fill 32 pages of 4 KiB exactly.
// Blocks of this size cost next to nothing for keys and pages of the tree, and a
// transaction, which writes the last leaf of the one before anew, writes little
// twice.
const blobBlock = 64<<10 - page.HeadSize/2 - page.ElementSize - 4 - block.ChecksumSize

// blobBlocks is how many blocks a read transaction of a blob reads: a mebibyte.
const blobBlocks = 16

// blocks is the number of blocks.
func (b blobRecord) blocks() uint64 { return (b.Size + blobBlock - 1) / blobBlock }

// validate bounds what later code allocates by.
func (b blobRecord) validate(size int64) error {
	if (b.Object == 0) != (b.Size == 0) || b.Size > uint64(size) || b.blocks() > math.MaxUint32 {
		return fault.Record("stream of %d bytes in object %d", b.Size, b.Object)
	}
	return nil
}

// check verifies a block against its place.
func (b blobRecord) check(number uint64, key, payload []byte) error {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != number || number >= b.blocks() {
		return fault.Record("block %x where block %d of %d should be", key, number, b.blocks())
	}
	if want := min(blobBlock, b.Size-number*blobBlock); uint64(len(payload)) != want {
		return fault.Record("block %d of %d bytes instead of %d", number, len(payload), want)
	}
	return nil
}

// open verifies a block and returns its bytes, which alias the record.
func (b blobRecord) open(seed block.Seed, number uint64, key, record []byte) ([]byte, error) {
	if key == nil || record == nil {
		return nil, fault.Record("block %d of %d is missing", number, b.blocks())
	}
	payload, err := seed.Open(key, record)
	if err == nil {
		err = b.check(number, key, payload)
	}
	return payload, err
}
