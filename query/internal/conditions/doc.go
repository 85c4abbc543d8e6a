// Package conditions compiles the conditions of WHERE into functions of a where.Candidate.
// Every operand has a type, checked before anything runs; a comparison with a
// missing value is unknown, and only candidates for which the condition is true
// pass, as in SQL.
package conditions
