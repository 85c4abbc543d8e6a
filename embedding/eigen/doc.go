// Package eigen finds the largest eigenpairs of a large symmetric matrix that
// is known only by its products with blocks of vectors.
//
// The method is block Lanczos with thick restarts (Wu and Simon, SIAM J. Matrix
// Anal. Appl. 22, 2000) on a Chebyshev polynomial of the matrix:
//
//  1. A few unfiltered steps from a random block give an orthonormal basis V
//     and the projected matrix VᵀNV. Its eigenpairs are the nodes and weights
//     of a Gauss quadrature of the density of states, from which [density]
//     estimates the k-th eigenvalue. If few nodes lie above it, [solver.refine] estimates it again
//     from steps with a polynomial that is large there.
//  2. [solver.planFilter] chooses the polynomial p that keeps the unwanted part of
//     the spectrum within ±1 and grows fast above it. Its degree balances
//     products with N, which are cheap, against orthogonalisation, which is not. The
//     basis keeps leading eigenvectors that the first steps have found, so the degree may be
//     one with which their eigenvalues would be too large.
//  3. Block Lanczos steps with p(N) fill the basis; every new block is made
//     orthogonal to the whole basis, since float32 loses orthogonality at once.
//     The wanted Ritz vectors and the last block are the basis to restart from. The projected
//     problem leaves out those whose residuals are far within the tolerance. The basis is filled
//     no further than convergence should take, by the rate of Chebyshev's polynomials.
//  4. When the Lanczos residuals suggest convergence, products with N itself measure
//     every eigenvalue, as a Rayleigh quotient, and every residual, in float64.
//
// If the interval of a filter turns out to contain the k-th eigenvalue, a filter with a
// lower interval replaces it. If the rounding errors of a filter are too large, a filter of
// half the degree replaces it. If a matrix is not much larger than the basis, its entries
// are computed and it is solved directly.
//
// Vectors are float32: 4·n·m bytes for a basis of m ≈ 1.5·k + 80 columns and 128·n for two blocks, which
// are given up for the result of 4·n·k. Small matrices are float64. A result depends
// only on the operator, the options and the kind of vector kernels, not on the number of
// workers.
package eigen
