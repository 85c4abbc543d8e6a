package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/wire"
	"heavytail/query/parser"
	"heavytail/query/remote"
	"heavytail/query/rows"
	"heavytail/query/serve"
	"heavytail/storage"
)

// served is a file with a server.
type served struct {
	*testing.T
	db   *query.DB
	path string
	stop func() // stops the server and waits for it
}

// start makes a file with the graph ring of 2,000 vertices and an embedding of it, and serves it.
func start(t *testing.T, options query.Options, o *serve.Options) *served {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ht")
	db, err := query.Open(path, &options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the server has stopped
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{"GENERATE preferential_attachment(n := 2000, m := 3, seed := 1) INTO g", "EMBED g USING fastrp(dim := 8) AS e"} {
		if _, err := db.Query(t.Context(), statement, nil); err != nil {
			t.Fatal(err)
		}
	}
	server, err := serve.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := serve.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, socket) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return &served{t, db, path, stop}
}

// client connects to the server.
func (s *served) client() *remote.DB {
	s.Helper()
	db, err := remote.Open(context.Background(), s.path)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { db.Close() })
	return db
}

// raw is a connection without a client.
func (s *served) raw() (net.Conn, *bufio.Reader) {
	s.Helper()
	paths, err := wire.Sockets(s.path)
	if err != nil {
		s.Fatal(err)
	}
	var conn net.Conn
	for _, path := range paths {
		if conn, err = net.Dial("unix", path); err == nil {
			s.Cleanup(func() { conn.Close() })
			return conn, bufio.NewReader(conn)
		}
	}
	s.Fatal(err)
	return nil, nil
}

// long is a statement that would take a day.
const long = "EMBED g USING deepwalk(epochs := 65536) AS never"

// frame reads a frame that is more than progress.
func frame(t *testing.T, in *bufio.Reader) (f wire.Frame) {
	t.Helper()
	for f.Error == nil && f.End == nil && f.Columns == nil && f.Rows == nil && !f.Input {
		text, err := in.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		f = wire.Frame{}
		if err := json.Unmarshal(text, &f); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return f
}

func count(t *testing.T, r *rows.Rows, err error) (n int) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		n++
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return n
}

