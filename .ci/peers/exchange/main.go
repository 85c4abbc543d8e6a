// Exchange is heavytail's side of .ci/peers/formats.py, which compares files with
// networkx, scipy and gensim. Graphs pass between the two as JSON:
//
//	exchange write FOLDER        reads FOLDER/graph.json and vectors.json, writes both in every format
//	exchange read FILE OPTION…   prints as JSON what a file holds; options are NAME=VALUE
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphfile"
	"heavytail/storage/format/graphtext"
	_ "heavytail/storage/format/parquet"
	"heavytail/storage/format/rowtext"
	"heavytail/storage/format/vectorfile"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "exchange:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 2 && args[0] == "write":
		return write(ctx, args[1])
	case len(args) >= 2 && args[0] == "read":
		result, err := read(ctx, args[1], args[2:])
		if err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return errors.New("usage: exchange write FOLDER | exchange read FILE OPTION…")
}

type graph struct {
	Directed    bool            `json:"directed"`
	Columns     []format.Column `json:"columns"`
	Vertices    []vertex        `json:"vertices"`
	EdgeColumns []format.Column `json:"edge_columns"`
	Edges       []edge          `json:"edges"`

	types, edgeTypes types
}

// types are those of columns whose type cannot be read from the text.
type types map[int]*format.Type

type vertex struct {
	Key    string    `json:"key"`
	Values []*string `json:"values"`
}

type edge struct {
	Source string   `json:"source"`
	Target string   `json:"target"`
	Weight *float32 `json:"weight"`
	Time   *int64   `json:"time"`

	Values []*string `json:"values"`
	Both   bool      `json:"both"` // the text calls it undirected
}

// table is a matrix with a key for every row, in JSON.
type table struct {
	Keys []string    `json:"keys"`
	Rows [][]float32 `json:"rows"`
}

