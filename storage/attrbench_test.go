package storage

import (
	"context"
	"fmt"
	"testing"

	"heavytail/storage/internal/sample"
)

// benchVertices are vertices with four attributes, as people in a network have
// them.
func benchVertices(n int) []Vertex {
	cities := []string{"Bern", "Basel", "Zürich", "Genève", "Lausanne", "Luzern", "Winterthur"}
	vertices := make([]Vertex, n)
	for i := range vertices {
		vertices[i] = Vertex{fmt.Sprint("user", i), []NamedValue{
			{Name: "name", Value: TextValue(fmt.Sprintf("Person %x", uint32(i)*2654435761))},
			{Name: "city", Value: TextValue(cities[i*i%len(cities)])},
			{Name: "age", Value: IntegerValue(int64(18 + i*7%60))},
			{Name: "score", Value: FloatValue(float64(i%1000) / 7)},
		}}
	}
	return vertices
}

// BenchmarkTx_InsertVertices inserts 100,000 vertices with four attributes at
// once, into an empty graph.
func BenchmarkTx_InsertVertices(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	vertices := benchVertices(n)
	for b.Loop() {
		db := newStore(b, nil)
		if _, err := db.CreateGraph(ctx, "g"); err != nil {
			b.Fatal(err)
		}
		update(b, db, func(x *Tx) error {
			_, err := x.InsertVertices("g", vertices)
			return err
		})
		stats, err := db.Stats(ctx)
		if err != nil {
			b.Fatal(err)
		}
		g := stats.Graphs[0]
		b.ReportMetric(float64(g.Keys+g.IDs)/n, "B/vertex")
		b.ReportMetric(float64(g.Attributes)/(4*n), "B/value")
		columns, err := db.Columns(ctx, "g", 2, "age")
		if err != nil || columns[0].Count() != n {
			b.Fatalf("%v, %v", columns, err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "vertices/s")
}

// BenchmarkTx_UpdateVertex sets one value of one vertex of 100,000 in a
// transaction of its own.
func BenchmarkTx_UpdateVertex(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	db := newStore(b, nil)
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		b.Fatal(err)
	}
	vertices := benchVertices(n)
	update(b, db, func(x *Tx) error {
		_, err := x.InsertVertices("g", vertices)
		return err
	})
	i := 0
	for b.Loop() {
		i++
		update(b, db, func(x *Tx) error {
			_, err := x.UpdateVertices("g", []Vertex{{vertices[i*7919%n].Key, []NamedValue{{Name: "age", Value: IntegerValue(int64(i))}}}})
			return err
		})
	}
	v, err := db.Vertex(ctx, "g", vertices[i*7919%n].Key)
	if err != nil || v.Values[2].Value != IntegerValue(int64(i)) {
		b.Fatalf("%v, %v", v, err)
	}
}

// BenchmarkDB_Columns reads columns of 100,000 values.
func BenchmarkDB_Columns(b *testing.B) {
	const n = 100_000
	ctx := context.Background()
	db := newStore(b, nil)
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		b.Fatal(err)
	}
	update(b, db, func(x *Tx) error {
		_, err := x.InsertVertices("g", benchVertices(n))
		return err
	})
	for _, name := range []string{"name", "city", "age", "score"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				columns, err := db.Columns(ctx, "g", 2, name)
				if err != nil || columns[0].Count() != n {
					b.Fatalf("%v, %v", columns, err)
				}
				b.ReportMetric(float64(columns[0].Bytes())/n, "B/value")
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "values/s")
		})
	}
}

// BenchmarkDB_EdgeColumns reads columns of the edges of a graph of 50,000 vertices and 250,000 edges, and
// reports the bytes that a value takes in the file.
func BenchmarkDB_EdgeColumns(b *testing.B) {
	ctx := context.Background()
	g := sample.Graph(50_000, 250_000, 1)
	m := int(g.Edges())
	for _, c := range []struct {
		name  string
		kind  Type
		every int // one edge of so many has a value
	}{{"kind", Text, 1}, {"since", Integer, 1}, {"score", Float, 1}, {"member", Boolean, 1}, {"few", Integer, 20}} {
		b.Run(c.name, func(b *testing.B) {
			db := newStore(b, nil)
			column := NewColumn(Attribute{Name: c.name, Type: c.kind}, m)
			for e := 0; e < m; e += c.every {
				value := map[Type]Value{Text: TextValue(fmt.Sprint("kind ", e%9)), Integer: IntegerValue(int64(e*7919%60) - 30), Float: FloatValue(float64(e)), Boolean: BooleanValue(e%3 == 0)}[c.kind]
				if err := column.Set(uint32(e), value); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: g, EdgeAttributes: []*Column{column}}); err != nil {
				b.Fatal(err)
			}
			s, err := db.Stats(ctx)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				columns, err := db.EdgeColumns(ctx, "g", 1)
				if err != nil || columns[0].Count() != column.Count() {
					b.Fatalf("%v, %v", columns, err)
				}
			}
			b.ReportMetric(float64(column.Count())*float64(b.N)/b.Elapsed().Seconds(), "values/s")
			b.ReportMetric(float64(s.Graphs[0].EdgeAttributes)/float64(column.Count()), "B/value")
		})
	}
}
