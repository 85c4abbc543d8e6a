package query

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"time"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Options of Open. The zero value, and a nil pointer, open a file for reading
// and writing, create it if it does not exist, and use all processors.
type Options struct {
	// ReadOnly opens an existing file for reading; several processes may do so
	// at once. Statements that write return an error.
	ReadOnly bool
	// NoCreate makes a missing file an error. The default creates it, which
	// is what most programs that write want.
	NoCreate bool
	// Workers is the number of goroutines that one call computes with; 0 means
	// GOMAXPROCS, or one less in the background. Results do not depend on it.
	Workers int
	// MaxRows limits the rows that one result holds in memory; 0 means 1,000,000, which take
	// some 100 MB and are more than anyone reads. Streamed rows, such as those of SCORE FILE,
	// NEAREST FOR and SHOW VERTICES, do not count.
	MaxRows int
	// MemoryLimit is the number of bytes that graphs and vectors may take, both
	// those kept between calls and those a call is about to load; 0 means
	// storage.DefaultMemoryLimit: 8 GiB, enough for 10 million edges with 200
	// dimensions on 5 million vertices, or three quarters of the memory of the
	// machine or container if that is less. A call that needs more returns a
	// LimitError before it allocates.
	MemoryLimit int64
	// ProgramBytes is the part of MemoryLimit that the program itself takes, beside graphs and
	// vectors. The command sets it, so that its limit is that of the process; 0 counts nothing.
	ProgramBytes int64
	// IndexBytes is the smallest size in bytes of the vectors of an embedding at
	// which a search uses its index; 0 means 8 MiB, which a scan reads in about
	// a millisecond.
	IndexBytes int64
	// BackgroundJobs is the largest number of jobs that run in the background at a
	// time; others wait. 0 means 1: jobs already use all processors, so running two
	// at once does not finish sooner.
	BackgroundJobs int
	// LockTimeout is how long Open, and with ReleaseIdle every call, waits until
	// another process releases the file; 0 means one second, which is longer than a
	// short command takes. With a negative value it tries once.
	LockTimeout time.Duration
	// ReleaseIdle locks the file only while a call runs, and a moment longer, so that
	// several processes, such as two shells, can use it in turn. If another process
	// uses the file, a call waits up to LockTimeout, and then sees what the other
	// process wrote. A job in the background keeps the file locked until it ends.
	// Without ReleaseIdle the file is locked from Open to Close. See storage.Options.
	ReleaseIdle bool
	// Progress receives the progress of long statements, at most about 20 times a
	// second for each call, and from one goroutine at a time for each call; nil
	// is silent.
	Progress func(rows.Progress)
	// Notice receives remarks about answers that are not errors, such as that
	// an embedding is older than its graph; nil is silent. The result of a
	// call also has its notices.
	Notice func(rows.Notice)
	// Manual has pages, files *.md, that HELP searches beside its own texts; nil for none.
	Manual fs.FS
	// Input is the reader that IMPORT '-' reads; if it is nil, '-' is an error.
	Input io.Reader
	// NoFiles makes every statement that reads or writes a file other than
	// the store an error, for programs that run statements of other people.
	NoFiles bool
	// Folder confines every file that a statement reads or writes, other than
	// the store, to this folder, for programs that run statements of other
	// people and want them to import and export. Paths are then relative to it;
	// an absolute path, or one that leaves the folder by ".." or by a symbolic
	// link, is an error (ErrOutside). Empty means that statements may use any
	// file that the process can.
	Folder string
	// NoCache keeps no graphs and no vectors between calls. Answers are the
	// same, but each call loads the data that it needs again.
	NoCache bool
	// BatchBytes bounds the bytes of records in one write transaction; 0 takes
	// the default of the store.
	BatchBytes int

	prepare func(*engine.DB) // called before the first goroutine starts, for tests; nil is nothing
}

// Validate returns every fault of the options, joined; each is a *FieldError.
func (o Options) Validate() error {
	var faults []error
	check := func(field string, value int64) {
		if value < 0 {
			faults = append(faults, &fault.FieldError{Field: field, Value: value, Message: "must not be negative"})
		}
	}
	check("Workers", int64(o.Workers))
	check("BackgroundJobs", int64(o.BackgroundJobs))
	check("MaxRows", int64(o.MaxRows))
	check("MemoryLimit", o.MemoryLimit)
	check("ProgramBytes", o.ProgramBytes)
	check("IndexBytes", o.IndexBytes)
	check("BatchBytes", int64(o.BatchBytes))
	return errors.Join(faults...)
}

// withDefaults returns a copy in which every zero is replaced by its default.
func (o *Options) withDefaults() Options {
	var full Options
	if o != nil {
		full = *o
	}
	if full.Workers == 0 {
		full.Workers = runtime.GOMAXPROCS(0)
	}
	full.BackgroundJobs = cmp.Or(full.BackgroundJobs, 1)
	full.MaxRows = cmp.Or(full.MaxRows, 1_000_000)
	full.IndexBytes = cmp.Or(full.IndexBytes, 8<<20)
	if full.MemoryLimit == 0 {
		full.MemoryLimit = storage.DefaultMemoryLimit()
	}
	return full
}

// settings are what statements read of the options.
func (o Options) settings() engine.Settings {
	return engine.Settings{
		ReadOnly: o.ReadOnly, Workers: o.Workers, MaxRows: o.MaxRows, MemoryLimit: o.MemoryLimit, IndexBytes: o.IndexBytes,
		Progress: o.Progress, Notice: o.Notice, Manual: o.Manual,
	}
}
