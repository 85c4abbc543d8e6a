package cells

import (
	"iter"
	"slices"
	"strings"

	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/storage"
)

// NewRows returns rows that are made while they are read.
func NewRows(columns []string, seq iter.Seq2[[]rows.Value, error]) *rows.Rows {
	return rows.New(columns, TypesOfNames(columns), seq)
}

// RowsOf returns rows that are in memory already.
func RowsOf(columns []string, table [][]rows.Value) *rows.Rows {
	return rows.Of(columns, TypesOfNames(columns), table)
}

// ColumnsIn are the columns that a help lists.
func ColumnsIn(list string) []string { return strings.Split(list, ", ") }

// None is the table of statements without a result.
func None() *rows.Rows { return RowsOf(nil, nil) }

// OrNull is the type of a column whose cells may be NULL.
func OrNull(t storage.Type) rows.ColumnType { return rows.ColumnType{Type: t} }

// Always is the type of a column without NULL.
func Always(t storage.Type) rows.ColumnType { return rows.ColumnType{Type: t, NotNull: true} }

// typeOfName returns the type of the columns whose name has the same meaning in most
// statements. A statement that uses a name for something else, or that names columns by
// attributes, sets the types of its Rows.
func typeOfName(name string) rows.ColumnType {
	switch name {
	case "bytes", "limit", "checkpoint":
		return rows.ColumnType{Type: storage.Integer, NotNull: true, Bytes: true}
	case "memory", "peak":
		return rows.ColumnType{Type: storage.Integer, Bytes: true}
	case "bytes_each":
		return rows.ColumnType{Type: storage.Float, Bytes: true}
	case "vertex", "source", "target", "graph", "object", "attribute", "type", "file", "metric", "step", "detail", "item",
		"text", "statement", "syntax", "summary", "property", "where", "fault", "remedy", "refresh", "made", "modified",
		"state", "stage", "generator", "scorer", "values", "reads", "likelier", "terms", "kind", "reason", "option",
		"class", "model", "negatives", "name":
		return Always(storage.Text)
	case "embedding", "method", "measure", "weights", "options", "error", "result", "created", "auto", "best_single":
		return OrNull(storage.Text)
	case "vertices", "degree", "dim", "dimension", "job", "deleted", "edges_deleted", "inserted", "updated", "unchanged",
		"before", "after", "from", "to", "duplicates", "self_loops", "skipped", "unknown", "missing",
		"generation", "links", "top", "computed", "trial", "train", "touched", "versions", "records", "pairs", "rank",
		"vectors", "sources", "edges", "walks", "test":
		return Always(storage.Integer)
	case "rows", "version", "behind", "changed", "m", "ef_construction", "ef", "xmin", "items":
		return OrNull(storage.Integer)
	case "distance", "similarity", "relative", "weight", "fraction", "epsilon", "radius":
		return Always(storage.Float)
	case "seconds", "score", "residual", "mean_drift", "max_drift", "stored", "full", "progress", "remaining", "recall",
		"lowest", "poor", "auc", "average_precision", "brier", "calibration_error", "best_single_auc", "precision", "f1",
		"hits", "auc_deviation", "average_precision_deviation", "null_auc", "null_average_precision",
		"h3", "null_pearson", "null_spearman", "null_kendall", "null_f1", "null_h3", "auc_low",
		"auc_high", "best_single_null_auc", "map", "map_low",
		"map_high", "behind_low", "behind_high", "recall_low", "recall_high", "ndcg", "ndcg_low", "ndcg_high", "mrr",
		"hit_rate", "coverage", "popular", "pearson", "spearman", "kendall", "alpha", "ks", "min", "mean", "max",
		"micro_f1", "micro_f1_deviation", "macro_f1", "macro_f1_deviation", "accuracy", "accuracy_deviation",
		"f1_deviation":
		return OrNull(storage.Float)
	case "confirmed", "directed":
		return Always(storage.Boolean)
	}
	return rows.ColumnType{}
}

// TypesOfNames returns the types of columns by their names.
func TypesOfNames(columns []string) []rows.ColumnType {
	return lists.Map(columns, typeOfName)
}

// TypesOfAttributes returns the types of columns with attributes of a graph, or its degree.
func TypesOfAttributes(graph storage.GraphInfo, names []string) []rows.ColumnType {
	types := make([]rows.ColumnType, len(names))
	for i, name := range names {
		a, _ := session.AttributeOf(graph, name)
		if types[i] = OrNull(a.Type); name == "degree" {
			types[i] = typeOfName(name)
		}
	}
	return types
}

// ScoreTypes are the types of the columns of scores.
func ScoreTypes(scorers int) []rows.ColumnType {
	return slices.Repeat([]rows.ColumnType{OrNull(storage.Float)}, scorers)
}
