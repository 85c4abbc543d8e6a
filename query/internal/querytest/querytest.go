// Package querytest has what tests and examples of the families share.
package querytest

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"

	"heavytail/query"
	"heavytail/query/graphs"
)

// Social opens a database in a temporary folder and imports a small graph:
// two circles of friends that alice and dave connect.
func Social() (db *query.DB, done func()) {
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	db, err = query.Open(filepath.Join(dir, "social.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	edges := `alice bob
bob carol
carol alice
alice dave
dave erin
erin frank
frank dave
`
	_, err = db.Graphs().ImportReader(context.Background(), strings.NewReader(edges), graphs.ImportRequest{Graph: "social"})
	if err != nil {
		log.Fatal(err)
	}
	return db, func() {
		if err := db.Close(); err != nil {
			log.Fatal(err)
		}
		os.RemoveAll(dir)
	}
}
