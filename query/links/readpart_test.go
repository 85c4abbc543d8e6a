package links_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/internal/querytest"
)

// drawnGraph makes a graph g of some 4000 vertices and 60000 edges with hubs and sinks, and with mutual edges if it is
// directed, and an embedding e of it. Some edges have weights, times and attributes, as the kind says, some vertices an
// attribute. Vertices are deleted and edges changed after the import.
func drawnGraph(t *testing.T, directed bool, kind string, random *rand.Rand) *query.DB {
	t.Helper()
	db := querytest.Open(t, nil)
	vertex := func() int { x := random.Float64(); return int(4000 * x * x) }
	var text strings.Builder
	text.WriteString("source,target," + kind + "\n")
	values := strings.Split(kind, ",")
	for range 60_000 {
		u, v := vertex(), random.IntN(4000)
		if random.IntN(2) == 0 && v%10 > 0 { // a tenth have no edges from them
			u, v = v, u
		}
		fmt.Fprint(&text, u, ",", v)
		for _, value := range values {
			text.WriteByte(',')
			switch {
			case value == "weight":
				fmt.Fprint(&text, 1+random.IntN(5))
			case random.IntN(3) == 0:
			case value == "kind":
				text.WriteString([]string{"mail", "call"}[random.IntN(2)])
			default:
				fmt.Fprint(&text, random.IntN(1000))
			}
		}
		text.WriteByte('\n')
		if directed && random.IntN(8) == 0 {
			fmt.Fprintf(&text, "%d,%d%s\n", v, u, strings.Repeat(",1", len(values)))
		}
	}
	if directed {
		querytest.MustRun(t, db, "CREATE DIRECTED GRAPH g")
	}
	querytest.ImportText(t, db, "g", text.String())
	for range 20 {
		querytest.MustRun(t, db, fmt.Sprintf("INSERT EDGE ('%d', 'new%d', since := %d), ('new%d', '%d') INTO g", vertex(), random.IntN(9), random.IntN(9), random.IntN(9), vertex()))
		querytest.MustRun(t, db, fmt.Sprintf("INSERT VERTEX '%d' (age := %d) INTO g", random.IntN(100), random.IntN(90)))
	}
	querytest.MustRun(t, db, "INSERT VERTEX 'alone' INTO g")
	querytest.MustRun(t, db, "DELETE VERTEX '3', '33', 'new1' FROM g")
	info, err := querytest.Engine(db).Store.Graph(t.Context(), "g")
	if err != nil || info.Directed != directed {
		t.Fatalf("%+v, %v", info, err)
	}
	querytest.PutRows(t, db, info.Vertices, 5)
	return db
}

// drawnStatements are about few vertices; # stands for a vertex that is drawn. The graph is read in the file where few
// edges are around those vertices.
var drawnStatements = []string{
	"SHOW NEIGHBORS OF # IN g",
	"SHOW NEIGHBORS OF # IN g WHERE degree > 20 LIMIT 3",
	"SHOW NEIGHBORS OF # WITHIN 1 IN g",
	"PATH FROM # TO # IN g",
	"SHOW VERTICES IN g LIMIT 4",
	"SHOW VERTICES IN g WHERE age > 3 OR degree > 40 LIMIT 2",
	"SHOW EDGES IN g LIMIT 30",
	"SHOW EDGES IN g COLUMNS age, since, degree LIMIT 7",
	"SCORE (#, #), (#, #) IN g WITH jaccard, adamic_adar, preferential_attachment, l2(e)",
	"SCORE (#, #) IN g WITH katz, l3",
	"EXPLAIN SCORE (#, #) IN g WITH resource_allocation",
	"PREDICT 4 LINKS FOR # IN g WITH adamic_adar",
	"PREDICT 4 LINKS FOR # IN g WITH jaccard",
	"PREDICT 4 LINKS FOR # IN g WITH preferential_attachment",
	"PREDICT 4 LINKS FOR # IN g WITH l2(e)",
}

var drawnDirected = []string{
	"SHOW NEIGHBORS OF # IN g WITH (direction := 'out')",
	"SHOW NEIGHBORS OF # IN g WHERE in_degree > 9 OR direction = 'both' WITH (direction := 'in')",
	"SHOW NEIGHBORS OF # WITHIN 1 IN g WITH (direction := 'out')",
	"PATH FROM # TO # IN g WITH (direction := 'in')",
	"PATH FROM # TO # IN g WITH (direction := 'both')",
	"SHOW VERTICES IN g WHERE in_degree > out_degree COLUMNS out_degree, age, in_degree LIMIT 3",
	"SHOW EDGES IN g COLUMNS in_degree, weight, out_degree LIMIT 5",
	"SCORE (#, #) IN g WITH sorensen, cosine(e), local_path WITH (direction := 'both')",
	"PREDICT 4 LINKS FOR # IN g WITH hub_promoted WITH (direction := 'both')",
}

// Statements about few vertices answer from the file what they answer from the loaded graph, errors included.
func TestReadPart_Drawn(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: asks many questions twice")
	}
	t.Parallel()
	inFile := map[string]int{}
	for i := range repeat.Times(4) {
		seed, directed, kind := uint64(i), i%3 > 0, []string{"since,kind", "weight,since", "weight,time", "time,kind,since"}[i%4]
		random := rand.New(rand.NewPCG(seed, 44))
		db := drawnGraph(t, directed, kind, random)
		statements := drawnStatements
		if directed {
			statements = append(drawnDirected, statements...)
		}
		for range 3 {
			for _, text := range statements {
				asked := text
				for strings.Contains(asked, "#") {
					key := fmt.Sprint(random.IntN(4000))
					if random.IntN(12) == 0 {
						key = []string{"alone", "3", "nobody", "new2"}[random.IntN(4)]
					}
					asked = strings.Replace(asked, "#", "'"+key+"'", 1)
				}
				querytest.ForgetLoaded(db)
				have := answerOf(t, db, asked)
				if !querytest.Loaded(db) {
					inFile[text]++
				}
				querytest.MustRun(t, db, "SHOW VERTICES IN g ORDER BY degree LIMIT 1") // loads the graph
				if want := answerOf(t, db, asked); have != want {
					t.Errorf("seed %d, %s: %s in the file, %s loaded", seed, asked, have, want)
				}
			}
		}
	}
	for _, text := range append(drawnDirected, drawnStatements...) {
		if inFile[text] == 0 {
			t.Errorf("%s always loads the graph", text)
		}
	}
}

// answerOf is the answer of a statement with its columns and notices, or its error.
func answerOf(t *testing.T, db *query.DB, text string) string {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	var out strings.Builder
	fmt.Fprintln(&out, rows.Columns(), rows.ColumnTypes())
	for rows.Next() {
		fmt.Fprintln(&out, rows.Row()...)
	}
	fmt.Fprintln(&out, rows.Err(), rows.Notices())
	return out.String()
}
