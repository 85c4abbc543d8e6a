package graphs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heavytail/query/files"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/where"
	"heavytail/storage"
)

// A condition reads the degree of a vertex, its key, and the attributes that
// the request names.
func ExampleService_UpdateVertices() {
	db, done := querytest.Social()
	defer done()
	ctx := context.Background()
	result, err := db.Graphs().UpdateVertices(ctx, graphs.UpdateVerticesRequest{
		Graph: "social",
		Where: func(c where.Candidate) bool { return c.Degree >= 3 },
		Set:   []storage.NamedValue{{Name: "hub", Value: storage.BooleanValue(true)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Updated, "updated")
	hubs, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{
		Attributes: []string{"hub"},
		Where:      func(c where.Candidate) bool { return c.Value("hub").Boolean() },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range hubs.Vertices {
		fmt.Println(v.Vertex, v.Degree)
	}
	// Output:
	// 2 updated
	// alice 3
	// dave 3
}

// Attributes come from a table, and leave in GraphML with the edges.
func ExampleService_ImportVertices() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	people := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(people, []byte("name,age\nalice,41\nbob,27\ngrace,\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	result, err := db.Graphs().ImportVertices(ctx, graphs.ImportRequest{Graph: "social", Path: people, Key: "name"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.NewVertices, "new,", result.UpdatedVertices, "updated")

	file := filepath.Join(dir, "social.graphml.gz")
	if _, err := db.Graphs().Export(ctx, files.ExportRequest{Name: "social", Path: file}); err != nil {
		log.Fatal(err)
	}
	again, err := db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "again", Path: file})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Layout, again.Vertices, again.Edges)
	// Output:
	// 1 new, 2 updated
	// graphml 7 7
}

// What a graph looks like, and what it takes.
func ExampleService_Describe() {
	db, done := querytest.Social()
	defer done()
	d, err := db.Graphs().Describe(context.Background(), graphs.DescribeGraphRequest{Graph: "social"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Components, "component,", d.Clustering.Triangles, "triangles")
	fmt.Printf("transitivity %.2f, assortativity %.2f\n", d.Clustering.Transitivity, d.Assortativity)
	fmt.Println("the hub", d.Hub, "has degree", d.Packing.Degree)
	// Output:
	// 1 component, 2 triangles
	// transitivity 0.60, assortativity -0.17
	// the hub alice has degree 3
}
