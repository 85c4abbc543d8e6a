// Package catalogue has the entries of the catalogue as lists show them: embeddings, models and
// predictions with what has changed since they were made; and scorers, which name them.
package catalogue
