package reading

import (
	"fmt"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
)

// PlaceNone is the place of a column that is not read, and PlaceKey that of the keys.
const (
	PlaceNone = -1
	PlaceKey  = -2
)

// KeyColumn returns the number of the column of the keys in a table of vertices: the one that the option names, or
// by its usual names, or else the first. doubt says why there is none.
func KeyColumn(asked string, names []string) (number int, doubt string) {
	if n, ok := delimited.ColumnNumber(asked); ok {
		if n > len(names) {
			return 0, fmt.Sprintf("there is no column %d for the key; the header names %d", n, len(names))
		}
		return n, ""
	}
	if asked != "" {
		return delimited.ColumnNamed(names, asked)
	}
	for i, name := range names {
		switch strings.ToLower(name) {
		case "key", "id", "vertex", "node":
			return i + 1, ""
		}
	}
	return 1, ""
}

// Choose decides which columns of a table of vertices are read: those that are wanted, or all if that is nil. place
// has the index in columns of each, PlaceKey or PlaceNone. A column without a name is called by its place.
func Choose(names []string, types []format.Type, key int, wanted []string) (columns []format.Column, place []int, doubt string) {
	chosen := map[int]bool{}
	for _, name := range wanted {
		number, doubt := delimited.ColumnNamed(names, name)
		if doubt != "" {
			return nil, nil, doubt
		}
		chosen[number-1] = true
	}
	for i, name := range names {
		at := PlaceNone
		switch {
		case i == key:
			at = PlaceKey
		case wanted != nil && !chosen[i]:
		default:
			if name == "" {
				name = fmt.Sprintf("column%d", i+1)
			}
			at = len(columns)
			columns = append(columns, format.Column{Name: name, Type: types[i]})
		}
		place = append(place, at)
	}
	return columns, place, ""
}
