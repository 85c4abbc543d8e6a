package storage

import (
	"os"
	"time"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/page"
)

// handle is one opening of the file by bbolt. A store uses one at a time for new
// transactions: first one that only reads, from the first write on one that writes, and
// after a compaction one of the new file. A handle that was replaced serves the
// transactions that run on it to their end and is closed then.
type handle struct {
	bolt     *bolt.DB
	file     *os.File   // the file that bbolt holds, for plain reads; may be nil where an application owns it
	tree     *soundness // what is known of the shape of the tree; nil where it is trusted
	rows     soundRows  // embeddings whose rows were verified
	writable bool

	users int    // transactions that run on it; guarded by DB.mu
	close func() // set when it is replaced; the last user calls it
}

// fileMode lets only the owner read the file, because a store may hold private data.
const fileMode = 0o600

// growth is how much the file grows beyond what a transaction needs, so that
// not every one has to extend it: a sixteenth of the file, at least 64 KiB so
// that small files stay small, and at most bbolt's own 16 MiB.
func (h *handle) growth() int {
	const least, most = 64 << 10, 16 << 20
	info, err := h.file.Stat()
	if err != nil {
		return least
	}
	return int(min(max(info.Size()/16, least), most))
}

// lease is the state of the lock of a store with Options.ReleaseIdle. Such a store
// releases the lock, but keeps the file and its map open. Nothing reads them before the
// lock was taken again and the file was found unchanged; a changed file is opened
// again, as by Open. So what is known of the shape of the tree, of sound rows and of
// free pages stays valid until somebody else writes.
type lease struct {
	turn    chan struct{} // holds one token while nobody gets the lock
	created time.Time     // when the store was made; another store has another time

	// Guarded by DB.mu.
	keeps int  // callers of Keep
	over  bool // the file is let go as soon as nothing uses it
	away  bool // it was let go
	left  left
	timer *time.Timer // sets over

	opened uint64 // how often the file was opened again; guarded by DB.mu
}

// left is the state of a file when its lock was let go. A commit gives it another meta
// page; a program that knows no locks gives it another time of modification. Its number
// cannot be that of another file, since it is still open.
type left struct {
	at    time.Time
	known bool // what follows could be read
	meta  page.Meta
	size  int64
	time  time.Time
}
