package shard

import (
	"context"
	"fmt"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/parser"
	"heavytail/storage/format"
)

// nearestFor is NEAREST … FOR ALL and FOR FILE, whose rows go into a file.
type nearestFor struct {
	s    *parser.NearestFor
	into *parser.IntoFile
}

func (w nearestFor) output() parser.Value { return w.into.File }
func (w nearestFor) endings() []string    { return []string{".csv", parquetEnding} }
func (w nearestFor) headed() bool         { return true }

func (w nearestFor) columns(context.Context, *query.DB) ([]string, error) {
	for _, o := range w.into.Options {
		if o.Name.Name == "format" {
			return nil, fmt.Errorf("%w: leave out the option format, the ending of the file names it", ErrStatement)
		}
	}
	return []string{"key"}, nil
}

// notes are those of the undivided statement: the parts have the statements of the shards.
func (w nearestFor) notes() []format.Note {
	return []format.Note{{Key: "heavytail.statement", Text: parser.Text(w.into.Statement)}}
}

func (w nearestFor) names() named {
	return named{embeddings: []string{w.s.Using.Embedding.Name}, indexes: !w.s.Exact}
}

func (w nearestFor) each(ctx context.Context, db *query.DB, f func(row ...string) error) error {
	if w.s.Each.File == nil {
		return w.eachVertex(ctx, db, f)
	}
	path, err := inputPath(w.s.Each.File)
	if err != nil {
		return err
	}
	in, size, err := format.OpenFile(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return format.ReadKeys(ctx, in, format.VectorOptions{Name: path, Size: size}, func(key []byte) error { return f(string(key)) })
}

// eachVertex calls f with every vertex of the graph of the embedding.
func (w nearestFor) eachVertex(ctx context.Context, db *query.DB, f func(row ...string) error) error {
	known, err := db.Vectors().List(ctx)
	e, err := embedding(known, err, w.s.Using.Embedding.Name)
	if err != nil {
		return err
	}
	for v, err := range db.Graphs().EachVertex(ctx, graphs.VerticesRequest{Graph: e.Graph}) {
		if err == nil {
			err = f(v.Key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w nearestFor) on(p piece) parser.Statement {
	s, into := *w.s, *w.into
	s.Each.File = text(p.input)
	into.Statement, into.File, into.Options = &s, text(p.output), []parser.Option{option("overwrite", parser.Bool{Value: true})}
	return &into
}
