// Package screen decides, by products of whole tiles, which pairs of vectors may be within a limit,
// with proven bounds on their rounding. It decides no pair wrongly; what it leaves must be measured.
//
//   - [Screen] computes with float32 vectors about a centre; screen.go has the bound and its proof.
//   - A [Sieve] decides most pairs before the screen, at lower cost: projections on a few
//     directions (projection.go) or products of vectors rounded to bytes (byteform.go). [NewSieve]
//     chooses by a sample of tiles.
//
// Passes over pairs (index/pairs) use both; batches of queries (index) use the bounds of projections
// and the rounding. It knows nothing of queries, ranks and radii out of order.
package screen
