// Package base holds what the methods of embedding share: errors and limits of options,
// checkpoints, and the statistics of a refresh. It knows no method. Package embedding has
// its exported types and errors as aliases.
package base
