package query_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/files"
	"heavytail/query/graphs"
	"heavytail/query/links"
	"heavytail/query/maintenance"
	"heavytail/query/parser"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
)

// openExample opens a database in a temporary folder and imports a small graph:
// two circles of friends that alice and dave connect.
func openExample() (db *query.DB, done func()) {
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

// A program keeps a graph in a file of its own, embeds it, and asks who is near.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	db, err := query.Open(filepath.Join(dir, "social.ht"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	edges := strings.NewReader("alice bob\nbob carol\ncarol alice\nalice dave\ndave erin\nerin frank\nfrank dave\n")
	graph, err := db.Graphs().ImportReader(ctx, edges, graphs.ImportRequest{Graph: "social"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(graph.Vertices, "vertices,", graph.Edges, "edges")

	_, err = db.Vectors().Embed(ctx, vectors.EmbedRequest{
		Graph: "social", Name: "spec", Using: vectors.DPSpectral{Dim: 2, Beta: new(0.5)},
	})
	if err != nil {
		log.Fatal(err)
	}
	near, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{
		K: 1, Vertex: "bob", Embedding: "spec",
		Where: func(c where.Candidate) bool { return c.Degree == 2 },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, n := range near.Neighbors {
		fmt.Println(n.Vertex)
	}
	// Output:
	// 6 vertices, 7 edges
	// carol
}

// Statements of the language run from text, with values for their parameters.
func ExampleDB_Query() {
	db, done := openExample()
	defer done()
	rows, err := db.Query(context.Background(),
		"SCORE ($who, 'erin'), ($who, 'carol') IN social WITH common_neighbors, jaccard",
		map[string]any{"who": "alice"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows.Columns())
	for rows.Next() {
		fmt.Println(rows.Row()...)
	}
	if err := rows.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [source target common_neighbors jaccard]
	// alice erin 1 0.25
	// alice carol 1 0.25
}

// A mistake in a statement has a position, and often a hint.
func Example_mistake() {
	db, done := openExample()
	defer done()
	text := "SCORE ('alice', 'bob') IN socail WITH jaccard"
	_, err := db.Query(context.Background(), text, nil)
	var mistake *fault.Error
	if errors.As(err, &mistake) {
		fmt.Println(parser.Excerpt(parser.Source{Text: text}, mistake.Range))
		fmt.Println(err)
	}
	// Output:
	// SCORE ('alice', 'bob') IN socail WITH jaccard
	//                           ^^^^^^
	// line 1, column 27: unknown graph "socail": did you mean "social"?
}

// Several scorers rate the same pairs. A pair with an unknown vertex keeps its
// place.
func ExampleDB_Links_score() {
	db, done := openExample()
	defer done()
	result, err := db.Links().Score(context.Background(), links.ScoreRequest{
		Graph: "social",
		Pairs: []links.Pair{{Source: "alice", Target: "erin"}, {Source: "alice", Target: "zoe"}},
		With:  []catalogue.Scorer{{Name: "common_neighbors"}, {Name: "preferential_attachment"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range result.Pairs {
		fmt.Println(p.Source, p.Target, p.Scores)
	}
	fmt.Println(result.Missing, "missing")
	// Output:
	// alice erin [1 6]
	// alice zoe [NaN NaN]
	// 1 missing
}

// The likeliest links of a vertex, by what its friends have in common with others.
func ExampleDB_Links_predictFor() {
	db, done := openExample()
	defer done()
	result, err := db.Links().PredictFor(context.Background(), links.PredictForRequest{
		Vertex: "alice", K: 2, Graph: "social", With: catalogue.Scorer{Name: "common_neighbors"},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range result.Vertices {
		fmt.Println(v.Vertex, v.Score)
	}
	// Output:
	// erin 1
	// frank 1
}

// Several changes in one transaction: they are seen together or, after an
// error, not at all.
func ExampleDB_Update() {
	db, done := openExample()
	defer done()
	ctx := context.Background()
	err := db.Update(ctx, func(tx *storage.Tx) error {
		_, err := tx.InsertVertices("social", []storage.Vertex{
			{Key: "grace", Values: []storage.NamedValue{{Name: "age", Value: storage.IntegerValue(44)}}},
		})
		if err != nil {
			return err
		}
		_, err = tx.InsertEdges("social", []storage.Edge{{Source: "grace", Target: "alice", Weight: 2.5}})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	d, err := db.Graphs().DescribeVertex(ctx, "social", "grace")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Key, d.Degree, d.Strength, d.Attributes[0].Name, d.Attributes[0].Value)
	// Output:
	// grace 1 2.5 age 44
}

// A condition reads the degree of a vertex, its key, and the attributes that
// the request names.
func ExampleDB_Graphs_updateVertices() {
	db, done := openExample()
	defer done()
	ctx := context.Background()
	result, err := db.Graphs().UpdateVertices(ctx, graphs.UpdateVerticesRequest{
		Graph: "social",
		Where: func(c where.Candidate) bool { return c.Degree >= 3 },
		Set:   []storage.NamedValue{{Name: "hub", Value: storage.BooleanValue(true)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Updated, "updated")
	hubs, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{
		Attributes: []string{"hub"},
		Where:      func(c where.Candidate) bool { return c.Value("hub").Boolean() },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range hubs.Vertices {
		fmt.Println(v.Key, v.Degree)
	}
	// Output:
	// 2 updated
	// alice 3
	// dave 3
}

// Attributes come from a table, and leave in GraphML with the edges.
func ExampleDB_Graphs_importVertices() {
	ctx := context.Background()
	db, done := openExample()
	defer done()
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	people := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(people, []byte("name,age\nalice,41\nbob,27\ngrace,\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	result, err := db.Graphs().ImportVertices(ctx, graphs.ImportRequest{Graph: "social", Path: people, Key: "name"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.NewVertices, "new,", result.UpdatedVertices, "updated")

	file := filepath.Join(dir, "social.graphml.gz")
	if _, err := db.Graphs().Export(ctx, files.ExportRequest{Name: "social", Path: file}); err != nil {
		log.Fatal(err)
	}
	again, err := db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "again", Path: file})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(again.Layout, again.Vertices, again.Edges)
	// Output:
	// 1 new, 2 updated
	// graphml 7 7
}

// What a graph looks like, and what it takes.
func ExampleDB_Graphs_describe() {
	db, done := openExample()
	defer done()
	d, err := db.Graphs().Describe(context.Background(), graphs.DescribeGraphRequest{Graph: "social"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Components, "component,", d.Clustering.Triangles, "triangles")
	fmt.Printf("transitivity %.2f, assortativity %.2f\n", d.Clustering.Transitivity, d.Assortativity)
	fmt.Println("the hub", d.Hub, "has degree", d.Packing.Degree)
	// Output:
	// 1 component, 2 triangles
	// transitivity 0.60, assortativity -0.17
	// the hub alice has degree 3
}

// A backup is made while others read and write.
func ExampleDB_Backup() {
	ctx := context.Background()
	db, done := openExample()
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

// A program that runs statements of other people keeps their files in a folder.
func ExampleOptions_folder() {
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := query.Open(filepath.Join(dir, "social.ht"), &query.Options{Folder: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = db.Query(context.Background(), "IMPORT '../../etc/passwd' INTO stolen", nil)
	fmt.Println(errors.Is(err, fault.ErrOutside))
	fmt.Println(err)
	// Output:
	// true
	// line 1, column 8: file "../../etc/passwd" is outside the folder that files are confined to
}
