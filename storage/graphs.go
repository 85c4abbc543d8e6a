package storage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// CreateGraph makes an empty graph. A name that is in use is ErrExists.
func (db *DB) CreateGraph(ctx context.Context, name string) (GraphInfo, error) {
	if err := checkName("graph", name); err != nil {
		return GraphInfo{}, err
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return GraphInfo{}, err
	}
	defer unlock()
	var info GraphInfo
	err = db.update(ctx, func(t *tx) error {
		r, err := t.createGraph(name)
		if err == nil {
			info = r.info(name)
		}
		return err
	})
	return info, err
}

// createGraph makes the catalogue entry of an empty graph.
func (t *tx) createGraph(name string) (*graphRecord, error) {
	if _, err := t.findGraph(name); err == nil {
		return nil, fmt.Errorf("storage: graph %q: %w", name, ErrExists)
	} else if !errors.Is(err, ErrNotFound) {
		return nil, err
	}
	now := time.Now().UnixNano()
	r := &graphRecord{ID: t.newID(), Version: 1, Created: now, Modified: now}
	return r, t.put(graphsName, []byte(name), r)
}

// DropGraph removes a graph with its change log and what an unfinished import
// of it has left; where an import that would have made the graph was stopped,
// it removes that. While embeddings or models of the graph exist it is ErrInUse,
// unless cascade removes them too. Its
// predictions go with it. The space is used again by later writes; the file
// does not shrink.
func (db *DB) DropGraph(ctx context.Context, name string, cascade bool) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	err = db.update(ctx, func(t *tx) error {
		r, err := t.findGraph(name)
		if errors.Is(err, ErrNotFound) {
			if found, journalErr := t.get(journalName, journalKey(journalGraph, name), new(journalRecord)); found && journalErr == nil {
				return t.dropJournal(journalGraph, name)
			}
		}
		if err != nil {
			return err
		}
		names, err := t.embeddingsOf(r.ID)
		if err != nil {
			return err
		}
		if len(names) > 0 && !cascade {
			return fmt.Errorf("storage: graph %q has the embeddings %s; drop them first: %w", name, strings.Join(names, ", "), ErrInUse)
		}
		models, err := t.modelsOf(r.ID)
		if err != nil {
			return err
		}
		if len(models) > 0 && !cascade {
			return fmt.Errorf("storage: graph %q has the models %s; drop them first: %w", name, strings.Join(models, ", "), ErrInUse)
		}
		for _, embedding := range names {
			if err := t.dropEmbedding(embedding); err != nil {
				return err
			}
		}
		for _, model := range models {
			if err := t.dropModel(model); err != nil {
				return err
			}
		}
		if err := t.dropPredictionsOf(r.ID); err != nil {
			return err
		}
		if err := t.dropChanges(r.ID, math.MaxUint64); err != nil {
			return err
		}
		if err := t.dropJournal(journalGraph, name); err != nil {
			return err
		}
		if err := t.discard(r.Object); err != nil {
			return err
		}
		return t.remove(graphsName, []byte(name))
	})
	if err != nil {
		return err
	}
	db.sweep(ctx)
	return nil
}

// Graphs lists the graphs by name.
func (db *DB) Graphs(ctx context.Context) ([]GraphInfo, error) {
	var list []GraphInfo
	err := db.view(ctx, func(t *tx) error {
		list = nil
		return t.each(graphsName, func(key, _ []byte) error {
			r, err := t.findGraph(string(key))
			if err == nil {
				list = append(list, r.info(string(key)))
			}
			return err
		})
	})
	return list, err
}

// Graph returns the catalogue entry of one graph.
func (db *DB) Graph(ctx context.Context, name string) (GraphInfo, error) {
	var info GraphInfo
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(name)
		if err == nil {
			info = r.info(name)
		}
		return err
	})
	return info, err
}

// sweep frees the space of discarded objects. It stops without an error: the
// operation before it is complete, and what is left is swept when the file is
// next opened for writing.
func (db *DB) sweep(ctx context.Context) {
	for {
		var object []byte
		err := db.view(ctx, func(t *tx) (err error) {
			object, err = t.discarded()
			return err
		})
		if err != nil || object == nil || db.update(ctx, (*tx).sweepOne) != nil {
			return
		}
	}
}

// tidy finishes what a killed process left: an embedding or stream that was not
// complete is discarded, and the trash is emptied. Imports stay, to be resumed. Where
// nothing was left, nothing is written. Damage is left to the first write, which
// reports it.
func (db *DB) tidy(ctx context.Context) error {
	var (
		stale   []string
		garbage bool
	)
	err := db.view(ctx, func(t *tx) error {
		trash, err := t.discarded()
		if err != nil {
			return err
		}
		garbage = trash != nil
		return t.each(journalName, func(key, _ []byte) error {
			if key[0] == journalEmbedding || key[0] == journalBlob {
				stale = append(stale, string(key))
			}
			return nil
		})
	})
	if err == nil && (garbage || len(stale) > 0) {
		err = db.discardStale(ctx, stale)
	}
	if errors.Is(err, ErrCorrupt) {
		return nil
	}
	return err
}

// discardStale discards what entries of the journal are about and empties the
// trash.
func (db *DB) discardStale(ctx context.Context, keys []string) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if len(keys) > 0 {
		err = db.update(ctx, func(t *tx) error {
			for _, key := range keys {
				if err := t.dropJournal(key[0], key[1:]); err != nil {
					return corrupt(t.path, fmt.Sprintf("journal of %q", key[1:]), err)
				}
			}
			return nil
		})
	}
	if err == nil {
		db.sweep(ctx)
	}
	return err
}
