package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"heavytail/query"
	"heavytail/storage"
	"heavytail/storage/format"
	"heavytail/storage/format/dataset"
)

// writeData writes the objects that the statement reads into the folder data.
func (m *Manifest) writeData(ctx context.Context, db *query.DB, names named) error {
	wanted := dataset.Names{Indexes: names.indexes}
	for i, s := range m.Reads {
		if slices.ContainsFunc(m.Reads[:i], s.same) {
			continue // by a model, and by name
		}
		switch s.Kind {
		case "graph":
			if wanted.Graph != "" {
				return fmt.Errorf("it reads the graphs %s and %s, and data are of one: %w", wanted.Graph, s.Name, ErrStatement)
			}
			wanted.Graph = s.Name
		case "embedding":
			wanted.Embeddings = append(wanted.Embeddings, s.Name)
		case "model":
			wanted.Models = append(wanted.Models, s.Name)
		}
	}
	err := db.Read(ctx, func(store *storage.DB) (err error) {
		m.Data, err = dataset.Write(ctx, store, m.data(), wanted)
		return err
	})
	if err != nil {
		return err
	}
	// Another process may have written to the file since its objects were listed.
	return m.checkSources(ctx, db, names)
}

// Restore verifies the data of the plan, and makes a heavytail file of them at a path, for Run and
// RunAll. These compare its graph and vectors with the plan, as they do with any file. The file
// appears when it is complete. A path that exists is format.ErrExists; one that another process
// makes meanwhile is replaced. A file of the data that is missing or was changed is a
// *dataset.FileError, which wraps ErrDamaged; a plan without data is ErrNoData.
func (m *Manifest) Restore(ctx context.Context, path string) error {
	if m.Data == nil {
		return fmt.Errorf("%s: name the heavytail file, or plan with data: %w", m.dir, ErrNoData)
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, format.ErrExists)
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".heavytail-shard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	made := filepath.Join(folder, filepath.Base(path))
	if err := m.Data.Restore(ctx, m.data(), made); err != nil {
		return err
	}
	return os.Rename(made, path)
}

// StoreName is a name for the heavytail file of Restore that no other plan has, for a folder in
// which processes share it.
func (m *Manifest) StoreName() string {
	return "shard-" + m.Checksum[:32] + ".ht"
}
