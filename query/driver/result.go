package driver

import "errors"

// result is the number of changed records.
type result int64

// RowsAffected is the number of vertices or edges that INSERT, UPDATE and DELETE have
// inserted, updated and deleted; 0 for other statements.
func (r result) RowsAffected() (int64, error) { return int64(r), nil }

// LastInsertId is an error: vertices are known by their keys.
func (r result) LastInsertId() (int64, error) {
	return 0, errors.New("heavytail assigns no ids; vertices are identified by their keys")
}

// changed are the columns that count changed records.
func changed(columns []string) []int {
	var list []int
	for i, name := range columns {
		switch name {
		case "inserted", "updated", "deleted":
			list = append(list, i)
		}
	}
	return list
}
