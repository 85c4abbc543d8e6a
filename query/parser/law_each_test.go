package parser

import "pgregory.net/rapid"

// genEach draws the vertices of a statement that answers many.
func genEach(t *rapid.T) *Each {
	if rapid.Bool().Draw(t, "all") {
		return &Each{}
	}
	return &Each{File: genValue(aString).Draw(t, "file")}
}
