package driver

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/remote"
	"heavytail/query/serve"
)

// TestConnector_Served runs statements in a server, with parameters, counts of changes and mistakes.
func TestConnector_Served(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.ht")
	own, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(own, nil)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := serve.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, socket) }()
	client, err := remote.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(Connector(client))
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
	if _, err := db.Exec("CREATE GRAPH g"); err != nil {
		t.Error(err)
	}
	result, err := db.Exec("INSERT EDGES ('a', 'b'), ('b', $c) INTO g", sql.Named("c", "007"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); n != 2 || err != nil {
		t.Error(n, err)
	}
	var key string
	var degree int
	if err := db.QueryRow("SHOW VERTICES IN g WHERE degree = $d", sql.Named("d", 2)).Scan(&key, &degree); key != "b" || degree != 2 || err != nil {
		t.Error(key, degree, err)
	}
	var mistake *fault.Error
	if _, err := db.Query("SHOW VERTICES IN h"); !errors.As(err, &mistake) || mistake.Start.Column != 18 {
		t.Error(err)
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Raw(func(c any) error {
		if c.(*Conn).DB() != nil {
			t.Error("a connection to a server has a database of this process")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if err := errors.Join(conn.Close(), db.Close(), client.Close()); err != nil {
		t.Error(err)
	}
	stop()
	if err := errors.Join(<-ended, own.Close()); err != nil {
		t.Error(err)
	}
}
