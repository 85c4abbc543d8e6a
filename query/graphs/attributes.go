package graphs

import (
	"context"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// This file has SHOW ATTRIBUTES and DROP ATTRIBUTE.

// AttributeSummary is an attribute as SHOW ATTRIBUTES lists it.
type AttributeSummary struct {
	storage.Attribute
	Vertices int `json:"vertices"` // that have a value
	Missing  int `json:"missing"`  // that have none
	// Computed records how COMPUTE made the values; nil if COMPUTE did not make them.
	Computed *storage.Computed `json:"computed"`
	Behind   uint64            `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
	// Changed counts the vertices that were added or deleted since, or whose edges changed.
	Changed int `json:"changed"`
	// Unknown reports that the change log does not record which vertices changed: any may
	// have.
	Unknown bool `json:"unknown"`
}

var showAttributes = &engine.Statement[*parser.ShowAttributes, string, storage.GraphInfo, []AttributeSummary]{
	Help: help.Statement{
		Statement: "SHOW ATTRIBUTES",
		Summary:   "lists the attributes of the vertices, how many have a value, and for computed ones how far they are behind",
		Detail:    "For attributes that COMPUTE stored there are the measure, how many versions newer the graph is, and how many vertices have different edges since",
		Words:     "columns properties fields schema metadata",
		Columns:   "attribute, type, vertices, missing, measure, version, behind, changed, created",
	},
	Bind:    func(b *engine.Binder, s *parser.ShowAttributes) string { return b.MarkGraph(s.Graph, s) },
	Resolve: (*engine.Call).GraphOrOnly,
	Plan: func(_ string, graph storage.GraphInfo) *plan.Plan {
		return plan.Result("list", "attributes of graph "+fault.Name(graph.Name))
	},
	Run: func(c *engine.Call, _ string, graph storage.GraphInfo) ([]AttributeSummary, error) {
		return attributes(c, graph)
	},
	Table: func(_ string, list []AttributeSummary) [][]rows.Value { return lists.Map(list, AttributeSummary.row) },
	Reads: true,
}

func attributes(c *engine.Call, graph storage.GraphInfo) ([]AttributeSummary, error) {
	list := make([]AttributeSummary, len(graph.Attributes))
	for i, a := range graph.Attributes {
		list[i] = AttributeSummary{Attribute: a, Vertices: graph.Values[i], Missing: graph.Vertices - graph.Values[i], Computed: graph.Computed[i]}
		if list[i].Computed == nil {
			continue
		}
		changes, err := c.DB.Store.Changes(c.Ctx, graph.Name, list[i].Computed.GraphVersion)
		if err != nil {
			return nil, err
		}
		list[i].Behind = changes.Versions
		list[i].Changed, list[i].Unknown = len(changes.Touched)+changes.Deleted, changes.All
	}
	return list, nil
}

func (a AttributeSummary) row() []rows.Value {
	row := []rows.Value{a.Name, a.Type.String(), int64(a.Vertices), int64(a.Missing)}
	made := a.Computed
	if made == nil {
		return append(row, nil, nil, nil, nil, nil)
	}
	return append(row, entries.ComputedText(made), int64(made.GraphVersion), int64(a.Behind), cells.When(!a.Unknown, int64(a.Changed)), cells.Timestamp(made.Created))
}

// Attributes lists the attributes of a graph in the order in which they were
// added. The name of the graph may be empty if the file has one graph.
func (s *Service) Attributes(ctx context.Context, graph string) ([]AttributeSummary, error) {
	return showAttributes.Answer(ctx, s.db, graph)
}

type dropAttributeRequest struct{ graph, attribute string }

var dropAttribute = &engine.Statement[*parser.DropAttribute, dropAttributeRequest, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP ATTRIBUTE",
		Summary:   "removes an attribute from all vertices",
		Words:     "delete remove column property",
	},
	Bind: func(b *engine.Binder, s *parser.DropAttribute) dropAttributeRequest {
		return dropAttributeRequest{b.Name(fault.Graph, s.Graph), b.Name(engine.PartAttribute, s.Attribute)}
	},
	Resolve: func(c *engine.Call, req dropAttributeRequest) (engine.Nothing, error) {
		info, err := c.GraphInfo(req.graph, fault.Graph)
		if err == nil {
			err = session.CheckAttributes(info, engine.PartAttribute, req.attribute)
		}
		return engine.Nothing{}, err
	},
	Plan: func(req dropAttributeRequest, _ engine.Nothing) *plan.Plan {
		return plan.Result("drop attribute", fault.Name(req.attribute)+" of graph "+fault.Name(req.graph))
	},
	Run: func(c *engine.Call, req dropAttributeRequest, _ engine.Nothing) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.Update(c.Ctx, func(tx *storage.Tx) error { return tx.DropAttribute(req.graph, req.attribute) })
	},
}

// DropAttribute removes an attribute from all vertices of a graph.
func (s *Service) DropAttribute(ctx context.Context, graph, attribute string) error {
	return engine.ErrorOf(dropAttribute.Answer(ctx, s.db, dropAttributeRequest{graph, attribute}))
}
