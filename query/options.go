package query

import (
	"errors"
	"heavytail/query/internal/session"
	"io"
	"math"
	"runtime"
	"time"
)

// Options of Open. The zero value, and a nil pointer, open a file for reading
// and writing, create it where it is missing, and use all processors.
type Options struct {
	// ReadOnly opens an existing file for reading; several processes may do so
	// at once. Statements that would write are refused.
	ReadOnly bool
	// NoCreate refuses a file that does not exist. A program that writes most
	// often wants the file made, so that is the default.
	NoCreate bool
	// Workers is the number of goroutines that one call computes with; 0 means
	// GOMAXPROCS, and in the background one less. No result depends on it.
	Workers int
	// MaxRows limits the rows that one result holds in memory; 0 means
	// 1,000,000, which take some 100 MB and are more than anyone reads. Rows
	// that are streamed, as those of SCORE FILE, NEAREST FOR and SHOW VERTICES, do not count.
	MaxRows int
	// MemoryLimit is the number of bytes that graphs and vectors may take, both
	// those kept between calls and those a call is about to load; 0 means 8 GiB
	// (1 GiB on 32-bit machines), enough for 10 million edges with 200
	// dimensions on 5 million vertices. A call that needs more is refused with
	// a LimitError before it allocates.
	MemoryLimit int64
	// IndexBytes is from how many bytes of vectors on a search uses the index of
	// the embedding, if it has one; 0 means 8 MiB, which a scan reads in about a
	// millisecond.
	IndexBytes int64
	// BackgroundJobs is how many statements run in the background at a time; others
	// wait. 0 means 1: jobs already use all processors, so running two at once does
	// not finish sooner.
	BackgroundJobs int
	// LockTimeout is how long Open, and with ReleaseIdle every call, waits for another
	// process to let go of the file;
	// 0 means one second, longer than a short command takes. A negative value
	// tries once.
	LockTimeout time.Duration
	// ReleaseIdle keeps the file only while a call runs, and a moment longer, so that
	// several processes can work on it in turn, such as two shells. A call waits for
	// LockTimeout for another process that uses the file, and sees what that one
	// wrote; a job in the background keeps the file until it ends. Without it the file
	// is kept from Open to Close. See storage.Options.
	ReleaseIdle bool
	// Progress receives the progress of long statements, at most about 20 times a
	// second for each call, and from one goroutine at a time for each call; nil
	// is silent.
	Progress func(Progress)
	// Notice receives what a user should know about an answer that is not an
	// error, such as an embedding that is older than its graph; nil is silent.
	// The notices of one call are in its result too.
	Notice func(Notice)
	// Input is what IMPORT '-' reads; nil makes that an error.
	Input io.Reader
	// NoFiles refuses every statement that reads or writes a file other than
	// the store, for programs that run statements of other people.
	NoFiles bool
	// Folder confines every file that a statement reads or writes, other than
	// the store, to this folder, for programs that run statements of other
	// people and want them to import and export. Paths are then relative to it;
	// an absolute one, and one that leaves it by ".." or by a symbolic link, is
	// refused (ErrOutside). Empty means that statements read and write wherever
	// the process may.
	Folder string
	// NoCache keeps no graph and no vectors between calls. Answers are the
	// same, each call only loads what it needs again.
	NoCache bool
	// BatchBytes bounds the records that one write transaction carries; 0 leaves
	// it to the store.
	BatchBytes int

	scoreSection int64 // pairs of a section of SCORE FILE, for tests; 0 is the constant

	graphOnly bool // searches use the graph of an index even where a scan is cheaper, for tests
}

// Validate returns every fault of the options, joined; each is a *FieldError.
func (o Options) Validate() error {
	var faults []error
	check := func(field string, value int64) {
		if value < 0 {
			faults = append(faults, &FieldError{Field: field, Value: value, Message: "must not be negative"})
		}
	}
	check("Workers", int64(o.Workers))
	check("BackgroundJobs", int64(o.BackgroundJobs))
	check("MaxRows", int64(o.MaxRows))
	check("MemoryLimit", o.MemoryLimit)
	check("IndexBytes", o.IndexBytes)
	check("BatchBytes", int64(o.BatchBytes))
	return errors.Join(faults...)
}

// withDefaults returns a copy in which every zero has become its default.
func (o *Options) withDefaults() Options {
	var full Options
	if o != nil {
		full = *o
	}
	if full.Workers == 0 {
		full.Workers = runtime.GOMAXPROCS(0)
	}
	if full.BackgroundJobs == 0 {
		full.BackgroundJobs = 1
	}
	if full.MaxRows == 0 {
		full.MaxRows = 1_000_000
	}
	if full.IndexBytes == 0 {
		full.IndexBytes = 8 << 20
	}
	if full.MemoryLimit == 0 {
		full.MemoryLimit = 8 << 30
		if math.MaxInt == math.MaxInt32 {
			full.MemoryLimit = 1 << 30
		}
	}
	return full
}

// Notice is something about an answer that a user should know: the kind of
// statement, such as "NEAREST", and one clause without a full stop.
type Notice = session.Notice

// Progress is how far a statement is: its stage, what is done of it, and the rate
// and remaining time where they are known.
type Progress = session.Progress
