package storage

import (
	"os"

	bolt "go.etcd.io/bbolt"
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
