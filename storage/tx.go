package storage

import (
	"context"
	"errors"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"
)

// tx is one transaction over the root bucket of a store. It uses nothing beyond the
// root bucket, because that may be a bucket of an application's file, under any name.
type tx struct {
	ledger
	ctx        context.Context
	path       string      // file, for errors
	file       *os.File    // for plain reads; nil where bbolt alone has it
	tree       *soundness  // verified parts of the tree; nil if its shape is trusted
	rows       *soundRows  // embeddings whose rows were verified; nil where that is not remembered
	memory     *remembered // what read transactions have decoded; nil in write transactions
	scanned    int64       // records that scan has verified
	room       *room       // for what an import reads; nil without a limit
	unseen     int         // bytes of lists since the last look at the memory
	shared     bool        // the file belongs to an application
	references references  // entries that refer to objects, compared with before
	pending    bool        // the transaction contains an earlier UpdateIn or a blob, so the size of the file is no bound
}

// newRootTx makes a transaction over a root bucket. memory may be nil.
func newRootTx(ctx context.Context, root *bolt.Bucket, path string, tree *soundness, memory *remembered) (*tx, error) {
	raw := root.Get(block.HeaderKey)
	h, known := memory.headerOf(raw)
	if !known {
		var err error
		if h, err = block.DecodeHeader(raw); err != nil {
			return nil, headerError(path, err)
		}
		for _, name := range block.TopBuckets {
			if root.Bucket(name) == nil {
				return nil, &FileError{Path: path, Err: ErrCorrupt, Reason: fmt.Sprintf("bucket %q is missing", name), Remedy: fault.RemedyRestore}
			}
		}
		memory.keepHeader(raw, h)
	}
	return &tx{ledger: ledger{root: root, header: h}, ctx: ctx, path: path, tree: tree, memory: memory}, nil
}

// meta describes the pages of the file as this transaction sees them.
func (t *tx) meta() page.Meta {
	btx := t.root.Tx()
	size := btx.DB().Info().PageSize
	return page.Meta{PageSize: size, Root: uint64(btx.Cursor().Bucket().Root()), Freelist: page.NoFreelist, HighWater: uint64(btx.Size()) / uint64(size)}
}

// finish writes the header of a transaction that is about to commit. It is called by end, which
// first looks at the references.
func (t *tx) finish() error {
	if err := t.keepPromises(); err != nil {
		return err
	}
	t.header.Epoch++
	if t.header.TxID = 0; !t.shared {
		t.header.TxID = uint64(t.root.Tx().ID())
	}
	t.header.Format, t.header.MinReader = block.FormatVersion, block.MinReader
	return t.root.Put(block.HeaderKey, t.header.Encode())
}

// newID returns a number that no graph or object of the file ever had.
func (t *tx) newID() uint64 {
	id := t.header.NextID
	t.header.NextID++
	return id
}

// initStore makes an empty store in an empty root bucket.
func initStore(root *bolt.Bucket, h block.Header) error {
	for _, name := range block.TopBuckets {
		if _, err := root.CreateBucket(name); err != nil {
			return err
		}
	}
	return root.Put(block.HeaderKey, h.Encode())
}

// topPart returns a bucket of top for writing; its bucket is nil if it was not made
// yet.
func (t *tx) topPart(name []byte) (part, error) {
	b, err := t.top(name)
	return part{bucket: b, seed: block.SeedOf(name), account: t.accountOf(block.TopPlace(name))}, err
}

// top returns a top bucket; nil if it is one that is made when it is needed and was not
// made yet.
func (t *tx) top(name []byte) (*bolt.Bucket, error) {
	b := t.root.Bucket(name)
	if t.tree == nil {
		return b, nil
	}
	if err := t.tree.fault([][]byte{name}); err != nil {
		return nil, err
	}
	if string(name) == string(block.ChangesName) {
		return b, t.tree.visit(t.ctx, &t.ledger, b, name)
	}
	return b, nil
}

// headerError converts a fault of the header to an error of the file.
func headerError(path string, err error) error {
	var version *fault.VersionError
	switch {
	case errors.As(err, &version):
		remedy := "open it with a newer heavytail; the file was not changed"
		if version.Early {
			remedy = "export its graphs with the version that wrote it, and import them here; the file was not changed"
		}
		return &FileError{Path: path, Err: ErrVersion, Reason: version.Reason, Remedy: remedy}
	case errors.Is(err, fault.ErrRecord):
		return &FileError{Path: path, Object: "header", Err: ErrCorrupt, Cause: err, Remedy: fault.RemedyRestore}
	}
	return err
}

// room is the memory that a transaction has for the keys and values of a graph, which are not
// counted in its record.
type room struct {
	fits func(bytes int64) error // an error if so many bytes are too many
	kept int64                   // bytes of the lists that are complete
}

// roomStep is how many bytes of records are read between two looks at the memory.
const roomStep = 1 << 20

// took counts bytes of records that were added to a list. growing is the memory of the list, and of
// a larger one if it may grow before the next look.
func (t *tx) took(bytes int, growing func(step int64) int64) error {
	if t.unseen += bytes; t.unseen < roomStep {
		return nil
	}
	t.unseen = 0
	t.releaseMap()
	if t.room == nil {
		return nil
	}
	return t.room.fits(t.room.kept + growing(4*roomStep))
}

// complete counts a list to which nothing will be added.
func (t *tx) complete(bytes int64) {
	if t.room != nil {
		t.room.kept += bytes
	}
}

// releaseMap gives the pages of the map that were read back to the system, which keeps them while it
// has memory for them. Otherwise they count as memory of the process.
func (t *tx) releaseMap() {
	btx := t.root.Tx()
	file.Release(btx.DB().Info().Data, btx.Size())
}
