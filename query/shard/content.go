package shard

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"heavytail/query"
	"heavytail/storage"
)

// Content is the content of a graph or of the vectors of an embedding: digests, which are
// equal for equal content. It is zero for other objects, and fields without a meaning are
// empty.
type Content struct {
	Keys    string `json:"keys,omitempty"` // those of storage.GraphDigest
	Edges   string `json:"edges,omitempty"`
	Weights string `json:"weights,omitempty"`
	Times   string `json:"times,omitempty"`
	Vectors string `json:"vectors,omitempty"` // storage.MatrixDigest
}

// differs names the parts in which two contents differ; "" if they are equal.
func (c Content) differs(other Content) string {
	var parts []string
	for _, p := range []struct{ name, a, b string }{
		{"keys", c.Keys, other.Keys}, {"edges", c.Edges, other.Edges}, {"weights", c.Weights, other.Weights},
		{"times", c.Times, other.Times}, {"vectors", c.Vectors, other.Vectors},
	} {
		if p.a != p.b {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, ", ")
}

// contents has the contents of the objects that a process has read, so that it reads each of them
// once, whatever the number of its shards. The content of an object in an open file is determined
// by its state.
type contents struct {
	mu   sync.Mutex
	seen map[contentKey]Content
}

type contentKey struct {
	db                *query.DB
	kind, name, state string
}

// of returns the content of an object in a state. If the state has changed, it is ErrChanged.
func (c *contents) of(ctx context.Context, db *query.DB, kind, name, state string) (Content, error) {
	c.mu.Lock() // also while a content is computed, which others then wait for
	defer c.mu.Unlock()
	key := contentKey{db, kind, name, state}
	if found, known := c.seen[key]; known {
		return found, nil
	}
	found, now, err := contentOf(ctx, db, kind, name)
	if err != nil {
		return found, err
	}
	if now != "" && now != state {
		return found, fmt.Errorf("%s %s changed while it was read: %w", kind, name, ErrChanged)
	}
	c.seen[key] = found
	return found, nil
}

// contentOf reads an object, and returns its content and the state of that content. For a model
// or an index both are zero.
func contentOf(ctx context.Context, db *query.DB, kind, name string) (Content, string, error) {
	switch kind {
	case "graph":
		g, err := db.Graphs().Snapshot(ctx, name)
		if err != nil {
			return Content{}, "", err
		}
		d, err := g.Digest(ctx)
		return Content{Keys: d.Keys, Edges: d.Edges, Weights: d.Weights, Times: d.Times}, graphState(g.Info), err
	case "embedding":
		e, vectors, err := db.Vectors().Digest(ctx, name)
		return Content{Vectors: vectors}, embeddingState(e), err
	}
	return Content{}, "", nil
}

func graphState(g storage.GraphInfo) string {
	return fmt.Sprintf("version %d of %s", g.Version, stamp(g.Modified))
}

func embeddingState(e storage.EmbeddingInfo) string {
	return fmt.Sprintf("generation %d of %s", e.Generation, stamp(e.Created))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
