// Package plan has the tree of steps that EXPLAIN prints, and the stopwatch whose
// measurements PROFILE adds to it. It knows no statement: each statement builds
// its tree from Step, Measured and Result.
package plan
