package graphs

import (
	"context"
	"errors"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/entries"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/storage"
)

// Renamed is the kind of object that a RenameRequest renames.
type Renamed string

// The kinds of objects that can be renamed.
const (
	RenameGraph     Renamed = "graph"
	RenameEmbedding Renamed = "embedding"
	RenameModel     Renamed = "model"
	RenameAttribute Renamed = "attribute"
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
	case RenameAttribute:
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
