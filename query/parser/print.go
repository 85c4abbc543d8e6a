package parser

import "strings"

// This file writes statements as canonical text.

func (s *CreateGraph) String() string { return "CREATE GRAPH " + s.Graph.String() }

func (s *DropGraph) String() string {
	text := "DROP GRAPH " + s.Graph.String()
	if s.Cascade {
		text += " CASCADE"
	}
	return text
}

func (s *DropEmbedding) String() string { return "DROP EMBEDDING " + s.Embedding.String() }

func (s *DropAttribute) String() string {
	return "DROP ATTRIBUTE " + s.Attribute.String() + " FROM " + s.Graph.String()
}

func (s *InsertVertices) String() string {
	return "INSERT VERTEX " + list(s.Vertices) + " INTO " + s.Graph.String()
}

func (s *InsertEdges) String() string {
	return "INSERT EDGE " + list(s.Edges) + " INTO " + s.Graph.String()
}

func (s *UpdateVertices) String() string {
	if s.Where != nil {
		return "UPDATE VERTICES IN " + s.Graph.String() + " SET " + list(s.Values) + where(s.Where)
	}
	return "UPDATE VERTEX " + list(s.Keys) + " SET " + list(s.Values) + " IN " + s.Graph.String()
}

func (s *UpdateEdges) String() string {
	return "UPDATE EDGE " + list(s.Pairs) + " SET " + s.Values.text() + " IN " + s.Graph.String()
}

func (s *DeleteVertices) String() string {
	if s.Where != nil {
		return "DELETE VERTICES FROM " + s.Graph.String() + where(s.Where)
	}
	return "DELETE VERTEX " + list(s.Keys) + " FROM " + s.Graph.String()
}

func (s *DeleteEdges) String() string {
	return "DELETE EDGE " + list(s.Pairs) + " FROM " + s.Graph.String()
}

func (s *DeleteEdgesFile) String() string {
	return "DELETE EDGES FILE " + s.File.String() + " FROM " + s.Graph.String() + withOptions(s.Options)
}

func (s *Import) String() string {
	return "IMPORT " + s.File.String() + " INTO " + s.Graph.String() + withOptions(s.Options)
}

func (s *ImportVertices) String() string {
	return "IMPORT VERTICES " + s.File.String() + " INTO " + s.Graph.String() + withOptions(s.Options)
}

func (s *ExportGraph) String() string {
	return "EXPORT GRAPH " + s.Graph.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *ExportVertices) String() string {
	return "EXPORT VERTICES OF " + s.Graph.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *ExportWalks) String() string {
	return "EXPORT WALKS OF " + s.Graph.String() + " USING " + s.Method.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *ExportEmbedding) String() string {
	return "EXPORT EMBEDDING " + s.Embedding.String() + intoFile(s.File) + withOptions(s.Options)
}

func (s *Generate) String() string {
	return "GENERATE " + s.Generator.String() + " INTO " + s.Graph.String()
}

func (s *DescribeGraph) String() string {
	return "DESCRIBE GRAPH " + s.Graph.String() + withOptions(s.Options)
}

func (s *DescribeVertex) String() string {
	return "DESCRIBE VERTEX " + s.Vertex.String() + in(s.Graph)
}

func (s *DescribeEmbedding) String() string { return "DESCRIBE EMBEDDING " + s.Embedding.String() }

func (s *Show) String() string { return "SHOW " + string(s.What) }

func (s *ShowVertices) String() string {
	return "SHOW VERTICES" + in(s.Graph) + where(s.Where) + limit(s.Limit)
}

func (s *ShowNeighbors) String() string {
	return "SHOW NEIGHBORS OF " + s.Of.String() + in(s.Graph) + where(s.Where) + limit(s.Limit)
}

func (s *ShowAttributes) String() string { return "SHOW ATTRIBUTES" + in(s.Graph) }

func (s *Embed) String() string {
	return "EMBED " + s.Graph.String() + " USING " + s.Method.String() + " AS " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

func (s *Nearest) String() string {
	to := "(" + list(s.Examples) + ")"
	if s.To != nil {
		to = s.To.String()
	}
	return "NEAREST " + s.Count.String() + " TO " + to + " USING " + s.Using.String() + fresh(s.Fresh) + exact(s.Exact) + where(s.Where)
}

func (s *Within) String() string {
	return "WITHIN " + s.Threshold.String() + " OF " + s.Of.String() + " USING " + s.Using.String() + exact(s.Exact) + where(s.Where) + limit(s.Limit)
}

func (s *Reconstruct) String() string {
	text := "RECONSTRUCT " + s.Embedding.String() + " " + s.Threshold.String()
	if s.Graph != nil {
		text += " INTO GRAPH " + s.Graph.String()
	}
	return text + intoFile(s.File) + withOptions(s.Options)
}

func (s *EvaluateLinks) String() string {
	return "EVALUATE LINKS IN " + s.Graph.String() + " USING " + list(s.Methods) + withOptions(s.Options)
}

func (s *EvaluateParameters) String() string {
	return "EVALUATE PARAMETERS IN " + s.Graph.String() + " USING " + s.Method.String() + withOptions(s.Options)
}

func (s *EvaluateLabels) String() string {
	return "EVALUATE LABELS " + s.Attribute.String() + " OF " + s.Embedding.String() + withOptions(s.Options)
}

func (s *EvaluateReconstruction) String() string {
	return "EVALUATE RECONSTRUCTION OF " + s.Embedding.String() + withOptions(s.Options)
}

func (s *Tune) String() string {
	text := "TUNE " + s.Graph.String()
	if len(s.Methods) > 0 {
		text += " USING " + list(s.Methods)
	}
	return text + " FOR " + string(s.For) + " AS " + s.Embedding.String() + withOptions(s.Options) + background(s.Background)
}

func (s *Score) String() string {
	return "SCORE " + list(s.Pairs) + in(s.Graph) + " WITH " + list(s.Scorers) + withOptions(s.Options)
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}

func (s *Help) String() string { return strings.Join(append([]string{"HELP"}, s.Topic...), " ") }

func (s *Check) String() string { return "CHECK" }

func (s *Compact) String() string { return "COMPACT" }

func (s *Backup) String() string { return "BACKUP" + intoFile(s.File) + withOptions(s.Options) }

func (s *Migrate) String() string { return "MIGRATE" }

func (s *Recover) String() string { return "RECOVER" + intoFile(s.File) + withOptions(s.Options) }

func (s *Explain) String() string {
	if s.Profile {
		return "PROFILE " + s.Statement.String()
	}
	return "EXPLAIN " + s.Statement.String()
}
