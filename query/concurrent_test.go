package query

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"heavytail/index"
)

// Many goroutines read and write at once. Under the race detector this is the
// test of what calls share.
func TestDB_Concurrent(t *testing.T) {
	db := openTest(t, &Options{MemoryLimit: 1 << 20})
	twoTriangles(t, db)
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
					_, err = db.Vectors().Nearest(ctx, NearestRequest{K: 2, Vertex: "a", Embedding: "pos", Metric: index.Cosine})
				case 1:
					_, err = db.Links().Score(ctx, ScoreRequest{Graph: "social", Pairs: []Pair{{"a", "d"}}, With: []Scorer{{Name: "jaccard"}}})
				case 2:
					edge := fmt.Sprintf("a v%d-%d\n", worker, i)
					_, err = db.Graphs().ImportReader(ctx, strings.NewReader(edge), ImportRequest{Graph: "social"})
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
