package storage

import (
	"time"

	"heavytail/storage/internal/page"
)

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
