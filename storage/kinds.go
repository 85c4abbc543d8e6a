package storage

import (
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/rescue"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// kind is an artefact[R] whatever its R.
type kind interface {
	owner
	Check(c *verify.Checker) error
	copyTo(t *tree.Tx, w *storeWriter, refer func(object uint64, where string)) error
	count(t *tree.Tx, s sizes, out *Stats) (damaged, err error)
	table() rescue.Table
	top() []byte
}

func kinds() []kind { return []kind{&indexKind, &modelKind, &predictionKind, &jobKind} }

// owning are the kinds as owners of objects.
func owning() []owner {
	var list []owner
	for _, k := range kinds() {
		list = append(list, k)
	}
	return list
}

// allOwners lists the owners of all objects.
func allOwners(t *tree.Tx) tree.Owners { return listOwners(t, owning()) }

// owners collects the owners of all objects, as far as the catalogue can be read. The trash
// comes last.
func listOwners(t *tree.Tx, kinds []owner) tree.Owners {
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

// The records of the catalogue, which Put verifies.
var _ = []tree.Validated{
	(*graphs.Record)(nil), (*embeddingRecord)(nil), (*indexRecord)(nil), (*modelRecord)(nil), (*predictionRecord)(nil), (*jobRecord)(nil),
}
