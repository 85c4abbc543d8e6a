package parser

import "pgregory.net/rapid"

// genEach draws the vertices of a statement that answers many.
func genEach(t *rapid.T) *Each {
	if rapid.Bool().Draw(t, "all") {
		return &Each{}
	}
	return &Each{File: genValue(aString).Draw(t, "file")}
}

func genOrder(t *rapid.T) *Order {
	if !rapid.Bool().Draw(t, "ordered") {
		return nil
	}
	return &Order{By: genIdent().Draw(t, "by"), Descending: rapid.Bool().Draw(t, "descending")}
}

func genLimit(t *rapid.T) Value {
	if rapid.Bool().Draw(t, "no limit") {
		return nil
	}
	return genValue(anInt).Draw(t, "limit")
}
