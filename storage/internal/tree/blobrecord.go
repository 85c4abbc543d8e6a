package tree

import (
	"encoding/binary"
	"math"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// BlobRecord is what the owner of a blob keeps of it. A blob is a stream of bytes of any length that belongs to something in the catalogue:
// the checkpoint of a job, the state of an embedding. Its bytes are stored as blocks in
// an object of their own. The owner's record contains the BlobRecord, which has the
// number of that object:
//
//	object / "blob" / number 4   checksum 4 │ BlobBlock bytes, the last block fewer
//
// The checksum is over bucket, key and bytes, as that of every record, and the bucket
// has the number of the object, which is never used again: a block cannot be mistaken
// for a block of another blob, or for a different block of the same one.
//
// # How an owner uses it
//
// Writing: NewBlobWriter makes an io.Writer, which writes in transactions of
// Options.BatchBytes and takes the writer's lock for each, so that other writers can
// run in between. Until it is published, the journal refers to it: if the process ends,
// the next open for writing discards it. Publish writes the rest, in the transaction
// that writes the owner's record. Without Publish, Abandon frees what was written.
//
// (storage.DB.PutJobCheckpoint is an example.)
//
//	w := tree.NewBlobWriter(ctx, store, "state of embedding \"e\"")
//	defer w.Abandon(ctx)                  // after Publish it only releases the file
//	_, err := state.WriteTo(w)            // without the writer's lock
//	… store.Change(ctx, func(t *tree.Tx) error { // with it
//		if record.State, err = w.Publish(t); err != nil {
//			return err
//		}
//		return t.Put(block.EmbeddingsName, key, &record)
//	})
//
// Reading: OpenBlob makes an io.Reader that outlives the transaction: it reads a
// mebibyte at a time in transactions of its own. If the owner has replaced or dropped
// the blob meanwhile, or another process wrote to the file (see Keep), the next Read is
// ErrConflict.
//
// Deleting: Tx.Discard(record.Object), in the transaction that changes the owner; Store.Change
// frees the object after it.
//
// A new kind of owner should be an artefact (artefact.go of package storage): Check, Stats, the copies and
// Recover need nothing but its description in kinds.
type BlobRecord struct {
	Object uint64 `msgpack:"object"` // 0 where there are no bytes
	Size   uint64 `msgpack:"size"`   // bytes
}

// BlobBlock is how many bytes a block has. bbolt puts at least two elements into a
// leaf, however large they are, and two blocks fill 32 pages of 4 KiB exactly. Blocks
// of this size cost next to nothing for keys and pages of the tree, and a transaction,
// which rewrites the last leaf of the transaction before it, writes little twice.
const BlobBlock = 64<<10 - page.HeadSize/2 - page.ElementSize - 4 - block.ChecksumSize

// BlobBlocks is how many blocks a read transaction of a blob reads: a mebibyte.
const BlobBlocks = 16

// Blocks is the number of blocks.
func (b BlobRecord) Blocks() uint64 { return (b.Size + BlobBlock - 1) / BlobBlock }

// Validate returns an error for impossible counts, because later code allocates by
// them.
func (b BlobRecord) Validate(size int64) error {
	if (b.Object == 0) != (b.Size == 0) || b.Size > uint64(size) || b.Blocks() > math.MaxUint32 {
		return fault.Record("stream of %d bytes in object %d", b.Size, b.Object)
	}
	return nil
}

// Check verifies a block against its place.
func (b BlobRecord) Check(number uint64, key, payload []byte) error {
	return b.CheckPlace(number, key, len(payload))
}

// CheckPlace is check for a payload of which only the size is known.
func (b BlobRecord) CheckPlace(number uint64, key []byte, size int) error {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != number || number >= b.Blocks() {
		return fault.Record("block %x where block %d of %d should be", key, number, b.Blocks())
	}
	if want := min(BlobBlock, b.Size-number*BlobBlock); uint64(size) != want {
		return fault.Record("block %d of %d bytes instead of %d", number, size, want)
	}
	return nil
}

// Open verifies a block and returns its bytes, which alias the record.
func (b BlobRecord) Open(seed block.Seed, number uint64, key, record []byte) ([]byte, error) {
	if key == nil || record == nil {
		return nil, fault.Record("block %d of %d is missing", number, b.Blocks())
	}
	payload, err := seed.Open(key, record)
	if err == nil {
		err = b.Check(number, key, payload)
	}
	return payload, err
}
