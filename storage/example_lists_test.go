package storage_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heavytail/embedding"
	"heavytail/storage"
	"heavytail/storage/generate"
)

// A graph is embedded with its edges in the file: at most 4,000 bytes of them are in memory,
// where all would take 31,712.
func ExampleDB_Lists() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	db, err := storage.Open(filepath.Join(folder, "graph.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	g, err := generate.PreferentialAttachment{N: 500, M: 8}.Generate(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.PutGraph(ctx, "social", storage.PutGraphRequest{Graph: g}); err != nil {
		log.Fatal(err)
	}

	lists, err := db.Lists(ctx, "social")
	if err != nil {
		log.Fatal(err)
	}
	rows, _, _, read, err := embedding.SpectralLists(ctx, lists, 4000, embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 4})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Rows, "vectors;", read.Bytes, "bytes of edges in memory, of", 4*len(g.Targets))
	// Output:
	// 500 vectors; 4000 bytes of edges in memory, of 31712
}
