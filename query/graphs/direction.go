package graphs

import "heavytail/embedding/option"

// Direction is which edges of a directed graph ways follow. In an undirected graph all are the same.
type Direction string

// The directions.
const (
	DirectionOut  Direction = "out"  // from their sources to their targets
	DirectionIn   Direction = "in"   // from their targets to their sources
	DirectionBoth Direction = "both" // the undirected view
)

// directionField is the option direction, which is out where it is left out.
func directionField[R any](doc string, at func(*R) *Direction) option.Field[R] {
	return option.Choice("direction", doc, []string{string(DirectionOut), string(DirectionIn), string(DirectionBoth)}, at)
}
