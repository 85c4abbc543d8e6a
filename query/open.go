package query

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"heavytail/query/fault"
	"heavytail/query/internal/job"
	"heavytail/query/internal/session"
	"heavytail/query/jobs"
	"heavytail/query/vectors"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Open opens the file at path, and creates it if it does not exist, unless
// Options.NoCreate or ReadOnly is set. A nil opts takes every default. Errors
// of the store name the file and answer errors.Is for storage.ErrLocked,
// storage.ErrVersion, storage.ErrCorrupt and storage.ErrNotStore. It is also an error if
// the environment variable HEAVYTAIL_KERNELS names kernels that this machine does not have.
//
// The path Memory opens a new store that is deleted when the DB is closed.
func Open(path string, opts *Options) (*DB, error) {
	full := opts.withDefaults()
	if err := errors.Join(full.Validate(), vec.CheckKind()); err != nil {
		return nil, err
	}
	if path == Memory {
		return openMemory(full)
	}
	return openFile(path, full)
}

// Memory is the path of a store that no file of the user holds: it is in a folder of its own among the
// temporary files, and is deleted when the DB is closed. Each call of Open makes another one.
const Memory = ":memory:"

func openMemory(full Options) (*DB, error) {
	if full.ReadOnly || full.NoCreate {
		return nil, fault.New(fault.File, "%s is a new store, and cannot be opened with ReadOnly or NoCreate", fault.Quote(Memory)).WithErr(fault.ErrInvalid)
	}
	folder, err := os.MkdirTemp("", "heavytail-")
	if err != nil {
		return nil, err
	}
	db, err := openFile(filepath.Join(folder, "memory.ht"), full)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	db.folder = folder
	return db, nil
}

func openFile(path string, full Options) (*DB, error) {
	store, err := storage.Open(path, &storage.Options{
		ReadOnly:    full.ReadOnly,
		NoCreate:    full.NoCreate,
		LockTimeout: full.LockTimeout,
		ReleaseIdle: full.ReleaseIdle,
		BatchBytes:  full.BatchBytes,
	})
	if err != nil {
		return nil, fault.OpenError(path, err)
	}
	db, err := open(store, full)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return db, nil
}

// New returns a DB over a store that is already open, such as one that storage.Attach
// keeps inside the file of an application. The DB is read-only if the options or the
// store are. NoCreate, LockTimeout, ReleaseIdle and BatchBytes have no effect, because
// the store has its own. Close closes the store, which leaves the application's file
// open.
func New(store *storage.DB, opts *Options) (*DB, error) {
	if store == nil {
		return nil, fmt.Errorf("no store is given: %w", storage.ErrInvalid)
	}
	full := opts.withDefaults()
	if err := full.Validate(); err != nil {
		return nil, err
	}
	full.ReadOnly = full.ReadOnly || store.ReadOnly()
	return open(store, full)
}

func open(store *storage.DB, full Options) (*DB, error) {
	files, err := session.OpenFiles(full.Folder, full.Input, full.NoFiles)
	if err != nil {
		return nil, err
	}
	db := &DB{}
	e := &db.e
	e.Store, e.Opts, e.Language = store, full.settings(), statements()
	e.Files, e.Cache = files, session.NewCache(full.MemoryLimit, !full.NoCache)
	e.Cache.Hold(full.ProgramBytes)
	e.Runner = job.NewRunner(store, e.Cache, full.BackgroundJobs, jobs.Target, func() {
		e.Refresher.Look() // the graph may have changed while an embedding was computed
	})
	e.Refresher = job.NewRefresher(e.Runner, func(ctx context.Context, embedding string) error {
		_, err := db.Vectors().StartRefresh(ctx, vectors.RefreshRequest{Embedding: embedding})
		return err
	})
	if full.prepare != nil {
		full.prepare(e)
	}
	if full.ReadOnly {
		return db, nil
	}
	if err := e.Refresher.Open(); err != nil {
		e.Runner.Stop()
		return nil, errors.Join(err, files.Close())
	}
	return db, nil
}
