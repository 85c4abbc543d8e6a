package maintenance

import "heavytail/query/internal/engine"

// Statements lists the statements of the family, in the order in which HELP shows them.
func Statements() []engine.Described {
	return []engine.Described{
		check, compact, backup, recoverFile,
	}
}
