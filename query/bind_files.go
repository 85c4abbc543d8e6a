package query

import "heavytail/query/parser"

// This file binds the statements that bring graphs in and out.

func (b *binder) importStatement(s *parser.Import) (operation, error) {
	req, err := b.importRequest(s, s.Graph, s.File, importOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	return &importOp{req}, b.checkImport(req)
}

func (b *binder) importVerticesStatement(s *parser.ImportVertices) (operation, error) {
	req, err := b.importRequest(s, s.Graph, s.File, importVerticesOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	req = req.vertices()
	return &importVerticesOp{req}, b.checkImport(req)
}

func (b *binder) importRequest(statement parser.Statement, graph parser.Ident, file parser.Value, table []OptionInfo, options []parser.Option) (ImportRequest, error) {
	b.mark(partGraph, graph)
	req := ImportRequest{Graph: graph.Name}
	var err error
	if req.Path, err = b.text(partFile, file); err != nil {
		return req, err
	}
	set, err := b.settings(parser.Heading(statement), table, options)
	if err != nil {
		return req, err
	}
	return req, importSettings(&req, set)
}

func (b *binder) exportGraphStatement(s *parser.ExportGraph) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &exportGraphOp{}
	var err error
	if op.req, op.form, err = b.exportRequest(s, s.Graph.Name, s.File, s.Options, graphFormats); err != nil {
		return nil, err
	}
	op.info, err = b.graphInfo(op.req.Name, partGraph)
	return op, err
}

func (b *binder) exportVerticesStatement(s *parser.ExportVertices) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &exportVerticesOp{}
	var err error
	if op.req, _, err = b.exportRequest(s, s.Graph.Name, s.File, s.Options, vertexFormats); err != nil {
		return nil, err
	}
	op.info, err = b.graphInfo(op.req.Name, partGraph)
	return op, err
}

func (b *binder) exportWalksStatement(s *parser.ExportWalks) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partMethod, s.Method.Name)
	op := &exportWalksOp{req: ExportWalksRequest{Graph: s.Graph.Name, Method: s.Method.Name.Name}, text: s.Method.String()}
	var err error
	if op.given, err = b.given(s.Method.Options); err != nil {
		return nil, err
	}
	if op.req.Path, err = b.text(partInto, s.File); err != nil {
		return nil, err
	}
	set, err := b.settings(parser.Heading(s), exportWalksOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	op.req.Overwrite = set.boolean("overwrite")
	if _, err := b.walkOptions(op.req, op.given); err != nil {
		return nil, err
	}
	op.info, err = b.graphInfo(op.req.Graph, partGraph)
	return op, err
}

func (b *binder) exportEmbeddingStatement(s *parser.ExportEmbedding) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	op := &exportEmbeddingOp{}
	var err error
	if op.req, op.form, err = b.exportRequest(s, s.Embedding.Name, s.File, s.Options, embeddingFormats); err != nil {
		return nil, err
	}
	op.info, err = b.embeddingInfo(op.req.Name, partEmbedding)
	return op, err
}

func (b *binder) exportRequest(statement parser.Statement, object string, file parser.Value, options []parser.Option, formats []exportFormat) (req ExportRequest, form exportFormat, err error) {
	req.Name = object
	if req.Path, err = b.text(partInto, file); err != nil {
		return req, form, err
	}
	set, err := b.settings(parser.Heading(statement), exportOptions(formats), options)
	if err != nil {
		return req, form, err
	}
	exportSettings(&req, set)
	form, err = b.checkExport(req, formats)
	return req, form, err
}

func (b *binder) generateStatement(s *parser.Generate) (operation, error) {
	b.mark(partGraph, s.Graph)
	b.mark(partMethod, s.Generator.Name)
	if err := b.checkNewGraph(s.Graph.Name, partGraph); err != nil {
		return nil, err
	}
	given, err := b.given(s.Generator.Options)
	if err != nil {
		return nil, err
	}
	op := &generateOp{
		req:   GenerateRequest{Graph: s.Graph.Name, Generator: s.Generator.Name.Name},
		given: given, text: s.Generator.String(),
	}
	_, err = resolveGenerator(op.req.Generator, given)
	return op, err
}
