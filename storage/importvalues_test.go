package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

func importValues(t *testing.T, db *DB, text string, opts ImportOptions) ImportStats {
	t.Helper()
	stats, err := db.Import(context.Background(), "g", strings.NewReader(text), opts)
	if err != nil {
		t.Fatal(err)
	}
	checkStore(t, db)
	return stats
}

// edgeTexts lists the edges of graph g.
func edgeTexts(t *testing.T, db *DB) string {
	t.Helper()
	s, err := db.Snapshot(context.Background(), "g")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, v := range arcsOfGraph(s.Graph) {
		if v.Arc.Source() < v.Arc.Target() {
			fmt.Fprintf(&b, "%s-%s %v", s.Key(v.Arc.Source()), s.Key(v.Arc.Target()), v.Weight)
			if v.Time != csr.NoTime {
				fmt.Fprintf(&b, " @%d", v.Time)
			}
			b.WriteString("; ")
		}
	}
	return b.String()
}

func TestImport_Values(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importValues(t, db, "source,target\na,b\nb,c\n", ImportOptions{})
	stats := importValues(t, db, "source,target,weight,time\nb,a,2.5,100\nc,d,,7\nc,d,3,\nc,c,9,9\n", ImportOptions{})
	if stats.Added != 1 || stats.Updated != 1 || stats.Duplicates != 2 || stats.SelfLoops != 1 || stats.NewVertices != 1 || stats.Version != 2 {
		t.Errorf("%+v", stats)
	}
	if got := edgeTexts(t, db); got != "a-b 2.5 @100; b-c 1; c-d 3 @7; " {
		t.Error(got)
	}
	set, err := db.Changes(ctx, "g", 1)
	if err != nil || (!set.All && !slices.Equal(set.Touched, []uint32{0, 1, 2, 3})) {
		t.Errorf("%+v, %v", set, err)
	}
	// Importing the same again changes nothing, and edges without values keep theirs.
	if stats := importValues(t, db, "source,target,weight\na,b,2.5\nd,c,\n", ImportOptions{}); stats.Version != 2 || stats.Updated != 0 || stats.Duplicates != 2 {
		t.Errorf("%+v", stats)
	}
	stats = importValues(t, db, "x,y,z\na,b\nb,c,0.5\n", ImportOptions{Repeated: RepeatedSum, Format: format.Options{EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNames, Weight: "3"}}})
	if got := edgeTexts(t, db); got != "a-b 3.5 @100; b-c 1.5; c-d 3 @7; " || stats.Updated != 2 {
		t.Error(got, stats)
	}
	importValues(t, db, "a b\na b\nb a\n", ImportOptions{Repeated: RepeatedCount})
	if got := edgeTexts(t, db); got != "a-b 6.5 @100; b-c 1.5; c-d 3 @7; " {
		t.Error(got)
	}
	if _, err := db.Import(ctx, "g", strings.NewReader("source,target,weight\na,b,3e38\na,b,3e38\n"), ImportOptions{Repeated: RepeatedSum}); !errors.Is(err, ErrLimit) {
		t.Errorf("sum beyond a float32: %v", err)
	}
	if _, err := db.Import(ctx, "g", strings.NewReader("a b\n"), ImportOptions{Repeated: "often"}); !errors.Is(err, ErrInvalid) {
		t.Errorf("unknown policy: %v", err)
	}
}

// columnTexts lists the values of an attribute of graph g, with its type.
func columnTexts(t *testing.T, db *DB, name string) string {
	t.Helper()
	info, err := db.Graph(context.Background(), "g")
	if err != nil {
		t.Fatal(err)
	}
	columns, err := db.Columns(context.Background(), "g", info.Version, name)
	if err != nil {
		t.Fatal(err)
	}
	text := columns[0].Type.String()
	for v := range uint32(columns[0].Len()) {
		text += " " + columns[0].At(v).String()
	}
	return text
}