// TestServe_WriterAndReaders adds vertices one by one, while 50 clients count them: no reader sees fewer
// than before, and each sees as many edges as vertices added.
func TestServe_WriterAndReaders(t *testing.T) {
	s := start(t, query.Options{}, nil)
	writer := s.client()
	if _, err := writer.Query(t.Context(), "CREATE GRAPH star", nil); err != nil {
		t.Fatal(err)
	}
	const added, readers = 40, 50
	var readings sync.WaitGroup
	var done atomic.Bool
	for range readers {
		db := s.client()
		readings.Go(func() {
			for last := int64(0); last < added; {
				over := done.Load()
				r, err := db.Query(context.Background(), "SHOW GRAPHS WHERE graph = 'star'", nil)
				if err != nil || !r.Next() {
					t.Error(err)
					return
				}
				vertices, edges := r.Row()[2].(int64), r.Row()[3].(int64)
				if vertices < last || vertices != edges+1 && vertices != 0 || over && vertices != added+1 {
					t.Errorf("%d vertices and %d edges after %d vertices", vertices, edges, last)
					return
				}
				last = vertices
				r.Close()
			}
		})
	}
	for i := range added {
		if _, err := writer.Query(t.Context(), "INSERT EDGES ('hub', $v) INTO star", map[string]any{"v": fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	done.Store(true)
	readings.Wait()
}

// TestServe_SlowClient lets a client read nothing of an answer of megabytes: nothing is computed ahead
// of it, other clients are answered, and it is closed.
func TestServe_SlowClient(t *testing.T) {
	s := start(t, query.Options{}, &serve.Options{Stall: 300 * time.Millisecond, MaxStatements: 2})
	conn, in := s.raw()
	fmt.Fprintln(conn, `{"id":1,"statement":"NEAREST 1000 FOR ALL USING e"}`)
	if f := frame(t, in); f.Error != nil { // the answer has begun
		t.Fatal(f.Error)
	}
	other := s.client()
	for range 20 {
		r, err := other.Query(t.Context(), "NEAREST 1 TO '7' USING e", nil)
		count(t, r, err)
	}
	time.Sleep(time.Second) // longer than Stall
	rest, err := io.ReadAll(in)
	if len(rest) > 8<<20 || bytes.Contains(rest, []byte(`"end"`)) {
		t.Errorf("%d bytes of the answer were written to a client that does not read: %v", len(rest), err)
	}
	r, err := other.Query(t.Context(), "NEAREST 1 TO '7' USING e", nil)
	count(t, r, err)
}

// TestServe_Lines sends lines that are no requests.
func TestServe_Lines(t *testing.T) {
	s := start(t, query.Options{}, nil)
	for _, c := range []struct {
		line, want string
		closes     bool
	}{
		{strings.Repeat("x", wire.MaxLine+1), "longer than", true},
		{`{"hello":9}`, "version", true},
		{"nonsense", "invalid character", false},
		{`{"id":1}`, "a line has a statement", false},
		{`{"id":1,"statement":"SHOW GRAPHS","read_onyl":true}`, "read_onyl", false},
		{`{"statement":"SHOW GRAPHS"}`, "needs an id", false},
		{`{"id":1,"statement":"SHOW GRAPHS","format":"xml"}`, "xml", false},
		{`{"id":1,"statement":"NEAREST 1 TO $v USING e","params":{"v":{"float":"x"}}}`, "no number", false},
		{`{"id":1,"statement":"NEAREST 1 TO $v USING e","params":{"v":12345678901234567890}}`, "64 bits", false},
		{`{"id":1,"statement":"NEAREST 1 TO $v USING e","params":{"v":["a"]}}`, "numbers only", false},
		{`{"id":1} {"id":2}`, "one object", false},
		{strings.Repeat("[", 100_000), "exceeded max depth", false},
	} {
		conn, in := s.raw()
		go func() { _, _ = io.WriteString(conn, c.line+"\n") }() // a server that closes does not read all
		f := frame(t, in)
		if f.Error == nil || !strings.Contains(f.Error.Message, c.want) {
			t.Errorf("%.60s: %+v", c.line, f.Error)
		}
		if c.closes {
			if _, err := in.ReadByte(); err == nil {
				t.Errorf("%.60s: the connection stays", c.line)
			}
			continue
		}
		fmt.Fprintln(conn, `{"id":5,"statement":"SHOW GRAPHS"}`)
		if f := frame(t, in); f.ID != 5 || f.End == nil || f.End.Rows != 1 {
			t.Errorf("%.60s: then %+v", c.line, f)
		}
	}
}

// TestServe_ManyClients opens more connections than are allowed, and then as many again.
func TestServe_ManyClients(t *testing.T) {
	const most = 100
	tried := 2000
	if testing.Short() {
		tried = 300
	}
	s := start(t, query.Options{}, &serve.Options{MaxClients: most})
	for range 2 {
		served, busy := 0, 0
		var open []net.Conn
		for range tried {
			conn, in := s.raw()
			_ = conn.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintln(conn, `{"id":1,"statement":"HELP CHECK"}`)
			text, _ := in.ReadString('\n')
			switch {
			case strings.Contains(text, "remote.ErrBusy"):
				busy++
				conn.Close()
			case strings.Contains(text, `"rows"`):
				served++
				open = append(open, conn)
			default:
				conn.Close() // refused before its line was written
				busy++
			}
		}
		if served != most || busy != tried-most {
			t.Fatalf("%d were served and %d refused", served, busy)
		}
		for _, conn := range open {
			conn.Close()
		}
		for free := false; !free; { // until the server has seen that they left
			db, err := remote.Open(t.Context(), s.path)
			if free = err == nil; free {
				db.Close()
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestServe_Leaves closes connections in the middle of answers and of statements, all of which are cancelled: with
// room for one statement, the next one is answered.
func TestServe_Leaves(t *testing.T) {
	s := start(t, query.Options{}, &serve.Options{MaxStatements: 1})
	for range 3 {
		conn, in := s.raw()
		fmt.Fprintln(conn, `{"id":1,"statement":"NEAREST 1000 FOR ALL USING e"}`)
		frame(t, in)
		conn.Close()
		conn, in = s.raw()
		fmt.Fprintln(conn, `{"id":1,"progress":true,"statement":"`+long+`"}`)
		if _, err := in.ReadString('\n'); err != nil { // progress
			t.Fatal(err)
		}
		conn.Close()
		r, err := s.client().Query(t.Context(), "NEAREST 1 TO '7' USING e", nil)
		count(t, r, err)
	}
}

// TestServe_Cancel cancels statements by a line, by the context of a client, and by limits of time.
func TestServe_Cancel(t *testing.T) {
	s := start(t, query.Options{}, nil)
	conn, in := s.raw()
	fmt.Fprintln(conn, `{"id":7,"statement":"`+long+`"}`)
	fmt.Fprintln(conn, `{"id":8,"statement":"SHOW GRAPHS"}`)
	if f := frame(t, in); f.ID != 8 || f.End == nil {
		t.Errorf("%+v", f)
	}
	fmt.Fprintln(conn, `{"cancel":99}`)
	fmt.Fprintln(conn, `{"cancel":7}`)
	if f := frame(t, in); f.ID != 7 || !errors.Is(f.Error.Err(), context.Canceled) {
		t.Errorf("%+v", f)
	}
	fmt.Fprintln(conn, `{"id":7,"deadline":0.05,"statement":"`+long+`"}`)
	if f := frame(t, in); f.ID != 7 || !errors.Is(f.Error.Err(), context.DeadlineExceeded) {
		t.Errorf("%+v", f)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	var named *fault.StatementError
	if _, err := s.client().Query(ctx, long, nil); !errors.Is(err, context.Canceled) || !errors.As(err, &named) {
		t.Errorf("%v", err)
	}

	limited := start(t, query.Options{}, &serve.Options{TimeLimit: 50 * time.Millisecond, MaxRows: 10})
	if _, err := limited.client().Query(t.Context(), long, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	r, err := limited.client().Query(t.Context(), "SHOW VERTICES IN g", nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for r.Next() {
		n++
	}
	var limit *fault.LimitError
	if !errors.As(r.Err(), &limit) || n != 10 || limit.Limit != 10 {
		t.Errorf("%d rows, %v", n, r.Err())
	}
}

// TestServe_CancelInput cancels statements that wait for their input, by a line and by limits of time: the errors are
// those of a context.
func TestServe_CancelInput(t *testing.T) {
	folder := t.TempDir()
	s := start(t, query.Options{Folder: folder}, nil)
	conn, in := s.raw()
	for id, statement := range []string{
		"IMPORT '-' INTO h WITH (format := 'edges')", "SCORE FILE '-' IN g WITH jaccard", "SCORE FILE '-' IN g WITH jaccard INTO FILE 'scores.csv'",
	} {
		id = 2*id + 1
		fmt.Fprintf(conn, `{"id":%d,"input":true,"statement":"%s"}`+"\n", id, statement)
		if f := frame(t, in); f.ID != int64(id) || !f.Input {
			t.Fatalf("%s: %+v", statement, f)
		}
		fmt.Fprintf(conn, `{"cancel":%d}`+"\n", id)
		if f := frame(t, in); f.ID != int64(id) || !errors.Is(f.Error.Err(), context.Canceled) {
			t.Errorf("%s: %+v", statement, f.Error)
		}
		fmt.Fprintf(conn, `{"id":%d,"input":true,"deadline":0.1,"statement":"%s"}`+"\n", id+1, statement)
		f := frame(t, in)
		if f.Input {
			f = frame(t, in)
		}
		if f.ID != int64(id)+1 || !errors.Is(f.Error.Err(), context.DeadlineExceeded) {
			t.Errorf("%s: %+v", statement, f.Error)
		}
	}
}

// TestServe_AtOnce runs more statements of one client than it may.
func TestServe_AtOnce(t *testing.T) {
	s := start(t, query.Options{}, nil)
	conn, in := s.raw()
	for id := 1; id <= 17; id++ {
		fmt.Fprintf(conn, `{"id":%d,"statement":"WAIT JOB 1"}`+"\n", id)
	}
	busy := 0
	for range 17 { // there is no job, so those that run fail
		if f := frame(t, in); errors.Is(f.Error.Err(), remote.ErrBusy) {
			busy++
		}
	}
	if busy > 1 {
		t.Errorf("%d statements were refused", busy)
	}
	for id := range 16 {
		fmt.Fprintf(conn, `{"id":%d,"statement":"%s"}`+"\n", id+1, strings.Replace(long, "never", fmt.Sprintf("never%d", id), 1))
	}
	fmt.Fprintln(conn, `{"id":17,"statement":"SHOW GRAPHS"}`)
	if f := frame(t, in); f.ID != 17 || !errors.Is(f.Error.Err(), remote.ErrBusy) {
		t.Errorf("%+v", f)
	}
}

// TestServe_ReadOnly refuses what writes, for a request and for a server, and what leaves the folder.
func TestServe_ReadOnly(t *testing.T) {
	s := start(t, query.Options{Folder: t.TempDir()}, nil)
	db := s.client()
	write := query.Request{Source: parser.Source{Text: "CREATE GRAPH h"}, ReadOnly: true}
	if _, err := db.Execute(t.Context(), write); !errors.Is(err, storage.ErrReadOnly) {
		t.Error(err)
	}
	if write.ReadOnly = false; db.ReadOnly() {
		t.Error("the server is not for reading only")
	}
	if _, err := db.Execute(t.Context(), write); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"/etc/passwd", "../x.csv"} {
		if _, err := db.Query(t.Context(), "IMPORT '"+path+"' INTO h", nil); !errors.Is(err, fault.ErrOutside) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := db.Query(t.Context(), "SHOW GRAPHS INTO FILE '"+path+"' WITH (format := 'csv')", nil); !errors.Is(err, fault.ErrOutside) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestServe_Positions sends a statement from the middle of a script.
func TestServe_Positions(t *testing.T) {
	s := start(t, query.Options{}, nil)
	src := parser.Source{Text: "NEAREST 1 TO '7' USING\nee", Pos: parser.Pos{Offset: 100, Line: 5, Column: 9}}
	_, want := s.db.Execute(t.Context(), query.Request{Source: src})
	_, got := s.client().Execute(t.Context(), query.Request{Source: src})
	var mistake *fault.Error
	if !errors.As(got, &mistake) || mistake.Start.Line != 6 || mistake.Nearest != `"e"` || got.Error() != want.Error() {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestServe_Input imports what a client sends: all of it, or nothing if the client breaks off.
func TestServe_Input(t *testing.T) {
	s := start(t, query.Options{}, nil)
	db := s.client()
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "%d %d\n", i, i+1)
	}
	run := func(statement string, in io.Reader) error {
		r, err := db.Execute(t.Context(), query.Request{Source: parser.Source{Text: statement}, Input: in})
		if err == nil {
			count(t, r, err)
		}
		return err
	}
	if err := run("IMPORT '-' INTO path", strings.NewReader(text.String())); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is broken")
	if err := run("IMPORT '-' INTO half", io.MultiReader(strings.NewReader(text.String()), failing{broken})); !errors.Is(err, broken) {
		t.Error(err)
	}
	if err := run("IMPORT '-' INTO none", nil); err == nil || !strings.Contains(err.Error(), "no standard input") {
		t.Error(err)
	}
	unread := strings.NewReader("untouched")
	if err := run("SHOW GRAPHS", unread); err != nil || unread.Len() != 9 {
		t.Error(err, "the input was read")
	}
	conn, in := s.raw()
	fmt.Fprintln(conn, `{"id":1,"input":true,"statement":"IMPORT '-' INTO left"}`)
	if _, err := in.ReadString('\n'); err != nil { // it is asked for
		t.Fatal(err)
	}
	fmt.Fprintln(conn, `{"id":1,"data":"YSBiCg=="}`)
	conn.Close()
	r, err := s.client().Query(t.Context(), "SHOW GRAPHS", nil)
	if n := count(t, r, err); n != 2 {
		t.Errorf("%d graphs, want g and path", n)
	}
	r, err = db.Query(t.Context(), "SHOW EDGES IN path", nil)
	if n := count(t, r, err); n != 200_000 {
		t.Errorf("%d edges", n)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestServe_Token tries addresses with and without a token.
func TestServe_Token(t *testing.T) {
	s := start(t, query.Options{}, nil)
	listener := func() net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	open, err := serve.New(s.db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := open.Serve(t.Context(), listener()); !errors.Is(err, serve.ErrNoToken) {
		t.Error(err)
	}
	guarded, err := serve.New(s.db, &serve.Options{Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	l := listener()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- guarded.Serve(ctx, l) }()
	for _, token := range []string{"", "secre", "secret ", "Secret"} {
		if _, err := remote.Dial(t.Context(), l.Addr().String(), token); !errors.Is(err, remote.ErrToken) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	for _, line := range []string{`{"id":1,"statement":"SHOW GRAPHS"}`, strings.Repeat("x", 5000)} {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(conn, line)
		text, _ := io.ReadAll(conn)
		conn.Close()
		if strings.Contains(string(text), "rows") || strings.Contains(string(text), "file") {
			t.Errorf("%.50s is answered by %s", line, text)
		}
	}
	db, err := remote.Dial(t.Context(), l.Addr().String(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	r, err := db.Query(t.Context(), "SHOW GRAPHS", nil)
	if n := count(t, r, err); n != 1 {
		t.Errorf("%d graphs", n)
	}
	db.Close()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestServe_Stop stops the server while a statement runs, and while a client does not read.
func TestServe_Stop(t *testing.T) {
	s := start(t, query.Options{}, &serve.Options{Grace: 50 * time.Millisecond})
	conn, in := s.raw()
	fmt.Fprintln(conn, `{"id":1,"statement":"`+long+`","progress":true}`)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	deaf, hears := s.raw()
	fmt.Fprintln(deaf, `{"id":1,"statement":"NEAREST 1000 FOR ALL USING e"}`)
	frame(t, hears)
	db := s.client()
	s.stop()
	if f := frame(t, in); !errors.Is(f.Error.Err(), remote.ErrStopped) || !errors.Is(f.Error.Err(), context.Canceled) {
		t.Errorf("%+v", f.Error)
	}
	if _, err := db.Query(t.Context(), "SHOW GRAPHS", nil); !errors.Is(err, remote.ErrLost) {
		t.Error(err)
	}
	if _, err := remote.Open(t.Context(), s.path); !errors.Is(err, remote.ErrNoServer) {
		t.Error(err)
	}
}

// TestServeStream answers what a stream asks until it ends.
func TestServeStream(t *testing.T) {
	s := start(t, query.Options{}, nil)
	server, err := serve.New(s.db, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in := `{"hello":1}` + "\n" + `{"id":1,"statement":"SHOW GRAPHS COLUMNS graph, edges","format":"objects"}` + "\n\n" + `{"id":2,"statement":"HELP CHECK"}`
	server.ServeStream(t.Context(), strings.NewReader(in), &out)
	for _, want := range []string{`"heavytail":1`, `"rows":[{"graph":"g","edges":5994}],"end":{"rows":1}`, `{"id":2,"columns"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, &out)
		}
	}
}

// TestListen tries what may be in the place of a socket.
func TestListen(t *testing.T) {
	s := start(t, query.Options{}, nil)
	paths, err := wire.Sockets(s.path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(paths[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := serve.Listen(s.path); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("a second server: %v", err)
	}
	s.stop()
	if _, err := os.Lstat(paths[0]); err == nil {
		t.Error("the socket stays")
	}
	stale, err := net.Listen("unix", paths[0])
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close() // as a process that is killed leaves it
	if _, err := remote.Open(t.Context(), s.path); !errors.Is(err, remote.ErrNoServer) {
		t.Errorf("a socket without a server: %v", err)
	}
	l, err := serve.Listen(s.path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := os.WriteFile(paths[0], []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := serve.Listen(s.path); err == nil || !strings.Contains(err.Error(), "in the way") {
		t.Errorf("a file in the place of the socket: %v", err)
	}

	long := filepath.Join(t.TempDir(), strings.Repeat("long", 30)+".ht")
	if l, err = serve.Listen(long); err != nil {
		t.Fatal(err)
	}
	if path := l.Addr().String(); filepath.Dir(path) != wire.Folder() {
		t.Error(path)
	}
	l.Close()
}
