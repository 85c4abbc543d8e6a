package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"heavytail/cmd/heavytail/manual"
	"heavytail/query"
	"heavytail/query/serve"
)

// childEnv makes the test binary the program, with these arguments, one a line.
const childEnv = "HEAVYTAIL_MCP_ARGS"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
		return
	}
	os.Exit(m.Run())
}

// sample makes a file with the graph ring of 6 vertices and an embedding.
func sample(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{
		"CREATE GRAPH g", "INSERT EDGES ('a', 'b'), ('b', 'c'), ('c', 'd'), ('d', 'e'), ('e', 'f'), ('f', 'a'), ('a', 'd') INTO g",
		"EMBED g USING laplacian_eigenmaps(dim := 2) AS e",
	} {
		if _, err := db.Query(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// connect starts the program in a process of its own, and connects the client of the SDK to its standard input and output.
func connect(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join(args, "\n"), "GOCOVERDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// call calls a tool. It returns what it answers, or the text of its error.
func call[T any](t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (answer T, failed string) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(tool, err)
	}
	text := ""
	for _, c := range r.Content {
		text += c.(*mcp.TextContent).Text
	}
	if r.IsError {
		return answer, text
	}
	if _, ok := any(answer).(string); ok {
		return any(text).(T), ""
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, text)
	}
	return answer, ""
}

// TestTools calls every tool.
func TestTools(t *testing.T) {
	s := connect(t, "--rows", "2", sample(t))
	var names []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || tool.Description == "" {
			t.Errorf("%s: %+v", tool.Name, tool.Annotations)
		}
	}
	if slices.Sort(names); fmt.Sprint(names) != "[describe explain_link help list query]" {
		t.Error(names)
	}
	l, failed := call[listed](t, s, "list", nil)
	if failed != "" || fmt.Sprint(l.Graphs.Rows[0][:3]) != "[g 6 7]" || fmt.Sprint(l.Embeddings.Rows[0][:2]) != "[e g]" || len(l.Models.Rows) != 0 {
		t.Errorf("%s %+v", failed, l)
	}
	d, failed := call[page](t, s, "describe", map[string]any{"kind": "graph", "name": "g"})
	if failed != "" || d.Columns[0] != "property" || d.Next != 2 {
		t.Errorf("%s %+v", failed, d)
	}
	e, failed := call[explanation](t, s, "explain_link", map[string]any{"graph": "g", "source": "b", "target": "d"})
	if failed != "" || e.Scores.Rows[0][2] != 2.0 || fmt.Sprint(e.Common) != "[c a]" { // c has two edges, a three
		t.Errorf("%s %+v", failed, e)
	}
	h, failed := call[string](t, s, "help", map[string]any{"words": "NEAREST"})
	if failed != "" || !strings.Contains(h, "syntax: NEAREST") {
		t.Errorf("%s %s", failed, h)
	}
	var keys []any
	for offset, more := 0, true; more; {
		p, failed := call[page](t, s, "query", map[string]any{"statement": "SHOW VERTICES IN g WHERE degree >= $least", "params": map[string]any{"least": 2}, "offset": offset})
		if failed != "" || len(p.Rows) > 2 {
			t.Fatalf("%s %+v", failed, p)
		}
		for _, row := range p.Rows {
			keys = append(keys, row[0])
		}
		offset, more = p.Next, p.Next > 0
	}
	if fmt.Sprint(keys) != "[a b c d e f]" {
		t.Error(keys)
	}
	v, failed := call[page](t, s, "query", map[string]any{"statement": "NEAREST 1 TO $v USING e", "params": map[string]any{"v": []float64{0.5, 0.25}}})
	if failed != "" || len(v.Rows) != 1 {
		t.Errorf("%s %+v", failed, v)
	}
}

// TestTools_Mistakes calls tools with wrong arguments. The errors have the place of the mistake.
func TestTools_Mistakes(t *testing.T) {
	s := connect(t, sample(t))
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"query", map[string]any{"statement": "NEAREST 1 TO 'a' USING ee"}, "did you mean \"e\"?\nNEAREST 1 TO 'a' USING ee\n                       ^^"},
		{"query", map[string]any{"statement": "SHOW GRAPSH"}, "did you mean GRAPHS?"},
		{"query", map[string]any{"statement": "DROP GRAPH g CASCADE"}, "open for reading only"},
		{"query", map[string]any{"statement": "SHOW GRAPHS", "offset": -1}, "must not be negative"},
		{"query", map[string]any{"statement": "NEAREST 1 TO $v USING e", "params": map[string]any{"v": map[string]any{}}}, "parameter $v"},
		{"query", map[string]any{"statement": "SHOW GRAPHS INTO FILE '/tmp/x.csv'"}, "outside the folder"},
		{"describe", map[string]any{"kind": "table", "name": "g"}, "expected graph, embedding or model"},
		{"describe", map[string]any{"kind": "graph", "name": "g ALL"}, "unknown graph"},
		{"explain_link", map[string]any{"graph": "g", "source": "a", "target": "nobody"}, "nobody"},
		{"help", map[string]any{"words": "xyzzy"}, "xyzzy"},
	} {
		if _, failed := call[string](t, s, c.tool, c.args); !strings.Contains(failed, c.want) {
			t.Errorf("%s %v: %q", c.tool, c.args, failed)
		}
	}
}