func TestImport_Attributes(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	vertices := ImportOptions{Format: format.Options{Layout: format.LayoutVertices}}
	importValues(t, db, "a b\nb c\n", ImportOptions{})
	stats := importValues(t, db, "id,age,zip,score,ok,note,nothing\nb,41,0101,2,true,x,\nd,7,77,2.5,FALSE,,\na,,9,3,,\"x, y\",\n", vertices)
	if stats.NewVertices != 1 || stats.UpdatedVertices != 2 || stats.Version != 2 || stats.Vertices != 4 || stats.Edges != 2 {
		t.Errorf("%+v", stats)
	}
	missing := Value{}.String()
	for name, want := range map[string]string{
		"age":   fmt.Sprintf("integer %s 41 %s 7", missing, missing),
		"zip":   fmt.Sprintf("text 9 0101 %s 77", missing),
		"score": fmt.Sprintf("float 3 2 %s 2.5", missing),
		"ok":    fmt.Sprintf("boolean %s true %s false", missing, missing),
		"note":  fmt.Sprintf("text x, y x %s %s", missing, missing),
	} {
		if got := columnTexts(t, db, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	info, err := db.Graph(ctx, "g")
	if err != nil || len(info.Attributes) != 5 {
		t.Errorf("%+v, %v", info.Attributes, err)
	}
	// Existing attributes keep their types, and the values of vertices that the table does
	// not have.
	if _, err := db.Import(ctx, "g", strings.NewReader("id,age\na,5\nb,old\n"), vertices); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `"b"`) || !strings.Contains(err.Error(), "old") {
		t.Errorf("a text for an integer: %v", err)
	}
	stats = importValues(t, db, "id,age,score,more\na,5,1,\nb,,2,0.5\n", vertices)
	if stats.UpdatedVertices != 2 || stats.Version != 3 {
		t.Errorf("%+v", stats)
	}
	set, err := db.Changes(ctx, "g", 2)
	if err != nil || set.EdgesChanged || len(set.Touched) > 0 || !slices.Equal(set.Attributes, []uint32{0, 1}) {
		t.Errorf("%+v, %v", set, err)
	}
	if got, want := columnTexts(t, db, "age"), fmt.Sprintf("integer 5 41 %s 7", missing); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if stats := importValues(t, db, "id,age\na,5\nb,\n", vertices); stats.Version != 3 {
		t.Errorf("nothing new, and yet %+v", stats)
	}
	// An import of edges keeps the attributes.
	importValues(t, db, "e a\n", ImportOptions{})
	if got, want := columnTexts(t, db, "age"), fmt.Sprintf("integer 5 41 %s 7 %s", missing, missing); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Attributes of any names are kept, whatever the format: reserved, repeated and impossible names get
// others, which are stated. The same file again changes nothing.
func TestImport_AttributeNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 300)
	node := func(names ...string) string {
		text := `{"nodes": [{"id": "a"`
		for i, name := range names {
			text += fmt.Sprintf(", %q: %d", name, i+1)
		}
		return text + `}], "links": []}`
	}
	for _, c := range []struct {
		layout format.Layout
		text   string
		want   string // the attributes in order; their values are 1, 2, …
		count  int64
	}{
		{format.LayoutVertices, "key:text,degree,key,linked,vertex\na,1,2,3,4\n", "degree_2 key_2 linked_2 vertex_2", 4},
		{format.LayoutVertices, "id,x,x,x_2,x\na,1,2,3,4\n", "x x_2 x_2_2 x_3", 3},
		{format.LayoutVertices, "id,degree_2,degree,\na,1,2,3\n", "degree_2 degree_3 column4", 1},
		{format.LayoutVertices, ",id,age\n1,a,2\n", "column1 age", 0},
		{format.LayoutVertices, "id,a\x01b," + long + "\na,1,2\n", "a_b " + long[:249], 2},
		{format.LayoutJSON, node("degree", "key", "degree_2"), "degree_2 key_2 degree_2_2", 3},
		{format.LayoutGraphML, `<graphml><key id="d" for="node" attr.name="degree" attr.type="int"/><key id="e" for="node" attr.name="Degree" attr.type="int"/>` +
			`<graph><node id="a"><data key="d">1</data><data key="e">2</data></node></graph></graphml>`, "degree_2 Degree", 1},
		{format.LayoutGEXF, `<gexf><graph><attributes class="node"><attribute id="0" title="degree" type="integer"/></attributes>` +
			`<nodes><node id="a"><attvalues><attvalue for="0" value="1"/></attvalues></node></nodes></graph></gexf>`, "degree_2", 1},
	} {
		db := newStore(t, nil)
		opts := ImportOptions{Format: format.Options{Layout: c.layout}}
		stats := importValues(t, db, c.text, opts)
		info, err := db.Graph(context.Background(), "g")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i, a := range info.Attributes {
			names = append(names, a.Name)
			if got, want := columnTexts(t, db, a.Name), fmt.Sprintf("integer %d", i+1); got != want {
				t.Errorf("%q: attribute %q has %s, want %s", c.text, a.Name, got, want)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%q: attributes %q, want %q", c.text, got, c.want)
		}
		renamed := int64(0)
		for _, r := range stats.Remarks {
			if strings.HasPrefix(r.What, "attributes kept under another name") {
				renamed = r.Count
			}
		}
		if renamed != c.count {
			t.Errorf("%q: %d renamed, want %d: %v", c.text, renamed, c.count, stats.Remarks)
		}
		if again := importValues(t, db, c.text, opts); again.Version != stats.Version {
			t.Errorf("%q: the same again makes version %d", c.text, again.Version)
		}
	}
}

// A repeated vertex has its last value, or all of them joined.
func TestImport_RepeatedVertices(t *testing.T) {
	t.Parallel()
	text := "7,1\n8,2\n7,12\n7,1\n9,\n8,2\n7,3\n9,4\n"
	options := func(join string, columns ...string) ImportOptions {
		return ImportOptions{Join: join, Format: format.Options{Layout: format.LayoutVertices, Columns: columns}}
	}
	for _, c := range []struct {
		opts     ImportOptions
		name     string
		want     string
		repeated int64
	}{
		{options("", "group"), "group", "integer 3 2 4", 3},
		{options(",", "group"), "group", "text 1,12,3 2 4", 2},
		{options("; ", "group"), "group", "text 1; 12; 3 2 4", 2},
		{options(","), "column2", "text 1,12,3 2 4", 2},
	} {
		db := newStore(t, nil)
		stats := importValues(t, db, text, c.opts)
		if got := columnTexts(t, db, c.name); got != c.want || stats.RepeatedValues != c.repeated {
			t.Errorf("%q: %s, %d repeated; expected %s, %d", c.opts.Join, got, stats.RepeatedValues, c.want, c.repeated)
		}
		// An existing value does not count as an earlier value of the same table.
		if stats := importValues(t, db, text, c.opts); stats.UpdatedVertices != 0 {
			t.Errorf("%q: %d vertices changed by the same table", c.opts.Join, stats.UpdatedVertices)
		}
	}
	db := newStore(t, nil)
	if _, err := db.Import(context.Background(), "g", strings.NewReader("key,x:integer\na,1\na,2\n"), options(",")); !errors.Is(err, ErrInvalid) {
		t.Errorf("joined integers: %v", err)
	}
	var long strings.Builder
	for i := range 200 {
		fmt.Fprintf(&long, "1,%01000d\n", i)
	}
	if _, err := db.Import(context.Background(), "g", strings.NewReader(long.String()), options(",")); !errors.Is(err, ErrLimit) {
		t.Errorf("more than a text holds: %v", err)
	}
}

// A graph keeps its empty slots when more is imported, and deleted vertices stay deleted.
func TestImport_AfterDeletion(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importValues(t, db, "source,target,weight\na,b,2\nb,c,3\nc,d,4\n", ImportOptions{})
	importValues(t, db, "id,age\na,1\nb,2\nc,3\nd,4\n", ImportOptions{Format: format.Options{Layout: format.LayoutVertices}})
	if err := db.Update(ctx, func(x *Tx) error { _, err := x.DeleteVertices("g", []string{"b"}); return err }); err != nil {
		t.Fatal(err)
	}
	importValues(t, db, "source,target,weight\nd,e,5\na,c,6\n", ImportOptions{})
	if got := edgeTexts(t, db); got != "a-c 6; c-d 4; d-e 5; " {
		t.Error(got)
	}
	if got, want := columnTexts(t, db, "age"), "integer 1 3 4 "+(Value{}.String()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	importValues(t, db, "source,target\nb,a\n", ImportOptions{})
	if got := edgeTexts(t, db); got != "a-c 6; a-b 1; c-d 4; d-e 5; " {
		t.Error(got)
	}
}

// Everything that GraphML can say arrives.
func TestImport_GraphML(t *testing.T) {
	const text = `<?xml version="1.0"?>
<graphml><key id="k" for="node" attr.name="age" attr.type="int"/><key id="n" for="node" attr.name="name" attr.type="string"/>
<key id="w" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected"><node id="x"><data key="k">3</data><data key="n">007</data></node><node id="y"/><node id="z"/>
<edge source="y" target="x"><data key="w">0.25</data></edge></graph></graphml>`
	db := newStore(t, nil)
	stats := importValues(t, db, text, ImportOptions{})
	missing := Value{}.String()
	if stats.Vertices != 3 || edgeTexts(t, db) != "x-y 0.25; " ||
		columnTexts(t, db, "age") != fmt.Sprintf("integer 3 %s %s", missing, missing) || columnTexts(t, db, "name") != fmt.Sprintf("text 007 %s %s", missing, missing) {
		t.Errorf("%+v; %s; %s; %s", stats, edgeTexts(t, db), columnTexts(t, db, "age"), columnTexts(t, db, "name"))
	}
}

// PutGraph takes attributes, and refuses unsuitable ones.
func TestPutGraph_Attributes(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	g := &csr.Graph{Offsets: []int64{0, 1, 2}, Targets: []uint32{1, 0}}
	block := NewColumn(Attribute{Name: "block", Type: Integer}, 2)
	if err := block.Set(1, IntegerValue(7)); err != nil {
		t.Fatal(err)
	}
	for name, columns := range map[string][]*Column{
		"twice":    {block, block},
		"short":    {NewColumn(Attribute{Name: "a", Type: Text}, 1)},
		"reserved": {NewColumn(Attribute{Name: "key", Type: Text}, 2)},
	} {
		if _, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: g, Attributes: columns}); !errors.Is(err, ErrInvalid) && !errors.Is(err, ErrName) {
			t.Errorf("%s: %v", name, err)
		}
	}
	info, err := db.PutGraph(ctx, "g", PutGraphRequest{Graph: g, Attributes: []*Column{block}})
	if err != nil || len(info.Attributes) != 1 {
		t.Fatalf("%+v, %v", info, err)
	}
	if got, want := columnTexts(t, db, "block"), "integer "+(Value{}.String())+" 7"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Batches of any size make the same records of attributes, weights and
// timestamps too.
func TestImport_BatchSizes_Values(t *testing.T) {
	var edges, vertices strings.Builder
	edges.WriteString("source,target,weight,time\n")
	vertices.WriteString("id,age,city,score\n")
	random := rand.New(rand.NewPCG(6, 6))
	for range 5000 {
		fmt.Fprintf(&edges, "v%d,v%d,%v,%d\n", random.IntN(500), random.IntN(500), 1+random.Float32(), random.IntN(1000))
	}
	for v := range 500 {
		fmt.Fprintf(&vertices, "v%d,%d,city %d,%v\n", v, random.IntN(90), random.IntN(20), math.Round(random.Float64()*100)/8)
	}
	var want []byte
	for _, size := range []int{0, 1, 3000, 100_000} {
		db := newStore(t, &Options{BatchBytes: size})
		importValues(t, db, edges.String(), ImportOptions{})
		importValues(t, db, vertices.String(), ImportOptions{Format: format.Options{Layout: format.LayoutVertices}})
		var records bytes.Buffer
		err := db.file.View(context.Background(), func(tx *tree.Tx) error {
			r, err := graphs.Find(tx, "g")
			if err != nil {
				return err
			}
			for _, name := range [][]byte{block.KeysName, block.IDsName, block.ArcsName, block.AttrsName} {
				p, err := tx.Part(r.Object, name)
				if err != nil {
					return err
				}
				if err := tx.Scan(p, func(key, payload []byte) error {
					fmt.Fprintf(&records, "%x %x\n", key, payload)
					return nil
				}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = records.Bytes()
		}
		if !bytes.Equal(records.Bytes(), want) {
			t.Errorf("batches of %d bytes make other records", size)
		}
	}
}

// The source of a graph is that of its edges: a table of vertices does not change it.
func TestImport_SourceOfEdges(t *testing.T) {
	t.Parallel()
	db := newStore(t, nil)
	for _, c := range []struct {
		text, source, want string
		layout             format.Layout
	}{
		{"id,area\na,1\n", "first.csv", "first.csv", format.LayoutVertices}, // nothing else to report yet
		{"a b\n", "edges.txt", "edges.txt", format.LayoutEdges},
		{"id,area\na,2\nc,3\n", "labels.csv", "edges.txt", format.LayoutVertices},
		{"b c\n", "more.txt", "more.txt", format.LayoutEdges},
	} {
		importValues(t, db, c.text, ImportOptions{Source: c.source, Format: format.Options{Layout: c.layout}})
		if info, err := db.Graph(context.Background(), "g"); err != nil || info.Source != c.want {
			t.Errorf("after %s: source %q, want %q; %v", c.source, info.Source, c.want, err)
		}
	}
}
