// Package plan has the tree of steps that EXPLAIN prints, and the stopwatch whose measurements
// PROFILE adds to it:
//
//	db, err := query.Open("graphs.ht", nil)
//	steps, err := db.Explain(ctx, "NEAREST 10 TO 'alice' USING spec", nil)
//	fmt.Println(steps)
//
// The package does not depend on statements: each statement builds its tree from [Step],
// [Measured] and [Result].
package plan
