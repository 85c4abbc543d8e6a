package parser

import (
	"slices"
	"strings"
)

// habit is a word of another language, and what says the same here.
type habit struct {
	words   string // separated by blanks, in upper case
	message string // empty for what was found and expected, or where a statement begins, for the word
	remedy  string
}

// The habits of those who know another language, by the place of the word.
var (
	habitsOfStatements = []habit{
		{"SELECT FIND LIST GET", "there is no SELECT", "SHOW VERTICES IN g COLUMNS … WHERE … ORDER BY … LIMIT n lists vertices, SHOW EDGES edges, COUNT VERTICES counts them, SHOW NEIGHBORS OF v follows edges; for SQL, EXPORT VERTICES writes a file for another program"},
		{"MATCH OPTIONAL", "there is no MATCH", "SHOW NEIGHBORS OF v WITHIN n lists the vertices near a vertex, PATH FROM v TO w finds a path, SHOW VERTICES WHERE … chooses vertices"},
		{"MERGE", "there is no MERGE", "INSERT VERTEX and INSERT EDGE update what exists"},
		{"CALL RUN ANALYZE ANALYSE", "there are no procedures", "COMPUTE measure(…) IN g computes one of the measures that SHOW MEASURES lists, EMBED computes vectors"},
		{"LOAD COPY READ", "", "IMPORT 'file' INTO g reads edges, IMPORT VERTICES 'file' INTO g attributes, EXPORT writes files"},
		{"SET ADD", "", "UPDATE VERTEX v SET a := x IN g sets attributes, INSERT VERTEX and INSERT EDGE add"},
		{"REMOVE DETACH TRUNCATE", "", "DELETE VERTEX v FROM g deletes vertices with their edges, DROP GRAPH a graph, DROP ATTRIBUTE an attribute"},
		{"USE", "there is no current graph", "statements name their graph with IN g, which may be left out if the file has only one graph"},
		{"BEGIN START COMMIT ROLLBACK", "there are no transactions of several statements", "each statement is one transaction"},
		{"VACUUM OPTIMIZE", "", "COMPACT frees the unused space of the file"},
		{"DESC", "", "DESCRIBE GRAPH g describes a graph, DESCRIBE VERTEX v a vertex"},
		{"PREDICTION RECOMMEND", "", "PREDICT n LINKS … IN g finds missing links"},
		{"SEARCH KNN TOPK SIMILAR", "", "NEAREST n TO v USING embedding finds the nearest vertices"},
		{"UPSERT REPLACE", "", "INSERT VERTEX and INSERT EDGE update what exists"},
		{"RENAME", "", "ALTER GRAPH g RENAME TO h renames a graph; ALTER EMBEDDING, ALTER MODEL and ALTER ATTRIBUTE rename the others"},
		{"RETURN UNWIND WITH FOR FOREACH", "", "SHOW VERTICES IN g COLUMNS … WHERE … lists vertices, SHOW EDGES IN g edges"},
		{"SHORTEST SHORTESTPATH", "", "PATH FROM v TO w IN g finds a path with the fewest edges, with BY WEIGHT the path with the smallest sum of weights"},
		{"NEIGHBORS NEIGHBOURS TRAVERSE", "", "SHOW NEIGHBORS OF v WITHIN n IN g lists the vertices near a vertex"},
		{"OPEN ATTACH CONNECT RESTORE", "", ".open FILE of the shell and heavytail FILE open another file, BACKUP INTO FILE 'file' copies this one"},
		{"PLOT DRAW VISUALIZE VISUALISE", "", ".plot of the shell and heavytail plot draw degrees, embeddings, graphs and link prediction"},
		{"DUMP SAVE WRITE", "", "EXPORT GRAPH g INTO FILE 'file' writes a graph, BACKUP INTO FILE 'file' a copy of the database"},
		{"GRANT REVOKE", "there are no users", "the permissions of the file decide who reads and writes it"},
		{"EXIT QUIT BYE LOGOUT", "", ".quit or Ctrl-D leaves the shell"},
		{"PRAGMA INFO STATUS", "", "SHOW STATS shows what uses the space of the file, DESCRIBE GRAPH g describes a graph"},
		{"LOUVAIN LEIDEN PAGERANK CLUSTER", "", "COMPUTE community IN g and COMPUTE pagerank IN g compute measures, which SHOW MEASURES lists"},
	}
	habitsOfShow = []habit{
		{"TABLES DATABASES SCHEMAS", "", "SHOW GRAPHS lists the graphs, SHOW ATTRIBUTES IN g the attributes of the vertices"},
		{"NODES NODE", "", "SHOW VERTICES IN g lists the vertices"},
		{"RELATIONSHIPS LINKS EDGE", "", "SHOW EDGES IN g lists edges, SHOW NEIGHBORS OF v those of a vertex"},
		{"COLUMNS FIELDS PROPERTIES LABELS", "", "SHOW ATTRIBUTES IN g lists the attributes of the vertices"},
		{"COMMUNITIES COMPONENTS", "", "COMPUTE community IN g AS team stores communities, COUNT VERTICES IN g BY team counts their vertices"},
	}
	habitsOfCreate = []habit{
		{"TABLE DATABASE SCHEMA", "", "CREATE GRAPH g creates a graph"},
		{"NODE VERTEX VERTICES EDGE EDGES RELATIONSHIP (", "", "INSERT VERTEX 'a' (age := 41) INTO g and INSERT EDGE ('a', 'b') INTO g add to a graph"},
		{"EMBEDDING", "", "EMBED g USING method AS e creates an embedding"},
		{"MODEL", "", "TRAIN MODEL m IN g trains a model"},
		{"VIEW", "", "CREATE GRAPH x AS SUBGRAPH OF g WHERE … stores a part of a graph"},
	}
	habitsOfAlter = []habit{
		{"TABLE DATABASE COLUMN", "", "UPDATE VERTEX v SET a := x IN g adds an attribute, ALTER ATTRIBUTE renames one, ALTER GRAPH g RENAME TO h a graph"},
	}
	habitsOfDescribe = []habit{
		{"TABLE DATABASE", "", "DESCRIBE GRAPH g describes a graph, SHOW ATTRIBUTES IN g lists the attributes of its vertices"},
		{"NODE", "", "DESCRIBE VERTEX v IN g describes a vertex"},
	}
	habitsOfCount = []habit{
		{"EDGE LINKS RELATIONSHIPS", "", "COUNT EDGES IN g WHERE … counts edges"},
		{"NODES NODE ( *", "", "COUNT VERTICES IN g WHERE … counts vertices"},
	}
	habitsOfTrain = []habit{
		{"EMBEDDING", "", "EMBED g USING method AS e computes an embedding"},
	}
	habitsOfExport = []habit{
		{"EMBEDDINGS VECTORS", "", "EXPORT EMBEDDING e INTO FILE 'file' writes the vectors of an embedding"},
		{"PREDICTIONS LINKS", "", "PREDICT n LINKS FOR ALL IN g INTO FILE 'file' writes the likeliest links of every vertex"},
		{"RESULTS RESULT SHOW NEAREST PREDICT", "", "a statement that returns rows writes them with INTO FILE 'file' at its end"},
	}
	habitsOfInsert = []habit{
		{"INTO", "", "INSERT VERTEX 'a' (age := 41) INTO g adds vertices, INSERT EDGE ('a', 'b', weight := 2) INTO g edges"},
		{"NODE NODES", "", "INSERT VERTEX 'a' (age := 41) INTO g adds vertices"},
		{"FROM", "", "DELETE VERTEX 'a' FROM g deletes a vertex, DELETE VERTICES FROM g WHERE … those that meet a condition"},
	}
	habitsOfDrop = []habit{
		{"TABLE DATABASE", "", "DROP GRAPH g removes a graph"},
		{"NODE VERTEX VERTICES EDGE EDGES", "", "DELETE VERTEX 'a' FROM g and DELETE EDGE ('a', 'b') FROM g remove from a graph"},
		{"COLUMN", "", "DROP ATTRIBUTE a FROM g removes an attribute"},
	}
	// Behind a column of a condition.
	habitsOfConditions = []habit{
		{"ILIKE SIMILAR REGEXP RLIKE GLOB MATCHES CONTAINS STARTS STARTS_WITH BEGINS ENDS", "", "column LIKE 'a%' is true for texts that begin with a, LIKE '%a%' for those that contain it; % is any text, _ any character"},
		{"BETWEEN", "", "column >= 1 AND column <= 9 is true for values between"},
	}
	// Of clauses, where a statement could have ended.
	habitsOfClauses = []habit{
		{"ORDER SORT", "", "ORDER BY column sorts the rows of a statement that has rows, after WHERE and before LIMIT"},
		{"GROUP HAVING", "", "COUNT VERTICES IN g WHERE … BY attribute WITH mean(other) counts by the values of an attribute"},
		{"JOIN UNION", "", "each statement reads one graph"},
		{"OFFSET SKIP", "", "LIMIT n OFFSET m keeps n rows without the first m"},
		{"RETURN YIELD", "", "COLUMNS says which columns of the rows to show"},
		{"WITH IN WHERE USING LIMIT FROM TO AS INTO COLUMNS OF", "", "the clauses of a statement have one order, which HELP shows"},
	}
)

