package maintenance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/atomicfile"
)

// This file has the statements that rewrite the whole store: COMPACT, BACKUP
// and RECOVER.

// CompactResult is the answer of Compact.
type CompactResult struct {
	storage.CompactStats
	Notices []rows.Notice `json:"notices,omitempty"`
}

var compact = &engine.Statement[*parser.Compact, engine.Nothing, engine.Nothing, CompactResult]{
	Help: help.Statement{
		Statement: "COMPACT",
		Summary:   "frees the space of deleted data by rewriting the file",
		Words:     "vacuum shrink size disk space optimize",
		Columns:   "before, after, seconds",
	},
	Bind:    engine.BindNothing[*parser.Compact],
	Resolve: engine.ResolveNothing[engine.Nothing],
	Plan: func(engine.Nothing, engine.Nothing) *plan.Plan {
		return plan.Result("new file", "in the place of the old one, in one step", plan.Measured(plan.Write, "copy", "every record, verified"))
	},
	Run: func(c *engine.Call, _, _ engine.Nothing) (CompactResult, error) {
		stop := c.Watch.Start(plan.Write)
		stats, err := c.DB.Store.Compact(c.Ctx, c.Meter.Update)
		if err != nil {
			return CompactResult{}, err
		}
		stop(0, "")
		return CompactResult{stats, c.Notices}, nil
	},
	Table: func(_ engine.Nothing, r CompactResult) [][]rows.Value {
		return [][]rows.Value{{r.Before, r.After, r.Seconds}}
	},
}

// Compact frees the space of deleted data by writing the store into a new
// file, which replaces the old one.
func (s *Service) Compact(ctx context.Context) (CompactResult, error) {
	return compact.Answer(ctx, s.db, engine.Nothing{})
}

// BackupRequest asks for a copy of the store in a file of its own.
type BackupRequest struct {
	Path      string
	Overwrite bool // replace a file that exists, which is otherwise refused
}

// BackupResult is the answer of Backup.
type BackupResult struct {
	storage.BackupStats
	Notices []rows.Notice `json:"notices,omitempty"`
}

var backup = &engine.Statement[*parser.Backup, BackupRequest, engine.Nothing, BackupResult]{
	Help: help.Statement{
		Statement: "BACKUP",
		Summary:   "copies everything into a new file, and verifies every record",
		Words:     "copy save snapshot duplicate",
		Columns:   "file, bytes, records, seconds",
	},
	Schema: storeSchema,
	Bind: func(b *engine.Binder, s *parser.Backup) BackupRequest {
		return storeFile(b, s, s.File, s.Options)
	},
	Resolve: checkStoreFile,
	Plan: func(req BackupRequest, _ engine.Nothing) *plan.Plan {
		return plan.Result("new file", fault.Quote(req.Path)+", in one step", plan.Measured(plan.Write, "copy", "every record as it is now, verified"))
	},
	Run: runBackup,
	Table: func(_ BackupRequest, r BackupResult) [][]rows.Value {
		return [][]rows.Value{{r.Path, r.Bytes, r.Records, r.Seconds}}
	},
	Reads: true,
}

// Backup copies the store as it is at one moment into a file of its own, while
// other calls read and write. Every checksum is verified on the way.
func (s *Service) Backup(ctx context.Context, req BackupRequest) (BackupResult, error) {
	return backup.Answer(ctx, s.db, req)
}

func runBackup(c *engine.Call, req BackupRequest, _ engine.Nothing) (result BackupResult, err error) {
	stop := c.Watch.Start(plan.Write)
	err = writeStore(c, req, func(path string) error {
		result.BackupStats, err = c.DB.Store.Backup(c.Ctx, path, req.Overwrite, c.Meter.Update)
		return err
	})
	if err != nil {
		return BackupResult{}, err
	}
	stop(result.Records, "")
	jobs, err := c.DB.Store.Jobs(c.Ctx)
	if err := c.Rest(err, "a job", "DROP JOB forgets it"); err != nil {
		return BackupResult{}, err
	}
	for _, j := range jobs {
		if j.Checkpoint > 0 && j.CheckpointFile != "" {
			c.Notice("the backup lacks the checkpoint of job %d, the file %s: there RESUME JOB starts over", j.ID, fault.Quote(filepath.Base(j.CheckpointFile)))
		}
	}
	result.Path, result.Notices = req.Path, c.Notices
	return result, nil
}

