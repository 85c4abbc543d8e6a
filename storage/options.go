package storage

import (
	"errors"
	"fmt"
	"time"

	"heavytail/storage/internal/file"
)

// Options say how to open a store. The zero value, and a nil pointer, open for
// reading and writing and create the file if it is missing.
type Options struct {
	// ReadOnly opens an existing file for reading. Any number of processes may
	// read together, but not beside a writer.
	ReadOnly bool

	// NoCreate makes a missing file an error (it always is with ReadOnly).
	NoCreate bool

	// LockTimeout is how long to wait for another process to let go of the
	// file, at opening and with ReleaseIdle before any later use, and in an attached store for a write transaction of the
	// application. 0 means one second: a script that follows another one gets
	// through, and a person learns within a moment that the file is in use. A
	// negative value tries once.
	LockTimeout time.Duration

	// ReleaseIdle keeps the file, and its lock, only while it is used, so that
	// several processes can work on it in turn, each of them for as long as it
	// likes: a shell beside a script. See the section on idle files in the
	// documentation of the package. It does nothing on a network file system and on
	// systems without flock, such as Windows, where the file is kept until Close, and
	// Attach refuses it.
	ReleaseIdle bool

	// AllowNetworkFS permits to open a file for writing that lies on a file
	// system of a network or in user space (NFS, SMB, FUSE, AFS, Ceph). Locks
	// and maps of files are not reliable on most of them: two machines that
	// write at once destroy the file.
	AllowNetworkFS bool

	// BatchBytes bounds how many bytes of records one write transaction of an
	// import or of an embedding carries. 0 means 8 MiB. A transaction keeps
	// about three times its bytes in memory and costs two flushes of the disk
	// (some milliseconds), so much smaller batches make a large import slower,
	// and much larger ones only cost memory and repeat more work after a kill.
	// 1 makes every record a transaction of its own, for tests.
	BatchBytes int

	// held, where set, takes the place of heldFor in tests.
	held time.Duration

	// fileSystem, where set, takes the place of networkFS in tests.
	fileSystem func(path string) string
}

const (
	defaultLockTimeout = time.Second
	defaultBatchBytes  = 8 << 20
	maxBatchBytes      = 1 << 30
)

// Validate reports every option that is out of range.
func (o *Options) Validate() error {
	if o == nil {
		return nil
	}
	var faults []error
	if o.BatchBytes < 0 || o.BatchBytes > maxBatchBytes {
		faults = append(faults, fmt.Errorf("BatchBytes (%d) must be between 0 and %d: %w", o.BatchBytes, maxBatchBytes, ErrInvalid))
	}
	if o.LockTimeout > 24*time.Hour {
		faults = append(faults, fmt.Errorf("LockTimeout (%v) must be at most a day: %w", o.LockTimeout, ErrInvalid))
	}
	return errors.Join(faults...)
}

// withDefaults returns a copy with every default filled in.
func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	switch {
	case out.LockTimeout == 0:
		out.LockTimeout = defaultLockTimeout
	case out.LockTimeout < 0:
		// The smallest timeout of bbolt that still ends: one attempt.
		out.LockTimeout = time.Nanosecond
	}
	if out.held == 0 {
		out.held = heldFor
	}
	if out.BatchBytes == 0 {
		out.BatchBytes = defaultBatchBytes
	}
	return out
}

const (
	// heldFor is how long a file is kept at least once it is used, so that the
	// statements of a script do not take it one by one.
	heldFor = 300 * time.Millisecond

	// breather is how long a store that has let go of the file leaves it to others,
	// who ask every lockPause. Without it, one that is always busy would take the
	// file again before anybody saw that it was free.
	breather = 5 * file.Pause
)
