package main

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/links"
)

// predict stores the most likely links of every vertex, closes the file, opens it
// read-only, and answers from the stored links.
func predict(ctx context.Context, db *query.DB) error {
	trained, err := db.Links().TrainModel(ctx, links.TrainModelRequest{Graph: "social", Name: "friends", Heuristics: []string{"adamic_adar", "resource_allocation"}, Seed: 1})
	if err != nil {
		return err
	}
	if trained.AUC < 0.95 {
		return fmt.Errorf("a model with an AUC of %v", trained.AUC)
	}
	model := catalogue.Scorer{Model: "friends"}
	if _, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "social", With: model, K: 20}); err != nil {
		return err
	}
	live, err := db.Links().Predict(ctx, links.PredictRequest{Vertex: "0", K: 10, Graph: "social", With: model})
	if err != nil {
		return err
	}
	path := db.Path()
	if err := db.Close(); err != nil {
		return err
	}
	began := time.Now()
	reader, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer reader.Close()
	opened := time.Since(began)
	ask := func() (links.PredictResult, error) {
		return reader.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: "0", K: 10, Graph: "social"})
	}
	stored, err := ask()
	if err != nil {
		return err
	}
	first := time.Since(began)
	if !reflect.DeepEqual(stored.Links, live.Links) || stored.Stored.Behind != 0 {
		return fmt.Errorf("the file answers %v, the model %v", stored.Links, live.Links)
	}
	const times = 1000
	began = time.Now()
	for range times {
		if _, err := ask(); err != nil {
			return err
		}
	}
	fmt.Printf("links of 0: opened in %v, the first answer after %v, later ones in %v\n", opened, first, time.Since(began)/times)
	return nil
}
