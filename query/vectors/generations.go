package vectors

import (
	"context"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// GenerationInfo is a generation of an embedding as SHOW GENERATIONS lists it.
type GenerationInfo struct {
	storage.EmbeddingInfo
	// Refresh is the kind of refresh that made it from the previous generation;
	// empty if EMBED made it.
	Refresh catalogue.RefreshKind `json:"refresh"`
	Behind  uint64                `json:"behind"` // number of newer versions of the graph, except versions that changed only attributes
}

var showGenerations = &engine.Statement[*parser.ShowGenerations, string, storage.EmbeddingInfo, []GenerationInfo]{
	Help: help.Statement{
		Statement: "SHOW GENERATIONS",
		Summary:   "lists the stored generations of an embedding: the present and the past one",
		Detail:    "Statements that read embeddings take name@generation",
		Words:     "versions history past",
		Columns:   "embedding, generation, version, behind, vertices, made, created",
	},
	Bind: func(b *engine.Binder, s *parser.ShowGenerations) string {
		return b.Name(fault.Embedding, s.Embedding)
	},
	Resolve: entries.EmbeddingEntry,
	Plan: func(embedding string, _ storage.EmbeddingInfo) *plan.Plan {
		return plan.Result("list", "generations of "+fault.Name(embedding))
	},
	Run:   generations,
	Table: func(_ string, list []GenerationInfo) [][]rows.Value { return lists.Map(list, GenerationInfo.row) },
	Reads: true,
}

// Generations lists the generations of an embedding that are kept, the oldest
// first. Past ones are addressed as name@generation.
func (s *Service) Generations(ctx context.Context, embedding string) ([]GenerationInfo, error) {
	return showGenerations.Answer(ctx, s.db, embedding)
}

func generations(c *engine.Call, embedding string, _ storage.EmbeddingInfo) ([]GenerationInfo, error) {
	infos, err := c.DB.Store.Generations(c.Ctx, embedding)
	if err != nil {
		return nil, engine.NameMistake(err, fault.Embedding)
	}
	list := make([]GenerationInfo, len(infos))
	for i, info := range infos {
		list[i].EmbeddingInfo, list[i].Refresh = info, catalogue.RefreshKind(engine.ValueOf(info.Stats, "refresh"))
		changes, err := c.DB.Store.Changes(c.Ctx, info.Graph, info.GraphVersion)
		if err != nil {
			return nil, err
		}
		list[i].Behind = changes.Versions
	}
	return list, nil
}

func (g GenerationInfo) row() []rows.Value {
	made := "embed"
	if g.Refresh != "" {
		made = "refresh, " + string(g.Refresh)
	}
	return []rows.Value{g.Name, int64(g.Generation), int64(g.GraphVersion), int64(g.Behind), int64(g.Vertices), made, cells.Timestamp(g.Created)}
}
