package verify

import (
	"bytes"
	"fmt"
	"slices"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// checkChanges verifies the change log: it has only records of known graphs,
// and the log of each graph has no gap up to the present version.
func (c *Checker) checkChanges() error {
	const where = graphs.ChangeLogPart
	const remedy = "embeddings are computed in full instead of refreshed; restore the file from a backup to have the log again"
	orphans := make(map[uint64]bool)
	c.TryEach(where, remedy, block.ChangesName, func(key, record []byte) error {
		c.Report.Records++
		if len(key) != block.ChangesKeySize {
			return fault.Record("key of %d bytes", len(key))
		}
		if id := block.IDOf(key); c.graphs[id] == nil && !orphans[id] {
			orphans[id] = true
			c.Fault(where, fmt.Sprintf("entries of graph number %d, which does not exist", id), fault.RemedyRestore)
		}
		return nil
	})
	return c.TryEach("catalogue of graphs", fault.RemedyRestore, block.GraphsName, func(key, _ []byte) error {
		r, err := graphs.Find(c.Tx, string(key))
		if err != nil {
			return nil // reported before
		}
		return c.Try(graphs.DescribeGraph(string(key))+", "+where, remedy, func() error {
			last := uint64(0)
			err := graphs.ChangesOf(c.Tx, r.ID, 0, func(version uint64, entry *block.Change) error {
				if last != 0 && version != last+1 {
					return fault.Record("version %d follows version %d", version, last)
				}
				last = version
				return c.checkChange(r, version, entry)
			})
			if err == nil && last != r.Version && (last != 0 || r.Object != 0) {
				err = fault.Record("ends with version %d, and the graph has version %d", last, r.Version)
			}
			return err
		})
	})
}

// checkChange verifies that an entry of the change log names slots of the graph,
// and as deleted only empty ones.
func (c *Checker) checkChange(r *graphs.Record, version uint64, entry *block.Change) error {
	for _, list := range [][]uint32{entry.Edges, entry.Values, entry.Deleted} {
		if n := len(list); n > 0 && uint64(list[n-1]) >= r.Slots {
			return fault.Record("version %d changes slot %d of %d", version, list[n-1], r.Slots)
		}
	}
	slots := c.graphs[r.ID].Slots
	if slots == nil {
		return nil
	}
	for _, slot := range entry.Deleted {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("version %d deletes slot %d, which is not empty", version, slot)
		}
	}
	return nil
}

// checkJournal lists unfinished work, which is no fault.
func (c *Checker) checkJournal() error {
	return c.TryEach("journal", fault.RemedyRestore, block.JournalName, func(key, record []byte) error {
		c.Report.Records++
		name := string(key[1:])
		where := fmt.Sprintf("journal of %q", name)
		if key[0] == tree.JournalBlob {
			where = fmt.Sprintf("journal of object %x", name)
		}
		return c.Try(where, "import again or drop what it belongs to", func() error {
			var j tree.JournalRecord
			if err := block.DecodeStruct(block.JournalName, key, record, &j); err != nil {
				return err
			}
			switch key[0] {
			case tree.JournalGraph:
				if int(j.Part) >= len(tree.StagedParts) {
					return fault.Record("journal at part %d", j.Part)
				}
				c.Refer(j.Object, where, tree.GraphParts[:]...)
				c.Note("an import of %q into graph %q stopped before its end; the same import continues from there; another one, or dropping the graph, discards it", fault.Clip(j.Source), name)
			case tree.JournalEmbedding:
				c.Refer(j.Object, where, block.RowsName)
				c.Note("embedding %q is being written, or its writing stopped; it is discarded when the file is next opened for writing", name)
			case tree.JournalBlob:
				c.Refer(j.Object, where, block.BlobName)
				c.Note("the %s is being written, or its writing stopped; it is discarded when the file is next opened for writing", fault.Clip(j.Source))
			default:
				return fault.Record("journal of kind %#02x", key[0])
			}
			return nil
		})
	})
}

func (c *Checker) checkTrash() error {
	return c.Try("trash", fault.RemedyRestore, func() error {
		n := 0
		err := c.Tx.Each(block.TrashName, func(key, record []byte) error {
			c.Report.Records++
			if len(key) != 8 {
				return fault.Record("key of %d bytes", len(key))
			}
			if _, err := block.SeedOf(block.TrashName).Open(key, record); err != nil {
				return err
			}
			c.Refer(block.IDOf(key), "trash")
			n++
			return nil
		})
		if n > 0 {
			c.Note("%d discarded objects are still to be removed; that is done when the file is next opened for writing", n)
		}
		return err
	})
}

// checkObjects verifies that every object belongs to an entry of the
// catalogue and has the parts that it should have.
func (c *Checker) checkObjects() error {
	return c.Try("objects", fault.RemedyRestore, func() error {
		objects, err := c.Tx.Top(block.ObjectsName)
		if err != nil {
			return err
		}
		return c.Tx.Each(block.ObjectsName, func(key, _ []byte) error {
			b := objects.Bucket(key)
			if len(key) != 8 || b == nil {
				return fault.Record("entry %x that is no object", key)
			}
			id := block.IDOf(key)
			where := fmt.Sprintf("object %d", id)
			owner, found := c.objects[id]
			if !found {
				c.Fault(where, "belongs to no entry of the catalogue; the entry may have been lost",
					"recover the file into a new one (RECOVER), which names what it finds; COMPACT removes the object")
				return nil
			}
			if owner == "trash" {
				return nil
			}
			return c.Try(owner+", "+where, fault.RemedyRestore, func() error { return c.checkParts(b, c.parts[id]) })
		})
	})
}

// checkParts verifies that an object has the given buckets, and no others, except
// buckets that are created when they are needed.
func (c *Checker) checkParts(object *bolt.Bucket, parts [][]byte) error {
	found := 0
	cursor := object.Cursor()
	for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
		same := func(name []byte) bool { return bytes.Equal(name, key) }
		known := slices.ContainsFunc(parts, same)
		if !known && !slices.ContainsFunc(tree.FurtherParts[:], same) || object.Bucket(key) == nil {
			return fault.Record("unknown part %q", fault.Clip(string(key)))
		}
		if known {
			found++
		}
	}
	if found != len(parts) {
		return fault.Record("%d parts instead of %d", found, len(parts))
	}
	return nil
}
