package tree

import (
	"os"
	"time"

	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// Handle is one opening of the file by bbolt. A store uses one at a time for new
// transactions: first a handle that only reads, from the first write on a handle that
// writes, and after a compaction a handle of the new file. A handle that was replaced
// serves the transactions that run on it to their end and is closed then.
type Handle struct {
	Bolt     *bolt.DB
	File     *os.File     // the file that bbolt has open, for plain reads; may be nil if an application owns it
	Tree     *Verified    // the parts of the tree whose shape was verified; nil if it is trusted
	Rows     VerifiedRows // embeddings whose rows were verified
	Memory   Cache        // what was decoded last
	Writable bool

	Users int    // transactions that run on it; guarded by Store.Mu
	close func() // set when it is replaced; the last user calls it
}

// FileMode lets only the owner read the file, because a store may hold private data.
const FileMode = 0o600

// growth is how much the file grows beyond what a transaction needs, so that
// not every one has to extend it: a sixteenth of the file, at least 64 KiB so
// that small files stay small, and at most bbolt's own 16 MiB.
func (h *Handle) growth() int {
	const least, most = 64 << 10, 16 << 20
	info, err := h.File.Stat()
	if err != nil {
		return least
	}
	return int(min(max(info.Size()/16, least), most))
}

// lease is the state of the lock of a store with Options.ReleaseIdle. Such a store
// releases the lock, but keeps the file and its map open. Nothing reads them before the
// lock was taken again and the file was found unchanged; a changed file is opened
// again, as by Open. So the results of earlier verifications, and the list of free
// pages, stay valid until another process writes.
type lease struct {
	turn    chan struct{} // holds one token while nobody gets the lock
	created time.Time     // when the store was made; another store has another time

	// Guarded by DB.mu.
	keeps int  // callers of Keep
	over  bool // the lock is released as soon as nothing uses the file
	Away  bool // the lock was released
	left  left
	timer *time.Timer // sets over

	opened uint64 // how often the file was opened again; guarded by Store.Mu
}

// left is the state of a file when its lock was released. A commit changes a meta page,
// and a program that ignores locks changes the modification time. No other file can
// have the same inode number, because the file is still open.
type left struct {
	at    time.Time
	known bool // the following fields could be read
	meta  page.Meta
	size  int64
	time  time.Time
}
