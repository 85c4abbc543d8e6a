package storage

import (
	"time"

	"heavytail/storage/internal/page"
)

// lease is what a store with Options.ReleaseIdle knows of its hold on the file. Such
// a store lets go of the lock, and keeps the file and its map open; nothing reads
// them before the lock is had again and the file was found to be as it was left.
// Otherwise it is opened again, as Open does it. So what is known of the shape of the
// tree, of rows that are sound, and of free pages stays with the handle for as long
// as nobody else writes, and goes with it.
type lease struct {
	turn    chan struct{} // holds one token while nobody gets the lock
	created time.Time     // when the store was made, by which another one is known

	// Guarded by DB.mu.
	keeps int  // callers of Keep
	over  bool // the file is let go as soon as nothing uses it
	away  bool // it was let go
	left  left
	timer *time.Timer // sets over

	opened uint64 // how often the file was opened again; guarded by DB.mu
}

// left is how a file was when its lock was let go. A commit gives it another meta
// page; a program that knows no locks gives it another time of modification. Its
// number cannot be that of another file, since it is still open.
type left struct {
	at    time.Time
	known bool // what follows could be read
	meta  page.Meta
	size  int64
	time  time.Time
}
