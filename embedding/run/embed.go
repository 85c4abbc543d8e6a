package run

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"heavytail/embedding/option"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// Settings returns all options of a method, after defaults, in the order of the
// method and in canonical text, as they are stored with an embedding. Errors are
// *MethodError and *option.Error.
func Settings(method string, options []option.Given) ([]storage.Setting, error) {
	m, err := prepare(method, options)
	return m.options, err
}

// Dim is the number of coordinates with valid options, and the default where the method searches
// for it; 0 for an unknown method. An embedding of fewer vertices may have fewer.
func Dim(method string, options []option.Given) int64 {
	given, _ := prepare(method, options)
	plain, _ := prepare(method, nil)
	for _, s := range slices.Concat(given.options, plain.options) {
		if n, err := strconv.ParseInt(s.Value, 10, 64); s.Name == dimName && err == nil {
			return n
		}
	}
	return 0
}

// Embed computes an embedding of the snapshot and stores it under the name of
// the request, as the next generation if there is one on the same graph. If that
// embedding has the same vectors, bit for bit, it stays the current generation and keeps
// its indexes, models and predictions.
//
// The record of the embedding holds every option after defaults, in the order of Methods
// and in canonical text, so that the same method with the same options on the same
// version of the graph gives the same bytes on the same kind of processor. If the graph
// was dropped meanwhile and created again with the same name, the error is
// storage.ErrConflict. Errors are *MethodError, *option.Error, those of the algorithm and
// those of storage.PutEmbedding; on any of them nothing is stored.
func Embed(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req Request) (storage.EmbeddingInfo, error) {
	method, err := prepare(req.Method, req.Options)
	if err != nil {
		return storage.EmbeddingInfo{}, err
	}
	req.Stored = storedOf(db, snap)
	computed, info, kept, err := embed(ctx, db, snap, req, method)
	if err != nil || kept {
		return info, err
	}
	var indexes []storage.NewIndex
	if req.Computed != nil {
		if indexes, err = req.Computed(computed.vectors); err != nil {
			return storage.EmbeddingInfo{}, err
		}
	}
	return store(ctx, db, snap, storage.EmbeddingInfo{}, req, method, computed, indexes...)
}

// embed computes an embedding. If the stored one has exactly these rows, it stores the entry, and reports true.
func embed(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req Request, method prepared) (computed outcome, info storage.EmbeddingInfo, kept bool, err error) {
	if computed, err = method.run(ctx, snap.Graph, req); err != nil {
		return computed, info, false, fmt.Errorf("%s of graph %q: %w", req.Method, snap.Info.Name, err)
	}
	info, kept, err = db.PutSameRows(ctx, describe(snap, req, method, computed), computed.vectors, computed.stateOf(req))
	return computed, info, kept, err
}

// EmbedLater is Embed for an embedding that is to appear with something else, by what it returns. If the stored
// one has exactly these rows, there is nothing to store, and it returns nil and the entry. Request.Computed is ignored.
func EmbedLater(ctx context.Context, db *storage.DB, snap *storage.Snapshot, req Request) (*storage.NewEmbedding, storage.EmbeddingInfo, error) {
	method, err := prepare(req.Method, req.Options)
	if err != nil {
		return nil, storage.EmbeddingInfo{}, err
	}
	req.Stored = storedOf(db, snap)
	computed, info, kept, err := embed(ctx, db, snap, req, method)
	if err != nil || kept {
		return nil, info, err
	}
	info = describe(snap, req, method, computed)
	return &storage.NewEmbedding{Info: info, Rows: computed.vectors, State: computed.stateOf(req)}, info, nil
}

// describe returns the entry of a computed embedding, with its provenance.
func describe(snap *storage.Snapshot, req Request, method prepared, computed outcome) storage.EmbeddingInfo {
	info := computed.record(req, method)
	info.Name, info.Graph, info.GraphID, info.GraphVersion = req.Name, snap.Info.Name, snap.Info.ID, snap.Info.Version
	info.Stateless = req.Stateless
	return info
}

// record returns the record of a computation, without names and versions.
func (o outcome) record(req Request, method prepared) storage.EmbeddingInfo {
	info := o.info
	info.Method, info.Kernel = req.Method, vec.Kind()
	if info.Options == nil {
		info.Options = method.options
	}
	return info
}

// stateOf returns the function that writes the state stored with the vectors; nil if
// there is none.
func (o outcome) stateOf(req Request) func(io.Writer) error {
	if req.Stateless {
		return nil
	}
	return o.state
}

// store stores a computed embedding with its provenance. from is the generation
// from which it was computed, if there is one.
func store(ctx context.Context, db *storage.DB, snap *storage.Snapshot, from storage.EmbeddingInfo, req Request, method prepared, computed outcome, indexes ...storage.NewIndex) (storage.EmbeddingInfo, error) {
	return db.ReplaceEmbedding(ctx, from, describe(snap, req, method, computed), computed.vectors, computed.stateOf(req), indexes...)
}
