package maintenance_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/maintenance"
)

// A backup is made while others read and write.
func ExampleService_Backup() {
	ctx := context.Background()
	db, done := querytest.Social()
	defer done()
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "monday.ht")
	if _, err := db.Maintenance().Backup(ctx, maintenance.BackupRequest{Path: path}); err != nil {
		log.Fatal(err)
	}
	monday, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		log.Fatal(err)
	}
	defer monday.Close()
	report, err := monday.Maintenance().Check(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.OK(), report.Graphs, "graph")
	// Output: true 1 graph
}
