package storage

import (
	"context"
	"fmt"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
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
	stages, done := newReporter(progress), int64(0)
	found, err := viewed(ctx, db, func(t *tree.Tx) (verify.Report, error) {
		list := []verify.Kind{embeddingKind{}}
		for _, k := range kinds() {
			list = append(list, k)
		}
		return verify.Run(t, db.file, list, allOwners, func(n int64) {
			done = n
			stages.report("checking", n, 0)
		})
	})
	if err != nil {
		return CheckReport{}, err
	}
	stages.finish("checking", done, done)
	report := CheckReport{
		Notes: found.Notes, Graphs: found.Graphs, Embeddings: found.Embeddings,
		Records: found.Records, Pages: found.Pages, FreePages: found.FreePages, Bytes: found.Bytes,
	}
	for _, f := range found.Faults {
		report.Faults = append(report.Faults, Fault(f))
	}
	return report, nil
}

const (
	remedyState     = "compute the embedding again, or recover the file: its rows are sound"
	remedyEmbedding = "drop the embedding and compute it again"
)

// embeddingKind are the embeddings as CHECK sees them.
type embeddingKind struct{}

// Check verifies every embedding.
func (embeddingKind) Check(c *verify.Checker) error {
	return c.TryEach("catalogue of embeddings", fault.RemedyRestore, block.EmbeddingsName, func(key, _ []byte) error {
		name := string(key)
		where := describeEmbedding(name)
		c.Report.Records++
		defer c.Step()
		return c.Try(where, remedyEmbedding, func() error {
			if err := block.CheckName("embedding", name); err != nil {
				return fault.Record("%v", err)
			}
			r, err := findEmbedding(c.Tx, name)
			if err != nil {
				return verify.Damage(err)
			}
			if !r.Past {
				c.Report.Embeddings++
			}
			checkOwner(c, where, r)
			if err := c.CheckBlob(where+", "+statePart, remedyState, r.State); err != nil {
				return err
			}
			if r.Object == 0 {
				return nil
			}
			c.Refer(r.Object, where, block.RowsName)
			if err := checkRowSlots(c, r); err != nil {
				return err
			}
			return eachChunk(c.Tx, r, nil, func(int, []float32) error { return nil })
		})
	})
}

// checkOwner verifies that an embedding fits its graph.
func checkOwner(c *verify.Checker, where string, r *embeddingRecord) {
	switch g := c.Graph(r.GraphID); {
	case g == nil:
		c.Fault(where, fmt.Sprintf("its graph %q is missing", r.Graph), remedyEmbedding)
	case g.Name != r.Graph:
		c.Fault(where, fmt.Sprintf("its graph is called %q, not %q", g.Name, r.Graph), remedyEmbedding)
	case r.GraphVersion == 0 || r.GraphVersion > g.Record.Version:
		c.Fault(where, fmt.Sprintf("made from version %d of its graph, which has reached %d", r.GraphVersion, g.Record.Version), remedyEmbedding)
	case r.GraphVersion == g.Record.Version && r.Vertices != g.Record.Vertices, r.Slots > g.Record.Slots:
		c.Fault(where, fmt.Sprintf("has %d rows for %d vertices, in %d slots of %d", r.Vertices, g.Record.Vertices, r.Slots, g.Record.Slots), remedyEmbedding)
	}
}

// checkRowSlots verifies the empty slots of an embedding: they are empty in its
// graph too, and all of them where both are of one version.
func checkRowSlots(c *verify.Checker, r *embeddingRecord) error {
	m, err := embeddingSlots(c.Tx, r)
	if err != nil {
		return err
	}
	g := c.Graph(r.GraphID)
	if g == nil || g.Slots == nil {
		return nil
	}
	slots := g.Slots
	if g.Record.Version == r.GraphVersion && len(m.Empty) != len(slots.Empty) {
		return fault.Record("%d empty slots, and its graph has %d", len(m.Empty), len(slots.Empty))
	}
	for _, slot := range m.Empty {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("slot %d is empty, but not in its graph", slot)
		}
	}
	return nil
}
