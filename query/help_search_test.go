package query_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/embedding/link"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/query/vectors"
)

// HELP finds what people ask for in words of other programs and of the field: for each, the first rows
// have these items.
func TestHelp_FindsWords(t *testing.T) {
	const first = 5
	for words, want := range map[string]string{
		"csv": "IMPORT, EXPORT GRAPH", "gephi": "IMPORT, EXPORT GRAPH", "pandas": "IMPORT, INTO FILE", "networkx": "IMPORT, EXPORT GRAPH",
		"graphml": "IMPORT, EXPORT GRAPH", "gexf": "IMPORT, EXPORT GRAPH", "parquet": "IMPORT, EXPORT GRAPH", "neo4j": "EXPORT GRAPH", "pajek": "IMPORT",
		"ego": "SHOW NEIGHBORS, CREATE GRAPH", "ego network": "SHOW NEIGHBORS, CREATE GRAPH", "subgraph": "CREATE GRAPH", "null model": "CREATE GRAPH", "filter": "SHOW VERTICES, SHOW EDGES",
		"centrality": "pagerank, betweenness, eigenvector", "important vertices": "pagerank", "personalized pagerank": "pagerank",
		"louvain": "community", "leiden": "community", "modularity": "community", "clusters": "community", "connected components": "component", "diameter": "eccentricity",
		"transitivity": "clustering", "k-core": "core", "triads": "triangles",
		"degree distribution": "COUNT VERTICES, DESCRIBE GRAPH", "group by": "COUNT VERTICES", "histogram": "COUNT VERTICES", "power law": "DESCRIBE GRAPH", "scale-free": "DESCRIBE GRAPH",
		"shortest path": "PATH", "dijkstra": "PATH", "bfs": "SHOW NEIGHBORS, PATH", "friends of friends": "SHOW NEIGHBORS",
		"similarity": "NEAREST, SCORE", "knn": "NEAREST", "most similar": "NEAREST", "recommend": "PREDICT, NEAREST", "hnsw": "CREATE INDEX", "faiss": "CREATE INDEX",
		"node2vec embedding": "node2vec, EMBED", "embeddings": "EMBED, EXPORT EMBEDDING", "word2vec": "EXPORT EMBEDDING, IMPORT EMBEDDING", "gensim": "EXPORT EMBEDDING, deepwalk", "numpy": "EXPORT EMBEDDING, IMPORT EMBEDDING",
		"random walk": "EXPORT WALKS, deepwalk", "random graph": "GENERATE", "barabasi": "preferential_attachment, GENERATE", "small world": "watts_strogatz",
		"link prediction": "PREDICT, TRAIN MODEL, EVALUATE LINKS", "missing links": "PREDICT", "common neighbours": "common_neighbors", "adamic adar": "adamic_adar", "roc": "EVALUATE LINKS", "train test split": "EVALUATE LINKS, EXPORT PAIRS",
		"node classification": "EVALUATE LABELS", "hyperparameters": "TUNE, EVALUATE PARAMETERS", "grid search": "TUNE, EVALUATE PARAMETERS",
		"rename": "ALTER", "properties": "SHOW ATTRIBUTES, IMPORT VERTICES", "add node": "INSERT VERTEX", "remove node": "DELETE VERTEX", "vacuum": "COMPACT", "corrupt": "CHECK, RECOVER", "backup": "BACKUP",
		"interrupted": "RESUME JOB", "stop": "CANCEL JOB", "query plan": "EXPLAIN", "order by": "SHOW VERTICES, INTO FILE", "json": "INTO FILE, EXPORT GRAPH", "join": "CREATE GRAPH", "locked": "storage.ErrLocked",
	} {
		table, err := query.HelpRows(strings.Fields(words)...)
		if err != nil {
			t.Errorf("HELP %s: %v", words, err)
			continue
		}
		var items []string
		for _, row := range table {
			items = append(items, fmt.Sprint(row[0]))
			if len(items) == 2 && items[0] == "statement" {
				items[0] = fmt.Sprint(row[1])
			}
			if name := fmt.Sprint(row[1]); slices.Contains([]string{"statement", "method", "measure", "scorer", "generator"}, items[len(items)-1]) {
				items[len(items)-1] = name
			}
		}
		for _, item := range strings.Split(want, ", ") {
			if !slices.Contains(items[:min(first, len(items))], item) {
				t.Errorf("HELP %s: %q does not begin with %s", words, items[:min(2*first, len(items))], item)
			}
		}
	}
}

