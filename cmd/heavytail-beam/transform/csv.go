package transform

import (
	"bufio"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"heavytail/query/catalogue"
)

func init() {
	register.DoFn4x1[context.Context, int, func(*int) bool, func(*Scored) bool, error](&writeCSV{})
	register.DoFn1x2[Scored, int, Scored](&fileOf{})
	register.Iter1[Scored]()
	register.Function1x2(keyed)
	beam.RegisterType(reflect.TypeFor[writeCSV]())
	beam.RegisterType(reflect.TypeFor[fileOf]())
}

// WriteCSV writes a collection of Scored into files of CSV with the columns of SCORE FILE:
// source, target, and one column for each scorer, empty where there is no score. With one
// file its name is name; the names of several have -00000-of-00016 before the ending, and
// a source is in the same file with all its pairs.
//
// The rows of a file are in the order of the bytes of source and target, so that the files
// do not depend on how the runner divides the work. A worker holds one file in memory. A
// file appears under its name when it is complete, if the file system can rename.
func WriteCSV(s beam.Scope, scored beam.PCollection, with []catalogue.Scorer, name string, files int) {
	s = s.Scope("heavytail.WriteCSV")
	numbers := make([]int, files)
	for i := range numbers {
		numbers[i] = i
	}
	// The numbers are joined with the rows, so that a file without rows is written, too.
	all := beam.ParDo(s, keyed, beam.CreateList(s, numbers))
	rows := beam.ParDo(s, &fileOf{Files: files}, scored)
	head := []string{"source", "target"}
	for _, w := range with {
		head = append(head, w.String())
	}
	beam.ParDo0(s, &writeCSV{Names: FileNames(name, files), Head: head}, beam.CoGroupByKey(s, all, rows))
}

// FileNames are the names of the files that WriteCSV writes.
func FileNames(name string, files int) []string {
	if files == 1 {
		return []string{name}
	}
	ending := path.Ext(name)
	names := make([]string, files)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%05d-of-%05d%s", strings.TrimSuffix(name, ending), i, files, ending)
	}
	return names
}

func keyed(i int) (int, int) { return i, i }

// fileOf says which file a pair is written to.
type fileOf struct {
	Files int
}

// ProcessElement returns the number of the file, by a hash of the source.
func (f *fileOf) ProcessElement(p Scored) (int, Scored) {
	h := fnv.New32a()
	io.WriteString(h, p.Source)
	return int(h.Sum32() % uint32(f.Files)), p
}

type writeCSV struct {
	Names []string
	Head  []string
}

// ProcessElement writes file number i.
func (f *writeCSV) ProcessElement(ctx context.Context, i int, _ func(*int) bool, next func(*Scored) bool) error {
	var rows []Scored
	for p := (Scored{}); next(&p); p = (Scored{}) {
		rows = append(rows, p)
	}
	slices.SortFunc(rows, func(a, b Scored) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Target, b.Target))
	})
	return write(ctx, f.Names[i], func(w io.Writer) error {
		out := csv.NewWriter(w)
		record := slices.Clone(f.Head)
		out.Write(record)
		for _, p := range rows {
			record = append(record[:0], p.Source, p.Target)
			for _, x := range p.Scores {
				record = append(record, number(x))
			}
			out.Write(record)
		}
		out.Flush()
		return out.Error()
	})
}

// number writes a score as SCORE FILE does.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// write makes a file of any scheme.
func write(ctx context.Context, name string, rows func(io.Writer) error) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer fs.Close()
	target := name
	_, renames := fs.(filesystem.Renamer)
	if renames { // a runner may start the same work twice
		target = fmt.Sprintf("%s.%08x.part", name, rand.Uint32())
	}
	file, err := fs.OpenWrite(ctx, target)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(file, 1<<20)
	if err = errors.Join(rows(buffered), buffered.Flush(), file.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if renames {
		err = filesystem.Rename(ctx, fs, target, name)
	}
	return err
}
