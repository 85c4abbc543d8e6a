package tree

import (
	"context"
	"errors"
	"fmt"
	"os"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// Tx is one transaction over the root bucket of a store. It uses nothing beyond the
// root bucket, because that may be a bucket of an application's file, under any name.
type Tx struct {
	Ledger
	Ctx        context.Context
	Path       string        // file, for errors
	File       *os.File      // for plain reads; nil where bbolt alone has it
	Tree       *Verified     // verified parts of the tree; nil if its shape is trusted
	Rows       *VerifiedRows // embeddings whose rows were verified; nil where that is not remembered
	memory     *Cache        // what read transactions have decoded; nil in write transactions
	Scanned    int64         // records that scan has verified
	Room       *Room         // for what an import reads; nil without a limit
	unseen     int           // bytes of lists since the last look at the memory
	Shared     bool          // the file belongs to an application
	References References    // entries that refer to objects, compared with before
	Pending    bool          // the transaction contains an earlier UpdateIn or a blob, so the size of the file is no bound
}

// NewTx makes a transaction over a root bucket. memory may be nil.
func NewTx(ctx context.Context, root *bolt.Bucket, path string, tree *Verified, memory *Cache) (*Tx, error) {
	raw := root.Get(block.HeaderKey)
	h, known := memory.headerOf(raw)
	if !known {
		var err error
		if h, err = block.DecodeHeader(raw); err != nil {
			return nil, HeaderError(path, err)
		}
		for _, name := range block.TopBuckets {
			if root.Bucket(name) == nil {
				return nil, &fault.FileError{Path: path, Err: fault.ErrCorrupt, Reason: fmt.Sprintf("bucket %q is missing", name), Remedy: fault.RemedyRestore}
			}
		}
		memory.putHeader(raw, h)
	}
	return &Tx{Ledger: Ledger{Root: root, Header: h}, Ctx: ctx, Path: path, Tree: tree, memory: memory}, nil
}

// Meta describes the pages of the file as this transaction sees them.
func (t *Tx) Meta() page.Meta {
	btx := t.Root.Tx()
	size := btx.DB().Info().PageSize
	return page.Meta{PageSize: size, Root: uint64(btx.Cursor().Bucket().Root()), Freelist: page.NoFreelist, HighWater: uint64(btx.Size()) / uint64(size)}
}

// finish writes the header of a transaction that is about to commit. It is called by end, which
// first looks at the references.
func (t *Tx) finish() error {
	if err := t.writeSums(); err != nil {
		return err
	}
	t.Header.Epoch++
	if t.Header.TxID = 0; !t.Shared {
		t.Header.TxID = uint64(t.Root.Tx().ID())
	}
	t.Header.Format, t.Header.MinReader = block.FormatVersion, block.MinReader
	return t.Root.Put(block.HeaderKey, t.Header.Encode())
}

// NewID returns a number that no graph or object of the file ever had.
func (t *Tx) NewID() uint64 {
	id := t.Header.NextID
	t.Header.NextID++
	return id
}

// Init makes an empty store in an empty root bucket.
func Init(root *bolt.Bucket, h block.Header) error {
	for _, name := range block.TopBuckets {
		if _, err := root.CreateBucket(name); err != nil {
			return err
		}
	}
	return root.Put(block.HeaderKey, h.Encode())
}

// TopPart returns a bucket of top for writing; its bucket is nil if it was not made
// yet.
func (t *Tx) TopPart(name []byte) (Part, error) {
	b, err := t.Top(name)
	return Part{Bucket: b, Seed: block.SeedOf(name), Account: t.AccountOf(block.TopPlace(name))}, err
}

// Top returns a top bucket; nil if it is one that is made when it is needed and was not
// made yet.
func (t *Tx) Top(name []byte) (*bolt.Bucket, error) {
	b := t.Root.Bucket(name)
	if t.Tree == nil {
		return b, nil
	}
	if err := t.Tree.Fault([][]byte{name}); err != nil {
		return nil, err
	}
	if string(name) == string(block.ChangesName) {
		return b, t.Tree.visit(t.Ctx, &t.Ledger, b, name)
	}
	return b, nil
}

// HeaderError converts a fault of the header to an error of the file.
func HeaderError(path string, err error) error {
	var version *fault.VersionError
	switch {
	case errors.As(err, &version):
		remedy := "open it with a newer heavytail; the file was not changed"
		if version.Early {
			remedy = "export its graphs with the version that wrote it, and import them here; the file was not changed"
		}
		return &fault.FileError{Path: path, Err: fault.ErrVersion, Reason: version.Reason, Remedy: remedy}
	case errors.Is(err, fault.ErrRecord):
		return &fault.FileError{Path: path, Object: "header", Err: fault.ErrCorrupt, Cause: err, Remedy: fault.RemedyRestore}
	}
	return err
}

// Room is the memory that a transaction has for the keys and values of a graph, which are not
// counted in its record.
type Room struct {
	Fits func(bytes int64) error // an error if so many bytes are too many
	kept int64                   // bytes of the lists that are complete
}

// roomStep is how many bytes of records are read between two looks at the memory.
const roomStep = 1 << 20

// Took counts bytes of records that were added to a list. growing is the memory of the list, and of
// a larger one if it may grow before the next look.
func (t *Tx) Took(bytes int, growing func(step int64) int64) error {
	if t.unseen += bytes; t.unseen < roomStep {
		return nil
	}
	return t.see(growing)
}

// see is the rest of Took, apart from it so that calls of Took are inlined.
func (t *Tx) see(growing func(step int64) int64) error {
	t.unseen = 0
	t.ReleaseMap()
	if t.Room == nil {
		return nil
	}
	return t.Room.Fits(t.Room.kept + growing(4*roomStep))
}

// Complete counts a list to which nothing will be added.
func (t *Tx) Complete(bytes int64) {
	if t.Room != nil {
		t.Room.kept += bytes
	}
}

// ReleaseMap gives the pages of the map that were read back to the system, which keeps them while it
// has memory for them. Otherwise they count as memory of the process.
func (t *Tx) ReleaseMap() {
	btx := t.Root.Tx()
	file.Release(btx.DB().Info().Data, btx.Size())
}

// References are these counts, by the numbers of the objects.
type References map[uint64]int

func (m *References) add(object uint64, n int) {
	if *m == nil {
		*m = make(References)
	}
	if object != 0 {
		(*m)[object] += n
	}
}
