package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/format"
)

// This file has the statements that rewrite the whole store: COMPACT, BACKUP
// and RECOVER.

// CompactResult is the answer of Compact.
type CompactResult struct {
	storage.CompactStats
	Notices []Notice `json:"notices,omitempty"`
}

var compact = &statement[*parser.Compact, nothing, nothing, CompactResult]{
	help: Help{
		Statement: "COMPACT", Syntax: "COMPACT",
		Summary: "frees the space of deleted data by rewriting the file",
		Columns: "before, after, seconds",
		Example: "COMPACT",
	},
	bind:    bindNothing[*parser.Compact],
	resolve: resolveNothing[nothing],
	plan: func(nothing, nothing) *plan.Plan {
		return plan.Result("new file", "in the place of the old one, in one step", plan.Measured(plan.Write, "copy", "every record, verified"))
	},
	run: func(c *call, _, _ nothing) (CompactResult, error) {
		stop := c.Watch.Start(plan.Write)
		stats, err := c.db.store.Compact(c.Ctx, c.Meter.Update)
		if err != nil {
			return CompactResult{}, err
		}
		stop(0, "")
		return CompactResult{stats, c.Notices}, nil
	},
	table: func(_ nothing, r CompactResult) [][]Value { return [][]Value{{r.Before, r.After, r.Seconds}} },
}

// Compact frees the space of deleted data by writing the store into a new
// file, which replaces the old one.
func (db *DB) Compact(ctx context.Context) (CompactResult, error) {
	return compact.answer(ctx, db, nothing{})
}

