package storage

import (
	"context"
	"fmt"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"slices"
)

// sharer is an entry of the catalogue that should have objects and a number of its own.
type sharer struct {
	name  string
	holds []uint64
	named int // how often others name it
}

// keepOne finds entries that hold the same. Of each group it keeps the one that is named most
// often, and the first of those; it returns the entry that is kept by the name of each other
// one.
func keepOne(list []sharer) map[string]string {
	holders := make(map[uint64][]sharer)
	for _, s := range list {
		for _, id := range s.holds {
			if id != 0 {
				holders[id] = append(holders[id], s)
			}
		}
	}
	kept := make(map[string]string)
	for _, s := range list {
		for _, id := range s.holds {
			sharing := slices.DeleteFunc(slices.Clone(holders[id]), func(s sharer) bool { return kept[s.name] != "" })
			if len(sharing) < 2 {
				continue
			}
			keep := slices.MaxFunc(sharing, func(a, b sharer) int { return a.named - b.named })
			for _, other := range sharing {
				if other.name != keep.name {
					kept[other.name] = keep.name
				}
			}
		}
	}
	return kept
}

// dropShared drops entries of graphs and embeddings that hold the objects of another one, which
// keeps them: of a graph, that which more embeddings name; of an embedding, that which more
// models and past generations name. It returns a line for each entry that it drops. Models and
// other artefacts that share an object are among the faults that CHECK finds.
func (db *DB) dropShared(ctx context.Context) (lost []string, err error) {
	err = db.file.InTransaction(ctx, func(t *tree.Tx) error {
		graphList, embeddings, past, err := sharers(t)
		if err != nil {
			return err
		}
		drop := func(bucket []byte, list []sharer, describe func(name string) string) error {
			kept := keepOne(list)
			for _, s := range list {
				if kept[s.name] == "" {
					continue
				}
				lost = append(lost, fmt.Sprintf("%s: shared what is stored with %s, which is kept", describe(s.name), describe(kept[s.name])))
				for _, name := range append(past[s.name], s.name) {
					if err := t.Remove(bucket, []byte(name)); err != nil {
						return err
					}
				}
			}
			return nil
		}
		if err := drop(block.GraphsName, graphList, graphs.DescribeGraph); err != nil {
			return err
		}
		return drop(block.EmbeddingsName, embeddings, describeEmbedding)
	})
	return lost, err
}

// sharers lists the entries of graphs and embeddings by name, and the names of the past
// generations of each embedding.
func sharers(t *tree.Tx) (graphList, embeddings []sharer, past map[string][]string, err error) {
	named, onGraph := make(map[string]int), make(map[string]int)
	_, _ = modelKind.sound(t, nil, func(_ []byte, r *modelRecord) { named[r.Embedding]++ })
	past = make(map[string][]string)
	err = t.Each(block.EmbeddingsName, func(key, record []byte) error {
		var r embeddingRecord
		if err := block.DecodeStruct(block.EmbeddingsName, key, record, &r); err != nil {
			return err
		}
		name := string(key)
		onGraph[r.Graph]++
		switch base, _, generation := splitGeneration(name); {
		case generation && r.Past:
			named[base]++
			past[base] = append(past[base], name)
		case generation: // a name that no embedding should have
			named[name]--
		}
		embeddings = append(embeddings, sharer{name: name, holds: []uint64{r.Object, r.State.Object}})
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range embeddings {
		embeddings[i].named = named[embeddings[i].name]
	}
	err = t.Each(block.GraphsName, func(key, record []byte) error {
		var r graphs.Record
		if err := block.DecodeStruct(block.GraphsName, key, record, &r); err != nil {
			return err
		}
		// The numbers of graphs and of objects are from one series.
		graphList = append(graphList, sharer{name: string(key), holds: []uint64{r.Object, r.ID}, named: onGraph[string(key)]})
		return nil
	})
	return graphList, embeddings, past, err
}
