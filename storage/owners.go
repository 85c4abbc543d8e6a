package storage

import (
	"heavytail/storage/internal/block"
)

// owner is a kind of records, other than graphs and embeddings, to which objects belong.
type owner interface {
	own(t *tx, o owners) error // notes what the objects of its records belong to
}

// owners collects the owners of all objects, as far as the catalogue can be read. The trash
// comes last.
func ownersIn(t *tx, kinds []owner) owners {
	o := make(owners)
	_ = t.each(block.GraphsName, func(key, _ []byte) error {
		if r, err := findGraph(t, string(key)); err == nil {
			o.add(r.Object, describeGraph(string(key)))
		}
		return nil
	})
	_ = t.each(block.EmbeddingsName, func(key, _ []byte) error {
		if r, err := findEmbedding(t, string(key)); err == nil {
			o.add(r.Object, describeEmbedding(string(key)))
			o.add(r.State.Object, describeEmbedding(string(key))+", "+statePart)
		}
		return nil
	})
	for _, k := range kinds {
		_ = k.own(t, o)
	}
	_ = t.each(block.JournalName, func(key, record []byte) error {
		var j journalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err == nil {
			o.add(j.Object, "unfinished work")
		}
		return nil
	})
	_ = t.each(block.TrashName, func(key, _ []byte) error {
		if len(key) == 8 {
			o.add(block.IDOf(key), "trash")
		}
		return nil
	})
	return o
}
