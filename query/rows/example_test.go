package rows_test

import (
	"context"
	"fmt"
	"log"

	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
)

// Rows are read one by one, and Close ends a stream before its end.
func ExampleRows() {
	db, done := querytest.Social()
	defer done()
	var answer *rows.Rows
	answer, err := db.Query(context.Background(), "SHOW VERTICES IN social COLUMNS degree ORDER BY degree DESC LIMIT 2", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Close()
	fmt.Println(answer.Columns())
	for answer.Next() {
		fmt.Println(answer.Row()...)
	}
	if err := answer.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [vertex degree]
	// alice 3
	// dave 3
}
