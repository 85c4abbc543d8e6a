package query

import (
	"context"
	"errors"
	"io"

	"heavytail/storage"
	"heavytail/storage/format"
)

// This file has the methods that change the vertices and edges of a graph. Each
// is one transaction: it is done as a whole, or not at all. Many changes in one
// transaction cost far less than one transaction each.

// WriteResult is the answer of the methods that change a graph.
type WriteResult struct {
	Graph string
	storage.WriteStats
	Notices []Notice
}

// UpdateVerticesRequest asks to set attributes of vertices: of those that it
// lists, or of those that meet a condition.
type UpdateVerticesRequest struct {
	Graph string
	// Vertices have the values to be set; a missing value takes the attribute
	// from the vertex. All must be there.
	Vertices []storage.Vertex
	// Where, if not nil, asks for all vertices that it admits instead, which get
	// the values of Set. It is called from one goroutine.
	Where      func(Candidate) bool
	Attributes []string // that Where reads, as in NearestRequest
	Set        []storage.NamedValue
}

// DeleteVerticesRequest asks to delete vertices with their edges: those of the
// keys, or those that meet a condition.
type DeleteVerticesRequest struct {
	Graph string
	Keys  []string // those that are not there are counted
	// Where, if not nil, asks for all vertices that it admits instead. It is
	// called from one goroutine.
	Where      func(Candidate) bool
	Attributes []string // that Where reads, as in NearestRequest
}

// DeleteEdgesFileRequest asks to delete the edges that a file lists.
type DeleteEdgesFileRequest struct {
	Graph string
	// Path is a text file of two columns, as in ScoreFileRequest; "-" is
	// Options.Input.
	Path      string
	Header    format.HeaderMode
	Separator string
	// Source and Target are the columns of the ends, by name or number, and
	// SkipBad leaves bad lines out, as in ImportRequest.
	Source, Target string
	SkipBad        bool
}

// Update calls f with a write transaction over any number of graphs, and
// commits what f did if it returns nil. Other writers wait meanwhile, readers do
// not. Inside f the methods of db that write must not be called.
func (db *DB) Update(ctx context.Context, f func(*storage.Tx) error) error {
	c, err := db.begin(ctx, "UPDATE")
	if err != nil {
		return err
	}
	defer c.end()
	if err := c.writable(); err != nil {
		return c.wrap(err)
	}
	return c.wrap(db.store.Update(ctx, f))
}

// InsertVertices adds vertices with values of their attributes. Of a vertex that
// is there already, the values are set.
func (db *DB) InsertVertices(ctx context.Context, graph string, vertices []storage.Vertex) (WriteResult, error) {
	return db.write(ctx, "INSERT VERTEX", func(c *call) (WriteResult, error) { return c.insertVertices(graph, vertices) })
}

// UpdateVertices sets attributes of vertices.
func (db *DB) UpdateVertices(ctx context.Context, req UpdateVerticesRequest) (WriteResult, error) {
	return db.write(ctx, "UPDATE VERTEX", func(c *call) (WriteResult, error) { return c.updateVertices(req) })
}

// DeleteVertices deletes vertices with their edges.
func (db *DB) DeleteVertices(ctx context.Context, req DeleteVerticesRequest) (WriteResult, error) {
	return db.write(ctx, "DELETE VERTEX", func(c *call) (WriteResult, error) { return c.deleteVertices(req) })
}

// InsertEdges adds edges, and vertices where their ends are not there. Of an
// edge that is there already, the weight and time are set where they are given.
// Self-loops are left out, but not their vertices.
func (db *DB) InsertEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return db.write(ctx, "INSERT EDGE", func(c *call) (WriteResult, error) { return c.insertEdges(graph, edges) })
}

// UpdateEdges sets weights and times of edges, all of which must be there.
func (db *DB) UpdateEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return db.write(ctx, "UPDATE EDGE", func(c *call) (WriteResult, error) { return c.updateEdges(graph, edges) })
}

// DeleteEdges deletes edges, of which only the ends count; their vertices stay.
func (db *DB) DeleteEdges(ctx context.Context, graph string, edges []storage.Edge) (WriteResult, error) {
	return db.write(ctx, "DELETE EDGE", func(c *call) (WriteResult, error) { return c.deleteEdges(graph, edges) })
}

// DeleteEdgesFile deletes the edges of a file in one transaction, in which other
// writers wait while it is read.
func (db *DB) DeleteEdgesFile(ctx context.Context, req DeleteEdgesFileRequest) (WriteResult, error) {
	return db.write(ctx, "DELETE EDGES FILE", func(c *call) (WriteResult, error) { return c.deleteEdgesFile(req) })
}

// DropAttribute takes an attribute from all vertices of a graph.
func (db *DB) DropAttribute(ctx context.Context, graph, attribute string) error {
	_, err := db.write(ctx, "DROP ATTRIBUTE", func(c *call) (WriteResult, error) {
		return WriteResult{}, c.dropAttribute(graph, attribute)
	})
	return err
}

