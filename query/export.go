package query

import (
	"context"
	"io"
	"iter"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// ExportRequest asks to write a graph or an embedding to a text file.
type ExportRequest struct {
	Name      string // of the graph or embedding
	Path      string // a name that ends in .gz or .zst is compressed
	Overwrite bool   // replace a file that exists, which is otherwise refused
}

// ExportResult is the answer of ExportGraph and ExportEmbedding.
type ExportResult struct {
	Path    string
	Rows    int64 // edges or vectors written
	Notices []Notice
}

// overwriteOption is the option of every statement that writes a file.
func overwriteOption() OptionInfo {
	return OptionInfo{Name: "overwrite", Type: "bool", Default: "FALSE", Doc: "replace a file that exists"}
}

// ExportGraph writes a graph as an edge list, every edge once.
func (db *DB) ExportGraph(ctx context.Context, req ExportRequest) (ExportResult, error) {
	c, err := db.begin(ctx, "EXPORT GRAPH")
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := c.exportGraph(req)
	return result, c.wrap(err)
}

func (c *call) exportGraph(req ExportRequest) (ExportResult, error) {
	if err := c.checkOutput(req.Path, req.Overwrite, partInto); err != nil {
		return ExportResult{}, err
	}
	g, err := c.graph(req.Name, partGraph)
	if err != nil {
		return ExportResult{}, err
	}
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteEdgeList(c.ctx, w, g.Graph.Vertices(), g.AppendKey, c.edges(g.Graph))
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(g.Graph.Edges(), "")
	return ExportResult{Path: req.Path, Rows: g.Graph.Edges(), Notices: c.notices}, nil
}

// edges lists every edge of a graph once, by its smaller vertex, and reports
// progress.
func (c *call) edges(g *csr.Graph) iter.Seq2[uint32, uint32] {
	const step = 1 << 14 // edges between two reports, about a millisecond
	return func(yield func(uint32, uint32) bool) {
		var done int64
		for u := range uint32(g.Vertices()) {
			for _, v := range g.Neighbors(u) {
				if v < u {
					continue
				}
				if !yield(u, v) {
					return
				}
				if done++; done%step == 0 {
					c.meter.updateUnit("writing", "edges", done, g.Edges())
				}
			}
		}
	}
}

// ExportEmbedding writes an embedding in the text format of word2vec.
func (db *DB) ExportEmbedding(ctx context.Context, req ExportRequest) (ExportResult, error) {
	c, err := db.begin(ctx, "EXPORT EMBEDDING")
	if err != nil {
		return ExportResult{}, err
	}
	defer c.end()
	result, err := c.exportEmbedding(req)
	return result, c.wrap(err)
}

func (c *call) exportEmbedding(req ExportRequest) (ExportResult, error) {
	if err := c.checkOutput(req.Path, req.Overwrite, partInto); err != nil {
		return ExportResult{}, err
	}
	s, err := c.space(req.Name, partEmbedding)
	if err != nil {
		return ExportResult{}, err
	}
	rows := s.matrix.Rows
	stop := c.watch.start(stepWrite)
	err = c.writeFile(req.Path, req.Overwrite, func(w io.Writer) error {
		return format.WriteWord2Vec(c.ctx, w, rows, s.matrix.Dim, s.graph.AppendKey, func(i int) []float32 {
			const step = 1 << 8 // rows between two reports, about a millisecond
			if i%step == 0 {
				c.meter.update("writing", int64(i), int64(rows))
			}
			return s.matrix.Row(i)
		})
	})
	if err != nil {
		return ExportResult{}, err
	}
	stop(int64(rows), "")
	return ExportResult{Path: req.Path, Rows: int64(rows), Notices: c.notices}, nil
}
