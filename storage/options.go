package storage

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"heavytail/storage/internal/memory"
	"heavytail/storage/internal/tree"
)

// Options determine how a store is opened. The zero value, and a nil pointer, open for
// reading and writing and create the file if it is missing.
type Options struct {
	// ReadOnly opens an existing file for reading. Any number of processes may
	// read at the same time, but not while another process has it open for writing.
	ReadOnly bool

	// NoCreate makes a missing file an error (it always is with ReadOnly).
	NoCreate bool

	// LockTimeout is how long to wait for another process to release the file: when it
	// is opened, and with ReleaseIdle before any later use. In an attached store it is
	// how long to wait for a write transaction of the application. 0 means one second,
	// which is enough for a script that follows another one, and a person does not wait
	// long for the error. A negative value tries once.
	LockTimeout time.Duration

	// ReleaseIdle keeps the file, and its lock, only while it is used, so that several
	// processes, such as a shell and a script, can work on it in turn. See the section
	// on idle files in the documentation of the package. It does nothing on a network
	// file system and on systems without flock, such as Windows, where the file is kept
	// until Close, and Attach refuses it.
	ReleaseIdle bool

	// AllowNetworkFS permits opening for writing a file on a network file system or one
	// in user space (NFS, SMB, FUSE, AFS, Ceph). Locks and maps of files are not
	// reliable on most of them: two machines that write at once destroy the file.
	AllowNetworkFS bool

	// BatchBytes bounds how many bytes of records one write transaction of an import or
	// of an embedding carries. 0 means 8 MiB. A transaction keeps about three times its
	// bytes in memory and costs two flushes of the disk (some milliseconds), so much
	// smaller batches make a large import slower, and much larger ones only cost memory
	// and repeat more work after a kill. 1 writes every record in a transaction of its
	// own, for tests.
	BatchBytes int

	// held, if set, replaces in tests how long an idle file is kept before its lock is released.
	held time.Duration

	// fileSystem, if set, replaces file.NetworkFS in tests.
	fileSystem func(path string) string
}

const (
	defaultLockTimeout = time.Second
	maxBatchBytes      = 1 << 30
)

// DefaultMemoryLimit returns how many bytes graphs and vectors may take if no limit is given:
// 8 GiB, or 1 GiB on 32-bit machines, and at most three quarters of the memory of the machine, of
// the control groups (containers) that the process is in, and of GOMEMLIMIT. Without it a process
// that needs more than there is would be ended by the system, without an error.
func DefaultMemoryLimit() int64 { return memory.Limit() }

// AddressSpace returns the bytes of address space that the process may use (ulimit -v on Linux), MaxInt64
// where no limit is known. The runtime of Go reserves 1 GiB, and opening a file maps it.
func AddressSpace() int64 { return memory.AddressSpace() }

// DefaultBatchBytes is Options.BatchBytes if it is 0.
const DefaultBatchBytes = 8 << 20

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
		// bbolt waits for ever with a timeout of 0; this is one attempt.
		out.LockTimeout = time.Nanosecond
	}
	out.held = cmp.Or(out.held, tree.HeldFor)
	out.BatchBytes = cmp.Or(out.BatchBytes, DefaultBatchBytes)
	return out
}

// settings are the options that the open file needs.
func (o Options) settings() tree.Settings {
	return tree.Settings{
		ReadOnly: o.ReadOnly, NoCreate: o.NoCreate, ReleaseIdle: o.ReleaseIdle, AllowNetworkFS: o.AllowNetworkFS,
		BatchBytes: o.BatchBytes, LockTimeout: o.LockTimeout, Held: o.held, FileSystem: o.fileSystem,
	}
}
