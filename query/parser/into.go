package parser

// IntoFile is a statement with rows and INTO FILE 'file' [WITH (…)] behind it, which
// writes the rows into a file.
//
//	intofile     = plain "INTO" "FILE" string [ options ]   e.g. SHOW VERTICES IN social INTO FILE 'people.parquet';
type IntoFile struct {
	Range
	Statement Statement // one that hasRows, never an IntoFile
	File      Value     // String or Param
	Options   []Option
}

// Heading is the heading of the statement that has the rows.
func (s *IntoFile) Heading() string { return s.Statement.Heading() }

// plain is a statement that begins at a position and has just been read, with INTO FILE behind it.
func (p *parser) plain(begin Pos, s Statement) Statement {
	return p.ranged(begin, p.into(p.ranged(begin, s)))
}

// into reads INTO FILE behind a statement with rows, where it is there.
func (p *parser) into(s Statement) Statement {
	if p.err != nil || !hasRows(s) || !p.keyword("INTO") {
		return s
	}
	f := &IntoFile{Statement: s, File: p.file()}
	f.Options = p.optionsOf("INTO FILE")
	return f
}

func (s *IntoFile) String() string {
	return s.Statement.String() + intoFile(s.File) + withOptions(s.Options)
}

// hasRows reports whether the rows of a statement can go into a file: it answers a
// question, and does not write a file already.
func hasRows(s Statement) bool {
	switch s := s.(type) {
	case *Show, *ShowVertices, *ShowEdges, *ShowNeighbors, *ShowAttributes, *ShowGenerations, *ShowVector, *Path, *CountVertices,
		*DescribeGraph, *DescribeVertex, *DescribeEmbedding, *DescribeModel,
		*Nearest, *NearestFor, *Within, *Score, *Predict, *Predicted, *Diff,
		*EvaluateReconstruction, *EvaluateParameters, *EvaluateLabels, *EvaluateLinks:
		return true
	case *Compute:
		return !s.Background
	}
	return false
}
