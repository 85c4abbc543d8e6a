package query

import "heavytail/query/parser"

// This file binds the statements that bring graphs in and out.

func (b *binder) importStatement(s *parser.Import) (operation, error) {
	b.mark(partGraph, s.Graph)
	op := &importOp{req: ImportRequest{Graph: s.Graph.Name}}
	var err error
	if op.req.Path, err = b.text(partFile, s.File); err != nil {
		return nil, err
	}
	set, err := b.settings("IMPORT", importOptions(), s.Options)
	if err != nil {
		return nil, err
	}
	if err := importSettings(&op.req, set); err != nil {
		return nil, err
	}
	return op, b.checkImport(op.req)
}

func (b *binder) exportGraphStatement(s *parser.ExportGraph) (operation, error) {
	b.mark(partGraph, s.Graph)
	req, err := b.exportRequest("EXPORT GRAPH", s.Graph.Name, s.File, s.Options)
	if err != nil {
		return nil, err
	}
	info, err := b.graphInfo(req.Name, partGraph)
	return &exportGraphOp{req, info}, err
}

func (b *binder) exportEmbeddingStatement(s *parser.ExportEmbedding) (operation, error) {
	b.mark(partEmbedding, s.Embedding)
	req, err := b.exportRequest("EXPORT EMBEDDING", s.Embedding.Name, s.File, s.Options)
	if err != nil {
		return nil, err
	}
	info, err := b.embeddingInfo(req.Name, partEmbedding)
	return &exportEmbeddingOp{req, info}, err
}

func (b *binder) exportRequest(statement, object string, file parser.Value, options []parser.Option) (req ExportRequest, err error) {
	req.Name = object
	if req.Path, err = b.text(partInto, file); err != nil {
		return req, err
	}
	set, err := b.settings(statement, []OptionInfo{overwriteOption()}, options)
	if err != nil {
		return req, err
	}
	req.Overwrite = set.boolean("overwrite")
	return req, b.checkOutput(req.Path, req.Overwrite, partInto)
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
