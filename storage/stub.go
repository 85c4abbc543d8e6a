package storage

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// DB is an open store. It is safe for concurrent use.
type DB struct{ path string }

// Snapshot is one version of a graph in memory, with its vertex keys. It never
// changes, is safe for concurrent use and holds no transaction.
type Snapshot struct {
	Info  GraphInfo
	Graph *csr.Graph
}

func Open(path string, opts *Options) (*DB, error) { return nil, ErrInvalid }
func (db *DB) Close() error                        { return nil }
func (db *DB) Path() string                        { return db.path }
func (db *DB) ReadOnly() bool                      { return false }
func (db *DB) Epoch() uint64                       { return 0 }
func (db *DB) CreateGraph(ctx context.Context, name string) (GraphInfo, error) {
	return GraphInfo{}, ErrInvalid
}
func (db *DB) DropGraph(ctx context.Context, name string, cascade bool) error { return ErrInvalid }
func (db *DB) Graphs(ctx context.Context) ([]GraphInfo, error)                { return nil, ErrInvalid }
func (db *DB) Graph(ctx context.Context, name string) (GraphInfo, error) {
	return GraphInfo{}, ErrInvalid
}

// PutGraph stores g under name; keys gives the key of each vertex, nil its number in decimal.
func (db *DB) PutGraph(ctx context.Context, name string, g *csr.Graph, keys func(uint32) string, source string, progress func(stage string, done, total int64)) (GraphInfo, error) {
	return GraphInfo{}, ErrInvalid
}
func (db *DB) Snapshot(ctx context.Context, graph string) (*Snapshot, error) { return nil, ErrInvalid }
func (s *Snapshot) Key(v uint32) string                                      { return "" }
func (s *Snapshot) AppendKey(dst []byte, v uint32) []byte                    { return dst }
func (s *Snapshot) Vertex(key string) (uint32, bool)                         { return 0, false }
func (db *DB) PutEmbedding(ctx context.Context, info EmbeddingInfo, m *vec.Matrix) (EmbeddingInfo, error) {
	return info, ErrInvalid
}
func (db *DB) EmbeddingInfo(ctx context.Context, name string) (EmbeddingInfo, error) {
	return EmbeddingInfo{}, ErrInvalid
}
func (db *DB) Embedding(ctx context.Context, name string) (EmbeddingInfo, *vec.Matrix, error) {
	return EmbeddingInfo{}, nil, ErrInvalid
}
func (db *DB) Embeddings(ctx context.Context) ([]EmbeddingInfo, error) { return nil, ErrInvalid }
func (db *DB) DropEmbedding(ctx context.Context, name string) error    { return ErrInvalid }
func (db *DB) Changes(ctx context.Context, graph string, since uint64) (ChangeSet, error) {
	return ChangeSet{}, ErrInvalid
}
func (db *DB) Check(ctx context.Context, progress func(stage string, done, total int64)) (CheckReport, error) {
	return CheckReport{}, ErrInvalid
}
