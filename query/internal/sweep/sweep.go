package sweep

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// Columns are the columns of a row about one radius, and EvaluationColumns are those with
// the power law of the degrees.
const (
	Columns           = "epsilon, radius, edges, pearson, spearman, kendall, precision, recall" + means
	EvaluationColumns = "epsilon, radius, edges, pearson, spearman, kendall, alpha, xmin, ks, precision, recall" + means

	means = ", f1, h3, null_pearson, null_spearman, null_kendall, null_f1, null_h3"
)

// Reading says what the figures show.
const Reading = "pearson, spearman and kendall compare only the degrees, which the lengths of the vectors alone can give: the columns null_… are the figures of the same lengths in random directions. f1 compares only the edges, and h3, the harmonic mean of pearson, spearman and f1 (0 if one of them is not positive), is high only if the same graph has both"

// Rows are the rows of the points of a sweep: of the best one, with the null of its vectors if
// there is one, or of all.
func Rows(points []evaluate.ReconstructionPoint, best int, null *evaluate.ReconstructionPoint, all bool, row func(p evaluate.ReconstructionPoint, null *evaluate.ReconstructionPoint) []rows.Value) [][]rows.Value {
	var table [][]rows.Value
	for i, p := range points {
		switch {
		case i == best:
			table = append(table, row(p, null))
		case all:
			table = append(table, row(p, nil))
		}
	}
	return table
}

// PointRow is a row about one radius.
func PointRow(p evaluate.ReconstructionPoint, null *evaluate.ReconstructionPoint) []rows.Value {
	return append(upTo(p), edgesOf(p, null)...)
}

// EvaluationRow is a point with the power law of its degrees.
func EvaluationRow(p evaluate.ReconstructionPoint, null *evaluate.ReconstructionPoint) []rows.Value {
	fitted := p.Law.Xmin > 0
	row := append(upTo(p), cells.When(fitted, cells.Number(p.Law.Alpha)), cells.When(fitted, int64(p.Law.Xmin)), cells.Number(p.KS()))
	return append(row, edgesOf(p, null)...)
}

// upTo are the cells of a point up to its correlations, and edgesOf those about its edges and the
// null.
func upTo(p evaluate.ReconstructionPoint) []rows.Value {
	return []rows.Value{p.Epsilon, p.Radius, p.Edges, cells.Number(p.Pearson), cells.Number(p.Spearman), cells.Number(p.Kendall)}
}

func edgesOf(p evaluate.ReconstructionPoint, null *evaluate.ReconstructionPoint) []rows.Value {
	row := []rows.Value{cells.Number(p.Precision), cells.Number(p.Recall), cells.Number(p.F1), cells.Number(p.H3)}
	if null == nil {
		return append(row, nil, nil, nil, nil, nil)
	}
	return append(row, cells.Number(null.Pearson), cells.Number(null.Spearman), cells.Number(null.Kendall), cells.Number(null.F1), cells.Number(null.H3))
}

// ForNull are the options for the null of vectors, whose degrees need no power law.
func ForNull(c *engine.Call, opts evaluate.ReconstructOptions) evaluate.ReconstructOptions {
	opts.PowerLaw, opts.BestLaw = false, false
	opts.Progress = func(_ string, done, total int64) { c.Meter.Update("joining the null", done, total) }
	return opts
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
		option.Enum("criterion", "the measure that decides which radius is best: the correlation of the degrees (pearson, spearman, kendall, or both pearson and spearman), f1 of the edges, h3 of both, or the smallest distance ks of the degrees from the power law fitted to them, over at least 50 vertices; only among reconstructions with "+fmt.Sprintf("at least %v times the edges of the graph, and at most %v times as many or %v of all pairs", evaluate.LeastEdges, evaluate.MostEdges, evaluate.MostPairs), Criteria(), criterion),
		option.Bool("sweep", "show every point that "+subject+" tried, not only the best", all),
	}
}

// Criteria are the names of evaluate.Criterion, by its numbers.
func Criteria() []string {
	return []string{"pearson", "spearman", "kendall", "f1", "ks", "both", "h3"}
}
