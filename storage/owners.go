package storage

import (
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
)

// owners are the owners of objects in words, by the numbers of the objects.
type owners map[uint64]string

// owner is a kind of records, other than graphs and embeddings, to which objects belong.
type owner interface {
	own(t *tx, o owners) error // notes what the objects of its records belong to
}

// owners collects the owners of all objects, as far as the catalogue can be read. It is
// for messages about damage.
func (t *tx) owners(kinds []owner) owners {
	o := make(owners)
	_ = t.each(block.GraphsName, func(key, _ []byte) error {
		if r, err := t.findGraph(string(key)); err == nil {
			o[r.Object] = describeGraph(string(key))
		}
		return nil
	})
	_ = t.each(block.EmbeddingsName, func(key, _ []byte) error {
		if r, err := t.findEmbedding(string(key)); err == nil {
			o[r.Object] = describeEmbedding(string(key))
			o[r.State.Object] = describeEmbedding(string(key)) + ", " + statePart
		}
		return nil
	})
	for _, k := range kinds {
		_ = k.own(t, o)
	}
	_ = t.each(block.JournalName, func(key, record []byte) error {
		var j journalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err == nil {
			o[j.Object] = "unfinished work"
		}
		return nil
	})
	_ = t.each(block.TrashName, func(key, _ []byte) error {
		if len(key) == 8 {
			o[block.IDOf(key)] = "trash"
		}
		return nil
	})
	return o
}

// describe names the bucket at a path below the root bucket for a person.
func (o owners) describe(path [][]byte) string {
	if len(path) > 1 && len(path[1]) == 8 {
		if owner := o[block.IDOf(path[1])]; owner != "" {
			if len(path) > 2 {
				return owner + ", " + fault.Clip(string(path[2]))
			}
			return owner
		}
	}
	return describePath(path)
}
