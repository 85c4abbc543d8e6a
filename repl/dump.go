package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// dumpedRows is how many vertices or edges each statement of a dump inserts. Each
// statement is one commit when the dump is read, so there should be few; and a statement
// should have no more than some kilobytes.
const dumpedRows = 500

// dump writes statements that recreate graphs: all of them, or those named.
func (s *session) dump(ctx context.Context, args []word) (err error) {
	defer s.endOnceAfter(&err)
	graphs, err := dumpedGraphs(ctx, s.config.DB)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range graphs {
		names = append(names, g[0].(string))
	}
	for _, a := range args {
		if !slices.Contains(names, a.text) {
			return unknown("graph", a.text, names)
		}
	}
	graphs = slices.DeleteFunc(graphs, func(g []rows.Value) bool {
		return len(args) > 0 && !slices.ContainsFunc(args, func(a word) bool { return a.text == g[0] })
	})
	for _, g := range graphs {
		directed, _ := g[1].(bool)
		d := dumper{session: s, graph: parser.Ident{Name: g[0].(string)}, directed: directed}
		if err := d.write(ctx); err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.checkDump(ctx, graphs)
}

// dumpedGraphs lists the graphs, each with its version.
func dumpedGraphs(ctx context.Context, db Database) ([][]rows.Value, error) {
	return entriesOf(ctx, db, parser.Graphs, "graph", "directed", "version", "modified")
}

// checkDump prints a notice of what is not in the dump, and returns an error if a graph
// has changed while the dump was written.
func (s *session) checkDump(ctx context.Context, graphs [][]rows.Value) error {
	now, err := dumpedGraphs(ctx, s.config.DB)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		if !slices.ContainsFunc(now, func(same []rows.Value) bool { return slices.Equal(g, same) }) {
			return errors.New("a graph has changed while it was dumped; dump again")
		}
	}
	embeddings, err := entriesOf(ctx, s.config.DB, parser.Embeddings, "embedding")
	if err != nil {
		return err
	}
	models, err := entriesOf(ctx, s.config.DB, parser.Models, "model")
	if err != nil {
		return err
	}
	if e, m := len(embeddings), len(models); e+m > 0 {
		s.config.Status.print(fmt.Sprintf("notice: embeddings (%d) and models (%d) are not dumped; EXPORT EMBEDDING writes vectors, and BACKUP copies the file", e, m))
	}
	return nil
}

// dumper writes the statements of one graph.
type dumper struct {
	*session
	graph    parser.Ident
	directed bool
	valued   map[string]bool // the attributes that a vertex or an edge has
}

func (d *dumper) write(ctx context.Context) error {
	if err := d.statement(&parser.CreateGraph{Graph: d.graph, Directed: d.directed}); err != nil {
		return err
	}
	attributes, err := attributesOf(ctx, d.config.DB, d.graph)
	if err != nil {
		return err
	}
	columns := []string{"degree"}
	if len(attributes) > 0 {
		columns = nil
	}
	for _, a := range attributes {
		columns = append(columns, parser.Ident{Name: a[0].(string)}.String())
	}
	vertices := &parser.InsertVertices{Graph: d.graph}
	text := "SHOW VERTICES IN " + d.graph.String() + " COLUMNS " + strings.Join(columns, ", ")
	err = d.each(ctx, text, "attribute", 1, func(names []string, row []rows.Value) {
		vertex := parser.NewVertex{Key: parser.ValueOf(row[0])}
		if len(attributes) > 0 {
			vertex.Values = d.assignments(names, row[1:])
		}
		vertices.Vertices = append(vertices.Vertices, vertex)
	}, func() error {
		err := d.statement(vertices)
		vertices.Vertices = vertices.Vertices[:0]
		return err
	})
	if err != nil {
		return err
	}
	edges := &parser.InsertEdges{Graph: d.graph}
	return d.each(ctx, "SHOW EDGES IN "+d.graph.String(), "attribute of edges", 2, func(names []string, row []rows.Value) {
		edges.Edges = append(edges.Edges, d.edge(names, row))
	}, func() error {
		err := d.statement(edges)
		edges.Edges = edges.Edges[:0]
		return err
	})
}

// each calls add for the rows of a statement, whose first columns are keys, and write behind every batch of them. It
// notices the other columns that have no value; what says what they are.
func (d *dumper) each(ctx context.Context, text, what string, keys int, add func(names []string, row []rows.Value), write func() error) error {
	answer, err := d.config.DB.Execute(ctx, query.Request{Source: parser.Source{Text: text}})
	if err != nil {
		return err
	}
	defer answer.Close()
	names := answer.Columns()[keys:]
	d.valued = map[string]bool{"degree": true, weightColumn: true, timeColumn: true}
	n := 0
	for ; answer.Next(); n++ {
		if n > 0 && n%dumpedRows == 0 {
			if err := write(); err != nil {
				return err
			}
		}
		add(names, answer.Row())
	}
	if err := answer.Err(); err != nil || n == 0 {
		return err
	}
	if err := write(); err != nil {
		return err
	}
	for _, name := range names {
		if !d.valued[name] {
			d.config.Status.print(fmt.Sprintf("notice: %s %s of graph %s has no values and is not dumped", what, parser.Ident{Name: name}, d.graph))
		}
	}
	return nil
}

// The columns of SHOW EDGES that are no attributes.
const weightColumn, timeColumn = "weight", "time"

func (d *dumper) statement(st parser.Statement) error {
	if _, err := d.out.WriteString(parser.Text(st) + ";\n"); err != nil {
		return d.broken(err)
	}
	return nil
}

// assignments are the values of attributes that are not missing, which it notes as valued.
func (d *dumper) assignments(names []string, values []rows.Value) (list []parser.Option) {
	for i, name := range names {
		if values[i] != nil {
			d.valued[name] = true
			list = append(list, parser.Option{Name: parser.Ident{Name: name}, Value: parser.ValueOf(values[i])})
		}
	}
	return list
}

func (d *dumper) edge(names []string, row []rows.Value) parser.NewEdge {
	node := parser.NewEdge{U: parser.ValueOf(row[0]), V: parser.ValueOf(row[1])}
	for _, o := range d.assignments(names, row[2:]) {
		switch o.Name.Name {
		case weightColumn:
			node.Values.Weight = o.Value
		case timeColumn:
			node.Values.Time = o.Value
		default:
			node.Values.Others = append(node.Values.Others, o)
		}
	}
	return node
}
