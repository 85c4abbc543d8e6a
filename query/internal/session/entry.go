package session

import (
	"fmt"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/plan"
	"heavytail/storage"
)

// Entry has the catalogue entries of an embedding and its graph. Statements
// resolve names to entries, which loads neither object; Call.Space loads both.
type Entry struct {
	Info   storage.EmbeddingInfo
	Graph  storage.GraphInfo
	Behind uint64 // number of newer versions of the graph, except versions that changed only attributes
}

// Entry returns the entry of an embedding by its name.
func (c *Call) Entry(embedding string, at fault.Part) (Entry, error) {
	info, err := c.EmbeddingInfo(embedding, at)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Info: info}
	if e.Graph, err = c.GraphInfo(info.Graph, at); err != nil {
		return e, err
	}
	if e.Graph.Version <= info.GraphVersion {
		return e, nil
	}
	if m, ok := c.cache.Peek(matchedKey(EmbeddingKey(info), e.Graph)); ok { // reading a long change log would take time
		e.Behind = m.(*Matched).Behind
		return e, nil
	}
	changes, err := c.store.Changes(c.Ctx, info.Graph, info.GraphVersion)
	e.Behind = min(changes.Versions, e.Graph.Version-info.GraphVersion)
	return e, err
}

// Present is Entry for statements that compute the next generation of an
// embedding, change it, or store what is made from it: it returns an Error for a past
// generation. The embedding may be named by the number of its present generation. Whatever
// is written, locked or waited for is named by Info.Name of the entry, never by the text of
// the statement.
func (c *Call) Present(embedding string, at fault.Part) (Entry, error) {
	e, err := c.Entry(embedding, at)
	if err == nil && e.Info.Past {
		err = fault.New(at, "%s is a past generation, and this statement takes the present one", fault.Quote(embedding)).
			WithRemedy("name the embedding without the number").WithErr(storage.ErrInvalid)
	}
	return e, err
}

// Plan is the step that loads the vectors.
func (e Entry) Plan() *plan.Plan {
	age := "up to date with"
	if e.Behind > 0 {
		age = fault.Count(int64(e.Behind), "version") + " behind"
	}
	detail := fmt.Sprintf("%s, generation %d, %d × %d, %s, %s graph %s", fault.Name(e.Info.Name), e.Info.Generation,
		e.Info.Vertices, e.Info.Dim, e.Info.Method, age, fault.Name(e.Info.Graph))
	return plan.Measured("embedding "+e.Info.Name, "embedding", detail)
}

// GraphPlan is the step that loads a graph.
func GraphPlan(g storage.GraphInfo) *plan.Plan {
	detail := fmt.Sprintf("%s, version %d, %s, %s", fault.Name(g.Name), g.Version,
		fault.Count(int64(g.Vertices), "vertex"), fault.Count(g.Count(), "edge"))
	return plan.Measured("graph "+g.Name, "graph", detail)
}

// PartPlan is the step that reads what a statement needs of a graph as Call.ReadPart does.
func PartPlan(g storage.GraphInfo) *plan.Plan {
	p := *GraphPlan(g)
	p.Detail += "; what the answer needs of it is read in the file, and the whole is loaded if that is much"
	return &p
}

// AttributePlans are the steps that load attributes, which the graph has.
func AttributePlans(g storage.GraphInfo, names []string) []*plan.Plan {
	plans := make([]*plan.Plan, len(names))
	for i, n := range names {
		if ofEdges(g, n) {
			plans[i] = plan.Measured("attribute "+n, "attribute", n+", computed from the edges")
			continue
		}
		at := slices.IndexFunc(g.Attributes, func(a storage.Attribute) bool { return a.Name == n })
		detail := fmt.Sprintf("%s, %s, %d of %s", fault.Name(n), g.Attributes[at].Type, g.Values[at], fault.Count(int64(g.Vertices), "vertex"))
		plans[i] = plan.Measured("attribute "+n, "attribute", detail)
	}
	return plans
}
