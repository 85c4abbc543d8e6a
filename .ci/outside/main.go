// Outside is a program as a user of the library would write it, built by
// .ci/run in a module of its own: it keeps a graph in a file, embeds it, asks,
// changes it, and keeps another graph inside a file of its own. Every answer is
// checked, and the column names too, since they are part of the interface.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/storage"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: outside EDGES")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "outside:", err)
		os.Exit(1)
	}
}

func run(edges string) error {
	dir, err := os.MkdirTemp("", "outside")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := query.Open(filepath.Join(dir, "social.ht"), nil)
	if err != nil {
		return err
	}
	defer db.Close()

	imported, err := db.Import(ctx, query.ImportRequest{Graph: "social", Path: edges})
	if err != nil {
		return err
	}
	fmt.Printf("imported %d vertices, %d edges\n", imported.Vertices, imported.Edges)
	embedded, err := db.Embed(ctx, query.EmbedRequest{
		Graph: "social", Name: "spec", Method: "dp_spectral", Settings: map[string]any{"dim": 50},
	})
	if err != nil {
		return err
	}
	fmt.Printf("embedded in %d dimensions, largest residual %.1e\n", embedded.Dim, embedded.WorstResidual)

	for _, check := range []func(context.Context, *query.DB) error{nearest, columns, mistakes, locked, update} {
		if err := check(ctx, db); err != nil {
			return err
		}
	}
	if err := attached(ctx, dir); err != nil {
		return err
	}
	return predict(ctx, db) // closes it
}

// nearest asks the same by the method and by the language.
func nearest(ctx context.Context, db *query.DB) error {
	typed, err := db.Nearest(ctx, query.NearestRequest{
		K: 5, Embedding: "spec", Vertex: "0",
		Where: func(c query.Candidate) bool { return !c.Linked && c.Degree >= 3 },
	})
	if err != nil {
		return err
	}
	rows, err := db.Query(ctx, "NEAREST 5 TO $who USING spec WHERE NOT linked AND degree >= 3", map[string]any{"who": "0"})
	if err != nil {
		return err
	}
	defer rows.Close()
	var told []query.Neighbor
	for rows.Next() {
		row := rows.Row()
		told = append(told, query.Neighbor{Vertex: row[0].(string), Distance: row[1].(float64)})
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(told) != 5 || !reflect.DeepEqual(told, typed.Neighbors) {
		return fmt.Errorf("the method answers %v, the statement %v", typed.Neighbors, told)
	}
	for i, n := range told {
		if n.Vertex == "0" || i > 0 && n.Distance < told[i-1].Distance {
			return fmt.Errorf("answer %d of %v is out of place", i, told)
		}
		fmt.Printf("near 0: %s at %.4f\n", n.Vertex, n.Distance)
	}
	return nil
}

func columns(ctx context.Context, db *query.DB) error {
	for _, c := range []struct {
		statement string
		want      []string
	}{
		{"NEAREST 1 TO '0' USING spec", []string{"vertex", "distance"}},
		{"NEAREST 1 TO '0' USING cosine(spec)", []string{"vertex", "similarity"}},
		{"WITHIN RADIUS 0.5 OF '0' USING spec LIMIT 3", []string{"vertex", "distance"}},
		{"RECONSTRUCT spec EPSILON 0.49", []string{"epsilon", "radius", "edges", "pearson", "spearman", "kendall", "precision", "recall"}},
		{"SCORE ('0', '1'), ('2', 'nobody') WITH adamic_adar, cosine(spec)", []string{"source", "target", "adamic_adar", "cosine(spec)"}},
		{"EMBED social USING laplacian_eigenmaps(dim := 8) AS small", []string{"embedding", "method", "dim", "vertices", "seconds", "residual"}},
	} {
		rows, err := db.Query(ctx, c.statement, nil)
		if err != nil {
			return err
		}
		n := 0
		for rows.Next() {
			if n++; len(rows.Row()) != len(c.want) {
				return fmt.Errorf("%s: row %v", c.statement, rows.Row())
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return fmt.Errorf("%s: %w", c.statement, err)
		}
		if n == 0 || !reflect.DeepEqual(rows.Columns(), c.want) {
			return fmt.Errorf("%s: %d rows of %v, want %v", c.statement, n, rows.Columns(), c.want)
		}
	}
	return nil
}

// mistakes expects a position and a hint for what a user gets wrong.
func mistakes(ctx context.Context, db *query.DB) error {
	_, err := db.Query(ctx, "NEARST 5 TO 'a' USING spec", nil)
	var syntax *parser.Error
	if !errors.As(err, &syntax) {
		return fmt.Errorf("a misspelt keyword gives %T: %v", err, err)
	}
	_, err = db.Query(ctx, "NEAREST 5 TO '0' USING spek", nil)
	var mistake *query.Error
	if !errors.As(err, &mistake) {
		return fmt.Errorf("a misspelt name gives %T: %v", err, err)
	}
	fmt.Printf("mistakes: %v; %v\n", syntax, mistake)
	return nil
}

// locked expects a second writer to be refused.
func locked(ctx context.Context, db *query.DB) error {
	second, err := query.Open(db.Path(), nil)
	if err == nil {
		second.Close()
	}
	if !errors.Is(err, storage.ErrLocked) {
		return fmt.Errorf("a second writer gets: %v", err)
	}
	return nil
}