func load(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func create(folder, name string, write func(io.Writer) error) error {
	f, err := atomicfile.Create(filepath.Join(folder, name), false)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

func write(ctx context.Context, folder string) error {
	var g graph
	var v table
	if err := errors.Join(load(filepath.Join(folder, "graph.json"), &g), load(filepath.Join(folder, "vectors.json"), &v)); err != nil {
		return err
	}
	all := g.whole()
	bare := all
	bare.Weighted, bare.Timed = false, false
	bare.Neighbors = neighbors(bare)
	key := func(dst []byte, i uint32) []byte { return append(dst, v.Keys[i]...) }
	row := func(i int) []float32 { return v.Rows[i] }
	rows, dim := len(v.Rows), len(v.Rows[0])
	var failed []error
	files := map[string]func(io.Writer) error{
		"ours.edges":              func(w io.Writer) error { return rowtext.WriteEdges(ctx, w, bare) },
		"ours-weighted.edges":     func(w io.Writer) error { return rowtext.WriteEdges(ctx, w, all) },
		"ours.csv":                func(w io.Writer) error { return rowtext.WriteCSV(ctx, w, all, rowtext.CSVOptions{}) },
		"ours-vertices.csv":       func(w io.Writer) error { return rowtext.WriteVertices(ctx, w, all, rowtext.CSVOptions{}) },
		"ours-neo4j.csv":          func(w io.Writer) error { return rowtext.WriteCSV(ctx, w, all, rowtext.CSVOptions{Neo4j: true}) },
		"ours-neo4j-vertices.csv": func(w io.Writer) error { return rowtext.WriteVertices(ctx, w, all, rowtext.CSVOptions{Neo4j: true}) },
		"ours.metis":              func(w io.Writer) error { return graphtext.WriteMETIS(ctx, w, bare) },
		"ours.graphml":            func(w io.Writer) error { return graphtext.WriteGraphML(ctx, w, all) },
		"ours.gexf":               func(w io.Writer) error { return graphtext.WriteGEXF(ctx, w, all) },
		"ours.gml":                func(w io.Writer) error { return graphtext.WriteGML(ctx, w, all) },
		"ours.json":               func(w io.Writer) error { return graphtext.WriteNodeLink(ctx, w, all) },
		"ours.graphml.gz":         func(w io.Writer) error { return graphtext.WriteGraphML(ctx, w, all) },
		"ours.txt":                func(w io.Writer) error { return vectorfile.WriteWord2Vec(ctx, w, rows, dim, key, row) },
		"ours.bin":                func(w io.Writer) error { return vectorfile.WriteWord2VecBinary(ctx, w, rows, dim, key, row) },
		"ours.npy":                func(w io.Writer) error { return vectorfile.WriteNPY(ctx, w, rows, dim, row) },
		"ours.npy.keys":           func(w io.Writer) error { return vectorfile.WriteKeys(ctx, w, rows, key) },
		"ours.parquet":            func(w io.Writer) error { return columnar.WriteEdges(ctx, w, format.Parquet, all, nil) },
	}
	if g.Directed {
		delete(files, "ours.metis") // which has no direction
		files["ours.net"] = func(w io.Writer) error {
			if err := graphtext.WritePajek(ctx, w, all); !errors.Is(err, format.ErrKey) {
				return err
			}
			return nil // labels cannot contain each key
		}
	}
	for name, write := range files {
		failed = append(failed, create(folder, name, write))
	}
	return errors.Join(failed...)
}

func neighbors(g format.Graph) func(v uint32) ([]uint32, []float32) {
	lists := make([][]uint32, g.Vertices)
	for e := range g.Edges {
		lists[e.Source], lists[e.Target] = append(lists[e.Source], e.Target), append(lists[e.Target], e.Source)
	}
	return func(v uint32) ([]uint32, []float32) { return lists[v], nil }
}

// whole returns the graph in the form that the writers take.
func (g *graph) whole() format.Graph {
	numbers := map[string]uint32{}
	for i, v := range g.Vertices {
		numbers[v.Key] = uint32(i)
	}
	return format.Graph{
		Vertices: len(g.Vertices),
		Key:      func(dst []byte, v uint32) []byte { return append(dst, g.Vertices[v].Key...) },
		Edges: func(yield func(format.NumberedEdge) bool) {
			for _, e := range g.Edges {
				out := format.NumberedEdge{Source: numbers[e.Source], Target: numbers[e.Target], Weight: *e.Weight}
				if e.Time != nil {
					out.Time, out.Timed = *e.Time, true
				}
				if !yield(out) {
					return
				}
			}
		},
		Weighted: true,
		Timed:    true,
		Columns:  g.Columns,
		Value: func(dst []byte, column int, v uint32) ([]byte, bool) {
			return appendValue(dst, g.Vertices[v].Values[column])
		},
		Directed:    g.Directed,
		EdgeColumns: g.EdgeColumns,
		EdgeValue: func(dst []byte, column, edge int) ([]byte, bool) {
			return appendValue(dst, g.Edges[edge].Values[column])
		},
	}
}

// appendValue appends a value, if it is not missing.
func appendValue(dst []byte, value *string) ([]byte, bool) {
	if value == nil {
		return dst, false
	}
	return append(dst, *value...), true
}

// read reads a file of vectors or of a graph; the ending of its name determines
// which.
func read(ctx context.Context, path string, args []string) (any, error) {
	in, _, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var v table
	h := format.VectorHandler{
		Shape: func(_, _ int) error { return nil },
		Row: func(key []byte, values []float32) error {
			v.Keys, v.Rows = append(v.Keys, string(key)), append(v.Rows, append([]float32{}, values...))
			return nil
		},
	}
	switch filepath.Ext(path) {
	case ".txt", ".bin":
		return &v, vectorfile.ReadWord2Vec(ctx, in, format.VectorOptions{Name: path, Binary: strings.HasSuffix(path, ".bin")}, h)
	case ".npy":
		return &v, vectorfile.ReadNPY(ctx, in, format.VectorOptions{Name: path}, h)
	}
	opts := format.Options{EdgeListOptions: format.EdgeListOptions{Name: path}}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "layout":
			opts.Layout = format.Layout(value)
		case "key":
			opts.Key = value
		case "weight":
			opts.Weight = value
		case "time":
			opts.Time = value
		case "separator":
			opts.Separator = value
		case "directed":
			opts.Directed = format.Direction(value)
		default:
			return nil, fmt.Errorf("no option %s", name)
		}
	}
	g := &graph{Vertices: []vertex{}, Edges: []edge{}, types: types{}, edgeTypes: types{}}
	_, err = graphfile.Read(ctx, in, opts, g.handler())
	g.types.set(g.Columns)
	g.edgeTypes.set(g.EdgeColumns)
	return g, err
}

// set gives the columns their types.
func (types types) set(columns []format.Column) {
	for i, t := range types {
		columns[i].Type = *t
	}
}

// columns returns a function that takes the columns of vertices or of edges.
func (types types) columns(to *[]format.Column) func([]format.Column) error {
	return func(columns []format.Column) error {
		*to = append([]format.Column{}, columns...)
		for i, c := range columns {
			switch {
			case c.Type != format.Untyped:
				delete(types, i)
			case types[i] == nil:
				types[i] = new(format.Type)
			}
		}
		return nil
	}
}

// values copies the values of a vertex or an edge.
func (types types) values(values [][]byte) (list []*string) {
	for i, value := range values {
		if value == nil {
			list = append(list, nil)
			continue
		}
		if t := types[i]; t != nil {
			*t = t.Or(format.TypeOf(value))
		}
		text := string(value)
		list = append(list, &text)
	}
	return list
}

func (g *graph) handler() format.Handler {
	return format.Handler{
		Direction: func(directed bool) error {
			g.Directed = directed
			return nil
		},
		Columns:     g.types.columns(&g.Columns),
		EdgeColumns: g.edgeTypes.columns(&g.EdgeColumns),
		Vertex: func(key []byte, values [][]byte) error {
			g.Vertices = append(g.Vertices, vertex{string(key), g.types.values(values)})
			return nil
		},
		Edge: func(e format.Edge) error {
			out := edge{Source: string(e.Source), Target: string(e.Target), Both: e.Both, Values: g.edgeTypes.values(e.Values)}
			if e.Weighted {
				weight := float32(e.Weight)
				out.Weight = &weight
			}
			if e.Timed {
				out.Time = &e.Time
			}
			g.Edges = append(g.Edges, out)
			return nil
		},
	}
}
