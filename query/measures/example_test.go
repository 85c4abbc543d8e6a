package measures_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/measures"
	"heavytail/storage"
)

// A stored measure is an attribute of the vertices. After a change of the graph, Refresh computes it
// again with the same options.
func ExampleService_Compute() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "social", Measure: "betweenness", As: "between"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = db.Graphs().InsertEdges(ctx, "social", []storage.Edge{{Source: "bob", Target: "erin"}})
	if err != nil {
		log.Fatal(err)
	}
	refreshed, err := db.Measures().Refresh(ctx, measures.RefreshMeasureRequest{Graph: "social", Attribute: "between"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(refreshed.Kind, "after changes of", refreshed.Changed, "vertices")
	list, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{Graph: "social", Attributes: []string{"between"}, Limit: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range list.Vertices {
		fmt.Println(v.Vertex, v.Degree, v.Values)
	}
	// Output:
	// full after changes of 2 vertices
	// alice 3 [2]
	// bob 3 [2]
	// carol 2 [0]
}

// Options of a measure are given by name; List and HELP have them. Without As the values are returned.
func ExampleService_Compute_settings() {
	db, done := querytest.Social()
	defer done()
	result, err := db.Measures().Compute(context.Background(), measures.ComputeRequest{
		Graph: "social", Measure: "pagerank", Settings: map[string]any{"damping": 0.5}, From: []string{"alice"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range result.Vertices[:3] {
		fmt.Printf("%s %.3f\n", v.Key, v.Value.Float())
	}
	// Output:
	// alice 0.583
	// bob 0.130
	// carol 0.130
}
