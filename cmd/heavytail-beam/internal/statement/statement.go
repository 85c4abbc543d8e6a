// Package statement runs statements for the tests of this module.
package statement

import (
	"testing"

	"heavytail/query"
)

// Run runs a statement to its end. An error ends the test.
func Run(t *testing.T, db *query.DB, text string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
