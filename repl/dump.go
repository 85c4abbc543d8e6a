package repl

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/parser"
)

// dumpedRows is how many vertices or edges each statement of a dump inserts. Each
// statement is one commit when the dump is read, so there should be few; and a statement
// should have no more than some kilobytes.
const dumpedRows = 500

// dump writes statements that recreate graphs: all of them, or those named.
func (s *session) dump(ctx context.Context, args []word) (err error) {
	defer s.endOnceAfter(&err)
	db, err := local(s.config.DB)
	if err != nil {
		return err
	}
	before, err := db.Graphs().List(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, g := range before {
		names = append(names, g.Name)
	}
	for _, a := range args {
		if !slices.Contains(names, a.text) {
			return unknown("graph", a.text, names)
		}
	}
	versions := map[uint64]uint64{} // by the ids of graphs
	for _, g := range before {
		if len(args) > 0 && !slices.ContainsFunc(args, func(a word) bool { return a.text == g.Name }) {
			continue
		}
		d := dumper{session: s, db: db, graph: g.Name, directed: g.Directed, weighted: g.Weighted, time: func(t int64) string { return string(g.Times.Append(nil, t)) }}
		for _, a := range g.Attributes {
			d.attributes = append(d.attributes, a.Name)
		}
		for _, a := range g.EdgeAttributes {
			d.edgeAttributes = append(d.edgeAttributes, a.Name)
		}
		if err := d.write(ctx); err != nil {
			return err
		}
		versions[g.ID] = g.Version
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.checkDump(ctx, db, versions)
}

// checkDump prints a notice of what is not in the dump, and returns an error if a graph
// has changed while the dump was written.
func (s *session) checkDump(ctx context.Context, db *query.DB, versions map[uint64]uint64) error {
	now, err := db.Graphs().List(ctx)
	if err != nil {
		return err
	}
	same := 0
	for _, g := range now {
		if v, dumped := versions[g.ID]; dumped && v == g.Version {
			same++
		}
	}
	if same < len(versions) {
		return errors.New("a graph has changed while it was dumped; dump again")
	}
	embeddings, err := db.Vectors().List(ctx)
	if err != nil {
		return err
	}
	models, err := db.Links().Models(ctx)
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
	db         *query.DB
	graph      string
	attributes []string
	valued     []bool // for each attribute, whether any vertex or edge has a value

	edgeAttributes []string

	directed bool
	weighted bool
	time     func(t int64) string // a time as the graph shows it: a number or a date
}

func (d *dumper) write(ctx context.Context) error {
	graph := parser.Ident{Name: d.graph}
	if err := d.statement(&parser.CreateGraph{Graph: graph, Directed: d.directed}); err != nil {
		return err
	}
	d.valued = make([]bool, len(d.attributes))
	vertices := d.db.Graphs().EachVertex(ctx, graphs.VerticesRequest{Graph: d.graph, Attributes: d.attributes})
	err := inBatches(vertices, func(rows []graphs.VertexRow) error {
		insert := &parser.InsertVertices{Graph: graph}
		for _, row := range rows {
			insert.Vertices = append(insert.Vertices, d.vertex(row))
		}
		return d.statement(insert)
	})
	if err != nil {
		return err
	}
	d.noticeEmpty("attribute", d.attributes, d.valued)
	d.valued = make([]bool, len(d.edgeAttributes))
	edges := d.db.Graphs().EachEdge(ctx, graphs.EdgesRequest{Graph: d.graph})
	err = inBatches(edges, func(rows []graphs.EdgeRow) error {
		insert := &parser.InsertEdges{Graph: graph}
		for _, row := range rows {
			insert.Edges = append(insert.Edges, d.edge(row))
		}
		return d.statement(insert)
	})
	if err == nil {
		d.noticeEmpty("attribute of edges", d.edgeAttributes, d.valued)
	}
	return err
}

// noticeEmpty notices the attributes that have no values.
func (d *dumper) noticeEmpty(what string, names []string, valued []bool) {
	for i, name := range names {
		if !valued[i] {
			d.config.Status.print(fmt.Sprintf("notice: %s %s of graph %s has no values and is not dumped", what, parser.Ident{Name: name}, parser.Ident{Name: d.graph}))
		}
	}
}

// inBatches calls write with up to dumpedRows rows at a time.
func inBatches[T any](rows iter.Seq2[T, error], write func([]T) error) error {
	var batch []T
	for row, err := range rows {
		if err != nil {
			return err
		}
		if batch = append(batch, row); len(batch) == dumpedRows {
			if err := write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return write(batch)
}

func (d *dumper) statement(st parser.Statement) error {
	if _, err := d.out.WriteString(parser.Text(st) + ";\n"); err != nil {
		return d.broken(err)
	}
	return nil
}

func (d *dumper) vertex(row graphs.VertexRow) parser.NewVertex {
	return parser.NewVertex{Key: parser.String{Value: row.Vertex}, Values: assignments(d.attributes, row, d.valued)}
}

// assignments are the values of a row that are not missing, of which it notes the attributes in valued.
func assignments(names []string, row graphs.VertexRow, valued []bool) (list []parser.Option) {
	for i, v := range row.Values {
		if v.IsMissing() {
			continue
		}
		valued[i] = true
		var value parser.Value = parser.String{Value: v.Text()}
		switch v.Type().String() {
		case "integer":
			value = parser.Int{Value: v.Integer()}
		case "float":
			value = parser.Float{Value: v.Float()}
		case "boolean":
			value = parser.Bool{Value: v.Boolean()}
		}
		list = append(list, parser.Option{Name: parser.Ident{Name: names[i]}, Value: value})
	}
	return list
}

func (d *dumper) edge(row graphs.EdgeRow) parser.NewEdge {
	node := parser.NewEdge{U: parser.String{Value: row.Source}, V: parser.String{Value: row.Target}}
	node.Values.Others = assignments(d.edgeAttributes, graphs.VertexRow{Values: row.Attributes}, d.valued)
	if d.weighted {
		shortest, _ := strconv.ParseFloat(strconv.FormatFloat(row.Weight, 'g', -1, 32), 64) // what was printed is read
		node.Values.Weight = parser.Float{Value: shortest}
	}
	if row.Timed {
		text := d.time(row.Time)
		node.Values.Time = parser.String{Value: text}
		if text == strconv.FormatInt(row.Time, 10) {
			node.Values.Time = parser.Int{Value: row.Time}
		}
	}
	return node
}
