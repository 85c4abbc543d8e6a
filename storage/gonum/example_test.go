package gonum_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/graph/path"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"heavytail/storage"
	"heavytail/storage/gonum"
	"heavytail/storage/vec"
)

// Algorithms of gonum run on a stored graph.
func ExampleNewGraph() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := storage.Open(filepath.Join(dir, "roads.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ctx := context.Background()
	if _, err := db.CreateGraph(ctx, "roads"); err != nil {
		log.Fatal(err)
	}
	err = db.Update(ctx, func(tx *storage.Tx) error {
		_, err := tx.InsertEdges("roads", []storage.Edge{
			{Source: "Bern", Target: "Thun", Weight: 27}, {Source: "Thun", Target: "Spiez", Weight: 11},
			{Source: "Bern", Target: "Spiez", Weight: 45}, {Source: "Chur", Target: "Davos", Weight: 58},
		})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}

	s, err := db.Snapshot(ctx, "roads")
	if err != nil {
		log.Fatal(err)
	}
	g := gonum.NewGraph(s.Graph)
	bern, _ := s.Vertex("Bern")
	spiez, _ := s.Vertex("Spiez")
	steps, length := path.DijkstraFrom(g.Node(int64(bern)), g).To(int64(spiez))
	for _, n := range steps {
		fmt.Print(s.Key(uint32(n.ID())), " ")
	}
	fmt.Println(length)
	fmt.Println(len(topo.ConnectedComponents(g)), "components")
	// Output:
	// Bern Thun Spiez 38
	// 2 components
}

// Statistics of gonum read the vectors of an embedding, which storage.DB.Embedding
// returns.
func ExampleNewMatrix() {
	vectors := &vec.Matrix{Rows: 4, Dim: 2, Data: []float32{1, 1, 2, 2, 3, 3, 4, 4}}
	m := gonum.NewMatrix(vectors)
	var pc stat.PC
	if !pc.PrincipalComponents(m, nil) {
		log.Fatal("no principal components")
	}
	fmt.Printf("variance along the first axis %.2f\n", pc.VarsTo(nil)[0])
	var square mat.Dense
	square.Mul(m.T(), m)
	fmt.Println(square.At(0, 1))
	// Output:
	// variance along the first axis 3.33
	// 30
}