// write frames the methods above.
func (db *DB) write(ctx context.Context, statement string, f func(*call) (WriteResult, error)) (WriteResult, error) {
	c, err := db.begin(ctx, statement)
	if err != nil {
		return WriteResult{}, err
	}
	defer c.end()
	result, err := f(c)
	return result, c.wrap(err)
}

// checkWrite refuses a graph that is not there, and a file that cannot be
// written.
func (c *call) checkWrite(graph string) (storage.GraphInfo, error) {
	if err := c.writable(); err != nil {
		return storage.GraphInfo{}, err
	}
	return c.graphInfo(graph, partGraph)
}

// change runs one transaction on one graph, and tells which attributes it made.
func (c *call) change(graph string, f func(*storage.Tx) (storage.WriteStats, error)) (WriteResult, error) {
	if _, err := c.checkWrite(graph); err != nil {
		return WriteResult{}, err
	}
	stop := c.watch.start(stepStore)
	result := WriteResult{Graph: graph}
	var before, after storage.GraphInfo
	err := c.db.store.Update(c.ctx, func(tx *storage.Tx) (err error) {
		if before, err = tx.Graph(graph); err != nil {
			return err
		}
		if result.WriteStats, err = f(tx); err != nil {
			return err
		}
		after, err = tx.Graph(graph)
		return err
	})
	if err != nil {
		return WriteResult{}, c.writeMistake(graph, err)
	}
	stop(result.changes(), "")
	for _, a := range after.Attributes {
		if _, known := attributeOf(before, a.Name); !known {
			c.notice("graph %s has a new attribute %s of the type %s", name(graph), name(a.Name), a.Type)
		}
	}
	if result.SelfLoops > 0 {
		c.notice("%s left out: an edge has two ends", count(result.SelfLoops, "self-loop"))
	}
	result.Notices = c.notices
	return result, nil
}

// changes is how many vertices or edges a call changed.
func (r WriteResult) changes() int64 { return r.Inserted + r.Updated + r.Deleted }

// writeMistake turns what the store refuses about a name or a value into an
// Error.
func (c *call) writeMistake(graph string, err error) error {
	var missing *storage.NotFoundError
	if errors.As(err, &missing) {
		at, known := c.named[missing.Name]
		if !known {
			at = partStatement
		}
		if missing.Kind == "vertex" {
			return c.unknownVertex(graph, missing.Name, at)
		}
		e := mistake(at, "%s %s is not in graph %s", missing.Kind, quote(missing.Name), name(graph))
		e.Err = err
		return e
	}
	for _, refusal := range []error{storage.ErrInvalid, storage.ErrName, storage.ErrKey, storage.ErrLimit} {
		if errors.Is(err, refusal) {
			e := mistake(partStatement, "%v", plainly(err))
			e.Err = err
			return e
		}
	}
	return err
}

// edgeName is how the store names an edge in errors.
func edgeName(e storage.Edge) string { return e.Source + " – " + e.Target }

func (c *call) insertVertices(graph string, vertices []storage.Vertex) (WriteResult, error) {
	return c.change(graph, func(tx *storage.Tx) (storage.WriteStats, error) { return tx.InsertVertices(graph, vertices) })
}

func (c *call) insertEdges(graph string, edges []storage.Edge) (WriteResult, error) {
	return c.change(graph, func(tx *storage.Tx) (storage.WriteStats, error) { return tx.InsertEdges(graph, edges) })
}

func (c *call) updateEdges(graph string, edges []storage.Edge) (WriteResult, error) {
	return c.change(graph, func(tx *storage.Tx) (storage.WriteStats, error) { return tx.UpdateEdges(graph, edges) })
}

func (c *call) deleteEdges(graph string, edges []storage.Edge) (WriteResult, error) {
	return c.change(graph, func(tx *storage.Tx) (storage.WriteStats, error) { return tx.DeleteEdges(graph, edges) })
}

// check refuses columns that no file can have, and a file that cannot be read.
func (r DeleteEdgesFileRequest) check(c *call) error {
	columns := ImportRequest{Source: r.Source, Target: r.Target, Header: r.Header, Separator: r.Separator}
	if err := columns.checkColumns(); err != nil {
		return err
	}
	return c.checkInput(r.Path, partFile)
}

func (c *call) deleteEdgesFile(req DeleteEdgesFileRequest) (WriteResult, error) {
	if err := req.check(c); err != nil {
		return WriteResult{}, err
	}
	return c.change(req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
		in, size, err := c.openInput(req.Path, partFile)
		if err != nil {
			return storage.WriteStats{}, err
		}
		defer in.Close()
		opts := format.EdgeListOptions{
			Name: inputName(req.Path), Size: size, Header: req.Header, Separator: req.Separator,
			Source: req.Source, Target: req.Target, SkipBad: req.SkipBad, Progress: c.meter.update,
		}
		return c.deleteEdgesOf(tx, req.Graph, in, opts)
	})
}

