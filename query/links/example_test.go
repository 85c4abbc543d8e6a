package links_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
)

// modelGraph makes a file with the graph "social", of two communities, and a model
// of its links.
func modelGraph() (db *query.DB, remove func()) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	db, err = query.Open(filepath.Join(dir, "social.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Query(ctx, "GENERATE stochastic_block(sizes := '40,40', p_in := 0.4, p_out := 0.01, seed := 3) INTO social", nil); err != nil {
		log.Fatal(err)
	}
	if _, err := db.Links().TrainModel(ctx, links.TrainModelRequest{Graph: "social", Name: "friends", Seed: 1}); err != nil {
		log.Fatal(err)
	}
	return db, func() { db.Close(); os.RemoveAll(dir) }
}

// A model learns from edges that it holds out, says how good it is on others, and
// scores pairs by their probability.
func ExampleService_TrainModel() {
	ctx := context.Background()
	db, remove := modelGraph()
	defer remove()
	models, err := db.Links().Models(ctx)
	if err != nil {
		log.Fatal(err)
	}
	m := models[0]
	fmt.Printf("%s of %s, AUC above 0.7: %v\n", m.Name, m.Graph, m.AUC > 0.7)
	scores, err := db.Links().Score(ctx, links.ScoreRequest{
		Pairs: []links.Pair{{Source: "0", Target: "1"}, {Source: "0", Target: "50"}},
		With:  []catalogue.Scorer{{Model: "friends"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("within a community likelier:", scores.Pairs[0].Scores[0] > scores.Pairs[1].Scores[0])
	// Output:
	// friends of social, AUC above 0.7: true
	// within a community likelier: true
}

// An explanation adds up to the log-odds of the pair.
func ExampleService_Explain() {
	db, remove := modelGraph()
	defer remove()
	why, err := db.Links().Explain(context.Background(), links.ScoreRequest{
		Pairs: []links.Pair{{Source: "0", Target: "1"}}, With: []catalogue.Scorer{{Model: "friends"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	sum := 0.0
	for _, part := range why.Scores[0].Model.Parts {
		sum += part.Part
	}
	fmt.Println("common neighbours named:", len(why.Heaviest) == min(why.Common, 5))
	fmt.Println("parts add up:", sum == why.Scores[0].Model.LogOdds)
	// Output:
	// common neighbours named: true
	// parts add up: true
}

// What was materialized is answered from the file, open for reading, with neither the
// graph nor an embedding in memory.
func ExampleService_Predict_stored() {
	ctx := context.Background()
	db, remove := modelGraph()
	defer remove()
	with := catalogue.Scorer{Model: "friends"}
	stored, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "social", With: with, K: 5})
	if err != nil {
		log.Fatal(err)
	}
	path := db.Path()
	db.Close()
	reader, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	answer, err := reader.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: "0", K: 3, Graph: "social"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stored.Vertices, "vertices,", len(answer.Links), "links, versions behind:", answer.Stored.Behind)
	// Output:
	// 80 vertices, 3 links, versions behind: 0
}

// Several scorers rate the same pairs. A pair with an unknown vertex keeps its
// place.
func ExampleService_Score() {
	db, done := querytest.Social()
	defer done()
	result, err := db.Links().Score(context.Background(), links.ScoreRequest{
		Graph: "social",
		Pairs: []links.Pair{{Source: "alice", Target: "erin"}, {Source: "alice", Target: "zoe"}},
		With:  []catalogue.Scorer{{Name: "common_neighbors"}, {Name: "preferential_attachment"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Pairs {
		fmt.Println(p.Source, p.Target, p.Scores)
	}
	fmt.Println(result.Missing, "missing")
	// Output:
	// alice erin [1 6]
	// alice zoe [NaN NaN]
	// 1 missing
}

// The likeliest links of a vertex, by what its friends have in common with others.
func ExampleService_Predict() {
	db, done := querytest.Social()
	defer done()
	result, err := db.Links().Predict(context.Background(), links.PredictRequest{
		Vertex: "alice", K: 2, Graph: "social", With: catalogue.Scorer{Name: "common_neighbors"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range result.Links {
		fmt.Println(l.Target, l.Score)
	}
	// Output:
	// erin 1
	// frank 1
}
