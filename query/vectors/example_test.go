package vectors_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/embedding/unitball"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// A unit-ball placement gives the graph back, edge by edge.
func ExampleService_Reconstruct() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "ball", Using: vectors.UnitBall{Options: unitball.Options{Dim: 3}}})
	if err != nil {
		log.Fatal(err)
	}
	again, err := db.Vectors().Reconstruct(ctx, vectors.ReconstructRequest{Embedding: "ball", Radius: 1, Graph: "again"})
	if err != nil {
		log.Fatal(err)
	}
	point := again.Points[again.Best]
	fmt.Println(again.Graph.Edges, "edges, precision", point.Precision, "and recall", point.Recall)
	// Output:
	// 7 edges, precision 1 and recall 1
}

// The nearest of every vertex are an iterator, so that any number of them fits in memory.
func ExampleService_EachNearest() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "spec", Using: vectors.DPSpectral{Dim: 2, Beta: new(0.5)}})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range db.Vectors().EachNearest(ctx, vectors.NearestRequest{Embedding: "spec", K: 1}) {
		if err != nil {
			log.Fatal(err)
		}
		if row.Source == "bob" || row.Source == "erin" {
			fmt.Println(row.Source, row.Rank, row.Vertex)
		}
	}
	// Output:
	// bob 1 carol
	// erin 1 frank
}

// An answer has the state of its embedding, and Refresh brings that up to date.
func ExampleService_Refresh() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	_, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "spec", Using: vectors.FastRP{Dim: 8}})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "social", []storage.Edge{{Source: "alice", Target: "grace"}}); err != nil {
		log.Fatal(err)
	}
	near, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{Embedding: "spec", Vertex: "bob", K: 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("behind by", near.Embedding.Behind)
	if _, err := db.Vectors().Refresh(ctx, vectors.RefreshRequest{Embedding: "spec"}); err != nil {
		log.Fatal(err)
	}
	vector, err := db.Vectors().Vector(ctx, "spec", "grace")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("grace has", len(vector), "coordinates")
	// Output:
	// behind by 1
	// grace has 8 coordinates
}
