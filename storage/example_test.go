package storage_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage"
)

// An application keeps its orders and a graph of who bought what in one bbolt
// file. An order and its edge are committed together, or not at all.
func ExampleDB_UpdateIn() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b, err := bolt.Open(filepath.Join(dir, "shop.db"), 0o600, &bolt.Options{Timeout: time.Second})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	graphs, err := storage.Attach(b, []byte("graphs"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer graphs.Close()
	ctx := context.Background()
	if _, err := graphs.CreateGraph(ctx, "bought"); err != nil {
		log.Fatal(err)
	}

	order := func(number, customer, article string, pay func() error) error {
		return b.Update(func(btx *bolt.Tx) error {
			orders, err := btx.CreateBucketIfNotExists([]byte("orders"))
			if err != nil {
				return err
			}
			if err := orders.Put([]byte(number), []byte(customer+" buys "+article)); err != nil {
				return err
			}
			err = graphs.UpdateIn(ctx, btx, func(t *storage.Tx) error {
				_, err := t.InsertEdges("bought", []storage.Edge{{Source: customer, Target: article}})
				return err
			})
			if err != nil {
				return err
			}
			return pay() // an error undoes all of it
		})
	}
	fmt.Println(order("1", "ann", "tea", func() error { return nil }))
	fmt.Println(order("2", "bob", "tea", func() error { return errors.New("card refused") }))

	g, err := graphs.Graph(ctx, "bought")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Vertices, "vertices,", g.Edges, "edge")
	err = b.View(func(btx *bolt.Tx) error {
		return btx.Bucket([]byte("orders")).ForEach(func(number, text []byte) error {
			fmt.Printf("order %s: %s\n", number, text)
			return nil
		})
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// <nil>
	// card refused
	// 2 vertices, 1 edge
	// order 1: ann buys tea
}
