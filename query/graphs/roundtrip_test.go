package graphs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/rows"
)

// carrier is a format of EXPORT GRAPH, and the parts of a graph that IMPORT restores from its
// file.
type carrier struct {
	name, file, format, vertices string // vertices is the additional file of EXPORT VERTICES

	plainKeys         bool // no double quotes, backslashes and line breaks in keys
	alone             bool // vertices without edges
	whole             bool // weights must be whole numbers
	plainNames        bool // ASCII in names of attributes, and no booleans
	times, attributes bool

	directions     directions
	edgeAttributes bool
}

// directions is how a format keeps the direction of edges, as the manual has it.
type directions string

const (
	kept      directions = "yes"
	byOption  directions = "by `directed`"      // the importer must say that there are directions
	always    directions = "all edges have one" // the importer must say that there are none
	forbidden directions = "no"
)

// carriers are the rows of the table in files.md.
var carriers = []carrier{
	{name: "edge list", file: "g.txt.zst", times: true, directions: kept, edgeAttributes: true},
	{name: "CSV", file: "g.csv", times: true, directions: byOption, edgeAttributes: true},
	{name: "CSV, with `EXPORT VERTICES`", file: "g.csv", vertices: "v.csv", times: true, attributes: true, alone: true, directions: byOption, edgeAttributes: true},
	{name: "Neo4j, with `EXPORT VERTICES`", file: "g.csv.gz", vertices: "v.csv.gz", format: "neo4j", times: true, attributes: true, alone: true, directions: always, edgeAttributes: true},
	{name: "Parquet, Arrow", file: "g.parquet", times: true, directions: kept, edgeAttributes: true},
	{name: "Parquet, Arrow", file: "g.arrow", times: true, directions: kept, edgeAttributes: true},
	{name: "Parquet, Arrow, with `EXPORT VERTICES`", file: "g.arrows", vertices: "v.feather", times: true, attributes: true, alone: true, directions: kept, edgeAttributes: true},
	{name: "Parquet, Arrow, with `EXPORT VERTICES`", file: "g.parquet", vertices: "v.parquet", times: true, attributes: true, alone: true, directions: kept, edgeAttributes: true},
	{name: "GraphML", file: "g.graphml", times: true, attributes: true, alone: true, directions: kept, edgeAttributes: true},
	{name: "GEXF", file: "g.gexf", times: true, attributes: true, alone: true, directions: kept, edgeAttributes: true},
	{name: "node-link JSON", file: "g.json", times: true, attributes: true, alone: true, directions: kept, edgeAttributes: true},
	{name: "GML", file: "g.gml", times: true, attributes: true, alone: true, plainNames: true, directions: kept, edgeAttributes: true},
	{name: "Pajek", file: "g.net", plainKeys: true, alone: true, directions: kept},
	{name: "METIS", file: "g.graph.gz", whole: true, alone: true, directions: forbidden},
}

// row returns the row of the table in the manual.
func (c carrier) row() string {
	have := func(yes bool) string {
		if yes {
			return "yes"
		}
		return "no"
	}
	keys, weights := "all", "all"
	if c.plainKeys {
		keys = "no `\"`, `\\`, line breaks"
	}
	if c.whole {
		weights = "whole numbers"
	}
	ofEdges, attributes := have(c.edgeAttributes), have(c.attributes)
	if c.plainNames {
		ofEdges, attributes = ofEdges+", with ASCII names; booleans as 1 and 0", "the same"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |", c.name, keys, c.directions, weights, have(c.times), ofEdges, attributes, have(c.alone))
}

// A round trip restores exactly the parts of a graph that the manual lists for the format.
func TestRoundTrip_Formats(t *testing.T) {
	t.Parallel()
	manual, err := os.ReadFile("../../cmd/heavytail/manual/files.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range carriers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(string(manual), c.row()+"\n") {
				t.Errorf("files.md has no row\n%s", c.row())
			}
			c.roundTrip(t, "'2024-02-29T12:30:00Z'", false)
			c.roundTrip(t, "'2024-02-29T12:30:00Z'", true)
			if testing.Short() {
				t.Skip("-short: the two other forms of times take some tenths of a second")
			}
			for _, directed := range []bool{false, true} {
				c.roundTrip(t, "77", directed)
				c.roundTrip(t, "'2024-02-29'", directed)
			}
		})
	}
}

