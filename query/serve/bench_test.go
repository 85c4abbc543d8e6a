package serve_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/remote"
	"heavytail/query/rows"
	"heavytail/query/serve"
)

// BenchmarkLookup compares look-ups in the process with those of one client over its socket.
func BenchmarkLookup(b *testing.B) {
	path := b.TempDir() + "/test.ht"
	db, err := query.Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{"GENERATE preferential_attachment(n := 2000, m := 3, seed := 1) INTO g", "EMBED g USING fastrp(dim := 32) AS e"} {
		if _, err := db.Query(b.Context(), statement, nil); err != nil {
			b.Fatal(err)
		}
	}
	server, err := serve.New(db, nil)
	if err != nil {
		b.Fatal(err)
	}
	socket, err := serve.Listen(path)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, socket) }()
	client, err := remote.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	type database interface {
		Query(context.Context, string, map[string]any) (*rows.Rows, error)
	}
	for _, statement := range []string{"SHOW NEIGHBORS OF $v IN g", "NEAREST 10 TO $v USING e"} {
		for _, on := range []struct {
			name string
			db   database
		}{{"process", db}, {"socket", client}} {
			word, _, _ := strings.Cut(statement, " OF")
			b.Run(strings.ReplaceAll(word, " ", "_")[:7]+"/"+on.name, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					r, err := on.db.Query(b.Context(), statement, map[string]any{"v": fmt.Sprint(i % 2000)})
					if err != nil {
						b.Fatal(err)
					}
					n := 0
					for r.Next() {
						n++
					}
					if r.Err() != nil || n < 3 {
						b.Fatal(n, r.Err())
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lookups/s")
			})
		}
	}
	client.Close()
	stop()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}
