package query

import (
	"errors"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/fault"
)

// This file has the option negatives of EVALUATE LINKS and TRAIN MODEL.

func negativesOption(doc string) OptionInfo {
	return OptionInfo{Name: "negatives", Type: "text", Default: "'" + string(evaluate.RandomNegatives) + "'", Doc: doc +
		": random is any pair; degree is drawn by the degrees of the ends of held-out edges; two_hop has a common neighbour, and then only held-out edges with a common neighbour count"}
}

// negatives reads the option; nil for an empty text.
func (b *binder) negatives(set bind.Settings) (kinds []evaluate.Negatives) {
	text := set.Text("negatives")
	if text == "" {
		return nil
	}
	kinds = ofEach(namesIn(text), func(name string) evaluate.Negatives { return evaluate.Negatives(name) })
	b.Fail(checkNegatives(kinds))
	return kinds
}

// checkNegatives returns an Error for an unknown kind, and for one that is named
// twice.
func checkNegatives(kinds []evaluate.Negatives) error {
	all := evaluate.AllNegatives()
	for i, kind := range kinds {
		if !slices.Contains(all, kind) {
			return fault.New(fault.Option("negatives"), "unknown negatives %s", fault.Quote(string(kind))).
				WithErr(evaluate.ErrOption).WithNearest(string(kind), strings.Split(kindNames(all, "\n"), "\n"), nil)
		}
		if slices.Contains(kinds[:i], kind) {
			return fault.New(fault.Option("negatives"), "negatives %s are named twice", kind)
		}
	}
	return nil
}

// kindNames joins the names of kinds.
func kindNames(kinds []evaluate.Negatives, between string) string {
	return strings.Join(ofEach(kinds, func(kind evaluate.Negatives) string { return string(kind) }), between)
}

// noNegatives converts the error for a graph without pairs of a kind to an Error
// at the option.
func noNegatives(graph string, kind evaluate.Negatives, err error) error {
	if !errors.Is(err, evaluate.ErrNegatives) {
		return err
	}
	return fault.New(fault.Option("negatives"), "graph %s has too few held-out edges or too few other pairs for the negatives %s", fault.Quote(graph), kind).
		WithErr(err)
}
