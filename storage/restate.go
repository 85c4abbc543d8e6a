package storage

import (
	"context"
	"fmt"
	"math"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// Catalogue is a list of catalogue entries.
type Catalogue struct {
	Graphs     []GraphInfo     `json:"graphs,omitempty"`
	Embeddings []EmbeddingInfo `json:"embeddings,omitempty"`
	Models     []ModelInfo     `json:"models,omitempty"`
	Indexes    []IndexInfo     `json:"indexes,omitempty"`
}

// Restate gives objects of the store the versions, generations and times that the objects of
// the same names have in another store, of which they are copies: then both stores answer the
// same, and name the same versions. Of graphs it also copies how attributes were computed.
// Other fields of the entries are ignored. The change log of a graph starts empty. A missing
// object is ErrNotFound, an index whose generation differs from that of its embedding is
// ErrInvalid, and a missing attribute is left out.
//
// Embeddings of an earlier version of their graph can be stored only after that version is
// reached, so that graphs come first, in a call of their own.
func (db *DB) Restate(ctx context.Context, c Catalogue) error {
	return db.file.Change(ctx, func(t *tree.Tx) error {
		for _, g := range c.Graphs {
			if err := restateGraph(t, g); err != nil {
				return err
			}
		}
		for _, e := range c.Embeddings {
			r, err := findEmbedding(t, e.Name)
			if err != nil {
				return err
			}
			r.Generation, r.Created = e.Generation, unixNano(e.Created)
			if e.Generation == 0 {
				return fmt.Errorf("embedding %q of generation 0: %w", e.Name, ErrInvalid)
			}
			if err := putEmbedding(t, r); err != nil {
				return err
			}
		}
		for _, m := range c.Models {
			r, err := modelKind.find(t, []byte(m.Name))
			if err != nil {
				return err
			}
			r.Created = unixNano(m.Created)
			if err := modelKind.put(t, []byte(m.Name), r); err != nil {
				return err
			}
		}
		for _, i := range c.Indexes {
			if err := restateIndex(t, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func restateGraph(t *tree.Tx, g GraphInfo) error {
	r, err := graphs.Find(t, g.Name)
	if err != nil {
		return err
	}
	if g.Version == 0 {
		return fmt.Errorf("graph %q of version 0: %w", g.Name, ErrInvalid)
	}
	r.Version, r.Created, r.Modified = g.Version, unixNano(g.Created), unixNano(g.Modified)
	for i, a := range g.Attributes {
		if at := r.FindAttribute(a.Name); at >= 0 && i < len(g.Computed) {
			r.Attributes[at].Computed = record(g.Computed[i])
		}
	}
	if err := graphs.DropChanges(t, r.ID, math.MaxUint64); err != nil {
		return err
	}
	if r.Object != 0 {
		if err := graphs.LogChange(t, r.ID, r.Version, block.Change{All: true}); err != nil {
			return err
		}
	}
	return t.Put(block.GraphsName, []byte(g.Name), r)
}

func restateIndex(t *tree.Tx, i IndexInfo) error {
	e, err := findEmbedding(t, i.Embedding)
	if err != nil {
		return err
	}
	if e.Generation != i.Generation {
		return fmt.Errorf("index of generation %d of embedding %q, which has generation %d: %w", i.Generation, i.Embedding, e.Generation, ErrInvalid)
	}
	key := indexKey(e.Object, i.Metric)
	r, err := indexKind.find(t, key)
	if err != nil {
		return err
	}
	r.Created = unixNano(i.Created)
	return indexKind.put(t, key, r)
}
