package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
	"slices"
)

// GraphDigest is a digest of each part of the content of a graph, 32 hexadecimal digits.
// Equal content has equal digests on every machine, whatever the number and the time of its
// version and the layout of its file. Parts that the graph does not have are empty.
type GraphDigest struct {
	Keys    string `json:"keys"`              // of all vertices, in their order
	Edges   string `json:"edges"`             // the rows of the graph: both directions of each edge, ascending
	Weights string `json:"weights,omitempty"` // in the order of the edges
	Times   string `json:"times,omitempty"`   // in the order of the edges
}

// Digest returns the digest of the content of a snapshot. It reads all of it once, at some
// gigabytes per second, an eighth of the time of Snapshot at most. Its sums are CRC-32C, for
// every 64 Ki values, so that it finds accidents and does not withstand forgery.
func (s *Snapshot) Digest(ctx context.Context) (GraphDigest, error) {
	ctx = tree.OrBackground(ctx)
	keys, edges, weights, times := newDigest(ctx), newDigest(ctx), newDigest(ctx), newDigest(ctx)
	digestPieces(keys, s.keys.Offsets)
	digestPieces(keys, s.keys.Blob)
	digestPieces(edges, s.Graph.Offsets)
	digestPieces(edges, s.Graph.Targets)
	digestPieces(weights, s.Graph.Weights)
	digestPieces(times, s.Graph.Times)
	d := GraphDigest{Keys: digestText(keys), Edges: digestText(edges)}
	if s.Graph.Weights != nil {
		d.Weights = digestText(weights)
	}
	if s.Graph.Times != nil {
		d.Times = digestText(times)
	}
	return d, ctx.Err()
}

// MatrixDigest returns the digest of the shape and the numbers of a matrix, as
// Snapshot.Digest does.
func MatrixDigest(ctx context.Context, m *vec.Matrix) (string, error) {
	ctx = tree.OrBackground(ctx)
	d := newDigest(ctx)
	block.DigestList(d, []int64{int64(m.Rows), int64(m.Dim)})
	digestPieces(d, m.Data)
	return digestText(d), ctx.Err()
}

func newDigest(ctx context.Context) *block.Digester { return &block.Digester{Ctx: ctx} }

// digestPieces adds the sums of a list, of more than 32 bits if the list is long.
func digestPieces[E byte | uint32 | int64 | float32](d *block.Digester, list []E) {
	block.DigestList(d, []int64{int64(len(list))})
	for piece := range slices.Chunk(list, 1<<16) {
		block.DigestList(d, piece)
	}
}

// digestText is the beginning of the SHA-256 of the sums.
func digestText(d *block.Digester) string {
	sum := sha256.Sum256(d.Sums)
	return hex.EncodeToString(sum[:16])
}
