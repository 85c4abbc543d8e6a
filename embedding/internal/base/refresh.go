package base

import "math"

// RefreshStats describe a refresh.
type RefreshStats struct {
	Full     bool    `json:"full"`     // everything was computed again, in new coordinates
	Reason   string  `json:"reason"`   // why the refresh was full or partial, in words
	Touched  int     `json:"touched"`  // vertices that are new or whose edges changed
	Residual float64 `json:"residual"` // spectral: the largest ‖Nt − λt‖ / λ₁ of the parts that were not solved in full
	Kept     int     `json:"kept"`     // spectral: parts without changes
	Refined  int     `json:"refined"`  // spectral: parts updated by one or two steps
	Solved   int     `json:"solved"`   // spectral: parts solved in full
	// SolvedShare is the fraction of the vertices that are in parts solved in full. It is
	// not set where Full is set.
	SolvedShare float64 `json:"solved_share"`
	Walks       int     `json:"walks"` // walks: number that was trained on
	// MeanDrift and MaxDrift are the distances by which the vectors of old vertices
	// moved, relative to the root mean square of their norms, with parts at the origin.
	MeanDrift float64 `json:"mean_drift"`
	MaxDrift  float64 `json:"max_drift"`
	Seconds   float64 `json:"seconds"`
}

// Mostly reports whether more than half of the vertices were solved in full, so that
// the refresh cost about as much as computing the embedding.
func (s RefreshStats) Mostly() bool { return s.Full || s.SolvedShare > 0.5 }

// Drift measures how far vectors moved.
type Drift struct {
	rows           int
	sum, max, norm float64 // of distances, and of squared norms before
}

// Add counts a vector; missing coordinates of after are 0.
func (d *Drift) Add(before, after []float32) {
	distance, norm := 0.0, 0.0
	for i, x := range before {
		diff := float64(x)
		if i < len(after) {
			diff -= float64(after[i])
		}
		distance += diff * diff
		norm += float64(x) * float64(x)
	}
	distance = math.Sqrt(distance)
	d.rows++
	d.sum += distance
	d.max = max(d.max, distance)
	d.norm += norm
}

// Join adds the vectors that another Drift has counted.
func (d *Drift) Join(o Drift) {
	d.rows, d.sum, d.max, d.norm = d.rows+o.rows, d.sum+o.sum, max(d.max, o.max), d.norm+o.norm
}

// Mean returns the mean distance, relative to the root mean square of the norms.
func (d *Drift) Mean() float64 { return d.relative(d.sum / float64(max(d.rows, 1))) }

// Most returns the largest distance, relative to the root mean square of the norms.
func (d *Drift) Most() float64 { return d.relative(d.max) }

func (d *Drift) relative(x float64) float64 {
	if d.norm == 0 {
		return 0
	}
	return x / math.Sqrt(d.norm/float64(d.rows))
}
