package query_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/index"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
	"heavytail/query/remote"
	"heavytail/query/rows"
	"heavytail/query/serve"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// Golden scripts are the main test of the query language. Each file in testdata is a list of
// cases, separated by blank lines:
//
//	# A comment that explains the case.
//	directive arguments
//	text
//	----
//	expected output
//
// Directives:
//
//	load    imports the edges in text, or makes a graph with the arguments ring,
//	        clique or star n=8, or sbm blocks=2 size=5 seed=1. graph=g names it.
//	        With vectors=e, text is an embedding: each line has a key and its
//	        numbers, in the order of the vertices of the graph.
//	exec    runs statements and prints their notices.
//	query   runs one statement and prints columns, rows and notices.
//	explain prints the plan of a statement.
//	fail    prints the error of a statement that must fail.
//	file    writes text to the file that its argument names, or prints that file
//	        if text is empty.
//	reopen  closes the database and opens it again.
//	check   verifies the file.
//
// Arguments of query: sorted (rows in any order), approx=1e-4 (numbers within a relative or
// absolute tolerance), columns=a,b (only these). Query, exec, explain and fail take
// parameters as $name=value.
//
// A script runs in an empty folder, in which test.ht is the database. Seconds, times and the
// kernel are printed as a dash. Every script must print the same under every configuration
// below. With -update the scripts are rewritten.
var update = flag.Bool("update", false, "rewrite the expected output of testdata/*.script")

// configurations change how answers are computed, but never the answers.
var configurations = []struct {
	name   string
	opts   query.Options
	reopen bool // before every statement
	index  bool // NEAREST and WITHIN use indexes, which find everything
	served bool // statements are sent to a server
}{
	{name: "default"},
	{name: "reopen", reopen: true},
	{name: "nocache", opts: query.Options{NoCache: true}},
	{name: "tinybatches", opts: query.Options{BatchBytes: 1}},
	{name: "workers=1", opts: query.Options{Workers: 1}},
	{name: "workers=4", opts: query.Options{Workers: 4}},
	{name: "served", served: true},
	{name: "index", opts: *querytest.GraphOnly(1), index: true},
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for n, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file, err = filepath.Abs(file); err != nil {
			t.Fatal(err)
		}
		for i, config := range configurations {
			if !runsUnder(n, i) {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(file), ".script") + "/" + config.name
			t.Run(name, func(t *testing.T) {
				s := newScript(t, config.opts, config.served)
				s.alwaysReopen, s.indexed = config.reopen, config.index
				s.rewriting = *update && i == 0 // the other configurations are compared with the new text
				got := s.run(string(text))
				if s.rewriting {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
					text = []byte(got)
				}
			})
		}
	}
}

// runsUnder reports whether script n runs under configuration i: always under the first one, and by
// turns under a third of the others; with -short only every fifth script, under one of them.
func runsUnder(n, i int) bool {
	if testing.Short() {
		return i == 0 || n%5 == 0 && i == 1+n/5%(len(configurations)-1)
	}
	return i == 0 || (n+i)%repeat.Every(3) == 0
}

// script is one run of a file on a database.
type script struct {
	t            *testing.T
	opts         query.Options
	db           *query.DB
	client       *remote.DB // of a server of db; nil if statements are not sent to one
	stopServer   func()
	served       bool
	alwaysReopen bool
	rewriting    bool // the printed output replaces the expected one
	indexed      bool
	notices      []string
	line         int // of the current case
}