// deleteEdgesOf deletes the edges that a reader lists, a batch at a time.
func (c *call) deleteEdgesOf(tx *storage.Tx, graph string, in io.Reader, opts format.EdgeListOptions) (storage.WriteStats, error) {
	const batch = 1 << 16 // some megabytes, and enough that most blocks are written once
	var total storage.WriteStats
	edges := make([]storage.Edge, 0, batch)
	flush := func() error {
		stats, err := tx.DeleteEdges(graph, edges)
		total.Deleted += stats.Deleted
		total.Missing += stats.Missing
		total.Version = stats.Version
		edges = edges[:0]
		return err
	}
	read, err := format.ReadPairs(c.ctx, in, opts, func(source, target []byte) error {
		edges = append(edges, storage.Edge{Source: string(source), Target: string(target)})
		if len(edges) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if read.Skipped > 0 && read.FirstSkipped != nil {
		c.notice("%s skipped, the first: %v", count(read.Skipped, "bad line"), read.FirstSkipped)
	}
	return total, err
}

func (c *call) dropAttribute(graph, attribute string) error {
	info, err := c.checkWrite(graph)
	if err != nil {
		return err
	}
	if _, ok := attributeOf(info, attribute); !ok {
		return unknownAttribute(info, attribute, partAttribute)
	}
	return c.db.store.Update(c.ctx, func(tx *storage.Tx) error { return tx.DropAttribute(graph, attribute) })
}

func (c *call) updateVertices(req UpdateVerticesRequest) (WriteResult, error) {
	if req.Where == nil {
		return c.change(req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.UpdateVertices(req.Graph, req.Vertices)
		})
	}
	return c.changeWhere(req.Graph, req.Where, req.Attributes, func(tx *storage.Tx, keys []string) (storage.WriteStats, error) {
		vertices := make([]storage.Vertex, len(keys))
		for i, key := range keys {
			vertices[i] = storage.Vertex{Key: key, Values: req.Set}
		}
		return tx.UpdateVertices(req.Graph, vertices)
	})
}

func (c *call) deleteVertices(req DeleteVerticesRequest) (WriteResult, error) {
	if req.Where == nil {
		return c.change(req.Graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			return tx.DeleteVertices(req.Graph, req.Keys)
		})
	}
	return c.changeWhere(req.Graph, req.Where, req.Attributes, func(tx *storage.Tx, keys []string) (storage.WriteStats, error) {
		return tx.DeleteVertices(req.Graph, keys)
	})
}

// changeWhere changes the vertices that meet a condition. They are looked for
// outside the transaction, so that other writers do not wait; if one of them has
// changed the graph by then, they are looked for again, the last time inside.
func (c *call) changeWhere(graph string, where func(Candidate) bool, attributes []string, f func(*storage.Tx, []string) (storage.WriteStats, error)) (WriteResult, error) {
	const (
		outside  = 3   // attempts
		keyBytes = 100 // a key of usual length, and what the store's batch has of each
	)
	for attempt := 1; ; attempt++ {
		keys, version, err := c.admitted(graph, where, attributes)
		if err != nil {
			return WriteResult{}, err
		}
		release, err := c.db.cache.reserve(keyBytes*int64(len(keys)), "the keys of "+count(int64(len(keys)), "vertex"))
		if err != nil {
			return WriteResult{}, err
		}
		result, err := c.change(graph, func(tx *storage.Tx) (storage.WriteStats, error) {
			now, err := tx.Graph(graph)
			if err != nil {
				return storage.WriteStats{}, err
			}
			if now.Version != version {
				if attempt < outside {
					return storage.WriteStats{}, storage.ErrConflict
				}
				c.forget(graph)
				if keys, _, err = c.admitted(graph, where, attributes); err != nil {
					return storage.WriteStats{}, err
				}
			}
			return f(tx, keys)
		})
		release()
		if !errors.Is(err, storage.ErrConflict) || attempt >= outside {
			return result, err
		}
		c.forget(graph)
	}
}

// admitted returns the keys of the vertices that meet a condition, and the
// version of the graph that was asked.
func (c *call) admitted(graph string, where func(Candidate) bool, attributes []string) ([]string, uint64, error) {
	found, err := c.resolveVertices(VerticesRequest{Graph: graph, Where: where, Attributes: attributes})
	if err != nil {
		return nil, 0, err
	}
	stop := c.watch.start(stepScan)
	var keys []string
	err = found.each(c.ctx, func(v uint32) error {
		keys = append(keys, found.graph.Key(v))
		return nil
	})
	stop(int64(len(keys)), found.scanned())
	return keys, found.graph.Info.Version, err
}