// BackupRequest asks for a copy of the store in a file of its own.
type BackupRequest struct {
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// BackupResult is the answer of Backup.
type BackupResult struct {
	storage.BackupStats
	Notices []Notice `json:"notices,omitempty"`
}

var backup = &statement[*parser.Backup, BackupRequest, nothing, BackupResult]{
	help: Help{
		Statement: "BACKUP", Syntax: "BACKUP INTO FILE 'file' [WITH (option := value)]",
		Summary: "copies everything into a new file, and verifies every record",
		Columns: "file, bytes, records, seconds",
		Example: "BACKUP INTO FILE 'monday.ht' WITH (overwrite := TRUE)",
	},
	options: storeOptions,
	bind: func(b *binder, s *parser.Backup) BackupRequest {
		return b.storeFile(s, s.File, s.Options)
	},
	resolve: (*call).checkStoreFile,
	plan: func(req BackupRequest, _ nothing) *plan.Plan {
		return plan.Result("new file", fault.Quote(req.Path)+", in one step", plan.Measured(plan.Write, "copy", "every record as it is now, verified"))
	},
	run: runBackup,
	table: func(_ BackupRequest, r BackupResult) [][]Value {
		return [][]Value{{r.Path, r.Bytes, r.Records, r.Seconds}}
	},
	reads: true,
}

// Backup copies the store as it is at one moment into a file of its own, while
// other calls read and write. Every checksum is verified on the way.
func (db *DB) Backup(ctx context.Context, req BackupRequest) (BackupResult, error) {
	return backup.answer(ctx, db, req)
}

func runBackup(c *call, req BackupRequest, _ nothing) (result BackupResult, err error) {
	stop := c.Watch.Start(plan.Write)
	err = c.writeStore(req, func(path string) error {
		result.BackupStats, err = c.db.store.Backup(c.Ctx, path, req.Overwrite, c.Meter.Update)
		return err
	})
	if err != nil {
		return BackupResult{}, err
	}
	stop(result.Records, "")
	result.Path, result.Notices = req.Path, c.Notices
	return result, nil
}

// RecoverRequest asks for a copy of the undamaged records of the store.
type RecoverRequest = BackupRequest

// RecoverResult is the answer of Recover.
type RecoverResult struct {
	storage.RecoverReport
	Notices []Notice `json:"notices,omitempty"`
}

var recoverFile = &statement[*parser.Recover, RecoverRequest, nothing, RecoverResult]{
	help: Help{
		Statement: "RECOVER", Syntax: "RECOVER INTO FILE 'file' [WITH (option := value)]",
		Summary: "copies the undamaged records of the file into a new one; the command 'heavytail recover' does the same for files that cannot be opened",
		Columns: "object, vertices, edges, state",
		Example: "RECOVER INTO FILE 'saved.ht'",
	},
	options: storeOptions,
	bind: func(b *binder, s *parser.Recover) RecoverRequest {
		b.Mark(fault.Statement, s)
		return b.storeFile(s, s.File, s.Options)
	},
	resolve: (*call).checkStoreFile,
	plan: func(req RecoverRequest, _ nothing) *plan.Plan {
		return plan.Result("new file", fault.Quote(req.Path)+", in one step", plan.Measured(plan.Write, "copy", "every record that is sound"))
	},
	run:   runRecover,
	table: func(_ RecoverRequest, r RecoverResult) [][]Value { return RecoveredRows(r.RecoverReport) },
	reads: true,
}

// Recover copies the undamaged records of the store into a new file and reports
// what is lost. Writers wait meanwhile. For a file that cannot be opened, use
// the function Recover.
func (db *DB) Recover(ctx context.Context, req RecoverRequest) (RecoverResult, error) {
	return recoverFile.answer(ctx, db, req)
}

func runRecover(c *call, req RecoverRequest, _ nothing) (result RecoverResult, err error) {
	stop := c.Watch.Start(plan.Write)
	err = c.writeStore(req, func(path string) error {
		result.RecoverReport, err = c.db.store.Recover(c.Ctx, path, storage.RecoverOptions{Overwrite: req.Overwrite, Progress: c.Meter.Update})
		return err
	})
	if err != nil {
		return RecoverResult{}, err
	}
	stop(0, "")
	result.To = req.Path
	for _, line := range result.Lost {
		c.Notice("lost: %s", line)
	}
	if len(result.Lost) == 0 {
		c.Notice("nothing was lost")
	}
	result.Notices = c.Notices
	return result, nil
}

// RecoverOptions are the options of the function Recover.
type RecoverOptions struct {
	Overwrite   bool           // replace a file that exists, which is otherwise refused
	LockTimeout time.Duration  // as in Options
	Progress    func(Progress) // as in Options
}

// Recover copies the undamaged records of the file at from into a new file at
// to, and reports what is lost. It also works on a file that Open refuses as
// damaged.
func Recover(ctx context.Context, from, to string, opts RecoverOptions) (storage.RecoverReport, error) {
	meter := session.NewMeter("RECOVER", opts.Progress, time.Now)
	report, err := storage.Recover(ctx, from, to, storage.RecoverOptions{
		Overwrite: opts.Overwrite, LockTimeout: opts.LockTimeout, Progress: meter.Update,
	})
	if err != nil {
		return report, fault.OpenError(from, err)
	}
	return report, nil
}

// RecoveredRows is the table of RECOVER: the objects that were copied, and
// their state.
func RecoveredRows(r storage.RecoverReport) [][]Value {
	var table [][]Value
	for _, g := range r.Graphs {
		state := "whole"
		switch {
		case g.Rebuilt && g.LostVertices < 0:
			state = "rebuilt without its catalogue entry, so its name and attributes are lost"
		case g.Rebuilt && g.LostVertices+g.LostEdges == 0:
			state = "rebuilt, with all vertices and edges"
		case g.Rebuilt:
			state = fmt.Sprintf("rebuilt; %s and %s lost", fault.Count(g.LostVertices, "vertex"), fault.Count(g.LostEdges, "edge"))
		}
		table = append(table, []Value{"graph " + fault.Name(g.Name), int64(g.Vertices), g.Edges, state})
	}
	for _, e := range r.Embeddings {
		state := "whole"
		if e.Lost > 0 {
			state = "without " + fault.Count(int64(e.Lost), "vertex")
		}
		table = append(table, []Value{"embedding " + fault.Name(e.Name), int64(e.Vertices), nil, state})
	}
	return table
}

func storeOptions() []OptionInfo { return []OptionInfo{overwriteOption()} }

func (b *binder) storeFile(statement parser.Statement, file parser.Value, options []parser.Option) BackupRequest {
	path, set := b.Text(fault.Into, file), b.Settings(parser.Heading(statement), storeOptions(), options)
	return BackupRequest{Path: path, Overwrite: set.Bool("overwrite")}
}

// checkStoreFile is checkOutput for a file that will be a store.
func (c *call) checkStoreFile(req BackupRequest) (nothing, error) {
	if slices.Contains(format.WrittenCompressions(), filepath.Ext(req.Path)) {
		return nothing{}, fault.New(fault.Into, "file %s would not be compressed, because a store is used as it is; choose a name without this ending", fault.Quote(req.Path))
	}
	return nothing{}, c.CheckOutput(req.Path, req.Overwrite, fault.Into)
}

// writeStore calls write to make the store of a request. If files are confined to a
// folder, the store is made elsewhere and then copied, because package storage
// opens files by name, and a name could be redirected out of the folder between
// its check and its use.
func (c *call) writeStore(req BackupRequest, write func(path string) error) error {
	if c.db.files.Folder == nil {
		return write(req.Path)
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
	return c.WriteFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return c.copyFile(w, in, size)
	})
}

func (c *call) copyFile(w io.Writer, r io.Reader, size int64) error {
	const step = 1 << 20 // bytes between two checks of the context, a few milliseconds
	for done := int64(0); ; {
		if err := c.Ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(w, r, step)
		if done += n; errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		c.Meter.UpdateUnit("moving", "bytes", done, size)
	}
}

// Garbage is the most garbage, in bytes, that the estimates of memory assume in a heap in which so many
// bytes are in use. They are right for a process that calls [runtime/debug.SetGCPercent] with 100 times
// the quotient of both, as the command does; with Go's default a heap can become twice as large.
func Garbage(used int64) int64 { return session.Garbage(used) }
