package graphs

import (
	"bytes"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
)

// KeysWith returns the keys that begin with prefix, in the order of their bytes; at most limit of
// them, or all if limit is not positive.
func KeysWith(t *tree.Tx, r *Record, prefix string, limit int) ([]string, error) {
	p, err := t.Part(r.Object, block.IDsName)
	if err != nil {
		return nil, err
	}
	var keys []string
	for b := p.BlockOf(nil, []byte(prefix)); b.Key != nil; b = p.After(nil, b.Key) {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		payload, err := p.Seed.Open(b.Key, b.Record)
		if err != nil {
			return nil, err
		}
		over := false
		err = block.DecodeIDs(b.Key, payload, func(key []byte, _ uint32) error {
			switch {
			case over:
			case bytes.HasPrefix(key, block.BytesOf(prefix)):
				keys = append(keys, string(key))
				over = limit > 0 && len(keys) == limit
			default:
				over = string(key) > prefix
			}
			return nil
		})
		if err != nil || over {
			return keys, err
		}
	}
	return keys, nil
}
