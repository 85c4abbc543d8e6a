package query

import "heavytail/storage"

// This file runs the bound statements that bring graphs in and out.

type importOp struct{ req ImportRequest }

func (o *importOp) exec(c *call) (*Rows, error) {
	r, err := c.importFile(o.req)
	if err != nil {
		return nil, err
	}
	return rowsOf(
		[]string{"graph", "vertices", "edges", "duplicates", "self_loops", "skipped", "seconds"},
		[][]Value{{o.req.Graph, int64(r.Vertices), r.Edges, r.Duplicates, r.SelfLoops, r.Skipped, r.Seconds}}), nil
}

type importVerticesOp struct{ req ImportRequest }

func (o *importVerticesOp) exec(c *call) (*Rows, error) {
	r, err := c.importFile(o.req)
	return rowsOf(
		[]string{"graph", "vertices", "inserted", "updated", "skipped", "seconds"},
		[][]Value{{o.req.Graph, int64(r.Vertices), r.NewVertices, r.UpdatedVertices, r.Skipped, r.Seconds}}), err
}

type exportGraphOp struct {
	req  ExportRequest
	form exportFormat
	info storage.GraphInfo
}

func (o *exportGraphOp) exec(c *call) (*Rows, error) {
	r, err := c.exportGraph(o.req)
	return rowsOf([]string{"file", "edges"}, [][]Value{{r.Path, r.Rows}}), err
}

type exportVerticesOp struct {
	req  ExportRequest
	info storage.GraphInfo
}

func (o *exportVerticesOp) exec(c *call) (*Rows, error) {
	r, err := c.exportVertices(o.req)
	return rowsOf([]string{"file", "vertices"}, [][]Value{{r.Path, r.Rows}}), err
}

type exportWalksOp struct {
	req   ExportWalksRequest
	given []setting
	text  string // the method in the language
	info  storage.GraphInfo
}

func (o *exportWalksOp) exec(c *call) (*Rows, error) {
	r, err := c.exportWalks(o.req, o.given)
	return rowsOf([]string{"file", "walks"}, [][]Value{{r.Path, r.Rows}}), err
}

type exportEmbeddingOp struct {
	req  ExportRequest
	form exportFormat
	info storage.EmbeddingInfo
}

func (o *exportEmbeddingOp) exec(c *call) (*Rows, error) {
	r, err := c.exportEmbedding(o.req)
	return rowsOf([]string{"file", "vectors"}, [][]Value{{r.Path, r.Rows}}), err
}

type generateOp struct {
	req   GenerateRequest
	given []setting
	text  string // the generator in the language
}

func (o *generateOp) exec(c *call) (*Rows, error) {
	r, err := c.generate(o.req, o.given)
	return rowsOf([]string{"graph", "vertices", "edges", "seconds"},
		[][]Value{{r.Graph.Name, int64(r.Graph.Vertices), r.Graph.Edges, r.Seconds}}), err
}