// read returns the text of a resource, or "" with its error.
func read(t *testing.T, s *mcp.ClientSession, uri string) (string, error) {
	t.Helper()
	r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	if len(r.Contents) != 1 || r.Contents[0].URI != uri || len(r.Contents[0].Text) > partBytes+200 {
		t.Errorf("%s: %.200v", uri, r.Contents)
	}
	return r.Contents[0].Text, nil
}

// TestResources lists the resources by pages, reads each of them, and the parts of long ones.
func TestResources(t *testing.T) {
	s := connect(t, sample(t))
	first, err := s.ListResources(t.Context(), nil)
	if err != nil || first.NextCursor == "" {
		t.Fatalf("%v, %d resources without a further page", err, len(first.Resources))
	}
	names := map[string]bool{}
	for r, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names[r.Name] = true
		text, err := read(t, s, r.URI)
		if err != nil || text == "" || r.Title == "" || strings.Contains(text, "<!--") {
			t.Errorf("%s: %v %.100q", r.URI, err, text)
		}
		if uri, page := strings.CutPrefix(r.URI, manualURI); page {
			whole := ""
			for next := r.URI; next != ""; {
				text, err := read(t, s, next)
				if err != nil {
					t.Fatal(next, err)
				}
				part, after, _ := strings.Cut(text, "\n\nContinued by ")
				whole, next = whole+part, strings.TrimSpace(after)
			}
			if want, _ := manual.Page(uri, reference); whole != want {
				t.Errorf("the parts of %s are %d bytes of %d", r.URI, len(whole), len(want))
			}
		} else if r.URI != helpURI && !strings.Contains(text, "syntax: ") {
			t.Errorf("%s: %s", r.URI, text)
		}
	}
	for _, h := range query.Helps() {
		if !names[h.Statement] {
			t.Errorf("no resource explains %s", h.Statement)
		}
	}
	for _, page := range manual.Names() {
		if !names["manual "+page] {
			t.Errorf("no resource has page %s", page)
		}
	}
	for uri, want := range map[string]string{
		helpURI + "/dp_spectral": "option dim", helpURI + "/pagerank": "measure: pagerank", helpURI + "/links": "PREDICT", helpURI + "/missing%20values": "manual files",
		helpURI + "/show%20vertices": "statement: SHOW VERTICES", manualURI + "statements": "`PREDICT`", manualURI + "statements?part=2": "heavytail://help/NAME",
	} {
		if text, err := read(t, s, uri); err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %v %s", uri, err, text)
		}
	}
	for _, uri := range []string{
		helpURI + "/xyzzy", manualURI + "xyzzy", manualURI + "serve?part=2", manualURI + "serve?part=0", manualURI + "serve?part=-1", manualURI + "serve?part=x",
		manualURI + "serve?section=1", manualURI + "..%2Fmanual%2Fserve", manualURI, "file:///etc/passwd",
	} {
		if text, err := read(t, s, uri); err == nil {
			t.Errorf("%s is read: %.100s", uri, text)
		}
	}
}

// TestServed uses a file that a server has open, with a job in the background, and then without the server.
func TestServed(t *testing.T) {
	path := sample(t)
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(db, &serve.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	socket, err := serve.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, socket) }()
	if _, err := db.Query(t.Context(), "EMBED g USING deepwalk(epochs := 65536, walks := 1000) AS never IN BACKGROUND", nil); err != nil {
		t.Fatal(err)
	}
	reader, writer := connect(t, path), connect(t, "--write", path)
	if _, failed := call[page](t, writer, "query", map[string]any{"statement": "INSERT EDGE ('a', 'new') INTO g"}); failed != "" {
		t.Error(failed)
	}
	for range 2 { // of the server, and of the file when the server has ended
		l, failed := call[listed](t, reader, "list", nil)
		if failed != "" || fmt.Sprint(l.Graphs.Rows[0][:3]) != "[g 7 8]" || len(l.Jobs.Rows) != 1 {
			t.Errorf("%s %+v", failed, l)
		}
		if ctx.Err() == nil {
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, failed := call[page](t, writer, "query", map[string]any{"statement": "CREATE GRAPH h"}); failed != "" {
		t.Error(failed)
	}
	l, failed := call[listed](t, reader, "list", nil)
	if failed != "" || len(l.Graphs.Rows) != 2 {
		t.Errorf("%s %+v", failed, l)
	}
}
