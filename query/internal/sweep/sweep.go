package sweep

import (
	"fmt"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// PointRow is a row about one radius.
func PointRow(p evaluate.ReconstructionPoint) []rows.Value {
	return []rows.Value{p.Epsilon, p.Radius, p.Edges, cells.Number(p.Pearson), cells.Number(p.Spearman), cells.Number(p.Kendall), cells.Number(p.Precision), cells.Number(p.Recall)}
}

// Implausible returns the text of a notice for a reconstruction with far too many
// edges; "" if their number is plausible.
func Implausible(edges, original int64) string {
	return fmt.Sprintf("no radius gives a number of edges from %v times the %s of the graph to %v times as many or %v of all pairs; the best other radius gives %d edges, which is not a reconstruction",
		evaluate.LeastEdges, fault.Count(original, "edge"), evaluate.MostEdges, evaluate.MostPairs, edges)
}

// Bytes is the largest memory for the counts of one pass over all pairs.
func Bytes(c *engine.Call) int64 { return min(1<<30, max(1<<20, c.DB.Opts.MemoryLimit/8)) }

// MaxPoints bounds the number of radii of a sweep: each takes 4 bytes per
// vertex, and beyond some hundreds the best radius hardly changes.
const MaxPoints = 10_000

// Fields are the options of statements that try many radii; subject is the noun or pronoun for the
// statement in their texts. The last one is whether every point is shown.
func Fields[O any](subject string, grid func(*O) *evaluate.Grid, points func(*O) *int, criterion func(*O) *evaluate.Criterion, all func(*O) *bool) option.Schema[O] {
	return option.Schema[O]{
		option.Enum("grid", "which radii "+subject+" tries: quantiles of the distances, or epsilon from 0.01 to 0.50", []string{"quantiles", "paper"}, grid),
		option.Int("points", "how many quantiles "+subject+" tries at first", points).OrElse(128).Between(2, MaxPoints),
		option.Enum("criterion", "the measure that decides which radius is best: the correlation of the degrees (pearson, spearman, kendall, or both pearson and spearman), f1 of the edges, or the smallest distance ks of the degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with "+fmt.Sprintf("at least %v times the edges of the graph, and at most %v times as many or %v of all pairs", evaluate.LeastEdges, evaluate.MostEdges, evaluate.MostPairs), Criteria(), criterion),
		option.Bool("sweep", "show every point that "+subject+" tried, not only the best", all),
	}
}

// Criteria are the names of evaluate.Criterion, by its numbers.
func Criteria() []string { return []string{"pearson", "spearman", "kendall", "f1", "ks", "both"} }

// EvaluationRow is a point with the power law of its degrees.
func EvaluationRow(p evaluate.ReconstructionPoint) []rows.Value {
	row, fitted := PointRow(p), p.Law.Xmin > 0
	return slices.Insert(row, len(row)-2, cells.When(fitted, cells.Number(p.Law.Alpha)), cells.When(fitted, int64(p.Law.Xmin)), cells.Number(p.KS()))
}
