package sweep

import (
	"fmt"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
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

// Options are the options of statements that try many radii; subject is
// the noun or pronoun for the statement in their texts.
func Options(subject string) []help.Option {
	return []help.Option{
		{Name: "grid", Type: "text", Default: "'quantiles'", Choices: []string{"quantiles", "paper"}, Doc: "which radii " + subject + " tries: quantiles of the distances, or epsilon from 0.01 to 0.50"},
		{Name: "points", Type: "int", Default: "128", Doc: "how many quantiles " + subject + " tries at first"},
		{Name: "criterion", Type: "text", Default: "'pearson'", Choices: Criteria(), Doc: "the measure that decides which radius is best: the correlation of the degrees (pearson, spearman, kendall, or both pearson and spearman), f1 of the edges, or the smallest distance ks of the degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with " + fmt.Sprintf("at least %v times the edges of the graph, and at most %v times as many or %v of all pairs", evaluate.LeastEdges, evaluate.MostEdges, evaluate.MostPairs)},
		{Name: "sweep", Type: "bool", Default: "FALSE", Doc: "show every point that " + subject + " tried, not only the best"},
	}
}

// Criteria are the names of evaluate.Criterion, by its numbers.
func Criteria() []string { return []string{"pearson", "spearman", "kendall", "f1", "ks", "both"} }

// Bind returns the checked options of a sweep.
func Bind(b *engine.Binder, set bind.Settings) (grid evaluate.Grid, points int, criterion evaluate.Criterion) {
	if set.Text("grid") == "paper" {
		grid = evaluate.Paper
	}
	criterion = evaluate.Criterion(max(0, slices.Index(Criteria(), set.Text("criterion"))))
	return grid, int(b.Within(set, "points", 2, MaxPoints)), criterion
}

// EvaluationRow is a point with the power law of its degrees.
func EvaluationRow(p evaluate.ReconstructionPoint) []rows.Value {
	row, fitted := PointRow(p), p.Law.Xmin > 0
	return slices.Insert(row, len(row)-2, cells.When(fitted, cells.Number(p.Law.Alpha)), cells.When(fitted, int64(p.Law.Xmin)), cells.Number(p.KS()))
}
