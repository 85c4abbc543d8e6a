package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"heavytail/index"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Call is the part of one call of a method of DB that does not depend on the
// statement: the versions of graphs and embeddings that it has loaded, and the
// receivers of its progress and notices. It belongs to one goroutine; only the
// meter may be used from several.
type Call struct {
	store *storage.DB
	cache *Cache
	files *Files

	Ctx       context.Context
	Statement string
	Meter     *meter
	Watch     *plan.Stopwatch
	Notices   []rows.Notice
	OnNotice  func(rows.Notice) // receives each notice at once; may be nil
	Graphs    map[string]*Graph // by name: a call sees one version of a graph
	Spaces    map[string]*Space // by name of the embedding
	Releases  []func()          // unpin what the call has pinned in the cache
}

// New begins a call without a receiver of progress.
func New(ctx context.Context, store *storage.DB, cache *Cache, files *Files, statement string) *Call {
	return &Call{
		store: store, cache: cache, files: files, Ctx: ctx, Statement: statement,
		Meter:  NewMeter(statement, nil, time.Now),
		Watch:  plan.NewStopwatch(time.Now),
		Graphs: map[string]*Graph{},
		Spaces: map[string]*Space{},
	}
}

// Release unpins what the call has pinned in the cache.
func (c *Call) Release() {
	for _, release := range slices.Backward(c.Releases) { // objects that share memory with others are released before those
		release()
	}
	c.Releases = nil
}

// Notice records a remark about the answer.
func (c *Call) Notice(format string, args ...any) { c.note(rows.Notice{}, format, args...) }

// Early is Notice for the effects of work that the statement is about to do.
func (c *Call) Early(format string, args ...any) { c.note(rows.Notice{Early: true}, format, args...) }

// Advise is Notice for a suggestion of a further statement.
func (c *Call) Advise(format string, args ...any) { c.note(rows.Notice{Advice: true}, format, args...) }

func (c *Call) note(n rows.Notice, format string, args ...any) {
	n.Statement, n.Text = c.Statement, fmt.Sprintf(format, args...)
	if slices.Contains(c.Notices, n) { // a statement may cause the same notice several times
		return
	}
	c.Notices = append(c.Notices, n)
	if c.OnNotice != nil {
		c.OnNotice(n)
	}
}

// Rest handles the error of a list that lacks only damaged entries
// (storage.PartialError): it gives a notice of what is missing and returns nil. one
// names an entry of the list, such as "a model", and remedy is the remedy. Other
// errors are returned unchanged.
func (c *Call) Rest(err error, one, remedy string) error {
	var partial *storage.PartialError
	if !errors.As(err, &partial) {
		return err
	}
	c.Notice("%s is not listed; %s: %v", one, remedy, err)
	return nil
}

// Await runs f, which cannot be interrupted, and returns early when the context
// of the call ends. f then continues until it ends, so it must not write
// anything that is read afterwards.
func (c *Call) Await(f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return c.Ctx.Err()
	case <-c.Ctx.Done():
		return c.Ctx.Err()
	}
}

// Forget makes the call see the current version of a graph, and no longer the
// one that it saw so far.
func (c *Call) Forget(graph string) { delete(c.Graphs, graph) }

// Graph is a graph as one call sees it.
type Graph struct {
	*storage.Snapshot
	hit bool // it was in memory already
	// Vertices has the number in the whole graph of each vertex of a part of it, ascending;
	// nil if it is the whole graph. See Call.ReadPart.
	Vertices []uint32
	names    []string          // attributes that were read of a part
	columns  []*storage.Column // their values
	edges    []*storage.Column // attributes of edges that were read of a part
	directed *csr.Directed     // of a part of a directed graph
}

// Space is an embedding as one call sees it, with the graph that it belongs to.
type Space struct {
	*Matched
	Graph    *Graph
	hit      bool // the vectors were already in memory
	IndexHit bool // the index that was used was already in memory
}

// Matched is an embedding for the vertices of one version of its graph.
type Matched struct {
	*Vectors          // row v belongs to vertex v; later vertices have no row
	Behind   uint64   // number of newer versions of the graph, except versions that changed only attributes
	touched  []uint32 // vertices that were added since, or whose edges changed, ascending
	all      bool     // any vertex may have changed

	// Set if vertices were deleted since: the stored vectors, which include the
	// rows of deleted vertices, and the vertex of each stored row, or
	// storage.NoRow.
	stored   *Vectors
	vertices []uint32
}

// Files opens the files that statements name: anywhere, or only inside one
// folder.
type Files struct {
	Folder *os.Root  // nil for anywhere
	input  io.Reader // what "-" is; nil for nothing
	none   bool      // only the store may be used

	Wrap func(io.Reader) io.Reader // what reads a file, for tests; nil is the file
}

// Vectors are one generation of an embedding in memory, shared between calls.
type Vectors struct {
	Info   storage.EmbeddingInfo
	Matrix *vec.Matrix

	mu    sync.Mutex // guards exact
	exact map[index.Metric]*index.Exact
}
