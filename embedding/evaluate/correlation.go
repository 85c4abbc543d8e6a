package evaluate

// Pearson returns Pearson's correlation coefficient of x and y, which must be
// of one length. It is NaN if either is constant or has fewer than two values.
func Pearson(x, y []float64) float64 { return 0 }

// Spearman returns Spearman's rank correlation, with average ranks for ties.
func Spearman(x, y []float64) float64 { return 0 }

// Kendall returns Kendall's τ-b.
func Kendall(x, y []float64) float64 { return 0 }
