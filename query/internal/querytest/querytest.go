// Package querytest has what tests and examples of the families share.
package querytest

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/internal/engine"
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

// Engine is the engine below a database, with which a test changes when jobs save, forgets what
// is loaded, or reads what the file holds.
func Engine(db *query.DB) *engine.DB {
	return (*engine.DB)(reflect.ValueOf(db).Elem().FieldByName("e").Addr().UnsafePointer())
}

// Prepared are options with which Open calls prepare before the first goroutine starts. A
// prepare that they have already is called first.
func Prepared(opts query.Options, prepare func(*engine.DB)) *query.Options {
	field := (*func(*engine.DB))(reflect.ValueOf(&opts).Elem().FieldByName("prepare").Addr().UnsafePointer())
	earlier := *field
	*field = func(e *engine.DB) {
		if earlier != nil {
			earlier(e)
		}
		prepare(e)
	}
	return &opts
}

// GraphOnly are options with which searches use the graph of an index, for vectors of at least
// the given number of bytes, even if a scan is cheaper.
func GraphOnly(indexBytes int64) *query.Options {
	return Prepared(query.Options{IndexBytes: indexBytes}, func(e *engine.DB) { e.Opts.GraphOnly = true })
}
