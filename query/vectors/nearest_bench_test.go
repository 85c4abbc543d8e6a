package vectors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"heavytail/index"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// BenchmarkNearest searches the 10 nearest vertices in a graph as large as ca-GrQc, by the
// typed method and by a statement: with everything in memory, with an embedding that is 200
// versions older than its graph, and by an index.
func BenchmarkNearest(b *testing.B) {
	const n, dim = 5242, 128
	db := querytest.Open(b, &query.Options{IndexBytes: 1 << 30})
	querytest.MustExec(b, db, fmt.Sprintf("GENERATE preferential_attachment(n := %d, m := 3, seed := 1) INTO g", n))
	m := vec.NewMatrix(n, dim)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	if _, err := querytest.Engine(db).Store.PutEmbedding(b.Context(), storage.EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, m); err != nil {
		b.Fatal(err)
	}
	both := func(name, condition string) {
		b.Run(name+"/method", func(b *testing.B) {
			req := vectors.NearestRequest{K: 10, Embedding: "e", Metric: index.L2}
			if condition != "" {
				req.Where = func(c where.Candidate) bool { return c.Degree > 0 }
			}
			for i := 0; b.Loop(); i++ {
				req.Vertex = fmt.Sprint(i % n)
				if r, err := db.Vectors().Nearest(b.Context(), req); err != nil || len(r.Neighbors) != 10 {
					b.Fatal(r, err)
				}
			}
		})
		b.Run(name+"/text", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				querytest.MustExec(b, db, fmt.Sprintf("NEAREST 10 TO '%d' USING e %s", i%n, condition))
			}
		})
	}
	querytest.MustExec(b, db, "NEAREST 1 TO '1' USING e WHERE degree > 0") // loads the graph and the vectors
	both("memory", "")
	querytest.Engine(db).Opts.IndexBytes = 0
	querytest.MustExec(b, db, "CREATE INDEX ON e WITH (ef := 32)")
	both("index", "")
	for v := range 200 {
		querytest.MustExec(b, db, fmt.Sprintf("INSERT EDGE ('%d', '%d') INTO g", v, n-1-v))
	}
	both("stale", "")
}
