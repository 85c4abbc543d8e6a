package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jmoiron/sqlx"
)

// What follows has the form of the code that sqlc generates: a statement is a constant,
// its parameters and its row are structs, and its method runs on anything like sql.DB.

// DBTX is what queries run on: sql.DB, sql.Conn or sqlx.DB.
type DBTX interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// Queries are the statements of the program.
type Queries struct{ db DBTX }

const addPerson = `INSERT VERTEX $key (city := $city, age := $age) INTO people`

// AddPersonParams are the parameters of addPerson.
type AddPersonParams struct {
	Key  string
	City sql.NullString
	Age  int64
}

// AddPerson returns the number of new vertices.
func (q *Queries) AddPerson(ctx context.Context, arg AddPersonParams) (int64, error) {
	result, err := q.db.ExecContext(ctx, addPerson, sql.Named("key", arg.Key), sql.Named("city", arg.City), sql.Named("age", arg.Age))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

const countOlder = `COUNT VERTICES IN people WHERE age > $age`

// CountOlder counts the people above an age.
func (q *Queries) CountOlder(ctx context.Context, age int64) (int64, error) {
	var count int64
	err := q.db.QueryRowContext(ctx, countOlder, sql.Named("age", age)).Scan(&count)
	return count, err
}

const listPeople = `SHOW VERTICES IN people COLUMNS age, city ORDER BY age DESC`

// ListPeopleRow is a row of listPeople. The tags are for sqlx.
type ListPeopleRow struct {
	Key  string         `db:"vertex"`
	Age  int64          `db:"age"`
	City sql.NullString `db:"city"`
}

// ListPeople lists the people, the oldest first.
func (q *Queries) ListPeople(ctx context.Context) ([]ListPeopleRow, error) {
	rows, err := q.db.QueryContext(ctx, listPeople)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var items []ListPeopleRow
	for rows.Next() {
		var i ListPeopleRow
		if err := rows.Scan(&i.Key, &i.Age, &i.City); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, errors.Join(rows.Close(), rows.Err())
}

// throughLibraries uses a file by sqlx, and by functions in the form of sqlc's.
func throughLibraries(ctx context.Context, dir string) (err error) {
	db, err := sqlx.ConnectContext(ctx, "heavytail", filepath.Join(dir, "sqlx.ht"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	queries := &Queries{db}
	db.MustExecContext(ctx, "CREATE GRAPH people")
	for _, p := range []AddPersonParams{
		{"ann", sql.NullString{String: "Bern", Valid: true}, 41}, {"bob", sql.NullString{}, 29}, {"cyd", sql.NullString{String: "Rome", Valid: true}, 35},
	} {
		if n, err := queries.AddPerson(ctx, p); err != nil || n != 1 {
			return fmt.Errorf("%d new vertices: %w", n, err)
		}
	}
	if n, err := queries.CountOlder(ctx, 30); err != nil || n != 2 {
		return fmt.Errorf("%d people above 30: %w", n, err)
	}
	listed, err := queries.ListPeople(ctx)
	if err != nil {
		return err
	}
	var selected []ListPeopleRow
	if err := db.SelectContext(ctx, &selected, listPeople); err != nil {
		return err
	}
	if fmt.Sprint(listed) != fmt.Sprint(selected) || len(listed) != 3 || listed[0].Key != "ann" || listed[2].City.Valid {
		return fmt.Errorf("sqlc's form lists %v, sqlx %v", listed, selected)
	}
	var one ListPeopleRow
	if err := db.GetContext(ctx, &one, "SHOW VERTICES IN people COLUMNS age, city WHERE key = $key", sql.Named("key", "bob")); err != nil || one.Age != 29 {
		return fmt.Errorf("%v: %w", one, err)
	}
	if err := db.GetContext(ctx, &one, "SHOW VERTICES IN people COLUMNS age WHERE age > 99"); !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("nobody is above 99: %w", err)
	}
	return errors.Join(mapsAndErrors(ctx, db), jobsBySQL(ctx, db))
}

// mapsAndErrors reads rows of a statement whose columns the program does not know, and
// the mistake of a statement.
func mapsAndErrors(ctx context.Context, db *sqlx.DB) error {
	row := map[string]any{}
	if err := db.QueryRowxContext(ctx, "DESCRIBE VERTEX 'ann' IN people").MapScan(row); err != nil || row["property"] == nil {
		return fmt.Errorf("the description of a vertex is %v: %w", row, err)
	}
	if _, err := db.QueryxContext(ctx, "SHOW VERTICES IN peeple"); !isUnknown(err, `"people"`) {
		return fmt.Errorf("a graph that does not exist: %w", err)
	}
	return nil
}

// jobsBySQL explains a statement, starts it in the background, and waits for it.
func jobsBySQL(ctx context.Context, db *sqlx.DB) error {
	db.MustExecContext(ctx, "GENERATE preferential_attachment(n := 300, m := 3) INTO big")
	var plan []struct{ Step, Detail string }
	const embed = "EMBED big USING dp_spectral(dim := 4) AS spec IN BACKGROUND"
	if err := db.SelectContext(ctx, &plan, "EXPLAIN "+embed); err != nil || len(plan) == 0 {
		return fmt.Errorf("the plan is %v: %w", plan, err)
	}
	var job struct {
		Job   int64
		State string
	}
	if err := db.Unsafe().GetContext(ctx, &job, embed); err != nil {
		return err
	}
	if err := db.Unsafe().GetContext(ctx, &job, "WAIT JOB $job", sql.Named("job", job.Job)); err != nil || job.State != "done" {
		return fmt.Errorf("the job is %v: %w", job, err)
	}
	var near []struct {
		Vertex   string
		Distance float64
	}
	if err := db.SelectContext(ctx, &near, "NEAREST 3 TO '0' USING spec"); err != nil || len(near) != 3 {
		return fmt.Errorf("the nearest are %v: %w", near, err)
	}
	fmt.Println("vertex 0 has", len(near), "nearest, through sqlx")
	return nil
}
