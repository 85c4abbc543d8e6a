package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/lists"
	"heavytail/query/parser"
)

// This file has what the options of several statements have in common: their texts, structs of
// options, and the options share, negatives, first and count.

// Bind puts options that were given for owner, such as the heading of a statement, into a request.
func Bind[Q any](b *Binder, owner string, schema option.Schema[Q], given []parser.Option, req *Q) {
	b.Fail(bind.Mistake(schema.Bind(owner, b.Given(given), req)))
}

// Given are the options that a request sets, in the text of a job.
func Given[Q any](schema option.Schema[Q], req Q) []parser.Option { return Options(schema.Given(req)) }

// Options are checked options in the language.
func Options(given []option.Given) []parser.Option {
	return lists.Map(given, func(g option.Given) parser.Option { return Option(g.Name, g.Value) })
}

// Option is an option in the text of a job.
func Option(name string, value any) parser.Option {
	return parser.Option{Name: parser.Ident{Name: name}, Value: parser.ValueOf(value)}
}

// ShareField is the option share of EVALUATE LINKS, TRAIN MODEL, TUNE and EXPORT PAIRS; 0 is its default.
func ShareField[O any](doc string, at func(*O) *float64) option.Field[O] {
	return option.Float("share", doc, at).OrElse(evaluate.DefaultShare).
		Where("above 0 and below 1", func(v any) bool { return v.(float64) > 0 && v.(float64) < 1 })
}

// NegativesField is the option negatives of EVALUATE LINKS and TRAIN MODEL: kinds of pairs without an edge.
func NegativesField[O any](doc string, all []evaluate.Negatives, at func(*O) *[]evaluate.Negatives) option.Field[O] {
	doc += ": random is any pair; degree is drawn by the degrees of the ends of held-out edges; two_hop has a common neighbour, and then only held-out edges with a common neighbour count"
	if slices.Contains(all, evaluate.ReversedNegatives) {
		doc += "; reversed, in a directed graph, is the way back of a held-out edge, and then only edges without one count"
	}
	return option.Names(NegativesOption, "", doc, at).
		OrElse(string(evaluate.RandomNegatives)).Rule(func(o O) error { return CheckNegatives(all, *at(&o)) })
}

// NegativesOption is the name of the option of NegativesField, for errors.
const NegativesOption = "negatives"

// CheckNegatives returns an Error for a kind that is not one of all, and for one that is named
// twice.
func CheckNegatives(all, kinds []evaluate.Negatives) error {
	for i, kind := range kinds {
		if !slices.Contains(all, kind) {
			return fault.New(fault.Option(NegativesOption), "unknown negatives %s", fault.Quote(string(kind))).
				WithErr(evaluate.ErrOption).WithNearest(string(kind), strings.Split(KindNames(all, "\n"), "\n"), nil)
		}
		if slices.Contains(kinds[:i], kind) {
			return fault.New(fault.Option(NegativesOption), "negatives %s are named twice", kind)
		}
	}
	return nil
}

// KindNames joins the names of kinds of negatives.
func KindNames(kinds []evaluate.Negatives, between string) string {
	return strings.Join(lists.Map(kinds, func(kind evaluate.Negatives) string { return string(kind) }), between)
}

// NoNegatives converts the error for a graph without pairs of a kind to an Error
// at the option.
func NoNegatives(graph string, kind evaluate.Negatives, err error) error {
	if !errors.Is(err, evaluate.ErrNegatives) {
		return err
	}
	return fault.New(fault.Option(NegativesOption), "graph %s has too few held-out edges or too few other pairs for the negatives %s", fault.Quote(graph), kind).
		WithErr(err)
}

// RowRange is a part of numbered rows, as the options first and count give it.
type RowRange struct {
	First int64
	Count *int64 // nil for all that follow
}

// RangeFields are the options of a statement that takes some of its rows, such as walks: the number of
// the first one, and how many.
func RangeFields[O any](one, many string, first func(*O) *int64, count func(*O) **int64) option.Schema[O] {
	return option.Schema[O]{
		option.Int(firstOption, "number of the first "+one+", from 0", first).NotNegative(),
		option.IntOr("count", "all", "largest number of "+many+"; all takes all that follow the first one", count).NotNegative(),
	}
}

const firstOption = "first"

// NotOfMany is the Error for a range of a statement about one vertex.
func NotOfMany() error {
	return fault.OfOption(firstOption, "and count choose among many vertices, and apply only with FOR ALL or FOR FILE")
}

// All reports whether no row is left out.
func (r RowRange) All() bool { return r.First == 0 && r.Count == nil }

// String says in a plan which rows are chosen; it is empty for all.
func (r RowRange) String() string {
	switch {
	case r.All():
		return ""
	case r.Count == nil:
		return fmt.Sprintf(" from number %d on", r.First)
	}
	return fmt.Sprintf(" from number %d on, %d at most", r.First, *r.Count)
}

// Equal reports whether two ranges are given by the same numbers.
func (r RowRange) Equal(other RowRange) bool {
	return r.First == other.First && (r.Count == nil) == (other.Count == nil) && (r.Count == nil || *r.Count == *other.Count)
}

// Of returns the numbers of the first row and behind the last one, of those that there are. The
// range is empty if there are not so many: the last of several ranges of the same length may be
// shorter.
func (r RowRange) Of(rows int64) (first, end int64) {
	first, end = min(r.First, rows), rows
	if r.Count != nil {
		end = first + min(*r.Count, rows-first)
	}
	return first, end
}

// errRangeEnd stops a reader behind the last row of a range.
var errRangeEnd = errors.New("the end of the range")

// Read calls read with a function that reports whether the next row is in the range, and that
// returns an error behind it. read must return that error.
func (r RowRange) Read(read func(next func() (in bool, err error)) error) error {
	row := int64(-1)
	err := read(func() (bool, error) {
		row++
		if r.Count != nil && row-r.First >= *r.Count {
			return false, errRangeEnd
		}
		return row >= r.First, nil
	})
	if errors.Is(err, errRangeEnd) {
		return nil
	}
	return err
}
