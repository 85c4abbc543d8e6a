package parser

// Heading returns the keywords that a statement is known by, with which its
// canonical text begins; of EXPLAIN and PROFILE those of the statement behind
// it.
func Heading(statement Statement) string {
	switch s := statement.(type) {
	case *CreateIndex:
		return "CREATE INDEX"
	case *DropIndex:
		return "DROP INDEX"
	case *CreateGraph:
		return "CREATE GRAPH"
	case *DropGraph:
		return "DROP GRAPH"
	case *DropEmbedding:
		return "DROP EMBEDDING"
	case *DropAttribute:
		return "DROP ATTRIBUTE"
	case *InsertVertices:
		return "INSERT VERTEX"
	case *InsertEdges:
		return "INSERT EDGE"
	case *UpdateVertices:
		if s.Where != nil {
			return "UPDATE VERTICES"
		}
		return "UPDATE VERTEX"
	case *UpdateEdges:
		return "UPDATE EDGE"
	case *DeleteVertices:
		if s.Where != nil {
			return "DELETE VERTICES"
		}
		return "DELETE VERTEX"
	case *DeleteEdges:
		return "DELETE EDGE"
	case *DeleteEdgesFile:
		return "DELETE EDGES FILE"
	case *Import:
		return "IMPORT"
	case *ImportVertices:
		return "IMPORT VERTICES"
	case *ExportGraph:
		return "EXPORT GRAPH"
	case *ExportVertices:
		return "EXPORT VERTICES"
	case *ExportWalks:
		return "EXPORT WALKS"
	case *ExportEmbedding:
		return "EXPORT EMBEDDING"
	case *Generate:
		return "GENERATE"
	case *DescribeGraph:
		return "DESCRIBE GRAPH"
	case *DescribeVertex:
		return "DESCRIBE VERTEX"
	case *DescribeEmbedding:
		return "DESCRIBE EMBEDDING"
	case *Show:
		return "SHOW " + string(s.What)
	case *ShowVertices:
		return "SHOW VERTICES"
	case *ShowNeighbors:
		return "SHOW NEIGHBORS"
	case *ShowAttributes:
		return "SHOW ATTRIBUTES"
	case *Embed:
		return "EMBED"
	case *Estimate:
		return "ESTIMATE EMBED"
	case *Job:
		return string(s.Verb) + " JOB"
	case *ShowGenerations:
		return "SHOW GENERATIONS"
	case *Refresh:
		return "REFRESH"
	case *AutoRefresh:
		return "ALTER EMBEDDING"
	case *Verify:
		return "VERIFY"
	case *Diff:
		return "DIFF"
	case *Nearest:
		return "NEAREST"
	case *Within:
		return "WITHIN"
	case *Reconstruct:
		return "RECONSTRUCT"
	case *EvaluateLabels:
		return "EVALUATE LABELS"
	case *EvaluateParameters:
		return "EVALUATE PARAMETERS"
	case *EvaluateLinks:
		return "EVALUATE LINKS"
	case *EvaluateReconstruction:
		return "EVALUATE RECONSTRUCTION"
	case *Tune:
		return "TUNE"
	case *Materialize:
		return "MATERIALIZE PREDICTIONS"
	case *DropPredictions:
		return "DROP PREDICTIONS"
	case *Predicted:
		return "PREDICT"
	case *TrainModel:
		return "TRAIN MODEL"
	case *DropModel:
		return "DROP MODEL"
	case *DescribeModel:
		return "DESCRIBE MODEL"
	case *Score:
		return "SCORE"
	case *ScoreFile:
		return "SCORE FILE"
	case *Predict:
		return "PREDICT"
	case *Help:
		return "HELP"
	case *Check:
		return "CHECK"
	case *Compact:
		return "COMPACT"
	case *Backup:
		return "BACKUP"
	case *Migrate:
		return "MIGRATE"
	case *Recover:
		return "RECOVER"
	case *ExplainScore:
		return "EXPLAIN SCORE"
	case *Explain:
		return Heading(s.Statement)
	}
	return ""
}
