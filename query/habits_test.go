package query_test

import (
	"context"
	"strings"
	"testing"

	"heavytail/query/internal/querytest"
)

// TestHabits runs statements in the style of SQL, Cypher and other graph programs. Each
// error must name the equivalent statement, and be short: a list of all words that could
// begin a statement does not help.
func TestHabits(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	const longest = 400
	for _, tt := range []struct{ text, answer string }{
		{"SELECT * FROM social", "SHOW VERTICES IN g"},
		{"EXPLAIN SELECT 1", "SHOW VERTICES IN g"},
		{"WITH a AS (SELECT 1) SELECT a", "SHOW VERTICES IN g"},
		{"MATCH (a)-[r]->(b) RETURN a", "SHOW NEIGHBORS OF v"},
		{"MERGE (a:Person)", "INSERT VERTEX"},
		{"UPSERT VERTEX 'a'", "INSERT VERTEX"},
		{"UNWIND [1, 2] AS x RETURN x", "SHOW VERTICES IN g"},
		{"CALL pagerank('social')", "COMPUTE measure(…) IN g"},
		{"LOUVAIN social", "COMPUTE community IN g"},
		{"COMPUTE louvain IN social", "did you mean community?"},
		{"COMPUTE closeness_centrality IN social", "did you mean closeness?"},
		{"LOAD CSV FROM 'x.csv'", "IMPORT 'file' INTO g"},
		{"COPY social FROM 'x.csv'", "IMPORT 'file' INTO g"},
		{"SET a = 1", "UPDATE VERTEX v SET a := x IN g"},
		{"DETACH DELETE n", "DELETE VERTEX v FROM g"},
		{"TRUNCATE TABLE social", "DROP GRAPH"},
		{"USE social", "IN g"},
		{"BEGIN", "each statement is one transaction"},
		{"COMMIT", "each statement is one transaction"},
		{"VACUUM", "COMPACT"},
		{"DESC social", "DESCRIBE GRAPH g"},
		{"DESCRIBE TABLE social", "DESCRIBE GRAPH g"},
		{"RENAME GRAPH social TO h", "ALTER GRAPH g RENAME TO h"},
		{"ALTER TABLE social ADD COLUMN age", "UPDATE VERTEX v SET a := x IN g"},
		{"SHORTEST PATH FROM 'a' TO 'b'", "PATH FROM v TO w IN g"},
		{"NEIGHBORS OF 'a'", "SHOW NEIGHBORS OF v"},
		{"SIMILAR TO 'a'", "NEAREST n TO v USING embedding"},
		{"RECOMMEND 3 FOR 'a'", "PREDICT n LINKS"},
		{"DUMP social", "EXPORT GRAPH g INTO FILE"},
		{"EXPORT PREDICTIONS OF social INTO FILE 'x.csv'", "PREDICT n LINKS FOR ALL IN g INTO FILE 'file'"},
		{"GRANT ALL ON social TO bob", "there are no users"},
		{"SHOW TABLES", "SHOW GRAPHS"},
		{"SHOW NODES", "SHOW VERTICES IN g"},
		{"SHOW COLUMNS", "SHOW ATTRIBUTES IN g"},
		{"SHOW COMMUNITIES", "COUNT VERTICES IN g BY team"},
		{"CREATE TABLE t (a int)", "CREATE GRAPH g"},
		{"CREATE (n:Person)", "INSERT VERTEX 'a'"},
		{"CREATE VIEW v AS SELECT 1", "CREATE GRAPH x AS SUBGRAPH OF g"},
		{"CREATE EMBEDDING e", "EMBED g USING method AS e"},
		{"TRAIN EMBEDDING e ON social", "EMBED g USING method AS e"},
		{"INSERT INTO social VALUES (1)", "INSERT VERTEX 'a'"},
		{"DELETE FROM social WHERE a = 1", "DELETE VERTICES FROM g WHERE"},
		{"DROP TABLE social", "DROP GRAPH g"},
		{"UPDATE social SET age := 3", "UPDATE VERTICES IN g SET a := x WHERE"},
		{"UPDATE", "UPDATE VERTEX v SET a := x IN g"},
		{"DELETE 'a'", "DELETE VERTEX v FROM g"},
		{"DELETE social", "DROP GRAPH g"},
		{"INSERT 'a' INTO social", "INSERT VERTEX v (a := x) INTO g"},
		{"NEAREST TO 'a' USING e", "NEAREST 10 TO v USING embedding"},
		{"NEAREST 'a' USING e", "NEAREST 10 TO v USING embedding"},
		{"COUNT (*) FROM social", "COUNT VERTICES IN g"},
		{"COUNT RELATIONSHIPS IN social", "COUNT EDGES IN g"},
		{"SHOW VERTICES IN social SORT BY degree", "ORDER BY"},
		{"DROP GRAPH social ORDER BY degree", "ORDER BY"},
		{"COUNT VERTICES IN social GROUP BY city", "BY attribute"},
		{"DROP GRAPH social OFFSET 5", "LIMIT n OFFSET m"},
		{"SHOW VERTICES IN social RETURN degree", "COLUMNS"},
		{"PREDICT 10 LINKS WITH jaccard IN social", "one order, which HELP shows"},
		{"EXIT", ".quit or Ctrl-D"},
		{"PRAGMA table_info", "SHOW STATS"},
		{"g.V().has('age')", "HELP lists the statements"},
		{"SHWO GRAPHS", "did you mean SHOW?"},
		{"EMBED social USING deepwalk(dimension := 64) AS e", "did you mean dim?"},
	} {
		_, err := db.Query(context.Background(), tt.text, nil)
		if err == nil || !strings.Contains(err.Error(), tt.answer) || len(err.Error()) > longest {
			t.Errorf("%s: got %v, want an answer of at most %d bytes with %q", tt.text, err, longest, tt.answer)
		}
	}
}
