package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/file"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// BackupStats counts what a backup wrote.
type BackupStats struct {
	Path    string  `json:"path"`
	Bytes   int64   `json:"bytes"` // size of the new file
	Records int64   `json:"records"`
	Epoch   uint64  `json:"epoch"` // commits that the copy holds
	Seconds float64 `json:"seconds"`
}

// CompactStats has the sizes before and after a compaction.
type CompactStats struct {
	Before  int64   `json:"before"` // size of the file
	After   int64   `json:"after"`
	Seconds float64 `json:"seconds"`
}

// Backup copies the store as it is when the copy begins into a new file with full
// pages. Readers and writers continue meanwhile. Pages that writers free are not used
// again before the copy ends, so the file may grow. Every checksum is verified on the
// way, and the copy is read back before it gets its name, in one step; until then, and
// after a crash, there may be a file .name.*.backup next to it, which the next backup or
// recovery to the same path removes. Unfinished embeddings and discarded objects are left out. The
// copy belongs to its owner alone (mode 0600).
//
// A path that exists is ErrExists, unless overwrite is set; the path of the store
// itself is always ErrInvalid. A store with damage is ErrCorrupt: Recover copies what
// is sound. progress, if not nil, is called for the stage "copying", in bytes of
// records.
func (db *DB) Backup(ctx context.Context, path string, overwrite bool, progress func(stage string, done, total int64)) (BackupStats, error) {
	started := time.Now()
	if err := db.checkTarget(path, overwrite); err != nil {
		return BackupStats{}, err
	}
	stats, err := db.backup(ctx, path, overwrite, newReporter(progress))
	if err != nil {
		return BackupStats{}, copyError("back up to", path, unfinished(path, err))
	}
	stats.Seconds = time.Since(started).Seconds()
	return stats, nil
}

// unfinished explains an error of a copy to path that concerns its unfinished file, which has
// been removed when the user reads it. The file may have been gone before, because a backup or
// a recovery removes the unfinished files for its path that it finds unlocked.
func unfinished(path string, err error) error {
	if failed := (*FileError)(nil); errors.As(err, &failed) && failed.Path != path && (failed.Err == ErrFailed || failed.Err == ErrUnfreed) && failed.Cause != nil {
		return fmt.Errorf("nothing was written: %w", failed.Cause)
	}
	if dir, _ := tree.TempName(path, ""); errors.Is(err, fs.ErrNotExist) {
		if _, gone := os.Stat(dir); gone == nil {
			return fmt.Errorf("%w: another backup or recovery to this path has removed the unfinished file; make one after the other", ErrConflict)
		}
	}
	return err
}

// checkTarget returns an error for a path that must not be written to.
func (db *DB) checkTarget(path string, overwrite bool) error {
	if err := checkNewFile(path, overwrite); err != nil {
		return err
	}
	own := db.file.Real
	if db.file.Attached {
		own = db.file.Path
	}
	return notSameFile(path, own)
}

