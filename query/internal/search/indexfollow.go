package search

import "fmt"

// RecallText describes a recall, with the lowest of a single search if it is known.
func RecallText(mean, lowest, poor float64) string {
	return fmt.Sprintf("recall %.4g, lowest %.2g, %.3g %% of queries below 0.5", mean, lowest, 100*poor)
}
