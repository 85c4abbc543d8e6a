package driver_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	_ "heavytail/query/driver"
	"heavytail/query/fault"
)

// person is a vertex as the program knows it. Attributes that a vertex can lack are
// pointers.
type person struct {
	Key    string
	Degree int
	Age    *int
}

// people lists the vertices that are older than an age, as generated code and helpers of
// database/sql do it.
func people(ctx context.Context, db *sql.DB, age int) (list []person, err error) {
	rows, err := db.QueryContext(ctx, "SHOW VERTICES IN team COLUMNS degree, age WHERE age > $age ORDER BY age", sql.Named("age", age))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		if err := rows.Scan(&p.Key, &p.Degree, &p.Age); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

func Example() {
	dir, err := os.MkdirTemp("", "heavytail")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := sql.Open("heavytail", filepath.Join(dir, "team.ht"))
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	ctx := context.Background()
	for _, statement := range []string{
		"CREATE GRAPH team",
		"INSERT VERTEX 'ann' (age := 41), 'bob' (age := 29), 'cyd' (age := 52) INTO team",
		"INSERT EDGE ('ann', 'bob'), ('bob', 'cyd'), ('cyd', 'ann'), ('cyd', 'dan') INTO team",
		"EMBED team USING dp_spectral(dim := 2) AS spec",
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			log.Fatal(err)
		}
	}
	list, err := people(ctx, db, 30)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range list {
		fmt.Println(p.Key, p.Degree, *p.Age)
	}

	var near string
	var distance float64
	err = db.QueryRowContext(ctx, "NEAREST 1 TO $who USING spec", sql.Named("who", "bop")).Scan(&near, &distance)
	var mistake *fault.Error
	if errors.As(err, &mistake) {
		fmt.Println(mistake.Message, mistake.Hint())
	}
	// Output:
	// ann 2 41
	// cyd 3 52
	// vertex 'bop' is not in graph team did you mean 'bob'?
}
