package storage

import (
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// owner is a kind of records, other than graphs and embeddings, to which objects belong.
type owner interface {
	own(t *tree.Tx, o tree.Owners) error // notes what the objects of its records belong to
}

// owners collects the owners of all objects, as far as the catalogue can be read. The trash
// comes last.
func ownersIn(t *tree.Tx, kinds []owner) tree.Owners {
	o := make(tree.Owners)
	_ = t.Each(block.GraphsName, func(key, _ []byte) error {
		if r, err := graphs.Find(t, string(key)); err == nil {
			o.Add(r.Object, graphs.DescribeGraph(string(key)))
		}
		return nil
	})
	_ = t.Each(block.EmbeddingsName, func(key, _ []byte) error {
		if r, err := findEmbedding(t, string(key)); err == nil {
			o.Add(r.Object, describeEmbedding(string(key)))
			o.Add(r.State.Object, describeEmbedding(string(key))+", "+statePart)
		}
		return nil
	})
	for _, k := range kinds {
		_ = k.own(t, o)
	}
	_ = t.Each(block.JournalName, func(key, record []byte) error {
		var j tree.JournalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err == nil {
			o.Add(j.Object, "unfinished work")
		}
		return nil
	})
	_ = t.Each(block.TrashName, func(key, _ []byte) error {
		if len(key) == 8 {
			o.Add(block.IDOf(key), "trash")
		}
		return nil
	})
	return o
}
