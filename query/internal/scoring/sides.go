package scoring

import (
	"errors"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// This file has the option sides, for links between the two sides of a bipartite graph.

// AutoSides as the Sides of a request takes the sides from the graph: see [link.TwoSides].
const AutoSides = "auto"

// PredictedSides is the doc of the option where links are predicted.
const PredictedSides = "in a bipartite graph, links between its sides only, such as users and items"

// SidesField is the option sides; an empty text is none.
func SidesField[O any](doc string, at func(*O) *string) option.Field[O] {
	return option.String(SidesOption, doc+": an attribute with two values, or auto to find the sides from the edges; not for scorers of common neighbours, which are 0 for all such pairs", at).
		Absent("none")
}

// SidesOption is the name of the option of SidesField, for errors.
const SidesOption = "sides"

// CheckSides refuses sides that the catalogue knows nothing of, and a scorer that is 0 for
// all pairs across.
func CheckSides(graph storage.GraphInfo, sides string, with catalogue.Scorer) error {
	if sides == "" {
		return nil
	}
	if link.CommonNeighborsOnly(with.Name) {
		return ZeroAcross(with.Name, fault.Scorer(0))
	}
	return session.CheckAttributes(graph, fault.Option(SidesOption), SidesAttribute(sides)...)
}

// ZeroAcross is the Error for a scorer that is 0 for all pairs across.
func ZeroAcross(scorer string, at fault.Part) error {
	return fault.New(at, "%s is 0 for every pair of vertices on different sides, which have no common neighbour", scorer).
		WithRemedy("use l3, katz, local_path, preferential_attachment, a scorer of an embedding, or a model of these")
}

// NoneAcross converts the error for a graph without enough edges or other pairs between its
// sides to an Error at the option.
func NoneAcross(graph string, sides link.Sides, err error) error {
	if sides == nil || !errors.Is(err, evaluate.ErrLinks) {
		return err
	}
	return fault.OfOption(SidesOption, "leaves graph %s too few pairs of vertices without an edge, or too few edges to hold out", fault.Quote(graph)).
		WithErr(err)
}

// SidesAttribute is the attribute that has the sides, as a list; nil where there is none.
func SidesAttribute(sides string) []string {
	if sides == "" || sides == AutoSides {
		return nil
	}
	return []string{sides}
}

// Sides divides the vertices of a graph; nil where no sides are asked for. columns has the
// attribute that SidesAttribute names.
func Sides(c *engine.Call, view *session.Graph, of string, columns *session.ColumnSet) (link.Sides, error) {
	var sides link.Sides
	switch of {
	case "":
		return nil, nil
	case AutoSides:
		found, u, v, ok := link.TwoSides(view.Graph)
		if !ok {
			return nil, fault.OfOption(SidesOption, "is auto, and graph %s is not bipartite: the edge %s %s closes a cycle of odd length",
				fault.Name(view.Info.Name), fault.QuoteKey(view.Key(u)), fault.QuoteKey(view.Key(v))).WithRemedy("leave the option out")
		}
		sides = found
	default:
		var err error
		if sides, err = declaredSides(view, of, columns); err != nil {
			return nil, err
		}
	}
	first, second := sides.Count()
	how := "by the attribute " + fault.Name(of)
	if of == AutoSides {
		how = "in each component the vertex that came first is on the first side"
	}
	c.Notice("links are between the two sides of graph %s, of %d and %d vertices: %s", fault.Name(view.Info.Name), first, second, how)
	return sides, nil
}

// NoteBipartite says that the links that were predicted are of one side, where a graph with
// cycles has two.
func NoteBipartite(c *engine.Call, view *session.Graph, sides string, with catalogue.Scorer) {
	if with.Name != "preferential_attachment" && with.Name != "l3" && Undivided(view, sides) {
		c.Notice("graph %s is bipartite, and candidates with a common neighbour are on one side; sides := 'auto' predicts links between the sides", fault.Name(view.Info.Name))
	}
}

// Undivided reports whether a graph with cycles is bipartite, and a request names no sides.
func Undivided(view *session.Graph, sides string) bool {
	g := view.Graph
	if sides != "" || g.Edges() < int64(g.Vertices()) {
		return false
	}
	_, _, _, ok := link.TwoSides(g)
	return ok
}

// declaredSides divides the vertices by the two values of an attribute.
func declaredSides(view *session.Graph, attribute string, columns *session.ColumnSet) (link.Sides, error) {
	sides := make(link.Sides, view.Graph.Vertices())
	var values []string
	for v := range sides {
		value := columns.Value(attribute, uint32(v))
		if value.IsMissing() {
			sides[v] = link.NoSide
			continue
		}
		at := slices.Index(values, value.String())
		if at < 0 {
			at, values = len(values), append(values, value.String())
		}
		if at > 1 {
			return nil, fault.OfOption(SidesOption, "is attribute %s, which has more than two values: %s, %s, %s, …", fault.Name(attribute), fault.Quote(values[0]), fault.Quote(values[1]), fault.Quote(values[2]))
		}
		sides[v] = uint8(at)
	}
	if u, v, ok := sameSide(view.Graph, sides); ok {
		return nil, fault.OfOption(SidesOption, "is attribute %s, and the edge %s %s does not join vertices with different values of it",
			fault.Name(attribute), fault.QuoteKey(view.Key(u)), fault.QuoteKey(view.Key(v)))
	}
	return sides, nil
}

// sameSide finds an edge that does not join two sides.
func sameSide(g *csr.Graph, sides link.Sides) (u, v uint32, ok bool) {
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			if !sides.Across(u, v) {
				return u, v, true
			}
		}
	}
	return 0, 0, false
}