// habitsOfPlaces are the habits by what is expected at their place. The first place that
// fits is taken.
var habitsOfPlaces = []struct {
	mark   string // is expected there, and at no later place of the list
	only   bool   // nothing else is expected
	habits []habit
}{
	{"EMBED", false, habitsOfStatements}, {"GRAPHS", false, habitsOfShow}, {"LIKE", false, slices.Concat(habitsOfConditions, habitsOfClauses)}, {`";"`, false, habitsOfClauses},
	{"PREDICTIONS", false, habitsOfDrop}, {"ATTRIBUTE", false, habitsOfAlter}, {"EDGE", false, habitsOfInsert}, {"VERTEX", false, habitsOfDescribe}, {"INDEX", false, habitsOfCreate},
	{"MODEL", true, habitsOfTrain}, {"WALKS", false, habitsOfExport}, {"EDGES", false, habitsOfCount},
}

// Habit returns what says the same as a word with which statements of other languages begin.
func Habit(word string) (remedy string, known bool) {
	h, known := habitOf(word, []string{"EMBED"})
	return h.remedy, known
}

// habitOf returns the habit that a word or sign is of, where the given words were
// expected. Where a statement begins these are too many to show: its message names the
// word instead.
func habitOf(text string, expected []string) (habit, bool) {
	text = strings.ToUpper(text)
	for _, place := range habitsOfPlaces {
		if !slices.Contains(expected, place.mark) || place.only && len(expected) > 1 {
			continue
		}
		for _, h := range place.habits {
			if !slices.Contains(strings.Fields(h.words), text) {
				continue
			}
			if h.message == "" && beginning(expected) {
				h.message = "no statement begins with " + text
			}
			return h, true
		}
		return habit{}, false
	}
	return habit{}, false
}

// exampleOf returns whole statements for a place where many words are possible, or "".
func exampleOf(expected []string) string {
	switch {
	case slices.Contains(expected, "WALKS"):
		return "EXPORT GRAPH g INTO FILE 'file' writes edges, EXPORT VERTICES OF g INTO FILE 'file' attributes"
	case slices.Contains(expected, "VERTICES") && slices.Contains(expected, fileText):
		return "IMPORT 'file' INTO g reads edges, IMPORT VERTICES 'file' INTO g attributes, IMPORT EMBEDDING 'file' INTO g AS e vectors"
	case len(expected) == 1 && expected[0] == "MODEL":
		return "TRAIN MODEL m IN g learns to predict links, EMBED g USING method AS e computes an embedding"
	}
	return ""
}

func beginning(expected []string) bool { return slices.Contains(expected, "EMBED") }
