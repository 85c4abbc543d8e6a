// Package where has what the conditions of requests decide about: a condition is a function of a
// Candidate, a vertex, or of an EdgeCandidate.
package where
