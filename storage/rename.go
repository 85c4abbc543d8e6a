package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// RenameGraph gives a graph another name; its embeddings, models and predictions follow. It
// is ErrExists where the name is taken, also by an unfinished import, and ErrInUse while an
// unfinished job or import works on the graph.
func (db *DB) RenameGraph(ctx context.Context, name, to string) error {
	if err := block.CheckName("graph", to); err != nil {
		return err
	}
	return db.file.InTransaction(ctx, func(t *tree.Tx) error {
		r, err := graphs.Find(t, name)
		if err != nil {
			return err
		}
		if err := checkRenamed(t, block.GraphsName, tree.JournalGraph, "graph", name, to, r.ID, db.file.Token); err != nil {
			return err
		}
		if err := eachEmbeddingOf(t, r.ID, func(e *embeddingRecord) error {
			e.Graph = to
			return putEmbedding(t, e)
		}); err != nil {
			return err
		}
		models, err := modelsOf(t, r.ID)
		if err != nil {
			return err
		}
		for _, model := range models {
			m, err := modelKind.find(t, []byte(model))
			if err != nil {
				return err
			}
			m.Graph = to
			if err := modelKind.put(t, []byte(model), m); err != nil {
				return err
			}
		}
		r.Modified = time.Now().UnixNano() // so that readers of the old name notice the change
		return move(t, block.GraphsName, name, to, r)
	})
}

// RenameEmbedding gives an embedding another name, with its past generations; its indexes
// and its automatic refresh follow, and embeddings that began with its vectors name it by
// the new name (SettingStart, SettingBegan). It is ErrExists where the name is taken, and ErrInUse
// while a model reads the embedding or an unfinished job works on its graph. Predictions
// that were made by a scorer of the embedding keep its old name.
func (db *DB) RenameEmbedding(ctx context.Context, name, to string) error {
	if err := CheckEmbeddingName(to); err != nil {
		return err
	}
	return db.file.InTransaction(ctx, func(t *tree.Tx) error {
		r, err := findEmbedding(t, name)
		if err != nil {
			return err
		}
		if err := r.notPast(); err != nil {
			return err
		}
		name = r.name
		if err := checkRenamed(t, block.EmbeddingsName, tree.JournalEmbedding, "embedding", name, to, r.GraphID, db.file.Token); err != nil {
			return err
		}
		models, err := modelsOf(t, r.GraphID)
		if err != nil {
			return err
		}
		for _, model := range models {
			if m, err := modelKind.find(t, []byte(model)); err != nil || reads(m.Embeddings, name) != nil {
				return errors.Join(err, fmt.Errorf("model %q reads embedding %q; drop it first, and train it again: %w", model, name, ErrInUse))
			}
		}
		past, err := past(t, name)
		if err != nil {
			return err
		}
		for _, generation := range past {
			from, now := generationName(name, generation), generationName(to, generation)
			old, err := findEmbedding(t, from)
			if err != nil {
				return err
			}
			if taken, err := t.Get(block.EmbeddingsName, []byte(now), new(embeddingRecord)); taken || err != nil || len(now) > block.MaxName {
				return errors.Join(err, fmt.Errorf("embedding %q: generation %d cannot be called %q: %w", name, generation, fault.Clip(now), ErrExists))
			}
			if err := move(t, block.EmbeddingsName, from, now, old); err != nil {
				return err
			}
		}
		if err := move(t, block.EmbeddingsName, name, to, r); err != nil {
			return err
		}
		return eachEmbeddingOf(t, r.GraphID, func(e *embeddingRecord) error {
			if !e.renameStart(name, to) {
				return nil
			}
			return putEmbedding(t, e)
		})
	})
}

