// Package files has the requests and results of statements that write a file:
//
//	db, err := query.Open("graphs.ht", nil)
//	written, err := db.Graphs().Export(ctx, files.ExportRequest{Name: "social", Path: "social.parquet"})
package files