// RecoverRequest asks for a copy of the undamaged records of the store.
type RecoverRequest = BackupRequest

// RecoverResult is the answer of Recover.
type RecoverResult struct {
	storage.RecoverReport
	Notices []rows.Notice `json:"notices,omitempty"`
}

var recoverFile = &engine.Statement[*parser.Recover, RecoverRequest, engine.Nothing, RecoverResult]{
	Help: help.Statement{
		Statement: "RECOVER",
		Summary:   "copies the undamaged records of the file into a new one",
		Detail:    "The command 'heavytail recover' does the same for files that cannot be opened",
		Words:     "repair corrupt damaged rescue restore fix",
		Columns:   "object, vertices, edges, state",
	},
	Schema: storeSchema,
	Bind: func(b *engine.Binder, s *parser.Recover) RecoverRequest {
		b.Mark(fault.Statement, s)
		return storeFile(b, s, s.File, s.Options)
	},
	Resolve: checkStoreFile,
	Plan: func(req RecoverRequest, _ engine.Nothing) *plan.Plan {
		return plan.Result("new file", fault.Quote(req.Path)+", in one step", plan.Measured(plan.Write, "copy", "every record that is sound"))
	},
	Run:   runRecover,
	Table: func(_ RecoverRequest, r RecoverResult) [][]rows.Value { return RecoveredRows(r.RecoverReport) },
	Reads: true,
}

// Recover copies the undamaged records of the store into a new file and reports
// what is lost. Writers wait meanwhile. For a file that cannot be opened, use
// the function Recover.
func (s *Service) Recover(ctx context.Context, req RecoverRequest) (RecoverResult, error) {
	return recoverFile.Answer(ctx, s.db, req)
}

func runRecover(c *engine.Call, req RecoverRequest, _ engine.Nothing) (result RecoverResult, err error) {
	stop := c.Watch.Start(plan.Write)
	err = writeStore(c, req, func(path string) error {
		result.RecoverReport, err = c.DB.Store.Recover(c.Ctx, path, storage.RecoverOptions{Overwrite: req.Overwrite, Progress: c.Meter.Update})
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
	Overwrite   bool                // replace a file that exists, which is otherwise refused
	LockTimeout time.Duration       // as in Options
	Progress    func(rows.Progress) // as in Options
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
func RecoveredRows(r storage.RecoverReport) [][]rows.Value {
	var table [][]rows.Value
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
		table = append(table, []rows.Value{"graph " + fault.Name(g.Name), int64(g.Vertices), g.Edges, state})
	}
	for _, e := range r.Embeddings {
		state := "whole"
		if e.Lost > 0 {
			state = "without " + fault.Count(int64(e.Lost), "vertex")
		}
		table = append(table, []rows.Value{"embedding " + fault.Name(e.Name), int64(e.Vertices), nil, state})
	}
	return table
}

func storeSchema() option.Schema[BackupRequest] {
	return option.Schema[BackupRequest]{engine.OverwriteField(func(r *BackupRequest) *bool { return &r.Overwrite })}
}

func storeFile(b *engine.Binder, statement parser.Statement, file parser.Value, options []parser.Option) BackupRequest {
	req := BackupRequest{Path: b.Text(fault.Into, file)}
	engine.Bind(b, parser.Heading(statement), storeSchema(), options, &req)
	return req
}

// checkStoreFile is CheckOutput for a file that will be a store.
func checkStoreFile(c *engine.Call, req BackupRequest) (engine.Nothing, error) {
	if slices.Contains(atomicfile.Compressions(), filepath.Ext(req.Path)) {
		return engine.Nothing{}, fault.New(fault.Into, "file %s would not be compressed, because a store is used as it is; choose a name without this ending", fault.Quote(req.Path))
	}
	return engine.Nothing{}, c.CheckOutput(req.Path, req.Overwrite, fault.Into)
}

// writeStore calls write to make the store of a request. If files are confined to a
// folder, the store is made elsewhere and then copied, because package storage
// opens files by name, and a name could be redirected out of the folder between
// its check and its use.
func writeStore(c *engine.Call, req BackupRequest, write func(path string) error) error {
	if c.DB.Files.Folder == nil {
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
	in, size, err := atomicfile.Open(temp)
	if err != nil {
		return err
	}
	defer in.Close()
	return c.WriteFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return copyFile(c, w, in, size)
	})
}

func copyFile(c *engine.Call, w io.Writer, r io.Reader, size int64) error {
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
