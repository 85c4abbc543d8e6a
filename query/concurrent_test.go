package query_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/vectors"
)

// Many goroutines read and write at once. Under the race detector this is the
// test of what calls share.
func TestDB_Concurrent(t *testing.T) {
	db := querytest.Open(t, &query.Options{MemoryLimit: 1 << 20})
	querytest.TwoTriangles(t, db)
	ctx := context.Background()
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 20 {
				var err error
				switch (worker + i) % 5 {
				case 0:
					_, err = db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 2, Vertex: "a", Embedding: "pos", Metric: index.Cosine})
				case 1:
					_, err = db.Links().Score(ctx, links.ScoreRequest{Graph: "social", Pairs: []links.Pair{{Source: "a", Target: "d"}}, With: []catalogue.Scorer{{Name: "jaccard"}}})
				case 2:
					edge := fmt.Sprintf("a v%d-%d\n", worker, i)
					_, err = db.Graphs().ImportReader(ctx, strings.NewReader(edge), graphs.ImportRequest{Graph: "social"})
				case 3:
					_, err = db.Query(ctx, "WITHIN RADIUS 5 OF 'a' USING pos WHERE NOT linked", nil)
				case 4:
					_, err = db.Vectors().List(ctx)
				}
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}
