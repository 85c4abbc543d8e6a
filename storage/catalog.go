package storage

import (
	"errors"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"slices"
	"strings"
)

// findEmbedding returns the catalogue entry of an embedding, or of a generation of
// one, as resolveEmbedding finds it, with possible counts.
func findEmbedding(t *tree.Tx, name string) (*embeddingRecord, error) {
	r, err := resolveEmbedding(t, name)
	if err != nil {
		return nil, err
	}
	return r, fault.Corrupt(t.Path, describeEmbedding(name), r.validate(graphs.Bound(t)))
}

// resolveEmbedding returns the catalogue entry that a name means: of an embedding, of a past
// generation of one, or of the embedding whose present generation it is.
func resolveEmbedding(t *tree.Tx, name string) (*embeddingRecord, error) {
	r := &embeddingRecord{name: name}
	found, err := t.Get(block.EmbeddingsName, []byte(name), r)
	r.name = name // get may have copied an entry that it remembers
	if found || err != nil {
		return r, fault.Corrupt(t.Path, describeEmbedding(name), err)
	}
	base, generation, ok := splitGeneration(name)
	if !ok {
		return nil, &NotFoundError{Kind: "embedding", Name: name}
	}
	found, err = t.Get(block.EmbeddingsName, []byte(base), r)
	r.name = base
	switch {
	case err != nil:
		return nil, fault.Corrupt(t.Path, describeEmbedding(base), err)
	case !found:
		return nil, &NotFoundError{Kind: "embedding", Name: name}
	case r.Generation == generation && !r.Past:
		return r, nil
	}
	known, err := past(t, base)
	return nil, errors.Join(err, &NotFoundError{Kind: "embedding", Name: name, Of: base, Generations: append(known, r.Generation)})
}

// keptGenerations is how many generations of an embedding there are at most: the
// present one and the one before, so that the two can be compared.
const keptGenerations = 2

// past lists the numbers of the past generations of an embedding, ascending.
func past(t *tree.Tx, name string) ([]uint64, error) {
	b, err := t.Top(block.EmbeddingsName)
	if err != nil {
		return nil, err
	}
	var list []uint64
	prefix := name + "@"
	cursor := b.Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), prefix); key, _ = cursor.Next() {
		if base, generation, ok := splitGeneration(string(key)); ok && base == name {
			r, err := findEmbedding(t, string(key))
			if err != nil {
				return nil, err
			}
			if r.Past {
				list = append(list, generation)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// putEmbedding writes the entry of an embedding back under the name that it has in the
// catalogue, whatever name it was found by.
func putEmbedding(t *tree.Tx, r *embeddingRecord) error {
	return t.Put(block.EmbeddingsName, []byte(r.name), r)
}