// oddKeys are keys that are special in one format or another.
var oddKeys = []string{
	"a b", " lead", "trail ", "tab\there", "it's", "日本 é", "👩‍👩‍👧", "a,b;c|d", "#a", "%x", "<&>", "*Vertices", "=1+1", "007", "1e5", "key", "none", "\u2028", strings.Repeat("x", 1024),
}

// notPlain are keys that Pajek cannot hold.
var notPlain = []string{`say "x"`, `back\slash`, "two\nlines", "end\r\n", "\n", `"`}

func (c carrier) roundTrip(t *testing.T, time string, directed bool) {
	t.Helper()
	db, err := query.Open(filepath.Join(t.TempDir(), "g.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(statement string, params map[string]any) error {
		answer, err := db.Query(context.Background(), statement, params)
		if err != nil {
			return err
		}
		for answer.Next() {
		}
		return answer.Err()
	}
	must := func(statement string, params map[string]any) {
		t.Helper()
		if err := run(statement, params); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	create := "CREATE GRAPH "
	if directed {
		create = "CREATE DIRECTED GRAPH "
	}
	must(create+"g", nil)
	keys := slices.Clone(oddKeys)
	if !c.plainKeys {
		keys = append(keys, notPlain...)
	}
	weights := []any{1, 3}
	if !c.whole {
		weights = append(weights, 0.1, 2.5e-9, 3e30)
	}
	var edges []string
	params := map[string]any{}
	for i, key := range keys {
		params[fmt.Sprint("k", i)], params[fmt.Sprint("w", i)] = key, weights[i%len(weights)]
		edges = append(edges, fmt.Sprintf("($k%d, $k%d, weight := $w%d, time := %s)", i, (i+1)%len(keys), i, time))
	}
	must("INSERT EDGE "+strings.Join(edges, ", ")+" INTO g", params)
	for _, statement := range []string{
		"INSERT EDGE ('timeless', '007') INTO g",
		"INSERT EDGE ('007', 'timeless', weight := 2, kind := 'two\nlines, \"quoted\"', since := -9007199254740993, share := 0.1, known := TRUE) INTO g",
		"INSERT EDGE ('timeless', 'key', kind := '007', share := 3.0, known := FALSE) INTO g",
		"INSERT VERTEX 'alone' (n := -7, x := 0.1, text := '', truth := FALSE) INTO g",
		"UPDATE VERTEX '007' SET n := 9007199254740993, x := 1e-300, text := 'two\nlines, \"quoted\"', truth := TRUE IN g",
		"UPDATE VERTEX 'key' SET text := '007', x := 3.0, \"with blank\" := 'é' IN g",
	} {
		if c.plainNames {
			statement = strings.NewReplacer(", truth := FALSE", "", ", truth := TRUE", "", ", known := FALSE", "", ", known := TRUE", "", `"with blank"`, "blank").Replace(statement)
		}
		must(statement, nil)
	}
	with, folder := "", t.TempDir()
	if c.format != "" {
		with = " WITH (format := '" + c.format + "')"
	}
	file, vertices := filepath.Join(folder, c.file), filepath.Join(folder, c.vertices)
	export := "EXPORT GRAPH g INTO FILE $file" + with
	if directed && c.directions == forbidden {
		if err := run(export, map[string]any{"file": file}); err == nil || !strings.Contains(err.Error(), "no direction") {
			t.Errorf("a directed graph: %v", err)
		}
		return
	}
	must(export, map[string]any{"file": file})
	if c.vertices != "" {
		must(create+"h", nil)
	}
	if c.vertices != "" {
		must("EXPORT VERTICES OF g INTO FILE $file"+with, map[string]any{"file": vertices})
		must("IMPORT VERTICES $file INTO h", map[string]any{"file": vertices})
	}
	says := ""
	if directed && c.directions == byOption || !directed && c.directions == always {
		says = fmt.Sprintf(" WITH (directed := %t)", directed)
	}
	must("IMPORT $file INTO h"+says, map[string]any{"file": file})
	for what, list := range map[string][2][]string{"vertices": {c.vertexTexts(t, db, "g", true), c.vertexTexts(t, db, "h", false)}, "edges": {c.edgeTexts(t, db, "g", true, directed), c.edgeTexts(t, db, "h", false, directed)}} {
		if !slices.Equal(list[0], list[1]) {
			t.Errorf("%s:\n%s\ncame back as\n%s", what, strings.Join(list[0], "\n"), strings.Join(list[1], "\n"))
		}
	}
	if !c.plainKeys {
		return
	}
	for i, key := range notPlain {
		graph := fmt.Sprint("odd", i)
		must("CREATE GRAPH "+graph, nil)
		must("INSERT EDGE ($key, 'b') INTO "+graph, map[string]any{"key": key})
		if err := run("EXPORT GRAPH "+graph+" INTO FILE $file WITH (overwrite := TRUE)", map[string]any{"file": file}); err == nil || !strings.Contains(err.Error(), "can hold it") {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

// vertexTexts describes the vertices of a graph, sorted; for the original only the parts that
// the format carries.
func (c carrier) vertexTexts(t *testing.T, db *query.DB, graph string, original bool) (list []string) {
	t.Helper()
	for row, err := range tableOf(db, "SHOW VERTICES IN "+graph) {
		if err != nil {
			t.Fatal(err)
		}
		if original && !c.alone && row["degree"] == int64(0) {
			continue
		}
		if original && !c.attributes {
			row = map[string]rows.Value{"vertex": row["vertex"], "degree": row["degree"]}
		}
		list = append(list, fmt.Sprintf("%#v", row)) // %#v sorts the keys
	}
	slices.Sort(list)
	return list
}

// edgeTexts describes the edges of a graph, sorted; for the original only the parts that the
// format carries.
func (c carrier) edgeTexts(t *testing.T, db *query.DB, graph string, original, directed bool) (list []string) {
	t.Helper()
	for row, err := range tableOf(db, "SHOW EDGES IN "+graph) {
		if err != nil {
			t.Fatal(err)
		}
		ends := []string{row["source"].(string), row["target"].(string)}
		if !directed {
			slices.Sort(ends)
		}
		delete(row, "source")
		delete(row, "target")
		if original && !c.edgeAttributes {
			row = map[string]rows.Value{"weight": row["weight"], "time": row["time"]}
		}
		if original && !c.times || row["time"] == nil {
			delete(row, "time")
		}
		list = append(list, fmt.Sprintf("%q %#v", ends, row)) // %#v sorts the keys
	}
	slices.Sort(list)
	return list
}

// tableOf yields the rows of a statement as maps from column names to values, without NULLs.
func tableOf(db *query.DB, statement string) func(func(map[string]rows.Value, error) bool) {
	return func(yield func(map[string]rows.Value, error) bool) {
		answer, err := db.Query(context.Background(), statement, nil)
		if err != nil {
			yield(nil, err)
			return
		}
		defer answer.Close()
		for answer.Next() {
			row := map[string]rows.Value{}
			for i, name := range answer.Columns() {
				if value := answer.Row()[i]; value != nil {
					row[name] = value
				}
			}
			if !yield(row, nil) {
				return
			}
		}
		if answer.Err() != nil {
			yield(nil, answer.Err())
		}
	}
}
