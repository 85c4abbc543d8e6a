package graphs

import (
	"context"
	"errors"
	"slices"

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

// This file has CREATE GRAPH, DROP GRAPH and DROP EMBEDDING.

var createGraph = &engine.Statement[*parser.CreateGraph, string, engine.Nothing, storage.GraphInfo]{
	Help: createGraphHelp(), // its options are those of deriveGraph
	When: func(s *parser.CreateGraph) bool { return !s.Directed },
	Bind: func(b *engine.Binder, s *parser.CreateGraph) string { return b.Name(fault.Graph, s.Graph) },
	Resolve: func(c *engine.Call, graph string) (engine.Nothing, error) {
		return engine.Nothing{}, checkCreate(c, graph)
	},
	Plan: func(graph string, _ engine.Nothing) *plan.Plan { return plan.Result("create graph", fault.Name(graph)) },
	Run: func(c *engine.Call, graph string, _ engine.Nothing) (storage.GraphInfo, error) {
		info, err := c.DB.Store.CreateGraph(c.Ctx, graph)
		return info, engine.NameMistake(err, fault.Graph)
	},
}

var createDirected = &engine.Statement[*parser.CreateGraph, string, engine.Nothing, storage.GraphInfo]{
	Help: help.Statement{
		Statement: "CREATE DIRECTED GRAPH",
		Summary:   "creates an empty graph, whose edges have a direction",
		Detail:    "Up to two edges join two vertices, one in each direction, each with its own weight and time. INSERT EDGE, UPDATE EDGE and DELETE EDGE name the source first. Conditions and columns have in_degree and out_degree beside degree, which counts neighbours in either direction. What has no direction, such as components and most embeddings, reads the undirected view: vertices are neighbours if an edge leads from one to the other, with the sum of the weights and the later time. CREATE GRAPH … AS UNDIRECTED stores that view",
		Words:     "digraph arcs follows cites source target direction",
	},
	Bind:    createGraph.Bind,
	Resolve: createGraph.Resolve,
	Plan: func(graph string, _ engine.Nothing) *plan.Plan {
		return plan.Result("create graph", fault.Name(graph)+", directed")
	},
	Run: func(c *engine.Call, graph string, _ engine.Nothing) (storage.GraphInfo, error) {
		info, err := c.DB.Store.CreateDirected(c.Ctx, graph)
		return info, engine.NameMistake(err, fault.Graph)
	},
}

// CreateDirected creates an empty directed graph.
func (s *Service) CreateDirected(ctx context.Context, graph string) (storage.GraphInfo, error) {
	return createDirected.Answer(ctx, s.db, graph)
}

// Create creates an empty graph.
func (s *Service) Create(ctx context.Context, graph string) (storage.GraphInfo, error) {
	return createGraph.Answer(ctx, s.db, graph)
}

func checkCreate(c *engine.Call, graph string) error {
	_, err := c.DB.Store.Graph(c.Ctx, graph)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err == nil {
		return fault.New(fault.Graph, "graph %s exists", fault.Quote(graph)).WithErr(storage.ErrExists)
	}
	return engine.NameMistake(err, fault.Graph)
}

type dropGraphRequest struct {
	graph   string
	cascade bool // also drop its embeddings and models
}

var dropGraph = &engine.Statement[*parser.DropGraph, dropGraphRequest, engine.Nothing, engine.Nothing]{
	Help: help.Statement{
		Statement: "DROP GRAPH",
		Summary:   "removes a graph; CASCADE also embeddings and models",
		Words:     "delete remove",
	},
	Bind: func(b *engine.Binder, s *parser.DropGraph) dropGraphRequest {
		return dropGraphRequest{b.Name(fault.Graph, s.Graph), s.Cascade}
	},
	Resolve: func(c *engine.Call, req dropGraphRequest) (engine.Nothing, error) {
		return engine.Nothing{}, checkDropGraph(c, req)
	},
	Plan: func(req dropGraphRequest, _ engine.Nothing) *plan.Plan {
		what := fault.Name(req.graph)
		if req.cascade {
			what += " and its embeddings and models"
		}
		return plan.Result("drop graph", what)
	},
	Run: func(c *engine.Call, req dropGraphRequest, _ engine.Nothing) (engine.Nothing, error) {
		return engine.Nothing{}, c.DB.Store.DropGraph(c.Ctx, req.graph, req.cascade)
	},
}

// Drop removes a graph. With cascade it also removes the embeddings and
// models of the graph; without, it returns an error if there are any.
func (s *Service) Drop(ctx context.Context, graph string, cascade bool) error {
	return engine.ErrorOf(dropGraph.Answer(ctx, s.db, dropGraphRequest{graph, cascade}))
}

// checkDropGraph returns an Error for an unknown graph, and without CASCADE
// for a graph that has embeddings or models.
func checkDropGraph(c *engine.Call, req dropGraphRequest) error {
	if _, err := c.GraphInfo(req.graph, fault.Graph); err != nil || req.cascade {
		return err
	}
	all, err := c.DB.Store.Embeddings(c.Ctx)
	if err != nil {
		return err
	}
	models, err := c.DB.Store.Models(c.Ctx)
	if err != nil {
		return err
	}
	what := ""
	if i := slices.IndexFunc(models, func(m storage.ModelInfo) bool { return m.Graph == req.graph }); i >= 0 {
		what = "model " + fault.Quote(models[i].Name)
	}
	if i := slices.IndexFunc(all, func(e storage.EmbeddingInfo) bool { return e.Graph == req.graph }); i >= 0 {
		what = "embedding " + fault.Quote(all[i].Name)
	}
	if what == "" {
		return nil
	}
	return fault.New(fault.Graph, "graph %s has the %s", fault.Quote(req.graph), what).
		WithRemedy("use CASCADE to drop its embeddings and models too").WithErr(storage.ErrInUse)
}

// List lists the graphs of the file by name.
func (s *Service) List(ctx context.Context) ([]storage.GraphInfo, error) {
	return engine.InCall(ctx, s.db, "SHOW GRAPHS", func(c *engine.Call) ([]storage.GraphInfo, error) { return c.DB.Store.Graphs(ctx) })
}

// Keys returns keys of a graph that begin with a prefix, ascending by bytes: the
// first limit of them, or all where limit is 0; a negative limit is an error. It reads only
// the part of the file that has these keys, so that a shell can complete them quickly.
func (s *Service) Keys(ctx context.Context, graph, prefix string, limit int) ([]string, error) {
	return engine.InCall(ctx, s.db, "KEYS", func(c *engine.Call) ([]string, error) { return s.db.Store.Keys(c.Ctx, graph, prefix, limit) })
}

// Snapshot returns the present version of a graph with the keys of its vertices. It
// never changes and is safe for concurrent use, also after Close. The calls of the DB
// share it, so its slices must not be written. It takes O(n + m) unless the graph is
// already in memory. Its memory counts towards Options.MemoryLimit until Snapshot
// returns or the cache drops it; the memory that a caller keeps after that is not
// counted. An unknown graph is an *Error with the nearest name.
func (s *Service) Snapshot(ctx context.Context, graph string) (*storage.Snapshot, error) {
	return engine.InCall(ctx, s.db, "SNAPSHOT", func(c *engine.Call) (*storage.Snapshot, error) {
		g, err := c.Graph(graph, fault.Graph)
		if err != nil {
			return nil, err
		}
		return g.Snapshot, nil
	})
}

// Renamed is the kind of object that a RenameRequest renames.
type Renamed string

// The kinds of objects that can be renamed.
const (
	RenameGraph     Renamed = "graph"
	RenameEmbedding Renamed = "embedding"
	RenameModel     Renamed = "model"
	RenameAttribute Renamed = "attribute"

	RenameEdgeAttribute Renamed = "attribute of edges"
)

// RenameRequest asks to rename an object.
type RenameRequest struct {
	What  Renamed
	Name  string
	Graph string // the graph of an attribute
	To    string
}

var rename = &engine.Statement[*parser.Rename, RenameRequest, string, engine.Nothing]{
	Help: help.Statement{
		Statement: "ALTER",
		Summary:   "renames a graph, embedding, model or attribute, with everything that belongs to it",
		Detail:    "These are the embeddings, models and predictions of a graph; the indexes, past generations and automatic refresh of an embedding, and its name in the embeddings that began with its vectors; the record of how an attribute was computed. Renaming fails while an unfinished job works on the graph, while a model reads the embedding, or while stored predictions come from a scorer with the old name",
		Words:     "rename name move",
	},
	Bind: func(b *engine.Binder, s *parser.Rename) RenameRequest {
		what := map[parser.Renamed]Renamed{
			parser.RenamedGraph: RenameGraph, parser.RenamedEmbedding: RenameEmbedding, parser.RenamedModel: RenameModel, parser.RenamedAttribute: RenameAttribute,
			parser.RenamedEdgeAttribute: RenameEdgeAttribute,
		}[s.What]
		return RenameRequest{
			What: what, Graph: b.NameOrNone(fault.Graph, s.Graph),
			Name: b.Name(partRenamed(what), s.Name), To: b.Name(partNewName, s.To),
		}
	},
	Resolve: resolveRename,
	Plan: func(req RenameRequest, name string) *plan.Plan {
		return plan.Result("rename", string(req.What)+" "+fault.Name(name)+" to "+fault.Name(req.To))
	},
	Run: runRename,
}

// Rename gives a graph, an embedding, a model or an attribute another name. If the name is
// taken, the error is storage.ErrExists; if the object is in use, as HELP ALTER lists, it is
// storage.ErrInUse. A call that is running may end with storage.ErrNotFound for the old
// name.
func (s *Service) Rename(ctx context.Context, req RenameRequest) error {
	return engine.ErrorOf(rename.Answer(ctx, s.db, req))
}

const partNewName fault.Part = "new name"

// partRenamed is the old name of an object of a kind.
func partRenamed(what Renamed) fault.Part {
	switch what {
	case RenameEmbedding:
		return fault.Embedding
	case RenameModel:
		return entries.PartModel
	case RenameAttribute, RenameEdgeAttribute:
		return engine.PartAttribute
	}
	return fault.Graph
}

// resolveRename returns the name that the object has in the catalogue.
func resolveRename(c *engine.Call, req RenameRequest) (name string, err error) {
	at := partRenamed(req.What)
	switch req.What {
	case RenameGraph:
		_, err = c.GraphInfo(req.Name, at)
	case RenameEmbedding:
		var found session.Entry
		if found, err = c.Present(req.Name, at); err == nil {
			req.Name = found.Info.Name
			err = checkNotPredicted(c, req)
		}
	case RenameModel:
		if _, err = entries.ModelInfo(c, req.Name, at); err == nil {
			err = checkNotPredicted(c, req)
		}
	case RenameAttribute:
		var info storage.GraphInfo
		if info, err = c.GraphInfo(req.Graph, fault.Graph); err == nil {
			err = session.CheckAttributes(info, at, req.Name)
		}
	case RenameEdgeAttribute:
		var info storage.GraphInfo
		if info, err = c.GraphInfo(req.Graph, fault.Graph); err == nil {
			err = session.CheckEdgeAttributes(info, at, req.Name)
		}
	default:
		err = fault.New(fault.Statement, "%s is not a kind of object that can be renamed", fault.Quote(string(req.What)))
	}
	if err == nil && req.To == req.Name {
		err = fault.New(partNewName, "%s %s already has this name", req.What, fault.Quote(req.Name))
	}
	return req.Name, err
}

// checkNotPredicted returns an Error if stored predictions were made by the object,
// because their scorer has the old name.
func checkNotPredicted(c *engine.Call, req RenameRequest) error {
	list, err := c.DB.Store.Predictions(c.Ctx)
	if engine.NotDamage(err) != nil {
		return err
	}
	for _, p := range list {
		scorers, err := parser.ParseScorers(p.Scorer)
		if err == nil && slices.ContainsFunc(scorers, func(s parser.Scorer) bool {
			return s.Of != nil && s.Of.Name == req.Name && (s.Name.Name == "model") == (req.What == RenameModel)
		}) {
			return fault.New(partRenamed(req.What), "%s %s made the predictions of %s", req.What, fault.Quote(req.Name), p.Scorer).
				WithRemedy("DROP PREDICTIONS FROM " + p.Scorer + " IN " + parser.Ident{Name: p.Graph}.String() + ", and materialize them again after it").
				WithErr(storage.ErrInUse)
		}
	}
	return nil
}

func runRename(c *engine.Call, req RenameRequest, name string) (none engine.Nothing, err error) {
	req.Name = name
	switch req.What {
	case RenameGraph:
		err = c.DB.Store.RenameGraph(c.Ctx, req.Name, req.To)
	case RenameEmbedding:
		err = c.DB.Store.RenameEmbedding(c.Ctx, req.Name, req.To)
	case RenameModel:
		err = c.DB.Store.RenameModel(c.Ctx, req.Name, req.To)
	case RenameAttribute:
		err = c.DB.Store.Update(c.Ctx, func(tx *storage.Tx) error { return tx.RenameAttribute(req.Graph, req.Name, req.To) })
	case RenameEdgeAttribute:
		err = c.DB.Store.Update(c.Ctx, func(tx *storage.Tx) error { return tx.RenameEdgeAttribute(req.Graph, req.Name, req.To) })
	}
	switch {
	case errors.Is(err, storage.ErrExists):
		return none, fault.New(partNewName, "%s %s exists", req.What, fault.Quote(req.To)).
			WithRemedy("choose another name, or drop it first").WithErr(err)
	case errors.Is(err, storage.ErrInUse):
		return none, &fault.Error{Message: err.Error(), Err: err, At: partRenamed(req.What)}
	}
	return none, engine.NameMistake(err, partNewName)
}

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

type dropAttributeRequest struct {
	graph, attribute string
	ofEdges          bool
}

var (
	dropAttribute = dropStatement(help.Statement{
		Statement: "DROP ATTRIBUTE",
		Summary:   "removes an attribute from all vertices",
		Words:     "delete remove column property",
	}, false)
	dropEdgeAttribute = dropStatement(help.Statement{
		Statement: "DROP EDGE ATTRIBUTE",
		Summary:   "removes an attribute from all edges",
		Words:     "delete remove column property link",
	}, true)
)

func dropStatement(text help.Statement, ofEdges bool) *engine.Statement[*parser.DropAttribute, dropAttributeRequest, engine.Nothing, engine.Nothing] {
	return &engine.Statement[*parser.DropAttribute, dropAttributeRequest, engine.Nothing, engine.Nothing]{
		Help: text,
		When: func(s *parser.DropAttribute) bool { return s.OfEdges == ofEdges },
		Bind: func(b *engine.Binder, s *parser.DropAttribute) dropAttributeRequest {
			return dropAttributeRequest{b.Name(fault.Graph, s.Graph), b.Name(engine.PartAttribute, s.Attribute), s.OfEdges}
		},
		Resolve: func(c *engine.Call, req dropAttributeRequest) (engine.Nothing, error) {
			info, err := c.GraphInfo(req.graph, fault.Graph)
			switch {
			case err != nil:
			case req.ofEdges:
				err = session.CheckEdgeAttributes(info, engine.PartAttribute, req.attribute)
			default:
				err = session.CheckAttributes(info, engine.PartAttribute, req.attribute)
			}
			return engine.Nothing{}, err
		},
		Plan: func(req dropAttributeRequest, _ engine.Nothing) *plan.Plan {
			of := " of graph "
			if req.ofEdges {
				of = " of the edges of graph "
			}
			return plan.Result("drop attribute", fault.Name(req.attribute)+of+fault.Name(req.graph))
		},
		Run: func(c *engine.Call, req dropAttributeRequest, _ engine.Nothing) (engine.Nothing, error) {
			return engine.Nothing{}, c.DB.Store.Update(c.Ctx, func(tx *storage.Tx) error {
				if req.ofEdges {
					return tx.DropEdgeAttribute(req.graph, req.attribute)
				}
				return tx.DropAttribute(req.graph, req.attribute)
			})
		},
	}
}

// DropAttribute removes an attribute from all vertices of a graph.
func (s *Service) DropAttribute(ctx context.Context, graph, attribute string) error {
	return engine.ErrorOf(dropAttribute.Answer(ctx, s.db, dropAttributeRequest{graph, attribute, false}))
}

// DropEdgeAttribute removes an attribute from all edges of a graph.
func (s *Service) DropEdgeAttribute(ctx context.Context, graph, attribute string) error {
	return engine.ErrorOf(dropEdgeAttribute.Answer(ctx, s.db, dropAttributeRequest{graph, attribute, true}))
}
