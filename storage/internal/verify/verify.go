// Package verify finds what is wrong in a file: its pages, the sums of its buckets, graphs,
// the change log, the journal, the trash, and objects without an owner. A Checker is one such
// run in one transaction, which reads everything once and collects faults in place of
// stopping at the first. What package storage keeps beside graphs (embeddings, indexes, models,
// predictions, jobs) it checks by a Kind each, with the methods of the Checker.
package verify

import (
	"errors"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Fault is one thing that is wrong.
type Fault struct{ Where, What, Remedy string }

// Report is what a run found: see storage.CheckReport.
type Report struct {
	Faults                  []Fault
	Notes                   []string
	Graphs, Embeddings      int
	Records                 int64
	Pages, FreePages, Bytes int64
}

// A Kind is a kind of catalogue entries that are checked between the graphs and the change
// log.
type Kind interface{ Check(c *Checker) error }

// Graph is a graph that was checked.
type Graph struct {
	Name   string
	Record graphs.Record
	Slots  *block.SlotMap // nil where they could not be read
}

// Checker is one check of a file.
type Checker struct {
	Tx     *tree.Tx
	Report Report

	store   *tree.Store
	owners  func(*tree.Tx) tree.Owners
	report  func(done int64)
	done    int64
	objects map[uint64]string   // what refers to each object
	parts   map[uint64][][]byte // the buckets that each object should have
	graphs  map[uint64]*Graph   // by id
	err     error               // that ended the check
}

// Graph returns the graph with a number, or nil.
func (c *Checker) Graph(id uint64) *Graph { return c.graphs[id] }

const remedyGraph = "drop the graph and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"

// Fault adds a fault to the report.
func (c *Checker) Fault(where, what, remedy string) {
	c.Report.Faults = append(c.Report.Faults, Fault{Where: where, What: what, Remedy: remedy})
}

// Note adds what is worth knowing but not wrong.
func (c *Checker) Note(format string, args ...any) {
	c.Report.Notes = append(c.Report.Notes, fmt.Sprintf(format, args...))
}

// Try runs one piece of the check. Errors about damaged data become faults of
// the report; any other error ends the check, and is returned by every later try, which
// runs nothing more.
func (c *Checker) Try(where, remedy string, f func() error) error {
	if c.err != nil {
		return c.err
	}
	err := fault.Guarded(c.Tx.Path, f)
	var file *fault.FileError
	switch {
	case err == nil:
	case errors.As(err, &file) && file.Err == fault.ErrCorrupt && file.Cause != nil:
		c.Fault(where, fault.Reason(file.Cause), remedy)
	case errors.As(err, &file) && file.Err == fault.ErrCorrupt:
		c.Fault(where, file.Reason, remedy)
	case errors.Is(err, fault.ErrRecord):
		c.Fault(where, fault.Reason(err), remedy)
	default:
		c.err = err
	}
	return c.err
}

// TryEach is Try for all entries of a top bucket.
func (c *Checker) TryEach(where, remedy string, bucket []byte, f func(key, record []byte) error) error {
	return c.Try(where, remedy, func() error { return c.Tx.Each(bucket, f) })
}

// Step counts an entry that was checked.
func (c *Checker) Step() {
	c.done++
	c.report(c.done)
}

// Refer records that where owns the object; a second owner is a fault.
func (c *Checker) Refer(object uint64, where string, parts ...[]byte) {
	if object == 0 {
		return
	}
	if other, taken := c.objects[object]; taken {
		c.Fault(where, fmt.Sprintf("object %d belongs to %s too", object, other), fault.RemedyRestore)
		return
	}
	if object >= c.Tx.Header.NextID {
		c.Fault(where, fmt.Sprintf("object %d is beyond the last number given, %d", object, c.Tx.Header.NextID-1), fault.RemedyRestore)
	}
	c.objects[object] = where
	c.parts[object] = parts
}

// Damage makes fault.ErrNotFound a fault: an entry that was just listed must exist.
func Damage(err error) error {
	if errors.Is(err, fault.ErrNotFound) {
		return fault.Record("bucket where a record should be")
	}
	return err
}

// CheckBlob verifies a blob for Check; where names its owner.
func (c *Checker) CheckBlob(where, remedy string, b tree.BlobRecord) error {
	if b.Object == 0 {
		return nil
	}
	c.Refer(b.Object, where, block.BlobName)
	return c.Try(where, remedy, func() error {
		p, err := c.Tx.Part(b.Object, block.BlobName)
		if err != nil {
			return err
		}
		c.Tx.ReadAhead(p.Bucket)
		number := uint64(0)
		err = c.Tx.Scan(p, func(key, payload []byte) error {
			err := b.Check(number, key, payload)
			number++
			return err
		})
		if err == nil && number != b.Blocks() {
			err = fault.Record("%d blocks instead of %d", number, b.Blocks())
		}
		return err
	})
}

// CheckGraphOf verifies that the graph of an object exists and has reached the
// version that the object states.
func (c *Checker) CheckGraphOf(where, graph string, id, version uint64) {
	switch g := c.graphs[id]; {
	case g == nil:
		c.Fault(where+", graph", fmt.Sprintf("%q is not there", graph), fault.RemedyRestore)
	case g.Name != graph:
		c.Fault(where+", graph", fmt.Sprintf("is called %q, not %q", g.Name, graph), fault.RemedyRestore)
	case version > g.Record.Version:
		c.Fault(where+", graph", fmt.Sprintf("has reached version %d, not %d", g.Record.Version, version), fault.RemedyRestore)
	}
}
