// Package rows has the types that all statements share: the rows of an answer with the types of
// their columns, notices, progress, and parameters that are texts without a type.
//
// A statement from text returns [Rows]:
//
//	db, err := query.Open("graphs.ht", nil)
//	answer, err := db.Query(ctx, "SHOW NEIGHBORS OF 'alice' IN social", nil)
//	for answer.Next() {
//		fmt.Println(answer.Row()...)
//	}
//	err = answer.Err()
package rows
