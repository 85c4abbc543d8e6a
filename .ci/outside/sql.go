package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"heavytail/query/driver"
	"heavytail/query/fault"
	"heavytail/storage"
)

type friend struct {
	Vertex string
	Degree int
	Weight float64
	City   sql.NullString
}

// throughSQL keeps a graph in a file that it uses through database/sql alone.
func throughSQL(ctx context.Context, dir string) (err error) {
	name := filepath.Join(dir, "sql.ht")
	db, err := sql.Open("heavytail", name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, statement := range []string{
		"CREATE GRAPH team",
		"INSERT VERTEX 'ann' (city := 'Bern'), 'bob' INTO team",
		"INSERT EDGE ('ann', 'bob', weight := 2), ('cyd', 'ann', weight := 0.5), ('bob', 'cyd') INTO team",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	list, err := friends(ctx, db, "ann")
	if err != nil {
		return err
	}
	if want := fmt.Sprint([]friend{{"bob", 2, 2, sql.NullString{}}, {"cyd", 2, 0.5, sql.NullString{}}}); fmt.Sprint(list) != want {
		return fmt.Errorf("the friends are %v, expected %s", list, want)
	}
	if _, err := friends(ctx, db, "anne"); !isUnknown(err, "'ann'") {
		return fmt.Errorf("a vertex that is not in the graph: %w", err)
	}
	if _, err := db.BeginTx(ctx, nil); !errors.Is(err, driver.ErrTransaction) {
		return fmt.Errorf("a transaction: %w", err)
	}
	reader, err := sql.Open("heavytail", name+"?mode=ro")
	if err != nil {
		return err
	}
	defer reader.Close()
	if err := reader.PingContext(ctx); !errors.Is(err, storage.ErrLocked) {
		return fmt.Errorf("the file with another mode: %w", err)
	}
	fmt.Println("ann has", len(list), "friends, through database/sql")
	return nil
}

func friends(ctx context.Context, db *sql.DB, of string) (list []friend, err error) {
	rows, err := db.QueryContext(ctx, "SHOW NEIGHBORS OF $who IN team", sql.Named("who", of))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var f friend
		if err := rows.Scan(&f.Vertex, &f.Degree, &f.Weight, &f.City); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, rows.Err()
}

// isUnknown reports whether an error is that of an unknown name, with the
// nearest name as a suggestion.
func isUnknown(err error, nearest string) bool {
	var mistake *fault.Error
	return errors.As(err, &mistake) && mistake.Nearest == nearest
}
