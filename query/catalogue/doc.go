// Package catalogue has the entries of the catalogue as lists show them: embeddings, models and
// predictions, with the number of changes since they were computed. It also has [Scorer], which
// names them in requests:
//
//	db, err := query.Open("graphs.ht", nil)
//	list, err := db.Vectors().List(ctx)
//	scores, err := db.Links().Score(ctx, links.ScoreRequest{Graph: "social", Pairs: []links.Pair{{Source: "alice", Target: "bob"}},
//		With: []catalogue.Scorer{{Name: "jaccard"}, {Name: "cosine", Embedding: list[0].Name}}})
package catalogue
