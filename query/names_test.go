package query_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
	"heavytail/storage"
)

// naming is a statement that names objects: {graph}, {embedding}, {model} and {attribute}
// are names, {'attribute'} is a text, and {new embedding} is the name of one that is made.
type naming struct {
	statement string // Help.Statement
	text      string
	first     string // a statement that is to run before it
	present   error  // by the number of the present generation, where it is not the same as by the name
	past      error  // by that of a past one
}

// namings has every statement that names an object. TestNames_All holds it against the
// descriptions of the statements.
var namings = []naming{
	{statement: "CREATE DIRECTED GRAPH", text: "CREATE DIRECTED GRAPH {new graph}"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH made AS NEAREST 2 USING cosine({embedding}) MUTUAL"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH made AS SUBGRAPH OF {graph} WHERE {attribute} > 1"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH made AS COMPONENT OF {graph} FROM 1"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH made AS SPANNING FOREST OF {graph}"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH made AS UNION OF {graph}, {graph}"},
	{statement: "CREATE GRAPH", text: "CREATE GRAPH {new graph} AS SAMPLE OF {graph} WITH (vertices := 20)"},
	{statement: "ALTER", text: "ALTER GRAPH {graph} RENAME TO made"},
	{statement: "ALTER", first: "DROP PREDICTIONS FROM cosine({embedding}) IN {graph}", text: "ALTER EMBEDDING {embedding} RENAME TO made", past: storage.ErrInvalid},
	{statement: "ALTER", first: "DROP PREDICTIONS FROM model({model}) IN {graph}", text: "ALTER MODEL {model} RENAME TO made"},
	{statement: "ALTER", text: "ALTER ATTRIBUTE {attribute} IN {graph} RENAME TO made"},
	{statement: "DROP GRAPH", text: "DROP GRAPH {graph} CASCADE"},
	{statement: "DROP ATTRIBUTE", text: "DROP ATTRIBUTE {attribute} FROM {graph}"},
	{statement: "DROP EMBEDDING", text: "DROP EMBEDDING {embedding}", present: storage.ErrInvalid},
	{statement: "INSERT VERTEX", text: "INSERT VERTEX 'new' ({attribute} := 3), 'newer' INTO {graph}"},
	{statement: "INSERT EDGE", text: "INSERT EDGE ('new', 1, {attribute} := 3) INTO {graph}"},
	{statement: "DROP EDGE ATTRIBUTE", first: "INSERT EDGE ('new', 1, {attribute} := 3) INTO {graph}", text: "DROP EDGE ATTRIBUTE {attribute} FROM {graph}"},
	{statement: "UPDATE VERTEX", text: "UPDATE VERTEX 1, 2 SET {attribute} := 9 IN {graph}"},
	{statement: "UPDATE VERTICES", text: "UPDATE VERTICES IN {graph} SET {attribute} := MISSING WHERE {attribute} > 0"},
	{statement: "UPDATE EDGE", text: "UPDATE EDGE (1, 2) SET {attribute} := 2 IN {graph}"},
	{statement: "DELETE VERTEX", text: "DELETE VERTEX 1, 'none' FROM {graph}"},
	{statement: "DELETE VERTICES", text: "DELETE VERTICES FROM {graph} WHERE {attribute} > 1"},
	{statement: "DELETE EDGES", text: "DELETE EDGES FROM {graph} WHERE BOTH ({attribute} > 1)"},
	{statement: "DELETE EDGE", text: "DELETE EDGE (1, 2) FROM {graph}"},
	{statement: "DELETE EDGES FILE", text: "DELETE EDGES FILE 'edges.txt' FROM {graph}"},
	{statement: "IMPORT", text: "IMPORT 'edges.txt' INTO {graph} WITH (merge := TRUE)"},
	{statement: "IMPORT VERTICES", text: "IMPORT VERTICES 'people.csv' INTO {graph}"},
	{statement: "IMPORT EMBEDDING", text: "IMPORT EMBEDDING 'vectors.txt' INTO {graph} AS {new embedding} WITH (no_vector := 'zero')"},
	{statement: "EXPORT GRAPH", text: "EXPORT GRAPH {graph} INTO FILE 'made.txt'"},
	{statement: "EXPORT VERTICES", text: "EXPORT VERTICES OF {graph} INTO FILE 'made.csv'"},
	{statement: "EXPORT WALKS", text: "EXPORT WALKS OF {graph} USING dp_walker(walks := 1, length := 3) INTO FILE 'made.txt'"},
	{statement: "EXPORT EMBEDDING", text: "EXPORT EMBEDDING {embedding} INTO FILE 'made.txt'"},
	{statement: "EXPORT PAIRS", text: "EXPORT PAIRS OF {graph} INTO FILE 'made.csv'"},
	{statement: "GENERATE", text: "GENERATE preferential_attachment(n := 5, m := 1) INTO {new graph}"},
	{statement: "DESCRIBE GRAPH", text: "DESCRIBE GRAPH {graph}"},
	{statement: "DESCRIBE VERTEX", text: "DESCRIBE VERTEX 1 IN {graph}"},
	{statement: "DESCRIBE EMBEDDING", text: "DESCRIBE EMBEDDING {embedding}"},
	{statement: "DESCRIBE MODEL", text: "DESCRIBE MODEL {model}"},
	{statement: "SHOW VERTICES", text: "SHOW VERTICES IN {graph} COLUMNS {attribute} WHERE {attribute} > 1 ORDER BY {attribute} LIMIT 5"},
	{statement: "SHOW EDGES", text: "SHOW EDGES IN {graph} COLUMNS {attribute} WHERE BOTH ({attribute} > 1) LIMIT 5"},
	{statement: "SHOW NEIGHBORS", text: "SHOW NEIGHBORS OF 1 IN {graph} WHERE {attribute} > 1"},
	{statement: "SHOW ATTRIBUTES", text: "SHOW ATTRIBUTES IN {graph}"},
	{statement: "PATH", text: "PATH FROM 1 TO 30 IN {graph}"},
	{statement: "PATHS", text: "PATHS 2 FROM 1 TO 30 IN {graph}"},
	{statement: "COUNT EDGES", text: "COUNT EDGES IN {graph} WHERE EITHER ({attribute} > 1) BY weight"},
	{statement: "COUNT VERTICES", text: "COUNT VERTICES IN {graph} WHERE {attribute} > 1 BY {attribute} WITH max({attribute})"},
	{statement: "COMPUTE", text: "COMPUTE core IN {graph} AS {new attribute}"},
	{statement: "ESTIMATE COMPUTE", text: "ESTIMATE COMPUTE core IN {graph} AS {new attribute}"},
	{statement: "EMBED", text: "EMBED {graph} USING dp_spectral(dim := 3) AS {new embedding}"},
	{statement: "EMBED", text: "EMBED g USING unit_ball(dim := 3, passes := 2, start_embedding := {'embedding'}) AS made"},
	{statement: "ESTIMATE EMBED", text: "ESTIMATE EMBED {graph} USING dp_spectral(dim := 3) AS {new embedding}"},
	{statement: "CREATE INDEX", text: "CREATE INDEX ON {embedding}"},
	{statement: "DROP INDEX", text: "DROP INDEX ON {embedding}", past: storage.ErrNotFound},
	{statement: "REFRESH", text: "REFRESH {embedding}", past: storage.ErrInvalid},
	{statement: "REFRESH MEASURE", text: "REFRESH MEASURE {attribute} IN {graph}"},
	{statement: "REFRESH PREDICTIONS", text: "REFRESH PREDICTIONS FROM cosine({embedding}) IN {graph}", past: storage.ErrNotFound},
	{statement: "REFRESH PREDICTIONS", text: "REFRESH PREDICTIONS FROM model({model}) IN {graph}"},
	{statement: "REFRESH ALL", text: "REFRESH ALL IN {graph}"},
	{statement: "ALTER EMBEDDING", text: "ALTER EMBEDDING {embedding} AUTO REFRESH AFTER 1000 CHANGES", past: storage.ErrInvalid},
	{statement: "VERIFY", text: "VERIFY {embedding}", past: storage.ErrInvalid},
	{statement: "SHOW GENERATIONS", text: "SHOW GENERATIONS OF {embedding}"},
	{statement: "SHOW VECTOR", text: "SHOW VECTOR OF 1 IN {embedding}"},
	{statement: "DIFF", text: "DIFF {embedding}, {embedding}"},
	{statement: "NEAREST", text: "NEAREST 3 TO 1 USING cosine({embedding}) WHERE {attribute} > 0 ORDER BY {attribute}"},
	{statement: "NEAREST", text: "NEAREST 3 TO (1, 2) USING {embedding}"},
	{statement: "NEAREST", text: "NEAREST 3 TO 1 USING {embedding} FRESH", past: storage.ErrInvalid},
	{statement: "NEAREST", text: "NEAREST 2 FOR ALL USING {embedding}"},
	{statement: "WITHIN", text: "WITHIN RADIUS 0.5 OF 1 USING {embedding} WHERE {attribute} > 0 ORDER BY {attribute} LIMIT 3"},
	{statement: "RECONSTRUCT", text: "RECONSTRUCT {embedding} RADIUS 0.5 INTO GRAPH {new graph}"},
	{statement: "RECONSTRUCT", text: "RECONSTRUCT {embedding} AUTO"},
	{statement: "EVALUATE RECONSTRUCTION", text: "EVALUATE RECONSTRUCTION OF {embedding}"},
	{statement: "EVALUATE PARAMETERS", text: "EVALUATE PARAMETERS IN {graph} USING dp_spectral(dim := 3)"},
	{statement: "EVALUATE LABELS", text: "EVALUATE LABELS {'attribute'} OF {embedding} WITH (fractions := '0.5', seeds := 1, penalty := 1)"},
	{statement: "EVALUATE LINKS", text: "EVALUATE LINKS IN {graph} USING dp_spectral(dim := 3)"},
	{statement: "EVALUATE TEST", text: "EVALUATE TEST GRAPH {graph} AGAINST GRAPH {graph} IN {graph} WITH cosine({embedding}), model({model}) WITH (allow_leaks := TRUE)", past: fault.ErrInvalid},
	{statement: "TUNE", text: "TUNE {graph} USING dp_spectral(dim := 3) FOR RECONSTRUCTION AS {new embedding} WITH (trials := 1)"},
	{statement: "TRAIN MODEL", text: "TRAIN MODEL made IN {graph} USING {embedding}", past: storage.ErrInvalid},
	{statement: "TRAIN MODEL", text: "TRAIN MODEL {new model} IN {graph} USING heuristics(jaccard)"},
	{statement: "MATERIALIZE PREDICTIONS", text: "MATERIALIZE PREDICTIONS FROM l2({embedding}) IN {graph} WITH (top := 2)", past: storage.ErrInvalid},
	{statement: "MATERIALIZE PREDICTIONS", text: "MATERIALIZE PREDICTIONS FROM model({model}) IN {graph} WITH (top := 2)"},
	{statement: "DROP PREDICTIONS", text: "DROP PREDICTIONS FROM cosine({embedding}) IN {graph}", past: storage.ErrNotFound},
	{statement: "DROP PREDICTIONS", text: "DROP PREDICTIONS FROM model({model}) IN {graph}"},
	{statement: "DROP MODEL", text: "DROP MODEL {model}"},
	{statement: "SCORE", text: "SCORE (1, 2) IN {graph} WITH cosine({embedding}), l2({embedding}), model({model})"},
	{statement: "SCORE FILE", text: "SCORE FILE 'edges.txt' IN {graph} WITH cosine({embedding}), model({model}) INTO FILE 'made.csv'"},
	{statement: "PREDICT", text: "PREDICT 3 LINKS FOR 1 IN {graph} WITH cosine({embedding}) WHERE {attribute} > 0 ORDER BY {attribute}"},
	{statement: "PREDICT", text: "PREDICT 3 LINKS IN {graph} WITH model({model})"},
	{statement: "PREDICT", text: "PREDICT 2 LINKS FOR ALL IN {graph} WITH cosine({embedding})"},
	{statement: "PREDICT", text: "PREDICT 2 LINKS FOR 1 IN {graph} FROM cosine({embedding})", past: storage.ErrNotFound},
	{statement: "PREDICT", text: "PREDICT 2 LINKS FOR ALL IN {graph} FROM cosine({embedding})", past: storage.ErrNotFound},
	{statement: "EXPLAIN SCORE", text: "EXPLAIN SCORE (1, 2) IN {graph} WITH cosine({embedding}), model({model})"},
}

// namedKinds are the kinds of objects that statements name, as in Help.Syntax.
var namedKinds = []string{"graph", "embedding", "model", "attribute"}

// places are the kinds that a text names.
func (n naming) names(kind string) bool {
	return strings.Contains(n.text, "{"+kind+"}") || strings.Contains(n.text, "{'"+kind+"'}")
}

func (n naming) makes(kind string) bool { return strings.Contains(n.text, "{new "+kind+"}") }

// with puts names into the text; kinds without one have their first letter, and new objects
// the name made.
func (n naming) with(names map[string]string) string { return named(n.text, names) }

func named(text string, names map[string]string) string {
	for _, kind := range namedKinds {
		name, made := names[kind], names["new "+kind]
		if name == "" {
			name = kind[:1]
		}
		if made == "" {
			made = "made"
		}
		text = strings.ReplaceAll(text, "{"+kind+"}", parser.Ident{Name: name}.String())
		text = strings.ReplaceAll(text, "{'"+kind+"'}", parser.String{Value: name}.String())
		text = strings.ReplaceAll(text, "{new "+kind+"}", parser.Ident{Name: made}.String())
	}
	return text
}

// Every statement that names an object of a kind, by its description, has a line in namings.
func TestNames_All(t *testing.T) {
	t.Parallel()
	has := map[string]bool{}
	for _, n := range namings {
		for _, kind := range namedKinds {
			has[n.statement+" "+kind] = has[n.statement+" "+kind] || n.names(kind) || n.makes(kind)
		}
		if _, err := parser.Parse(n.with(nil)); err != nil {
			t.Error(err)
		}
	}
	for _, h := range query.Helps() {
		words := strings.FieldsFunc(h.Syntax, func(r rune) bool { return !unicode.IsLetter(r) })
		for _, kind := range namedKinds {
			if slices.Contains(words, kind) && !has[h.Statement+" "+kind] {
				t.Errorf("%s names the kind %s: namings has no line for it", h.Statement, kind)
			}
			delete(has, h.Statement+" "+kind)
		}
	}
	for what, named := range has {
		if named {
			t.Errorf("%s: the description of the statement does not say that", what)
		}
	}
}

// namesStore makes a store with one object of each kind, g, e, m and a, of which e has two
// generations; further runs statements before it is closed.
func namesStore(t *testing.T, further ...string) (image []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store")
	db, err := query.Open(path, &query.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append([]string{
		"GENERATE preferential_attachment(n := 40, m := 3, seed := 1) INTO g",
		"COMPUTE core IN g AS a",
		"EMBED g USING dp_spectral(dim := 3, seed := 1) AS e",
		"INSERT EDGE (1, 'x'), (2, 'x'), ('x', 40), ('x', 39), (3, 'x') INTO g",
		"REFRESH e",
		"CREATE INDEX ON e",
		"TRAIN MODEL m IN g USING heuristics(jaccard) WITH (seed := 1)",
		"MATERIALIZE PREDICTIONS FROM cosine(e) IN g WITH (top := 2)",
		"MATERIALIZE PREDICTIONS FROM model(m) IN g WITH (top := 2)",
		"REFRESH MEASURE a IN g",
	}, further...) {
		if _, err := db.Query(t.Context(), text, nil); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if list, err := db.Vectors().Generations(t.Context(), "e"); err == nil && len(list) != 2 {
		t.Fatalf("%d generations", len(list))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if image, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return image
}

// outcome is what a statement did to a copy of a store.
type outcome struct {
	err    error
	rows   []string
	before []string // the catalogue
	after  []string
}

// runOn runs a statement on a copy of a store, after another one unless that is empty, and
// holds the file that it leaves to CHECK.
func runOn(t *testing.T, image []byte, first, text string) (o outcome) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"store": string(image), "edges.txt": "1 2\n2 3\n", "people.csv": "id,a\n1,7\n2,8\n", "vectors.txt": "2 2\n1 0.5 1\n2 1 1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := query.Open(filepath.Join(dir, "store"), &query.Options{Workers: 1, Folder: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if first != "" {
		querytest.MustExec(t, db, first)
	}
	o.before = catalogueOf(t, db)
	rows, err := db.Query(t.Context(), text, nil)
	if o.err = err; err == nil {
		for rows.Next() {
			o.rows = append(o.rows, fmt.Sprint(rows.Row()...))
		}
		o.err = rows.Err()
	}
	querytest.MustBeSound(t, db)
	o.after = catalogueOf(t, db)
	return o
}

// catalogueOf lists the objects of a store, with what does not depend on the time.
func catalogueOf(t *testing.T, db *query.DB) (list []string) {
	t.Helper()
	ctx := context.Background()
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	graphs, err := db.Graphs().List(ctx)
	for _, g := range graphs {
		add("graph %q: %d vertices, %d edges, version %d", g.Name, g.Vertices, g.Edges, g.Version)
		for i, a := range g.Attributes {
			add("attribute %q of %q: %s, %d values", a.Name, g.Name, a.Type, g.Values[i])
		}
	}
	embeddings, err2 := db.Vectors().List(ctx)
	for _, e := range embeddings {
		generations, err := db.Vectors().Generations(ctx, e.Name)
		if err != nil {
			t.Error(err)
		}
		for _, g := range generations {
			add("embedding %q of %q: generation %d of version %d, %s, refreshed %v", g.Name, g.Graph, g.Generation, g.GraphVersion, g.Method, g.Auto)
		}
	}
	models, err3 := db.Links().Models(ctx)
	for _, m := range models {
		add("model %q of %q, embedding %q", m.Name, m.Graph, m.EmbeddingNames())
	}
	predictions, err4 := db.Links().Predictions(ctx)
	for _, p := range predictions {
		add("predictions of %q by %s, version %d, %s", p.Graph, p.Scorer, p.GraphVersion, p.Stale)
	}
	indexes, err5 := db.Vectors().Indexes(ctx)
	for _, x := range indexes {
		add("index of %q by %s", x.Embedding, x.Metric)
	}
	if err := errors.Join(err, err2, err3, err4, err5); err != nil {
		t.Error(err)
	}
	return list
}

// Every statement that names an embedding is run with the number of its present generation, of a
// past one and of one that it does not have.
func TestNames_Generations(t *testing.T) {
	t.Parallel()
	image := namesStore(t)
	for _, n := range namings {
		kind := "embedding"
		if n.makes(kind) {
			kind = "new embedding"
		} else if !n.names(kind) {
			continue
		}
		t.Run(n.statement, func(t *testing.T) {
			t.Parallel()
			want := runOn(t, image, named(n.first, nil), n.with(nil))
			if want.err != nil {
				t.Fatalf("%s: %v", n.with(nil), want.err)
			}
			for name, refused := range map[string]error{"e@2": n.present, "e@1": n.past, "e@3": storage.ErrNotFound, "e@0": storage.ErrNotFound, "e@02": storage.ErrNotFound} {
				text := n.with(map[string]string{kind: name})
				if kind == "new embedding" {
					if refused = storage.ErrName; name == "e@0" || name == "e@02" { // names like any other
						refused = nil
					}
				}
				got := runOn(t, image, named(n.first, nil), text)
				if !errors.Is(got.err, refused) || refused == nil && got.err != nil {
					t.Errorf("%s: %v, expected %v", text, got.err, refused)
				}
				if name == "e@3" && refused == storage.ErrNotFound && !strings.Contains(fmt.Sprint(got.err), `embedding "e" has the generations 1 and 2`) {
					t.Errorf("%s: %v", text, got.err)
				}
				switch {
				case refused != nil && !slices.Equal(got.after, got.before):
					t.Errorf("%s was refused, and changed\n%q to\n%q", text, got.before, got.after)
				case name != "e@2" || refused != nil:
				case !slices.Equal(got.after, want.after):
					t.Errorf("%s leaves\n%q\n%s leaves\n%q", text, got.after, n.with(nil), want.after)
				case len(got.rows) != len(want.rows):
					t.Errorf("%s has %d rows, and %s has %d", text, len(got.rows), n.with(nil), len(want.rows))
				}
			}
		})
	}
}

// lookAlikes are names that look like e, or that the language could read as something else.
var lookAlikes = []string{
	"E", "е", "ｅ", "é", "e\u0301", "e\u200b", "e ", " e", "e@", "@1", "e@x", "e@01", `"e"`, "'e'", "e''", "e, f", "e)", "--e", "e;", "MISSING", "all", "degree2", "$e", `e\`,
}

// Every statement is run on an object of each kind with a name that looks like others, among
// objects of the same kind with those other names: it does what it does to the object with a
// plain name, and nothing to the others.
func TestNames_LookAlikes(t *testing.T) {
	t.Parallel()
	for k, kind := range namedKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			plain := namesStore(t, others(kind, "")...)
			wanted := map[string]outcome{}
			for i, name := range lookAlikes {
				if (i+k)%repeat.Every(4) > 0 || testing.Short() && (i+k)%8 > 0 {
					continue
				}
				image := namesStore(t, append(others(kind, name), renamed(kind, name)...)...)
				for _, n := range namings {
					if !n.names(kind) && !n.makes(kind) {
						continue
					}
					want, known := wanted[n.text]
					if !known {
						want = runOn(t, plain, named(n.first, nil), n.with(nil))
						wanted[n.text] = want
					} else if n.statement == "ESTIMATE EMBED" { // it measures for a third of a second
						continue
					}
					names := map[string]string{kind: name, "new " + kind: name + " 2"}
					text := n.with(names)
					got := runOn(t, image, named(n.first, names), text)
					if (got.err == nil) != (want.err == nil) || len(got.rows) != len(want.rows) {
						t.Errorf("%s: %d rows, %v\n%s: %d rows, %v", text, len(got.rows), got.err, n.with(nil), len(want.rows), want.err)
					}
					if strings.ContainsAny(fmt.Sprint(got.err), "\u200b\u202e") {
						t.Errorf("%s: the error %q hides a character", text, got.err)
					}
					for _, line := range got.before {
						if slices.Contains(want.before, line) && slices.Contains(want.after, line) && !slices.Contains(got.after, line) {
							t.Errorf("%s also changed %s", text, line)
						}
					}
				}
			}
		})
	}
}

// others makes an object of each other name, of a graph of its own where it needs one.
func others(kind, but string) (list []string) {
	if kind == "embedding" || kind == "model" {
		list = append(list, "GENERATE preferential_attachment(n := 40, m := 3, seed := 1) INTO other")
	}
	for i, name := range lookAlikes {
		if name == but {
			continue
		}
		ident := parser.Ident{Name: name}.String()
		switch kind {
		case "graph":
			list = append(list, "GENERATE preferential_attachment(n := 3, m := 1) INTO "+ident)
		case "embedding":
			list = append(list, fmt.Sprintf("EMBED other USING fastrp(dim := 2, seed := %d) AS %s", i, ident))
		case "model":
			if i%4 == 0 { // training takes longest
				list = append(list, "TRAIN MODEL "+ident+" IN other USING heuristics(jaccard)")
			}
		case "attribute":
			list = append(list, fmt.Sprintf("UPDATE VERTEX 1, 2, 3 SET %s := %d IN g", ident, i))
		}
	}
	return list
}

// renamed gives the object of a kind another name; its predictions must go for a moment.
func renamed(kind, to string) []string {
	ident := parser.Ident{Name: to}.String()
	switch kind {
	case "embedding":
		return []string{
			"DROP PREDICTIONS FROM cosine(e) IN g", "ALTER EMBEDDING e RENAME TO " + ident,
			"MATERIALIZE PREDICTIONS FROM cosine(" + ident + ") IN g WITH (top := 2)",
		}
	case "model":
		return []string{
			"DROP PREDICTIONS FROM model(m) IN g", "ALTER MODEL m RENAME TO " + ident,
			"MATERIALIZE PREDICTIONS FROM model(" + ident + ") IN g WITH (top := 2)",
		}
	case "attribute":
		return []string{"ALTER ATTRIBUTE a IN g RENAME TO " + ident}
	}
	return []string{"ALTER GRAPH g RENAME TO " + ident}
}
