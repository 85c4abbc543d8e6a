package storage

import (
	"errors"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

type checker struct {
	db       *DB
	tx       *tree.Tx
	report   CheckReport
	progress *reporter
	done     int64
	objects  map[uint64]string         // what refers to each object
	parts    map[uint64][][]byte       // the buckets that each object should have
	graphs   map[uint64]graphs.Record  // by id
	slots    map[uint64]*block.SlotMap // of graphs by id, where they could be read
	names    map[uint64]string         // of graphs by id
	err      error                     // that ended the check
}

const (
	remedyGraph     = "drop the graph and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"
	remedyState     = "compute the embedding again, or recover the file: its rows are sound"
	remedyEmbedding = "drop the embedding and compute it again"
)

func (c *checker) fault(where, what, remedy string) {
	c.report.Faults = append(c.report.Faults, Fault{Where: where, What: what, Remedy: remedy})
}

func (c *checker) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}

// try runs one piece of the check. Errors about damaged data become faults of
// the report; any other error ends the check, and is returned by every later try, which
// runs nothing more.
func (c *checker) try(where, remedy string, f func() error) error {
	if c.err != nil {
		return c.err
	}
	err := fault.Guarded(c.tx.Path, f)
	var file *FileError
	switch {
	case err == nil:
	case errors.As(err, &file) && file.Err == ErrCorrupt && file.Cause != nil:
		c.fault(where, fault.Reason(file.Cause), remedy)
	case errors.As(err, &file) && file.Err == ErrCorrupt:
		c.fault(where, file.Reason, remedy)
	case errors.Is(err, fault.ErrRecord):
		c.fault(where, fault.Reason(err), remedy)
	default:
		c.err = err
	}
	return c.err
}

// tryEach is try for all entries of a top bucket.
func (c *checker) tryEach(where, remedy string, bucket []byte, f func(key, record []byte) error) error {
	return c.try(where, remedy, func() error { return c.tx.Each(bucket, f) })
}

func (c *checker) step() {
	c.done++
	c.progress.report("checking", c.done, 0)
}

// refer records that where owns the object; a second owner is a fault.
func (c *checker) refer(object uint64, where string, parts ...[]byte) {
	if object == 0 {
		return
	}
	if other, taken := c.objects[object]; taken {
		c.fault(where, fmt.Sprintf("object %d belongs to %s too", object, other), fault.RemedyRestore)
		return
	}
	if object >= c.tx.Header.NextID {
		c.fault(where, fmt.Sprintf("object %d is beyond the last number given, %d", object, c.tx.Header.NextID-1), fault.RemedyRestore)
	}
	c.objects[object] = where
	if c.parts == nil {
		c.parts = make(map[uint64][][]byte)
	}
	c.parts[object] = parts
}

// foundDamage makes ErrNotFound a fault: an entry that was just listed must exist.
func foundDamage(err error) error {
	if errors.Is(err, ErrNotFound) {
		return fault.Record("bucket where a record should be")
	}
	return err
}

// checkBlob verifies a blob for Check; where names its owner.
func (c *checker) checkBlob(where, remedy string, b tree.BlobRecord) error {
	if b.Object == 0 {
		return nil
	}
	c.refer(b.Object, where, block.BlobName)
	return c.try(where, remedy, func() error {
		p, err := c.tx.Part(b.Object, block.BlobName)
		if err != nil {
			return err
		}
		c.tx.ReadAhead(p.Bucket)
		number := uint64(0)
		err = c.tx.Scan(p, func(key, payload []byte) error {
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

// checkGraphOf verifies that the graph of an object exists and has reached the
// version that the object states.
func (c *checker) checkGraphOf(where, graph string, id, version uint64) {
	g, found := c.graphs[id]
	switch {
	case !found:
		c.fault(where+", graph", fmt.Sprintf("%q is not there", graph), fault.RemedyRestore)
	case c.names[id] != graph:
		c.fault(where+", graph", fmt.Sprintf("is called %q, not %q", c.names[id], graph), fault.RemedyRestore)
	case version > g.Version:
		c.fault(where+", graph", fmt.Sprintf("has reached version %d, not %d", g.Version, version), fault.RemedyRestore)
	}
}
