package storage

import (
	"context"
	"fmt"
	"io"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// An embedding that is replaced stays in the catalogue as a past generation, under its
// name, "@" and the number of the generation: an entry like any other, but for Past,
// and without a state. So no embedding can be given a name that ends like this. The
// last keptGenerations generations are kept, including the present one; the
// transaction that adds a generation discards older ones.
//
// The present generation has no entry of its own: its name and number mean the embedding,
// wherever an existing one is meant. resolveEmbedding is the one place that knows this; the
// record that it returns knows its name in the catalogue, which differs from the name that
// was asked for.

// CheckEmbeddingName returns ErrName for a name that no new embedding can have, such as that of
// a generation of another embedding.
func CheckEmbeddingName(name string) error {
	if _, _, ok := splitGeneration(name); ok {
		return fmt.Errorf("embedding name %q: %w: it means a generation of another embedding", fault.Clip(name), ErrName)
	}
	return block.CheckName("embedding", name)
}

// Generations lists the generations of an embedding that are kept, ascending. The
// last is the present one; the others are called name@generation, and can be read
// and dropped by that name. The name of any generation is as good as that of the embedding.
func (db *DB) Generations(ctx context.Context, name string) ([]EmbeddingInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (list []EmbeddingInfo, err error) {
		r, err := findEmbedding(t, name)
		if err != nil {
			return nil, err
		}
		if name = r.name; r.Past {
			name, _, _ = splitGeneration(name)
		}
		present, err := embeddingInfo(t, name)
		if err != nil {
			return nil, err
		}
		past, err := past(t, name)
		for _, generation := range past {
			info, err := embeddingInfo(t, generationName(name, generation))
			if err != nil {
				return list, err
			}
			list = append(list, info)
		}
		return append(list, present), err
	})
}

// retire makes the entry of a replaced embedding a past generation, without its
// state, and drops generations that are now too old. If the name of the past
// generation is already taken, in a file from before there were generations, that
// embedding stays.
func retire(t *tree.Tx, name string, old *embeddingRecord) error {
	if err := t.Discard(old.State.Object); err != nil {
		return err
	}
	key := []byte(generationName(name, old.Generation))
	taken, err := t.Get(block.EmbeddingsName, key, new(embeddingRecord))
	if err != nil {
		return err
	}
	if taken || len(key) > block.MaxName {
		return discardRows(t, old.Object)
	}
	// From now on only comparisons read these rows, so they need no index.
	if err := dropIndexes(t, old.Object); err != nil {
		return err
	}
	old.name, old.State, old.Past = string(key), tree.BlobRecord{}, true
	old.AutoChanges, old.AutoEvery = 0, 0
	if err := putEmbedding(t, old); err != nil {
		return err
	}
	past, err := past(t, name)
	if err != nil {
		return err
	}
	for len(past) >= keptGenerations {
		if err := dropEntry(t, generationName(name, past[0])); err != nil {
			return err
		}
		past = past[1:]
	}
	return nil
}

// dropEntry removes one entry with what it refers to. The entry must have this very name: that
// of the present generation does not say that the past ones are dropped too.
func dropEntry(t *tree.Tx, name string) error {
	r, err := resolveEmbedding(t, name)
	if err != nil {
		return err
	}
	if r.name != name {
		return fmt.Errorf("%q is the present generation of embedding %q, which is dropped by its name, with its past generations: %w", name, r.name, ErrInvalid)
	}
	if err := discardRows(t, r.Object); err != nil {
		return err
	}
	if err := t.Discard(r.State.Object); err != nil {
		return err
	}
	return t.Remove(block.EmbeddingsName, []byte(r.name))
}

// notPast returns ErrInvalid for the entry of a past generation, which nothing changes.
func (r *embeddingRecord) notPast() error {
	if !r.Past {
		return nil
	}
	return fmt.Errorf("embedding %q is a past generation: %w", r.name, ErrInvalid)
}

// EmbeddingState returns a reader of the state that was stored with the rows of an
// embedding for a refresh; info is the entry of the embedding. The reader uses
// transactions of its own. If there is no state, the error is ErrNotFound. If the
// embedding has another generation by now, it is ErrConflict, which the reader can
// return later as well.
func (db *DB) EmbeddingState(ctx context.Context, info EmbeddingInfo) (io.Reader, error) {
	return viewed(ctx, db, func(t *tree.Tx) (io.Reader, error) {
		r, err := findEmbedding(t, info.Name)
		switch {
		case err != nil:
			return nil, err
		case r.Generation != info.Generation || r.GraphID != info.GraphID:
			return nil, fmt.Errorf("embedding %q has generation %d, not %d: %w", info.Name, r.Generation, info.Generation, ErrConflict)
		case r.State.Object == 0:
			return nil, &NotFoundError{Kind: "state of embedding", Name: info.Name}
		}
		return tree.OpenBlob(t, db.file, describeEmbedding(info.Name)+", "+statePart, r.State)
	})
}

// SetAutoRefresh sets when an embedding, but not a past generation of one, is refreshed
// automatically; the zero value is never. It returns the new entry.
func (db *DB) SetAutoRefresh(ctx context.Context, name string, auto AutoRefresh) (EmbeddingInfo, error) {
	if auto.Changes < 0 || uint64(auto.Changes) > block.MaxVertices || auto.Every < 0 {
		return EmbeddingInfo{}, fmt.Errorf("refresh of embedding %q after %d changes, every %v: %w", name, auto.Changes, auto.Every, ErrInvalid)
	}
	var info EmbeddingInfo
	err := db.file.Change(ctx, func(t *tree.Tx) error {
		r, err := findEmbedding(t, name)
		if err != nil {
			return err
		}
		if err := r.notPast(); err != nil {
			return err
		}
		r.AutoChanges, r.AutoEvery = uint64(auto.Changes), int64(auto.Every)
		if err := putEmbedding(t, r); err != nil {
			return err
		}
		info, err = embeddingInfo(t, r.name)
		return err
	})
	return info, err
}

func dropState(t *tree.Tx, name string) error {
	r, err := resolveEmbedding(t, name)
	if err != nil {
		return err
	}
	if err := t.Discard(r.State.Object); err != nil {
		return err
	}
	r.State = tree.BlobRecord{}
	return putEmbedding(t, r)
}
