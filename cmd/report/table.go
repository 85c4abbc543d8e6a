package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"heavytail/query/rows"
	"heavytail/storage"
)

type table struct {
	Caption string
	Columns []column
	Rows    [][]cell // the first cell of a row is its head
	Plain   bool     // a table of properties and values, without a row of column heads
	Folded  bool     // closed until the reader opens it
}

type column struct {
	Name   string
	Number bool // aligned to the right
}

type cell struct {
	Text  string
	Exact string  // the value with all digits; empty if Text has them all
	Bar   float64 // the fraction of a bar below the text; 0 for none
}

func newTable(caption string, rows *rows.Rows) (table, error) {
	t := table{Caption: caption}
	for _, name := range rows.Columns() {
		t.Columns = append(t.Columns, column{Name: words(name)})
	}
	numbers := make([]int, len(t.Columns))
	for rows.Next() {
		line := make([]cell, len(t.Columns))
		for i, v := range rows.Row() {
			line[i] = cellOf(v)
			if line[i].Exact != "" {
				numbers[i]++
			} else if line[i].Text != "" {
				numbers[i] = math.MinInt32
			}
		}
		t.Rows = append(t.Rows, line)
	}
	for i := range numbers {
		t.Columns[i].Number = numbers[i] > 0
	}
	return t, rows.Err()
}

// words returns the name of a column with blanks between its words.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// without leaves out columns by their names in the statement.
func (t table) without(names ...string) table {
	for _, name := range names {
		for i := len(t.Columns) - 1; i >= 0; i-- {
			if t.Columns[i].Name != words(name) {
				continue
			}
			t.Columns = append(t.Columns[:i:i], t.Columns[i+1:]...)
			for r := range t.Rows {
				t.Rows[r] = append(t.Rows[r][:i:i], t.Rows[r][i+1:]...)
			}
		}
	}
	return t
}

// withoutEmpty leaves out columns without any text.
func (t table) withoutEmpty() table {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(t.Rows, func(line []cell) bool { return line[i].Text != "" }) {
			t = t.without(t.Columns[i].Name)
		}
	}
	return t
}

// head returns a table without rows. A name that begins with # is that of a column of
// numbers.
func head(caption string, names ...string) table {
	t := table{Caption: caption}
	for _, name := range names {
		name, number := strings.CutPrefix(name, "#")
		t.Columns = append(t.Columns, column{name, number})
	}
	return t
}

// add appends a row; a cell stays as it is.
func (t *table) add(values ...any) {
	line := make([]cell, len(values))
	for i, v := range values {
		line[i] = cellOf(v)
	}
	t.Rows = append(t.Rows, line)
}

// cellOf shows a value: floats with four significant digits, whole numbers with commas.
func cellOf(v any) cell {
	switch v := v.(type) {
	case nil:
		return cell{}
	case cell:
		return v
	case storage.Value:
		return valueCell(v)
	case int:
		return cellOf(int64(v))
	case int64:
		return cell{Text: grouped(v), Exact: strconv.FormatInt(v, 10)}
	case float64:
		if math.IsNaN(v) {
			return cell{}
		}
		return cell{Text: short(v), Exact: strconv.FormatFloat(v, 'g', -1, 64)}
	case time.Time:
		if v.IsZero() {
			return cell{}
		}
		return cell{Text: v.UTC().Format("2006-01-02 15:04:05")}
	default:
		return cell{Text: fmt.Sprint(v)}
	}
}

func valueCell(v storage.Value) cell {
	if v.IsMissing() {
		return cell{}
	}
	text := v.String()
	if v.Text() == "" {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return cellOf(n)
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return cellOf(x)
		}
	}
	return cell{Text: text}
}

// grouped writes a whole number with commas between thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	first := 0
	if n < 0 {
		first = 1
	}
	for i := len(text) - 3; i > first; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return strings.Replace(text, "-", "−", 1)
}

// groupedWords writes the integers of a text as the tables do. It leaves texts in quotes, and
// numbers that name something, as they are.
func groupedWords(text string) string {
	names := []string{"version", "generation", "job", "seed", "line", "format"}
	words, quoted := strings.Split(text, " "), false
	for i, word := range words {
		number := strings.TrimRight(word, ".,;:")
		n, err := strconv.ParseInt(number, 10, 64)
		isNumber := err == nil && strconv.FormatInt(n, 10) == number
		if isNumber && !quoted && !(i > 0 && slices.Contains(names, strings.ToLower(words[i-1]))) {
			words[i] = grouped(n) + word[len(number):]
		}
		if (strings.Count(word, "'")+strings.Count(word, `"`))%2 == 1 {
			quoted = !quoted
		}
	}
	return strings.Join(words, " ")
}

// short writes a number with four significant digits.
func short(x float64) string {
	size := math.Abs(x)
	switch {
	case x == 0:
		return "0"
	case math.IsInf(x, 0):
		return strings.Trim(strconv.FormatFloat(x, 'g', -1, 64), "+Inf") + "∞"
	case size >= 1e15 || size < 1e-4:
		return strings.ReplaceAll(strconv.FormatFloat(x, 'e', 3, 64), "-", "−")
	case size >= 999.95:
		return grouped(int64(math.Round(x)))
	}
	digits := 4
	if size >= 1 {
		digits = 3 - int(math.Log10(size))
	} else if size < 0.1 && size > 0 {
		digits = 3 - int(math.Floor(math.Log10(size)))
	}
	return strings.Replace(strconv.FormatFloat(x, 'f', digits, 64), "-", "−", 1)
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return grouped(n) + " bytes"
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

func vertices(n int) string { return plural(int64(n), "vertex", "vertices") }
func edges(n int64) string  { return plural(n, "edge", "edges") }

// Long reports whether the text needs a wide column, such as a method with its options. In a
// narrow one it would have a line for each word.
func (c cell) Long() bool { return len(c.Text) > 60 }

// Percent is the length of the bar.
func (c cell) Percent() float64 { return 100 * min(1, max(0, c.Bar)) }
