package querytest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/rows"
)

// ExecAll runs statements one after the other.
func ExecAll(t *testing.T, db *query.DB, statements string) {
	t.Helper()
	for statement := range strings.SplitSeq(statements, "; ") {
		MustExec(t, db, statement)
	}
}

// Second returns the error of a call that also has a result.
func Second[T any](_ T, err error) error { return err }

// MustRun runs a statement and returns the text of its rows.
func MustRun(t *testing.T, db *query.DB, statement string) string {
	t.Helper()
	answer, err := db.Query(context.Background(), statement, nil)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	var out strings.Builder
	for answer.Next() {
		fmt.Fprintln(&out, answer.Row()...)
	}
	if answer.Err() != nil {
		t.Fatal(answer.Err())
	}
	return out.String()
}

// Params returns the parameters among the arguments of a directive.
func Params(args map[string]string) map[string]any {
	values := map[string]any{}
	for key, text := range args {
		name, ok := strings.CutPrefix(key, "$")
		if !ok {
			continue
		}
		if inner, ok := strings.CutPrefix(text, "["); ok {
			var vector []float64
			for _, field := range strings.Split(strings.TrimSuffix(inner, "]"), ",") {
				x, _ := strconv.ParseFloat(field, 64)
				vector = append(vector, x)
			}
			values[name] = vector
		} else if n, err := strconv.Atoi(text); err == nil {
			values[name] = n
		} else if x, err := strconv.ParseFloat(text, 64); err == nil {
			values[name] = x
		} else {
			values[name] = text
		}
	}
	return values
}

var Timestamps = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)

// Cell prints a value; a value that differs between runs or machines becomes a dash.
func Cell(column string, first, value rows.Value) string {
	measured := []string{
		"seconds", "kernel", "iterations", "statistic products", "statistic passes", "statistic joins", "statistic iterations",
		"bytes in the file", "bytes of a vertex", "bytes of an edge", "bytes of the change log", // depend on the page size
	}
	if slices.Contains(measured, column) || column == "value" && slices.Contains(measured, fmt.Sprint(first)) {
		return "-"
	}
	switch v := value.(type) {
	case nil:
		return "NULL"
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return Timestamps.ReplaceAllString(fmt.Sprint(value), "-")
}

// StatementsOf splits statements at semicolons.
func StatementsOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "; ")
}

// MustExec runs a statement and reads its rows to the end.
func MustExec(t testing.TB, db *query.DB, text string) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
}

// Answers are the rows of a statement, as text.
func Answers(t *testing.T, db *query.DB, text string) []string {
	t.Helper()
	rows, err := db.Query(context.Background(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var found []string
	for rows.Next() {
		found = append(found, fmt.Sprint(rows.Row()...))
	}
	return found
}
