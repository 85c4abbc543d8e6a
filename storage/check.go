package storage

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// Check verifies the whole file: the shape of its tree, every checksum, that the keys
// and numbers of vertices belong to each other, that edges ascend, exist in both
// directions and have the number that the catalogue states, that embeddings fit their
// graphs and have only finite values, that the change log is complete, and that every
// object belongs to an entry of the catalogue. It reports all faults together; an error
// means that the check itself could not run. It needs the memory of the largest graph,
// and reads the whole file once. progress, if not nil, is called for the stage
// "checking", in objects.
func (db *DB) Check(ctx context.Context, progress func(stage string, done, total int64)) (CheckReport, error) {
	c := checker{db: db, progress: newReporter(progress), objects: make(map[uint64]string), graphs: make(map[uint64]graphs.Record), slots: make(map[uint64]*block.SlotMap)}
	err := db.file.View(ctx, func(t *tree.Tx) error {
		c.tx = t
		if err := c.walk(); err != nil {
			return err
		}
		steps := []func() error{c.checkGraphs, c.checkEmbeddings}
		for _, k := range kinds() {
			steps = append(steps, func() error { return k.check(&c) })
		}
		for _, step := range append(steps, c.checkChanges, c.checkJournal, c.checkTrash, c.checkObjects) {
			if err := step(); err != nil {
				return err
			}
		}
		c.report.Records += t.Scanned
		c.progress.finish("checking", c.done, c.done)
		return nil
	})
	if err != nil {
		return CheckReport{}, err
	}
	return c.report, nil
}

