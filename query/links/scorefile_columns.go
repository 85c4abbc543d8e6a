package links

import (
	"fmt"
	"slices"
	"strings"

	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/textfile"
	"heavytail/query/rows"
	"heavytail/storage/format"
)

const columnsOption = "columns"

// The values of ScoreRequest.Columns that are no names.
const (
	allColumns = "all"
	noColumns  = "none"
)

// furtherColumns are the columns of a file of pairs, other than the keys, that go into the
// answer.
type furtherColumns struct {
	list  []format.PairColumn
	names []string // in the answer, where no two columns have the same name
	left  []string // columns of lists and records, which are left out
	all   bool     // no names were asked for
}

// further finds the additional columns of a file that are wanted next to the scores. Standard
// input has none, because their names are needed before it is read; a notice reports that.
func further(c *engine.Call, path, wanted string, opts format.EdgeListOptions, with []catalogue.Scorer) (found furtherColumns, err error) {
	if wanted == noColumns {
		return found, nil
	}
	named := wanted != "" && wanted != allColumns
	found.all = !named
	if path == "-" {
		if named {
			err = fault.OfOption(columnsOption, "does not apply to standard input, of which only the keys are read")
		}
		return found, err
	}
	in, _, err := c.OpenInput(path, fault.File)
	if err != nil {
		return found, err
	}
	defer in.Close()
	there, err := format.PairColumns(c.Ctx, in, opts)
	if err != nil {
		return found, textfile.FormatMistake(err)
	}
	if !named {
		for _, column := range there {
			if column.Held {
				found.list = append(found.list, column)
			} else {
				found.left = append(found.left, column.Name)
			}
		}
	} else if found.list, err = namedColumns(wanted, there); err != nil {
		return found, err
	}
	found.name(with)
	return found, nil
}

func namedColumns(text string, there []format.PairColumn) (list []format.PairColumn, err error) {
	names := lists.Map(there, func(column format.PairColumn) string { return column.Name })
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fault.OfOption(columnsOption, "names %s, which is not an additional column of the file", fault.QuoteKey(name)).
				WithExpected(append([]string{allColumns, noColumns}, names...)...)
		}
		if !there[i].Held {
			return nil, fault.OfOption(columnsOption, "names %s, which has lists or records", fault.QuoteKey(name))
		}
		if !slices.Contains(list, there[i]) {
			list = append(list, there[i])
		}
	}
	return list, nil
}

// name gives the columns their names in the answer. One that is taken, by a column of the
// keys, a scorer or a column before it, gets a number.
func (f *furtherColumns) name(with []catalogue.Scorer) {
	taken := scoreColumns(with, nil)
	for _, column := range f.list {
		name := column.Name
		for n := 2; slices.Contains(taken, name); n++ {
			name = fmt.Sprintf("%s_%d", column.Name, n)
		}
		f.names, taken = append(f.names, name), append(taken, name)
	}
}

// notice reports columns that have another name in the answer, and those left out.
func (f *furtherColumns) notice(c *engine.Call) {
	for i, column := range f.list {
		if f.names[i] != column.Name {
			c.Notice("column %s of the file is called %s, as another one has its name", fault.Quote(column.Name), fault.Quote(f.names[i]))
		}
	}
	if len(f.left) > 0 {
		c.Notice("columns of lists and records are left out: %s", strings.Join(f.left, ", "))
	}
}

func (f *furtherColumns) numbers() (numbers []int) {
	for _, column := range f.list {
		numbers = append(numbers, column.Number)
	}
	return numbers
}

// types are those of the columns of a file: of the keys, of the further columns and of the scores.
func (f *furtherColumns) types(scorers int) []format.Type {
	types := []format.Type{format.Text, format.Text}
	for _, column := range f.list {
		types = append(types, column.Type)
	}
	return append(types, slices.Repeat([]format.Type{format.Float}, scorers)...)
}

// row is a row of a table, whose further columns have the types of the file.
func (f *furtherColumns) row(p ScoredPair) []rows.Value {
	row := p.Row()
	for i, column := range f.list {
		row[2+i] = column.Type.ValueOf(p.Further[i])
	}
	return row
}
