package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	"heavytail/query"
	"heavytail/storage"
)

// update changes two graphs in one transaction, and rolls another transaction
// back.
func update(ctx context.Context, db *query.DB) error {
	if _, err := db.Graphs().Create(ctx, "clubs"); err != nil {
		return err
	}
	err := db.Update(ctx, func(tx *storage.Tx) error {
		if _, err := tx.InsertEdges("social", []storage.Edge{{Source: "0", Target: "newcomer", Weight: 2}}); err != nil {
			return err
		}
		_, err := tx.InsertEdges("clubs", []storage.Edge{{Source: "newcomer", Target: "chess"}})
		return err
	})
	if err != nil {
		return err
	}
	regret := errors.New("on second thoughts")
	err = db.Update(ctx, func(tx *storage.Tx) error {
		if _, err := tx.DeleteEdges("clubs", []storage.Edge{{Source: "newcomer", Target: "chess"}}); err != nil {
			return err
		}
		return regret
	})
	if !errors.Is(err, regret) {
		return fmt.Errorf("a transaction that failed gives: %v", err)
	}
	return expectEdges(ctx, db, map[string]int64{"social": 88_235, "clubs": 1})
}

// expectEdges compares the sizes of graphs.
func expectEdges(ctx context.Context, db *query.DB, want map[string]int64) error {
	graphs, err := db.Graphs().List(ctx)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		if g.Edges != want[g.Name] {
			return fmt.Errorf("graph %s has %d edges, expected %d", g.Name, g.Edges, want[g.Name])
		}
	}
	return nil
}

// attached keeps a graph inside a bbolt file of the application, and changes
// both in one transaction.
func attached(ctx context.Context, dir string) error {
	app, err := bbolt.Open(filepath.Join(dir, "app.db"), 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return err
	}
	defer app.Close()
	store, err := storage.Attach(app, []byte("graphs"), nil)
	if err != nil {
		return err
	}
	db, err := query.New(store, nil)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer db.Close()
	if _, err := db.Graphs().Create(ctx, "team"); err != nil {
		return err
	}

	// Either both changes were committed, or neither.
	hire := func(name string, fail error) error {
		return app.Update(func(tx *bbolt.Tx) error {
			people, err := tx.CreateBucketIfNotExists([]byte("people"))
			if err != nil {
				return err
			}
			if err := people.Put([]byte(name), []byte("hired")); err != nil {
				return err
			}
			err = store.UpdateIn(ctx, tx, func(graphs *storage.Tx) error {
				_, err := graphs.InsertEdges("team", []storage.Edge{{Source: "boss", Target: name}})
				return err
			})
			return errors.Join(err, fail)
		})
	}
	if err := hire("ann", nil); err != nil {
		return err
	}
	if err := hire("bob", errors.New("no budget")); err == nil {
		return errors.New("a transaction that failed is committed")
	}
	err = app.View(func(tx *bbolt.Tx) error {
		people := tx.Bucket([]byte("people"))
		if people.Get([]byte("ann")) == nil || people.Get([]byte("bob")) != nil {
			return errors.New("the application's records are not those of the transactions")
		}
		return nil
	})
	if err := errors.Join(err, expectEdges(ctx, db, map[string]int64{"team": 1})); err != nil {
		return err
	}
	report, err := db.Maintenance().Check(ctx)
	if err != nil || !report.OK() {
		return fmt.Errorf("check of the attached store: %v, %v", report.Faults, err)
	}
	fmt.Println("attached: one transaction for the application and its graph")
	return nil
}
