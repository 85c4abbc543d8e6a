package studies_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage/generate"
)

// Scorers of the graph and of vectors are compared on the same hidden edges. Nothing is stored.
func ExampleService_EvaluateLinks() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Graphs().Generate(ctx, graphs.GenerateRequest{
		Graph: "blocks", Using: generate.StochasticBlock{Sizes: []int{60, 60}, In: 0.3, Out: 0.01, Seed: 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	result, err := db.Studies().EvaluateLinks(ctx, studies.EvaluateLinksRequest{
		Graph: "blocks", Methods: []studies.LinkMethod{{Using: vectors.FastRP{Dim: 16}}},
		Scorers: []string{"adamic_adar", "preferential_attachment", "cosine"}, Features: []string{},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Scores {
		fmt.Println(s.Scorer, "separates edges:", s.AUC > 0.7)
	}
	// Output:
	// adamic_adar separates edges: true
	// preferential_attachment separates edges: false
	// cosine separates edges: true
}