// The statements of the first screen run one after the other on a list of edges.
func TestHelp_EssentialsRun(t *testing.T) {
	dir := t.TempDir()
	db := querytest.Open(t, &query.Options{Folder: dir})
	var edges strings.Builder
	edges.WriteString("source,target\nalice,bob\n")
	for i := range 40 {
		fmt.Fprintf(&edges, "%s,p%d\np%d,p%d\n", []string{"alice", "bob"}[i%2], i, i, (i+1)%40)
	}
	if err := os.WriteFile(filepath.Join(dir, "edges.csv"), []byte(edges.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	table, err := query.HelpRows()
	if err != nil {
		t.Fatal(err)
	}
	statements := 0
	for _, row := range table {
		text := fmt.Sprint(row[1])
		if topic, group := strings.CutPrefix(fmt.Sprint(row[0]), "HELP "); group {
			if list, err := query.HelpRows(topic); err != nil || len(list) < 3 {
				t.Errorf("HELP %s: %v, %v", topic, list, err)
			}
			continue
		}
		statements++
		answer, err := db.Query(context.Background(), strings.ReplaceAll(text, "dim := 64", "dim := 8"), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		n := 0
		for answer.Next() {
			n++
		}
		if n == 0 || answer.Err() != nil {
			t.Errorf("%s: %d rows, %v", text, n, answer.Err())
		}
	}
	if statements != 10 {
		t.Errorf("%d statements", statements)
	}
}

// Every statement is in one group, and a group and the first screen have at most 22 lines of 80 columns.
func TestHelp_Screens(t *testing.T) {
	overview, err := query.HelpRows()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	screens := map[string][][]rows.Value{"": overview}
	for _, row := range overview {
		if topic, group := strings.CutPrefix(fmt.Sprint(row[0]), "HELP "); group {
			screens[topic], _ = query.HelpRows(topic)
			for _, row := range screens[topic] {
				seen[fmt.Sprint(row[0])]++
			}
		}
	}
	for _, h := range query.Helps() {
		if seen[h.Statement] != 1 {
			t.Errorf("%s is in %d groups", h.Statement, seen[h.Statement])
		}
	}
	for topic, table := range screens {
		column, lines := 0, 0
		for _, row := range table {
			column = max(column, len(fmt.Sprint(row[0])))
		}
		for _, row := range table {
			lines += linesOf(fmt.Sprint(row[1]), 80-column-5)
		}
		if lines > 20 { // beside those of the header
			t.Errorf("HELP %s takes %d lines", topic, lines)
		}
	}
}

// linesOf is the number of lines of a text that is broken at blanks.
func linesOf(text string, columns int) int {
	lines, width := 1, 0
	for word := range strings.FieldsSeq(text) {
		if width > 0 && width+1+len(word) > columns {
			lines, width = lines+1, 0
		}
		width += len(word) + min(width, 1)
	}
	return lines
}

// A summary is one sentence of at most 25 words.
func TestHelp_Summaries(t *testing.T) {
	check := func(name, summary string) {
		const most = 25
		if n := len(strings.Fields(summary)); n == 0 || n > most || strings.Contains(summary, ". ") || strings.HasSuffix(summary, ".") {
			t.Errorf("%s: %d words: %s", name, n, summary)
		}
	}
	for _, h := range query.Helps() {
		check(h.Statement, h.Summary)
		if h.Example != parser.Example(h.Statement) && parser.Example(h.Statement) != "" {
			t.Errorf("%s: its example is said twice", h.Statement)
		}
	}
	for _, m := range vectors.Methods() {
		check(m.Name, m.Summary)
	}
	for _, m := range measures.List() {
		check(m.Name, m.Summary)
	}
	for _, g := range graphs.Generators() {
		check(g.Name, g.Summary)
	}
	for _, s := range link.Scorers() {
		check(s.Name, strings.ReplaceAll(s.Summary, "each weighted", "weighted"))
	}
}
