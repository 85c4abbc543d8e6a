// Outside is a program as a user of the library would write it, built by
// .ci/run in a module of its own: it keeps a graph in a file, embeds it, queries it,
// changes it, and keeps another graph inside a file of its own. Every answer is checked,
// and the column names too, since they are part of the interface.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/parser"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/format"
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

	imported, err := db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "social", Path: edges})
	if err != nil {
		return err
	}
	fmt.Printf("imported %d vertices, %d edges\n", imported.Vertices, imported.Edges)
	embedded, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{
		Graph: "social", Name: "spec", Using: vectors.DPSpectral{Dim: 50},
	})
	if err != nil {
		return err
	}
	fmt.Printf("embedded in %d dimensions, largest residual %.1e\n", embedded.Dim, embedded.WorstResidual)

	for _, check := range []func(context.Context, *query.DB) error{nearest, columns, options, mistakes, fields, locked, update} {
		if err := check(ctx, db); err != nil {
			return err
		}
	}
	if err := attached(ctx, dir); err != nil {
		return err
	}
	if err := errors.Join(throughSQL(ctx, dir), throughLibraries(ctx, dir)); err != nil {
		return err
	}
	return predict(ctx, db) // closes it
}

// nearest runs the same query by the method and by the language.
func nearest(ctx context.Context, db *query.DB) error {
	typed, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{
		K: 5, Embedding: "spec", Vertex: "0",
		Where: func(c where.Candidate) bool { return !c.Linked && c.Degree >= 3 },
	})
	if err != nil {
		return err
	}
	rows, err := db.Query(ctx, "NEAREST 5 TO $who USING spec WHERE NOT linked AND degree >= 3", map[string]any{"who": "0"})
	if err != nil {
		return err
	}
	defer rows.Close()
	var asked []vectors.Neighbor
	for rows.Next() {
		row := rows.Row()
		asked = append(asked, vectors.Neighbor{Vertex: row[0].(string), Value: row[1].(float64)})
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if len(asked) != 5 || !reflect.DeepEqual(asked, typed.Neighbors) {
		return fmt.Errorf("the method answers %v, the statement %v", typed.Neighbors, asked)
	}
	for i, n := range asked {
		if n.Vertex == "0" || i > 0 && n.Value < asked[i-1].Value {
			return fmt.Errorf("answer %d of %v is out of place", i, asked)
		}
		fmt.Printf("near 0: %s at %.4f\n", n.Vertex, n.Value)
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
		{"RECONSTRUCT spec EPSILON 0.49", []string{"epsilon", "radius", "edges", "pearson", "spearman", "kendall", "precision", "recall", "f1", "h3", "null_pearson", "null_spearman", "null_kendall", "null_f1", "null_h3"}},
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

// mistakes expects a position and a hint in the errors of wrong statements.
func mistakes(ctx context.Context, db *query.DB) error {
	_, err := db.Query(ctx, "NEARST 5 TO 'a' USING spec", nil)
	var syntax *parser.Error
	if !errors.As(err, &syntax) {
		return fmt.Errorf("a misspelt keyword gives %T: %v", err, err)
	}
	_, err = db.Query(ctx, "NEAREST 5 TO '0' USING spek", nil)
	var mistake *fault.Error
	if !errors.As(err, &mistake) {
		return fmt.Errorf("a misspelt name gives %T: %v", err, err)
	}
	fmt.Printf("mistakes: %v; %v\n", syntax, mistake)
	return nil
}

// options expects that an option of 0 differs from one that is left out, and reads a result
// back from JSON.
func options(ctx context.Context, db *query.DB) error {
	for want, using := range map[string]vectors.DPWalker{"0.25": {Dim: 8, Walks: 1}, "0": {Dim: 8, Walks: 1, Beta: new(0.0)}} {
		made, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "walked", Using: using})
		if err != nil {
			return err
		}
		if !slices.Contains(made.Options, storage.Setting{Name: "beta", Value: want}) {
			return fmt.Errorf("%+v leaves the options %v", using, made.Options)
		}
		text, err := json.Marshal(made)
		if err != nil {
			return err
		}
		var read vectors.EmbedResult
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(read.Options, made.Options) || !read.Created.Equal(made.Created) {
			return fmt.Errorf("%s is read back as %+v, %w", text, read, err)
		}
	}
	return db.Vectors().Drop(ctx, "walked")
}

// fields expects what is wrong, where and what to do in the fields of errors.
func fields(ctx context.Context, db *query.DB) error {
	_, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "e", Using: vectors.DPWalker{Beta: new(9.0)}})
	var mistake *fault.Error
	if !errors.As(err, &mistake) || mistake.Option != "beta" || mistake.Start.Line != 0 || !errors.Is(err, fault.ErrInvalid) {
		return fmt.Errorf("an option out of range gives %+v", err)
	}
	flags := fault.Words{Option: func(name string) string { return "--" + name }, Bare: true}
	if text := flags.Message(err); text != "--beta is 9, and must be a number from -8 to 8" {
		return fmt.Errorf("as a flag it is %q", text)
	}
	_, err = db.Query(ctx, "NEAREST 5 TO '0' USING spek", nil)
	if !errors.As(err, &mistake) || mistake.Found != "spek" || mistake.Nearest != `"spec"` || mistake.Start.Column != 24 || !errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("a misspelt name gives %+v", err)
	}
	_, err = db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "social", Path: "pairs.csv", Weight: "0"})
	var refused *format.OptionError
	if !errors.As(err, &refused) || refused.Option != "weight" || refused.Value != "0" || !errors.As(err, &mistake) || mistake.Option != "weight" {
		return fmt.Errorf("a column that cannot be gives %+v", err)
	}
	_, err = query.Open(db.Path(), &query.Options{Workers: -1})
	var field *fault.FieldError
	if !errors.As(err, &field) || field.Field != "Workers" {
		return fmt.Errorf("a negative number of workers gives %v", err)
	}
	_, err = new(query.DB).Answer(ctx, "CHECK", nil)
	var failed *fault.StatementError
	if !errors.As(err, &failed) || failed.Statement != "CHECK" || !errors.Is(err, fault.ErrClosed) {
		return fmt.Errorf("a closed database gives %v", err)
	}
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
