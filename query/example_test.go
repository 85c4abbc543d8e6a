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
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
)

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
	db, done := querytest.Social()
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
	db, done := querytest.Social()
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

// Several changes in one transaction: they are seen together or, after an
// error, not at all.
func ExampleDB_Update() {
	db, done := querytest.Social()
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
	fmt.Println(d.Vertex, d.Degree, d.Strength, d.Attributes[0].Name, d.Attributes[0].Value)
	// Output:
	// grace 1 2.5 age 44
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
