package query

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"heavytail/storage"
	"heavytail/storage/format"
)

// BackupRequest asks for a copy of the whole store.
type BackupRequest struct {
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// BackupResult is the answer of Backup.
type BackupResult struct {
	storage.BackupStats
	Notices []Notice
}

// CompactResult is the answer of Compact.
type CompactResult struct {
	storage.CompactStats
	Notices []Notice
}

// MigrateResult is the answer of Migrate.
type MigrateResult struct {
	storage.MigrateStats
	Notices []Notice
}

// RecoverRequest asks to save what is sound of a store.
type RecoverRequest struct {
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// RecoverResult is the answer of Recover.
type RecoverResult struct {
	storage.RecoverReport
	Notices []Notice
}

// Check verifies everything in the file and reports all faults at once, each
// with what to do about it. The error says only that it could not run.
func (db *DB) Check(ctx context.Context) (storage.CheckReport, error) {
	c, err := db.begin(ctx, "CHECK")
	if err != nil {
		return storage.CheckReport{}, err
	}
	defer c.end()
	report, err := c.check()
	return report, c.wrap(err)
}

func (c *call) check() (storage.CheckReport, error) {
	stop := c.watch.start(stepRead)
	report, err := c.db.store.Check(c.ctx, c.meter.update)
	if err != nil {
		return report, err
	}
	stop(report.Records, "")
	for _, note := range report.Notes {
		c.notice("%s", note)
	}
	if report.OK() {
		c.notice("the file is sound: %s, %s, %s verified", count(int64(report.Graphs), "graph"),
			count(int64(report.Embeddings), "embedding"), count(report.Records, "record"))
	} else {
		c.notice("%s found", count(int64(len(report.Faults)), "fault"))
	}
	return report, nil
}

// Compact gives the space of what was deleted back to the file system, by
// writing the store into a new file that takes the place of the old one.
func (db *DB) Compact(ctx context.Context) (CompactResult, error) {
	c, err := db.begin(ctx, "COMPACT")
	if err != nil {
		return CompactResult{}, err
	}
	defer c.end()
	result, err := c.compact()
	return result, c.wrap(err)
}

func (c *call) compact() (CompactResult, error) {
	if err := c.writable(); err != nil {
		return CompactResult{}, err
	}
	stop := c.watch.start(stepWrite)
	stats, err := c.db.store.Compact(c.ctx, c.meter.update)
	if err != nil {
		return CompactResult{}, err
	}
	stop(0, "")
	return CompactResult{stats, c.notices}, nil
}

// Migrate brings a file of an older format to the present one. Older formats
// can be used without.
func (db *DB) Migrate(ctx context.Context) (MigrateResult, error) {
	c, err := db.begin(ctx, "MIGRATE")
	if err != nil {
		return MigrateResult{}, err
	}
	defer c.end()
	result, err := c.migrate()
	return result, c.wrap(err)
}

func (c *call) migrate() (MigrateResult, error) {
	if err := c.writable(); err != nil {
		return MigrateResult{}, err
	}
	stop := c.watch.start(stepWrite)
	stats, err := c.db.store.Migrate(c.ctx, c.meter.update)
	if err != nil {
		return MigrateResult{}, err
	}
	stop(0, "")
	if stats.From == stats.To {
		c.notice("the file has the present format already")
	}
	return MigrateResult{stats, c.notices}, nil
}

// Backup copies the store as it is at one moment into a file of its own, while
// others read and write. Every checksum is verified on the way.
func (db *DB) Backup(ctx context.Context, req BackupRequest) (BackupResult, error) {
	c, err := db.begin(ctx, "BACKUP")
	if err != nil {
		return BackupResult{}, err
	}
	defer c.end()
	result, err := c.backup(req)
	return result, c.wrap(err)
}

func (c *call) backup(req BackupRequest) (result BackupResult, err error) {
	if err := c.checkStoreOutput(req.Path, req.Overwrite); err != nil {
		return BackupResult{}, err
	}
	stop := c.watch.start(stepWrite)
	err = c.writeStore(req.Path, req.Overwrite, func(path string) error {
		result.BackupStats, err = c.db.store.Backup(c.ctx, path, req.Overwrite, c.meter.update)
		return err
	})
	if err != nil {
		return BackupResult{}, err
	}
	stop(result.Records, "")
	result.Path, result.Notices = req.Path, c.notices
	return result, nil
}

// checkStoreOutput is checkOutput for a file that will be a store.
func (c *call) checkStoreOutput(path string, overwrite bool) error {
	if strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst") {
		return mistake(partInto, "file %s would not be compressed: a store is used as it is, so choose another name", quote(path))
	}
	return c.checkOutput(path, overwrite, partInto)
}

// writeStore has write make a store at path. Where files are confined to a
// folder, the store is made elsewhere and copied: package storage goes by names,
// and a name may lead out of the folder by the time that it is used.
func (c *call) writeStore(path string, overwrite bool, write func(path string) error) error {
	if c.db.files.folder == nil {
		return write(path)
	}
	dir, err := os.MkdirTemp("", "heavytail-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "store")
	if err := write(temp); err != nil {
		return err
	}
	in, size, err := format.OpenFile(temp)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.writeFile(path, overwrite, func(w io.Writer) error {
		return c.copyFile(w, in, size)
	})
}

// copyFile copies size bytes.
func (c *call) copyFile(w io.Writer, r io.Reader, size int64) error {
	const step = 1 << 20 // bytes between two looks at the context, a few milliseconds
	for done := int64(0); ; {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(w, r, step)
		if done += n; errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.meter.updateUnit("moving", "bytes", done, size)
	}
}

// Recover copies what is sound of the store into a new file and tells what is
// lost. Writers wait meanwhile. A file that cannot be opened at all is a matter
// for the function Recover.
func (db *DB) Recover(ctx context.Context, req RecoverRequest) (RecoverResult, error) {
	c, err := db.begin(ctx, "RECOVER")
	if err != nil {
		return RecoverResult{}, err
	}
	defer c.end()
	result, err := c.recoverStore(req)
	return result, c.wrap(err)
}

// checkRecover refuses a target that cannot be written to.
func (c *call) checkRecover(req RecoverRequest) error {
	return c.checkStoreOutput(req.Path, req.Overwrite)
}

func (c *call) recoverStore(req RecoverRequest) (result RecoverResult, err error) {
	if err := c.checkRecover(req); err != nil {
		return RecoverResult{}, err
	}
	stop := c.watch.start(stepWrite)
	err = c.writeStore(req.Path, req.Overwrite, func(path string) error {
		result.RecoverReport, err = c.db.store.Recover(c.ctx, path, storage.RecoverOptions{Overwrite: req.Overwrite, Progress: c.meter.update})
		return err
	})
	if err != nil {
		return RecoverResult{}, err
	}
	stop(0, "")
	result.To = req.Path
	for _, line := range result.Lost {
		c.notice("lost: %s", line)
	}
	if len(result.Lost) == 0 {
		c.notice("nothing was lost")
	}
	result.Notices = c.notices
	return result, nil
}

// RecoverOptions say how Recover works.
type RecoverOptions struct {
	Overwrite   bool           // replace a file that exists, which is otherwise refused
	LockTimeout time.Duration  // as in Options
	Progress    func(Progress) // as in Options
}

// Recover copies what is sound of the file at from, which may be one that Open
// refuses as damaged, into a new file at to, and tells what is lost.
func Recover(ctx context.Context, from, to string, opts RecoverOptions) (storage.RecoverReport, error) {
	meter := newMeter("RECOVER", opts.Progress, time.Now)
	report, err := storage.Recover(ctx, from, to, storage.RecoverOptions{
		Overwrite: opts.Overwrite, LockTimeout: opts.LockTimeout, Progress: meter.update,
	})
	if err != nil {
		return report, openError(from, err)
	}
	return report, nil
}
