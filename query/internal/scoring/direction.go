package scoring

import (
	"slices"
	"strings"

	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/storage"
)

// This file has the option direction, for links of directed graphs.

// The directions of links of a directed graph. An empty text in a request is DirectionOut for a directed graph.
const (
	DirectionOut  = "out"  // a link is an edge from its source to its target
	DirectionBoth = "both" // a link joins two vertices of the undirected view
)

// DirectionOption is the name of the option of DirectionField, for errors.
const DirectionOption = "direction"

// DirectionField is the option direction. doc says what pairs are.
func DirectionField[O any](doc string, at func(*O) *string) option.Field[O] {
	return option.Choice(DirectionOption, "in a directed graph: out: "+doc+"; both: the undirected view", []string{DirectionOut, DirectionBoth}, at)
}

// Along reports whether links keep the direction of the edges of a graph. The error is an Error for an unknown
// direction, and for edges of a graph that have none.
func Along(graph storage.GraphInfo, direction string) (bool, error) {
	switch {
	case !slices.Contains([]string{"", DirectionOut, DirectionBoth}, direction):
		return false, fault.New(fault.Option(DirectionOption), "unknown direction %s", fault.Quote(direction)).WithExpected(DirectionOut, DirectionBoth)
	case !graph.Directed && direction == DirectionOut:
		return false, session.NoDirection(graph.Name, fault.Option(DirectionOption))
	}
	return graph.Directed && direction != DirectionBoth, nil
}

// LinksAlong is Along for links that models or sides can make undirected, which is then the default. models says why
// models do, and is empty without them; sides are those of SidesField.
func LinksAlong(graph storage.GraphInfo, direction, models, sides string) (bool, error) {
	if direction == "" && (models != "" || sides != "") {
		direction = DirectionBoth
	}
	along, err := Along(graph, direction)
	switch {
	case err != nil || !along:
		return false, err
	case models != "":
		return false, fault.OfOption(DirectionOption, "is out, and %s", models)
	case sides != "":
		return false, fault.OfOption(DirectionOption, "is out, and links between sides have no direction")
	}
	return true, nil
}

// NoteSymmetric gives a notice of the scorers that do not depend on the direction.
func NoteSymmetric(c *engine.Call, with []catalogue.Scorer) {
	symmetric := slices.DeleteFunc(slices.Clone(with), func(w catalogue.Scorer) bool { return link.DependsOnOrder(w.Name) })
	if len(symmetric) > 0 {
		c.Notice("both directions of a pair have the same score by %s, because vectors and models have no direction",
			strings.Join(lists.Map(symmetric, catalogue.Scorer.String), ", "))
	}
}
