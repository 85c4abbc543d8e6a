package catalogue_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// The list of embeddings says how far each is behind its graph.
func ExampleEmbeddingSummary() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "fast", Using: vectors.FastRP{Dim: 8}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "social", []storage.Edge{{Source: "bob", Target: "erin"}}); err != nil {
		log.Fatal(err)
	}
	list, err := db.Vectors().List(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range list {
		fmt.Printf("%s of %s by %s: %d version behind, %d vertices changed\n", e.Name, e.Graph, e.Method, e.Behind, e.Changed)
	}
	// Output:
	// fast of social by fastrp: 1 version behind, 2 vertices changed
}

// A scorer is named as in statements: of the graph, of an embedding, or a model.
func ExampleScorer() {
	fmt.Println(catalogue.Scorer{Name: "jaccard"}, catalogue.Scorer{Name: "cosine", Embedding: "spec"}, catalogue.Scorer{Model: "friends"})
	// Output:
	// jaccard cosine(spec) model(friends)
}