func newScript(t *testing.T, opts query.Options, served bool) *script {
	// Scripts name files without a folder, so that columns in messages do not depend on the
	// path of the folder.
	t.Chdir(t.TempDir())
	s := &script{t: t, opts: opts, served: served}
	s.opts.MemoryLimit = 8 << 30 // the default, as answers show it, depends on the machine
	s.opts.Notice = func(n rows.Notice) { s.notices = append(s.notices, "notice: "+n.Text) }
	s.open()
	t.Cleanup(func() {
		querytest.MustBeSound(t, s.db)
		s.stopServer()
		if err := s.db.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *script) open() {
	var err error
	// Every statement counts as short, and leaves no job, however busy the machine is.
	if s.db, err = query.Open("test.ht", querytest.Prepared(s.opts, func(e *engine.DB) { e.Runner.Least = time.Hour })); err != nil {
		s.t.Fatal(err)
	}
	s.stopServer = func() {}
	if s.served {
		s.serve()
	}
}

// serve starts a server of the database, and a client of it.
func (s *script) serve() {
	server, err := serve.New(s.db, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	socket, err := serve.Listen("test.ht")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, socket) }()
	if s.client, err = remote.Open(ctx, "test.ht"); err != nil {
		s.t.Fatal(err)
	}
	s.stopServer = func() {
		s.client.Close()
		stop()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	}
}

// ask runs a statement.
func (s *script) ask(text string, params map[string]any) (*rows.Rows, error) {
	if s.client == nil {
		return s.db.Query(context.Background(), text, params)
	}
	return s.client.Execute(context.Background(), query.Request{Source: parser.Source{Text: text}, Params: params, Notice: s.opts.Notice})
}

// index makes indexes, which find everything, of all vectors and metrics for which the script
// made none, and returns a function that drops them again.
func (s *script) index() (drop func()) {
	ctx := context.Background()
	list, err := s.db.Vectors().List(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	there, err := s.db.Vectors().Indexes(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	var made []string
	for _, e := range list {
		if slices.ContainsFunc(there, func(x storage.IndexInfo) bool { return x.Embedding == e.Name }) {
			continue
		}
		for _, metric := range index.Metrics() {
			if e.Vertices == 0 || e.Dim == 0 {
				continue
			}
			if _, err := s.db.Vectors().CreateIndex(ctx, vectors.CreateIndexRequest{Embedding: e.Name, Metric: metric, M: 4, EfConstruction: 10, Ef: 1 << 20}); err != nil {
				s.t.Fatal(err)
			}
			made = append(made, e.Name)
		}
	}
	s.notices = nil
	return func() {
		for _, name := range slices.Compact(made) {
			// A statement that recomputed the embedding removed the index.
			if err := s.db.Vectors().DropIndex(ctx, name); err != nil && !strings.Contains(err.Error(), "has no index") {
				s.t.Fatal(err)
			}
		}
	}
}

func (s *script) reopen() {
	s.stopServer()
	if err := s.db.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// run runs all cases, compares their output with the expected one, and returns the text of
// the script with the actual output.
func (s *script) run(text string) string {
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			out.WriteString(lines[i] + "\n")
			i++
			continue
		}
		s.line = i + 1
		directive := lines[i]
		var body, expected []string
		for i++; i < len(lines) && lines[i] != "----"; i++ {
			body = append(body, lines[i])
		}
		for i++; i < len(lines) && lines[i] != ""; i++ {
			expected = append(expected, lines[i])
		}
		args := arguments(directive)
		got := s.directive(args, strings.Join(body, "\n"))
		if !s.rewriting && !sameOutput(got, expected, args) {
			s.t.Errorf("line %d: %s\n%s\ngot:\n%s\nexpected:\n%s", s.line, directive, strings.Join(body, "\n"),
				strings.Join(got, "\n"), strings.Join(expected, "\n"))
		}
		if s.rewriting && sameOutput(got, expected, args) {
			got = expected // numbers within the tolerance stay as they are
		}
		for _, line := range slices.Concat([]string{directive}, body, []string{"----"}, got) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// directive runs one case and returns the lines that it prints.
func (s *script) directive(args map[string]string, body string) []string {
	if s.alwaysReopen {
		s.reopen()
	}
	s.notices = nil
	var out []string
	switch args[""] {
	case "load":
		out = s.load(args, body)
	case "exec":
		statements, err := parser.ParseScript(body)
		if err != nil {
			s.t.Fatalf("line %d: %v", s.line, err)
		}
		for _, statement := range statements {
			rows, err := s.ask(parser.Text(statement), querytest.Params(args))
			if err != nil {
				s.t.Errorf("line %d: %s: %v", s.line, statement, err)
				continue
			}
			rows.Close()
		}
	case "query":
		if s.indexed && (strings.HasPrefix(body, "NEAREST") || strings.HasPrefix(body, "WITHIN")) {
			defer s.index()()
		}
		out = s.query(body, args)
	case "explain":
		rows, err := s.ask("EXPLAIN "+body, querytest.Params(args))
		if err != nil {
			s.t.Errorf("line %d: %v", s.line, err)
			return nil
		}
		for rows.Next() {
			out = append(out, fmt.Sprintf("%s: %s", rows.Row()...))
		}
	case "fail":
		rows, err := s.ask(body, querytest.Params(args))
		for err == nil && rows.Next() {
		}
		if err == nil {
			err = rows.Err()
		}
		if err == nil {
			s.t.Errorf("line %d: did not fail", s.line)
			return nil
		}
		out = strings.Split(err.Error(), "\n")
	case "file":
		out = s.file(args, body)
	case "reopen":
		s.reopen()
	case "check":
		report, err := s.db.Maintenance().Check(context.Background())
		if err != nil {
			s.t.Fatalf("line %d: %v", s.line, err)
		}
		for _, f := range report.Faults {
			out = append(out, f.Where+" | "+f.What)
		}
		s.notices = nil // notices of Check contain counts of records
		if report.OK() {
			out = append(out, "sound")
		}
	default:
		s.t.Fatalf("line %d: unknown directive %q", s.line, args[""])
	}
	return append(out, s.notices...)
}

// arguments splits a directive into a map: the directive under "", a word key=value under its
// key, and any other word under itself.
func arguments(line string) map[string]string {
	args := map[string]string{}
	for i, word := range strings.Fields(line) {
		if i == 0 {
			args[""] = word
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		args[key] = value
	}
	return args
}

// load makes a graph and prints its size.
func (s *script) load(args map[string]string, body string) []string {
	graph := args["graph"]
	if graph == "" {
		graph = "g"
	}
	if name := args["vectors"]; name != "" {
		return s.loadVectors(graph, name, body)
	}
	if body == "" {
		body = querytest.EdgesOf(args)
	}
	result, err := s.db.Graphs().ImportReader(context.Background(), strings.NewReader(body), graphs.ImportRequest{Graph: graph, Path: "load"})
	if err != nil {
		s.t.Fatalf("line %d: load: %v", s.line, err)
	}
	return []string{fmt.Sprintf("nodes=%d edges=%d", result.Vertices, result.Edges)}
}

// loadVectors stores vectors as if a method had computed them.
func (s *script) loadVectors(graph, name, body string) []string {
	info, err := querytest.PutVectors(s.db, graph, name, body)
	if err != nil {
		s.t.Fatalf("line %d: load: %v", s.line, err)
	}
	return []string{fmt.Sprintf("vectors=%d dim=%d generation=%d", info.Vertices, info.Dim, info.Generation)}
}

// query prints the columns and rows of a statement.
func (s *script) query(body string, args map[string]string) []string {
	rows, err := s.ask(body, querytest.Params(args))
	if err != nil {
		s.t.Errorf("line %d: %v", s.line, err)
		return nil
	}
	columns := rows.Columns()
	var keep []int
	for i, c := range columns {
		if args["columns"] == "" || slices.Contains(strings.Split(args["columns"], ","), c) {
			keep = append(keep, i)
		}
	}
	var table []string
	for rows.Next() {
		cells := make([]string, len(keep))
		row := rows.Row()
		for i, t := range rows.ColumnTypes() {
			if !hasType(row[i], t) {
				s.t.Errorf("line %d: column %s has %T, its type is %v", s.line, columns[i], row[i], t)
			}
		}
		for i, k := range keep {
			cells[i] = querytest.Cell(columns[k], row[0], row[k])
		}
		table = append(table, strings.Join(cells, " | "))
	}
	if err := rows.Err(); err != nil {
		s.t.Errorf("line %d: %v", s.line, err)
	}
	if _, sorted := args["sorted"]; sorted {
		slices.Sort(table)
	}
	var head []string
	for _, k := range keep {
		head = append(head, columns[k])
	}
	if len(head) == 0 {
		return table
	}
	return append([]string{strings.Join(head, " | ")}, table...)
}

// hasType reports whether a value agrees with the type of its column.
func hasType(value rows.Value, t rows.ColumnType) bool {
	switch value.(type) {
	case nil:
		return !t.NotNull
	case string:
		return t.Type == storage.Text || t.Type == 0
	case int64:
		return t.Type == storage.Integer || t.Type == 0
	case float64:
		return t.Type == storage.Float || t.Type == 0
	case bool:
		return t.Type == storage.Boolean || t.Type == 0
	}
	return false
}

// file writes or prints a file in the folder of the script.
func (s *script) file(args map[string]string, body string) []string {
	for name := range args {
		if name == "" {
			continue
		}
		if body != "" {
			if err := os.WriteFile(name, []byte(body+"\n"), 0o600); err != nil {
				s.t.Fatal(err)
			}
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			s.t.Errorf("line %d: %v", s.line, err)
		}
		return strings.Split(string(bytes.TrimSuffix(text, []byte("\n"))), "\n")
	}
	return nil
}

var wordsAndGaps = regexp.MustCompile(`[^ ,|×]+|[ ,|×]+`)

// sameOutput compares lines exactly, or number by number within a tolerance.
func sameOutput(got, expected []string, args map[string]string) bool {
	if args["approx"] == "" {
		return slices.Equal(got, expected)
	}
	tolerance, _ := strconv.ParseFloat(args["approx"], 64)
	return slices.EqualFunc(got, expected, func(a, b string) bool {
		return slices.EqualFunc(wordsAndGaps.FindAllString(a, -1), wordsAndGaps.FindAllString(b, -1), func(x, y string) bool {
			if x == y {
				return true
			}
			p, errP := strconv.ParseFloat(x, 64)
			q, errQ := strconv.ParseFloat(y, 64)
			return errP == nil && errQ == nil && math.Abs(p-q) <= tolerance*max(1, math.Abs(q))
		})
	})
}

// The runner must see every difference between actual and expected output.
func TestScripts_RunnerSeesDifferences(t *testing.T) {
	cases := []struct {
		got, expected string
		args          map[string]string
		same          bool
	}{
		{"a | 1", "a | 1", nil, true},
		{"a | 1", "a | 2", nil, false},
		{"a | 1.00001", "a | 1", map[string]string{"approx": "1e-4"}, true},
		{"a | 1.001", "a | 1", map[string]string{"approx": "1e-4"}, false},
		{"b | 1", "a | 1", map[string]string{"approx": "1e-4"}, false},
		{"a | 1 | 2", "a | 1", map[string]string{"approx": "1e-4"}, false},
	}
	for _, c := range cases {
		if same := sameOutput([]string{c.got}, []string{c.expected}, c.args); same != c.same {
			t.Errorf("%q against %q, %v: same = %v", c.got, c.expected, c.args, same)
		}
	}
}