// checkNewFile returns an error for a path that a new file cannot have.
func checkNewFile(path string, overwrite bool) error {
	if path == "" {
		return fmt.Errorf("%w: the path is empty", ErrInvalid)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil // the path is free, or creating the file fails with the reason
	case info.IsDir():
		return fmt.Errorf("%w: %q is a directory", ErrInvalid, path)
	case !overwrite:
		return existsError(path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %q is not a regular file", ErrInvalid, path)
	}
	return nil
}

// notSameFile returns an error if the file to write is the file that is read.
func notSameFile(path, own string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if here, err := os.Stat(own); err == nil && os.SameFile(here, there) {
		return fmt.Errorf("%w: %q is the store itself", ErrInvalid, path)
	}
	return nil
}

// copyError adds the operation and path to an error, unless the error names a file
// already.
func copyError(what, path string, err error) error {
	if errors.As(err, new(*FileError)) || errors.Is(err, ErrClosed) {
		return err
	}
	return fmt.Errorf("%s %q: %w", what, path, err)
}

func (db *DB) backup(ctx context.Context, path string, overwrite bool, progress *reporter) (BackupStats, error) {
	tree.RemoveLeftovers(path, tree.KindBackup, tree.KindRecover)
	w, err := newStoreWriter(ctx, path, tree.KindBackup)
	if err != nil {
		return BackupStats{}, err
	}
	defer w.discard()
	w.step = db.step
	h, err := db.copyInto(ctx, w, progress)
	if err != nil {
		return BackupStats{}, err
	}
	info, err := os.Stat(w.name)
	if err != nil {
		return BackupStats{}, err
	}
	db.step("move")
	if err := w.moveTo(path, overwrite); err != nil {
		return BackupStats{}, err
	}
	db.step("moved")
	return BackupStats{Path: path, Bytes: info.Size(), Records: w.records, Epoch: h.Epoch}, nil
}

// copyInto copies the present state, finishes the new file and verifies it. It
// returns the header that the file has.
func (db *DB) copyInto(ctx context.Context, w *storeWriter, progress *reporter) (block.Header, error) {
	var h block.Header
	err := db.file.View(ctx, func(t *tree.Tx) error {
		h = t.Header
		total := graphs.Size(t)
		w.onRecord = func() { progress.report("copying", w.bytes, total) }
		return copyTo(t, w)
	})
	if err != nil {
		return h, err
	}
	h.Format, h.MinReader = block.FormatVersion, block.MinReader
	if err := w.finish(h); err != nil {
		return h, err
	}
	db.step("written")
	if err := verifyCopy(ctx, w.name, w.records); err != nil {
		return h, err
	}
	progress.finish("copying", w.bytes, w.bytes)
	return h, nil
}

// Compact writes the store into a new file with full pages and replaces the old one by
// it, which frees the space of deleted data. It needs disk space for the copy next to
// the file. Writers wait until it is done; readers that have begun finish on the old file,
// and later ones see the new one. The copy is verified before it replaces the file, in
// one step: whenever the process or the machine stops, the path holds the old store or
// the new one, whole, and perhaps a file .name.*.compact is left next to it, which
// opening the store for writing removes. progress is that of Backup.
//
// An attached store, whose file belongs to the application, is ErrInvalid, as is a
// system on which an open file cannot be replaced. A file with several names (hard links)
// is ErrNames, because only one of them would lead to the new file. A symbolic link to the
// file still leads to it.
func (db *DB) Compact(ctx context.Context, progress func(stage string, done, total int64)) (CompactStats, error) {
	started := time.Now()
	before, after, err := db.rewrite(ctx, newReporter(progress))
	if err != nil {
		return CompactStats{}, copyError("compact", db.file.Path, err)
	}
	return CompactStats{Before: before, After: after, Seconds: time.Since(started).Seconds()}, nil
}

// rewrite replaces the file by a compact copy of itself.
func (db *DB) rewrite(ctx context.Context, progress *reporter) (before, after int64, err error) {
	switch {
	case db.file.Attached:
		return 0, 0, fmt.Errorf("%w: the file belongs to the application", ErrInvalid)
	case !file.CanShareLock:
		return 0, 0, fmt.Errorf("%w: an open file cannot be replaced on this system; back it up, close it, and move the copy over it", ErrInvalid)
	}
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	// Close waits while the handle is in use, so that the new file has replaced the old
	// one by then.
	old, err := db.file.Acquire(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer db.file.Release(old)
	info, err := old.File.Stat()
	if err != nil {
		return 0, 0, err
	}
	// The lock keeps others from compacting now. A process that was killed between giving
	// a new file its name and removing the temporary one has left two names.
	tree.RemoveLeftovers(db.file.Real, tree.KindCompact, tree.KindNew, tree.KindBackup, tree.KindRecover)
	if err := db.oneName(old); err != nil {
		return 0, 0, err
	}
	w, err := newStoreWriter(ctx, db.file.Real, tree.KindCompact)
	if err != nil {
		return 0, 0, err
	}
	defer w.discard()
	w.step = db.step
	if _, err := db.copyInto(ctx, w, progress); err != nil {
		return 0, 0, err
	}
	after, err = db.swap(w, old, info)
	return info.Size(), after, err
}

// oneName returns an error for a file with several names, of which only one would lead to
// the new file: writers by the other names would write to the old one.
func (db *DB) oneName(h *tree.Handle) error {
	info, err := h.File.Stat()
	if err != nil {
		return err
	}
	if n := file.Names(info); n > 1 {
		return &FileError{Path: db.file.Path, Err: ErrNames, Reason: fmt.Sprintf("only one of its %d names (hard links) would lead to the new file", n),
			Remedy: "remove the other names, or back it up into a new file"}
	}
	return nil
}

// swap replaces the file by the finished copy. The copy is locked and opened before it
// gets the name, so that no other process can take it, and the old file stays locked
// until its last reader has ended.
func (db *DB) swap(w *storeWriter, old *tree.Handle, info os.FileInfo) (size int64, err error) {
	file.KeepOwner(w.name, info)
	lock, err := file.OpenLock(w.name, false)
	if err != nil {
		return 0, err
	}
	err = lock.Exclusive(time.Now())
	var next *tree.Handle
	if err == nil {
		next, err = db.file.OpenBolt(lock, false, 0)
	}
	if err != nil {
		return 0, errors.Join(err, lock.Release())
	}
	err = db.file.Replaced(old)
	if err == nil {
		err = db.oneName(old)
	}
	if err == nil {
		db.step("move")
		err = os.Rename(w.name, db.file.Real)
	}
	if err != nil {
		return 0, errors.Join(err, fault.Guarded(db.file.Path, next.Bolt.Close), lock.Release())
	}
	db.step("moved")
	db.file.Mu.Lock()
	oldLock := db.file.Lock
	db.file.Lock = lock
	db.file.Mu.Unlock()
	db.file.Replace(next, func() {
		_ = fault.Guarded(db.file.Path, old.Bolt.Close)
		_ = oldLock.Release()
	})
	if err := file.SyncDir(filepath.Dir(db.file.Real)); err != nil {
		// After a loss of power the old file may be back: nothing more may be
		// written to the new one.
		db.file.Failed.Store(true)
		return 0, &FileError{Path: db.file.Path, Err: ErrFailed, Cause: err, Reason: "the new file has the name, and after a loss of power the old one may have it again; both are complete",
			Remedy: fault.RemedyReopen}
	}
	after, err := next.File.Stat()
	if err != nil {
		return 0, err
	}
	return after.Size(), nil
}