// renameStart gives the embedding with which r began another name, and reports whether r
// began with it or with one of its past generations.
func (r *embeddingRecord) renameStart(name, to string) (renamed bool) {
	for _, list := range [][]Setting{r.Options, r.Stats} {
		for i, s := range list {
			if s.Name != SettingStart && s.Name != SettingBegan {
				continue
			}
			if rest, ok := strings.CutPrefix(s.Value, name); ok && (rest == "" || rest[0] == '@') {
				list[i].Value, renamed = to+rest, true
			}
		}
	}
	return renamed
}

// RenameModel gives a model another name. It is ErrExists where the name is taken, and
// ErrInUse while an unfinished job works on its graph. Predictions that the model made keep
// its old name.
func (db *DB) RenameModel(ctx context.Context, name, to string) error {
	if err := block.CheckName("model", to); err != nil {
		return err
	}
	return db.file.InTransaction(ctx, func(t *tree.Tx) error {
		r, err := modelKind.find(t, []byte(name))
		if err != nil {
			return err
		}
		if err := checkRenamed(t, block.ModelsName, 0, "model", name, to, r.GraphID, db.file.Token); err != nil {
			return err
		}
		return move(t, block.ModelsName, name, to, r)
	})
}

// RenameAttribute gives an attribute of the vertices another name, with how it was computed.
// It is ErrExists if the graph has an attribute of that name.
func (x *Tx) RenameAttribute(graph, name, to string) error {
	return renameNamed[uint32](x, graph, name, to)
}

// RenameEdgeAttribute gives an attribute of the edges another name, as RenameAttribute does one of
// the vertices.
func (x *Tx) RenameEdgeAttribute(graph, name, to string) error {
	return renameNamed[block.Arc](x, graph, name, to)
}

func renameNamed[P block.Place](x *Tx, graph, name, to string) error {
	at := 0
	find := func(g *graphState) error {
		schema := graphs.SchemaOf[P](&g.record)
		if at = schema.Find(name); at < 0 {
			return &NotFoundError{Kind: "attribute", Name: name}
		}
		if schema.Find(to) >= 0 {
			return fmt.Errorf("attribute %q: %w", to, ErrExists)
		}
		renamed := (*schema.List)[at].Attribute()
		renamed.Name = to
		return schema.Check(renamed) // every vertex has a key and a degree
	}
	_, err := x.write(graph, find, func(g *graphState) error {
		list := graphs.SchemaOf[P](&g.record).Own()
		list[at].Name = to
		g.changed = true
		return fault.Corrupt(x.tx.Path, graphs.DescribeValues[P](graph, name), noteAll[P](x.tx, g, list[at]))
	})
	return err
}

// checkRenamed refuses a new name that is taken, and one of what is being worked on. journal
// is the kind of journal that writes such a thing, 0 for none.
func checkRenamed(t *tree.Tx, bucket []byte, journal byte, kind, name, to string, graph, token uint64) error {
	b, err := t.Top(bucket)
	if err != nil {
		return err
	}
	if b.Get([]byte(to)) != nil {
		return fmt.Errorf("%s %q: %w", kind, to, ErrExists)
	}
	for _, n := range []string{name, to} {
		if journal == 0 {
			break
		}
		if found, err := t.Get(block.JournalName, tree.JournalKey(journal, n), new(tree.JournalRecord)); found || err != nil {
			return errors.Join(err, fmt.Errorf("%s %q is being written, or its writing did not end; end it, or drop it, first: %w", kind, n, ErrInUse))
		}
	}
	var busy error
	err = eachValidJob(t, func(id uint64, r *jobRecord) {
		if r.GraphID == graph && !r.over(token) && busy == nil {
			on := kind
			if kind != "graph" {
				on = "the graph of " + kind
			}
			busy = fmt.Errorf("job %d works on %s %q; WAIT JOB %d or DROP JOB %d first: %w", id, on, name, id, id, ErrInUse)
		}
	})
	return errors.Join(err, busy)
}

// move writes a record under another name.
func move(t *tree.Tx, bucket []byte, name, to string, record any) error {
	if err := t.Remove(bucket, []byte(name)); err != nil {
		return err
	}
	return t.Put(bucket, []byte(to), record)
}