// walk verifies the tree as this transaction sees it: of the whole file, or of
// the bucket alone where the file belongs to an application.
func (c *checker) walk() error {
	file := c.tx.File
	if file == nil {
		c.note("the shape of the tree was not verified: the application's file cannot be read beside bbolt")
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	c.report.Bytes = info.Size()
	m := c.tx.Meta()
	w, found := page.NewWalker(c.tx.Ctx, page.File{R: file, Meta: m}), block.NewTallies()
	w.Counted = found.Counted
	c.report.Pages, c.report.FreePages, err = c.db.walk(c.tx, w, m)
	if err == nil && !c.db.file.Attached {
		err = c.checkMetas(file, m, w)
	}
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	c.tx.Tree = &tree.Verified{Whole: true, Faults: tree.BelowRoot(w.Faults)}
	for _, bad := range w.Faults {
		where := "file"
		if len(bad.Path) > 1 {
			where = tree.DescribePath(bad.Path[1:])
		}
		c.fault(where, bad.What, fault.RemedyRestore)
	}
	return c.comparePromises(found)
}

// comparePromises reports the buckets whose number or sum of records differs from the
// one that the file promises; their content is checked nevertheless.
func (c *checker) comparePromises(found *block.Tallies) error {
	return c.try("sums of buckets", fault.RemedyRestore, func() error {
		if err := c.tx.CheckRoot(page.Meta{}, found.Sums); err != nil {
			return fault.Record("%v", err)
		}
		faults, err := c.tx.Broken(found, "", func(path [][]byte) bool { return c.tx.Tree.Fault(path) != nil })
		if len(faults) == 0 {
			return err
		}
		owners := listOwners(c.tx, owning())
		for _, bad := range faults {
			c.fault(owners.Describe(bad.Path), bad.What, fault.RemedyRestore)
		}
		return err
	})
}

func (c *checker) checkGraphs() error {
	c.names = make(map[uint64]string)
	return c.tryEach("catalogue of graphs", fault.RemedyRestore, block.GraphsName, func(key, _ []byte) error {
		name := string(key)
		where := graphs.DescribeGraph(name)
		c.report.Graphs++
		c.report.Records++
		defer c.step()
		return c.try(where, remedyGraph, func() error {
			if err := block.CheckName("graph", name); err != nil {
				return fault.Record("%v", err)
			}
			r, err := graphs.Find(c.tx, name)
			if err != nil {
				return foundDamage(err)
			}
			if other, taken := c.names[r.ID]; taken {
				c.fault(where, fmt.Sprintf("has the number %d of graph %q", r.ID, other), fault.RemedyRestore)
			}
			c.names[r.ID], c.graphs[r.ID] = name, *r
			if r.Object == 0 {
				return nil
			}
			c.refer(r.Object, where, tree.GraphParts[:]...)
			return c.checkContents(where, r)
		})
	})
}

// checkContents verifies the three parts of a graph object.
func (c *checker) checkContents(where string, r *graphs.Record) error {
	keys := block.NewKeySet(0)
	keysOK := false
	c.try(where+", keys", remedyGraph, func() error {
		p, err := c.tx.Part(r.Object, block.KeysName)
		if err == nil {
			err = graphs.ReadKeys(c.tx, &keys, p, r)
		}
		keysOK = err == nil
		return err
	})
	slots := block.SlotMap{Slots: r.Slots}
	c.try(where+", empty slots", remedyGraph, func() (err error) {
		if slots, err = graphs.SlotsOf(c.tx, r); err != nil {
			return err
		}
		c.slots[r.ID] = &slots
		if keysOK {
			err = checkEmpty(&keys, &slots)
		}
		return err
	})
	c.try(where+", ids", remedyGraph, func() error { return c.checkIDs(r, &keys, keysOK) })
	c.try(where+", arcs", remedyGraph, func() error {
		g, err := graphs.ReadArcs(c.tx, r, int(r.Slots), nil, func() error { return nil })
		if err != nil {
			return err
		}
		if err := checkNoEdges(g, &slots); err != nil {
			return err
		}
		return checkSymmetric(c.tx.Ctx, g)
	})
	return c.checkAttributes(where, r, &slots)
}

// checkIDs verifies that the ids are the inverse of the keys: as many, strictly
// ascending, and each with the key that it has there.
func (c *checker) checkIDs(r *graphs.Record, keys *block.KeySet, compare bool) error {
	p, err := c.tx.Part(r.Object, block.IDsName)
	if err != nil {
		return err
	}
	var last []byte
	count := uint64(0)
	err = c.tx.Scan(p, func(first, payload []byte) error {
		return block.DecodeIDs(first, payload, func(key []byte, id uint32) error {
			if count > 0 && bytes.Compare(last, key) >= 0 {
				return fault.Record("keys do not ascend from block to block")
			}
			last = append(last[:0], key...)
			count++
			if uint64(id) >= r.Slots {
				return fault.Record("key %q has slot %d of %d", fault.Clip(string(key)), id, r.Slots)
			}
			if compare && !bytes.Equal(keys.At(id), key) {
				return fault.Record("key %q has slot %d, whose key is %q", fault.Clip(string(key)), id, fault.Clip(string(keys.At(id))))
			}
			return nil
		})
	})
	if err == nil && count != r.Vertices {
		err = fault.Record("%d keys for %d vertices", count, r.Vertices)
	}
	return err
}

// checkSymmetric verifies that every arc has its reverse, with the same weight
// and timestamp, in O(n + m): visited in ascending order, the sources of the
// arcs into a vertex must be its row.
func checkSymmetric(ctx context.Context, g *csr.Graph) error {
	next := make([]int64, g.Vertices())
	for u := range uint32(g.Vertices()) {
		if u%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i, v := range g.Neighbors(u) {
			at := g.Offsets[v] + next[v]
			if at >= g.Offsets[v+1] || g.Targets[at] != u {
				return fault.Record("edge (%d, %d) is stored in one direction only", u, v)
			}
			next[v]++
			if g.Weights != nil && g.Weights[at] != g.Weights[g.Offsets[u]+int64(i)] {
				return fault.Record("edge (%d, %d) has two weights", u, v)
			}
			if g.Times != nil && g.Times[at] != g.Times[g.Offsets[u]+int64(i)] {
				return fault.Record("edge (%d, %d) has two timestamps", u, v)
			}
		}
	}
	return nil
}

func (c *checker) checkEmbeddings() error {
	return c.tryEach("catalogue of embeddings", fault.RemedyRestore, block.EmbeddingsName, func(key, _ []byte) error {
		name := string(key)
		where := describeEmbedding(name)
		c.report.Records++
		defer c.step()
		return c.try(where, remedyEmbedding, func() error {
			if err := block.CheckName("embedding", name); err != nil {
				return fault.Record("%v", err)
			}
			r, err := findEmbedding(c.tx, name)
			if err != nil {
				return foundDamage(err)
			}
			if !r.Past {
				c.report.Embeddings++
			}
			c.checkOwner(where, r)
			if err := c.checkBlob(where+", "+statePart, remedyState, r.State); err != nil {
				return err
			}
			if r.Object == 0 {
				return nil
			}
			c.refer(r.Object, where, block.RowsName)
			if err := c.checkRowSlots(r); err != nil {
				return err
			}
			return eachChunk(c.tx, r, nil, func(int, []float32) error { return nil })
		})
	})
}

// checkOwner verifies that an embedding fits its graph.
func (c *checker) checkOwner(where string, r *embeddingRecord) {
	g, found := c.graphs[r.GraphID]
	switch {
	case !found:
		c.fault(where, fmt.Sprintf("its graph %q is missing", r.Graph), remedyEmbedding)
	case c.names[r.GraphID] != r.Graph:
		c.fault(where, fmt.Sprintf("its graph is called %q, not %q", c.names[r.GraphID], r.Graph), remedyEmbedding)
	case r.GraphVersion == 0 || r.GraphVersion > g.Version:
		c.fault(where, fmt.Sprintf("made from version %d of its graph, which has reached %d", r.GraphVersion, g.Version), remedyEmbedding)
	case r.GraphVersion == g.Version && r.Vertices != g.Vertices, r.Slots > g.Slots:
		c.fault(where, fmt.Sprintf("has %d rows for %d vertices, in %d slots of %d", r.Vertices, g.Vertices, r.Slots, g.Slots), remedyEmbedding)
	}
}

// checkChanges verifies the change log: it has only records of known graphs,
// and the log of each graph has no gap up to the present version.
func (c *checker) checkChanges() error {
	const where = graphs.ChangeLogPart
	const remedy = "embeddings are computed in full instead of refreshed; restore the file from a backup to have the log again"
	orphans := make(map[uint64]bool)
	c.tryEach(where, remedy, block.ChangesName, func(key, record []byte) error {
		c.report.Records++
		if len(key) != block.ChangesKeySize {
			return fault.Record("key of %d bytes", len(key))
		}
		if id := block.IDOf(key); c.names[id] == "" && !orphans[id] {
			orphans[id] = true
			c.fault(where, fmt.Sprintf("entries of graph number %d, which does not exist", id), fault.RemedyRestore)
		}
		return nil
	})
	return c.tryEach("catalogue of graphs", fault.RemedyRestore, block.GraphsName, func(key, _ []byte) error {
		r, err := graphs.Find(c.tx, string(key))
		if err != nil {
			return nil // reported before
		}
		return c.try(graphs.DescribeGraph(string(key))+", "+where, remedy, func() error {
			last := uint64(0)
			err := graphs.ChangesOf(c.tx, r.ID, 0, func(version uint64, entry *block.Change) error {
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

// checkJournal lists unfinished work, which is no fault.
func (c *checker) checkJournal() error {
	return c.tryEach("journal", fault.RemedyRestore, block.JournalName, func(key, record []byte) error {
		c.report.Records++
		name := string(key[1:])
		where := fmt.Sprintf("journal of %q", name)
		if key[0] == tree.JournalBlob {
			where = fmt.Sprintf("journal of object %x", name)
		}
		return c.try(where, "import again or drop what it belongs to", func() error {
			var j tree.JournalRecord
			if err := block.DecodeStruct(block.JournalName, key, record, &j); err != nil {
				return err
			}
			switch key[0] {
			case tree.JournalGraph:
				if int(j.Part) >= len(tree.StagedParts) {
					return fault.Record("journal at part %d", j.Part)
				}
				c.refer(j.Object, where, tree.GraphParts[:]...)
				c.note("an import of %q into graph %q stopped before its end; the same import continues from there; another one, or dropping the graph, discards it", fault.Clip(j.Source), name)
			case tree.JournalEmbedding:
				c.refer(j.Object, where, block.RowsName)
				c.note("embedding %q is being written, or its writing stopped; it is discarded when the file is next opened for writing", name)
			case tree.JournalBlob:
				c.refer(j.Object, where, block.BlobName)
				c.note("the %s is being written, or its writing stopped; it is discarded when the file is next opened for writing", fault.Clip(j.Source))
			default:
				return fault.Record("journal of kind %#02x", key[0])
			}
			return nil
		})
	})
}

func (c *checker) checkTrash() error {
	return c.try("trash", fault.RemedyRestore, func() error {
		n := 0
		err := c.tx.Each(block.TrashName, func(key, record []byte) error {
			c.report.Records++
			if len(key) != 8 {
				return fault.Record("key of %d bytes", len(key))
			}
			if _, err := block.SeedOf(block.TrashName).Open(key, record); err != nil {
				return err
			}
			c.refer(block.IDOf(key), "trash")
			n++
			return nil
		})
		if n > 0 {
			c.note("%d discarded objects are still to be removed; that is done when the file is next opened for writing", n)
		}
		return err
	})
}

// checkObjects verifies that every object belongs to an entry of the
// catalogue and has the parts that it should have.
func (c *checker) checkObjects() error {
	return c.try("objects", fault.RemedyRestore, func() error {
		objects, err := c.tx.Top(block.ObjectsName)
		if err != nil {
			return err
		}
		return c.tx.Each(block.ObjectsName, func(key, _ []byte) error {
			b := objects.Bucket(key)
			if len(key) != 8 || b == nil {
				return fault.Record("entry %x that is no object", key)
			}
			id := block.IDOf(key)
			where := fmt.Sprintf("object %d", id)
			owner, found := c.objects[id]
			if !found {
				c.fault(where, "belongs to no entry of the catalogue; the entry may have been lost",
					"recover the file into a new one (RECOVER), which names what it finds; COMPACT removes the object")
				return nil
			}
			if owner == "trash" {
				return nil
			}
			return c.try(owner+", "+where, fault.RemedyRestore, func() error { return c.checkParts(b, c.parts[id]) })
		})
	})
}

// checkParts verifies that an object has the given buckets, and no others, except
// buckets that are created when they are needed.
func (c *checker) checkParts(object *bolt.Bucket, parts [][]byte) error {
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
