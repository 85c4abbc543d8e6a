// Package entries finds the entries of the catalogue that requests name: embeddings and their indexes,
// models and predictions, and what depends on them.
package entries
