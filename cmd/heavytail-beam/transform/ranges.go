package transform

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"heavytail/query"
	"heavytail/query/parser"
)

var (
	rangesRun  = beam.NewCounter(namespace, "ranges")
	rangesDone = beam.NewCounter(namespace, "ranges_done_before")
)

func init() {
	register.DoFn2x1[context.Context, int, error](&runRange{})
	beam.RegisterType(reflect.TypeFor[runRange]())
}

// RangesOptions say which statement runs in ranges.
type RangesOptions struct {
	File string // as in ScoreOptions
	// Statement writes the rows of one range into a file. Its parameters are $first, $count and
	// $file:
	//
	//	NEAREST 10 FOR ALL USING spec WITH (first := $first, count := $count) INTO FILE $file
	Statement string
	Ranges    int    // number of ranges; at least 1
	Rows      int64  // of a range, as count of the statement; the last range also has all that follow
	Out       string // what FileNames makes the names of the parts of
	Overwrite bool   // compute parts again that exist
}

// Validate returns an error for options that cannot be used.
func (o RangesOptions) Validate() error {
	if _, err := parser.Parse(o.Statement); err != nil {
		return err
	}
	for _, name := range []string{"$first", "$count", "$file"} {
		if !strings.Contains(o.Statement, name) {
			return fmt.Errorf("the statement has no parameter %s", name)
		}
	}
	if o.Ranges < 1 || o.Rows < 1 {
		return fmt.Errorf("%d ranges of %d rows, and both must be at least 1", o.Ranges, o.Rows)
	}
	return nil
}

// Ranges runs a statement once for each range of its rows, and writes each answer into a part.
// Parts that exist are kept, so that a pipeline which failed can be run again; a part appears
// under its name when it is complete, if the file system can rename. The parts of text, one after
// the other, are the file of the statement without first and count.
func Ranges(s beam.Scope, opts RangesOptions) {
	s = s.Scope("heavytail.Ranges")
	numbers := make([]int, opts.Ranges)
	for i := range numbers {
		numbers[i] = i
	}
	// Without the reshuffle a runner fuses the list with the work, on one worker.
	beam.ParDo0(s, &runRange{Options: opts}, beam.Reshuffle(s, beam.CreateList(s, numbers)))
}

type runRange struct {
	Options RangesOptions
}

// ProcessElement runs range number i.
func (f *runRange) ProcessElement(ctx context.Context, i int) error {
	name := FileNames(f.Options.Out, f.Options.Ranges)[i]
	if !f.Options.Overwrite {
		done, err := Exists(ctx, name)
		if err != nil {
			return err
		}
		if done {
			rangesDone.Inc(ctx, 1)
			return nil
		}
	}
	db, err := open(ctx, f.Options.File)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "heavytail-range-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, path.Base(name)) // the ending is the format
	params := map[string]any{"first": f.Options.Rows * int64(i), "count": f.Options.Rows, "file": file}
	if i == f.Options.Ranges-1 {
		params["count"] = "all"
	}
	if err := runStatement(ctx, db, f.Options.Statement, params); err != nil {
		return fmt.Errorf("range %d: %w", i, err)
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := write(ctx, name, func(w io.Writer) error { _, err := io.Copy(w, in); return err }); err != nil {
		return err
	}
	rangesRun.Inc(ctx, 1)
	return nil
}

func runStatement(ctx context.Context, db *query.DB, text string, params map[string]any) error {
	rows, err := db.Query(ctx, text, params)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// Exists reports whether there is a file of a name, which may have any scheme.
func Exists(ctx context.Context, name string) (bool, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return false, err
	}
	defer fs.Close()
	found, err := fs.List(ctx, name)
	return slices.Contains(found, name), err
}
