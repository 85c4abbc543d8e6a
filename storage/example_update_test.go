package storage_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heavytail/storage"
)

// Vertices and edges are written together, or not at all.
func ExampleDB_Update() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := storage.Open(filepath.Join(dir, "social.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	err = db.Update(ctx, func(tx *storage.Tx) error {
		if _, err := tx.CreateGraph("social"); err != nil {
			return err
		}
		_, err := tx.InsertEdges("social", []storage.Edge{
			{Source: "alice", Target: "bob", Weight: 2.5},
			{Source: "carol", Target: "alice", Time: 1_700_000_000, Timed: true},
		})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	edges, err := db.Neighbors(ctx, "social", "alice")
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range edges {
		fmt.Println(e.Target, e.Weight, e.Time, e.Timed)
	}
	// Output:
	// bob 2.5 0 false
	// carol 1 1700000000 true
}
