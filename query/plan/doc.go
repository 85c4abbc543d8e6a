// Package plan has the tree of steps that EXPLAIN prints, and the stopwatch whose
// measurements PROFILE adds to it. It does not depend on statements: each
// statement builds its tree from Step, Measured and Result.
package plan
