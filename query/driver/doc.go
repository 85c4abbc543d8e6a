// Package driver lets programs use a heavytail file through database/sql. Importing it
// registers the driver "heavytail":
//
//	import _ "heavytail/query/driver"
//
//	db, err := sql.Open("heavytail", "social.ht?mode=ro")
//	rows, err := db.QueryContext(ctx, "NEAREST 10 TO $who USING spec", sql.Named("who", "alice"))
//
// The texts are statements of heavytail's language, not SQL; each call runs one.
// Query and Exec both run any statement: Query returns its rows, and Exec reads them to
// their end and counts changed records.
//
// # Data source names
//
// A name is the path of the file, optionally followed by ? and parameters as in a URL:
//
//	mode          ro reads, rw reads and writes a file that exists, rwc also creates it
//	              (the default)
//	lock_timeout  how long to wait for another process that has the file, as in 5s
//	release_idle  true lets other processes use the file between statements
//	memory_limit  bytes that graphs and vectors may take, such as 4GiB
//	max_rows      rows that one result may have in memory
//	workers       goroutines that one statement computes with
//	folder        the folder that files named by statements are confined to
//	no_files      true refuses statements that read or write other files
//
// They are the fields of query.Options. The path is everything before the last question
// mark, byte by byte. A program that needs other options, or uses the typed methods as
// well, opens the file with query.Open and passes the query.DB to [Connector].
//
// # Connections
//
// All connections of a process to a file share one query.DB, also those of several
// sql.DB, so that graphs and vectors are in memory once. They must be opened with the
// same parameters; otherwise the error answers errors.Is for storage.ErrLocked. An
// sql.DB has the file open from its first use until its Close, even while it has no
// connection, so that jobs in the background continue. Rows that are still open then
// keep the file open until they are closed.
//
// # Parameters
//
// A parameter $name takes the value of sql.Named("name", …): a string, integer, float or
// boolean, a vector as []float32 or []float64, or rows.Untyped. A time.Time is passed as a
// date in UTC, []byte as text, and NULL as MISSING. A value without a name, and one whose
// name is not in the statement, are errors.
//
// # Rows
//
// Cells are string, int64, float64, bool or NULL. The statement defines the types of its
// columns, which sql.ColumnType returns before the first row is read, also for an answer
// without rows: TEXT, INTEGER, FLOAT or BOOLEAN; those of attributes and of the times of
// edges come from the graph. ANY is for columns whose values have several types, such as
// value in DESCRIBE, and for further columns of the file in SCORE FILE. Every value
// can be scanned into ScanType, which is sql.NullInt64 and the like where a value may be
// NULL.
//
// A context that ends stops the statement, and the reading of rows. The rows of SCORE
// FILE, SHOW VERTICES and SHOW NEIGHBORS are computed while they are read.
//
// # Transactions
//
// Each statement is one transaction, and there are none of several statements:
// sql.DB.Begin returns [ErrTransaction]. Several changes at once make one transaction with
// query.DB.Update; see [Conn.DB].
//
// # Errors
//
// Errors are those of packages fault and parser: *fault.Error and *parser.Error with the position of
// the mistake, *fault.LimitError, and everything in query.Errors, for errors.As and errors.Is.
package driver
