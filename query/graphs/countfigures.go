package graphs

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"heavytail/query/fault"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/storage"
)

// FigureFunction is the function that a Figure computes.
type FigureFunction string

// The functions.
const (
	FigureSum  FigureFunction = "sum"
	FigureMean FigureFunction = "mean"
	FigureMin  FigureFunction = "min"
	FigureMax  FigureFunction = "max"
)

// FigureFunctions returns all of them.
func FigureFunctions() []FigureFunction {
	return []FigureFunction{FigureSum, FigureMean, FigureMin, FigureMax}
}

// Figure is an aggregate, such as a sum or a mean, of the numbers that vertices have in a
// column.
type Figure struct {
	Function FigureFunction
	Of       string // an attribute of integers or floats, or degree
}

// String writes the figure in the form of the language, such as "mean(age)".
func (f Figure) String() string {
	return string(f.Function) + "(" + parser.Ident{Name: f.Of}.String() + ")"
}

func figuresText(list []Figure) string {
	return strings.Join(lists.Map(list, Figure.String), ", ")
}

func partFigure(i int) fault.Part { return fault.Part(fmt.Sprintf("figure %d", i)) }

// checkFigures returns an Error for an unknown function, and for a column that is not numeric.
func checkFigures(graph storage.GraphInfo, list []Figure) error {
	for i, f := range list {
		if !slices.Contains(FigureFunctions(), f.Function) {
			names := lists.Map(FigureFunctions(), func(known FigureFunction) string { return string(known) })
			return fault.New(partFigure(i), "unknown function %s", fault.Quote(string(f.Function))).WithNearest(string(f.Function), names, nil)
		}
		if f.Of == "degree" {
			continue
		}
		a, ok := session.AttributeOf(graph, f.Of)
		if !ok {
			return session.UnknownAttribute(graph, f.Of, partFigure(i))
		}
		if a.Type != storage.Integer && a.Type != storage.Float {
			return fault.New(partFigure(i), "attribute %s is %s, and %s needs numbers", fault.Name(a.Name), a.Type, f).
				WithRemedy("BY counts the vertices of each value")
		}
	}
	return nil
}

// numberTally adds up the numbers of a column, all integers or all floats.
type numberTally struct {
	count      int64
	high       int64 // of the sum of integers, in 128 bits
	low        uint64
	sum, small float64 // the sum of floats, and the rounding errors of its additions
	min, max   storage.Value
}

// add takes a value; missing ones are left out.
func (t *numberTally) add(v storage.Value) {
	if v.IsMissing() {
		return
	}
	if order, known := conditions.CompareValues(v, t.min); !known || order < 0 {
		t.min = v
	}
	if order, known := conditions.CompareValues(v, t.max); !known || order > 0 {
		t.max = v
	}
	t.count++
	if v.Type() == storage.Integer {
		x := v.Integer()
		low, carry := bits.Add64(t.low, uint64(x), 0)
		t.low, t.high = low, t.high+x>>63+int64(carry)
		return
	}
	// Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
	x := v.Float()
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.small += (t.sum - sum) + x
	} else {
		t.small += (x - sum) + t.sum
	}
	t.sum = sum
}

func figuresOf(tallies []numberTally, list []Figure) ([]storage.Value, error) {
	row := make([]storage.Value, len(list))
	for i, f := range list {
		var ok bool
		if row[i], ok = tallies[i].figure(f.Function); !ok {
			return nil, fault.New(partFigure(i), "%s is larger than a number of 64 bits holds", f).WithErr(storage.ErrLimit)
		}
	}
	return row, nil
}

// figure returns the value of a function: missing if there are no numbers. It returns false if
// the value does not fit 64 bits.
func (t *numberTally) figure(function FigureFunction) (storage.Value, bool) {
	if t.count == 0 {
		return storage.Value{}, true
	}
	integers, fits := t.min.Type() == storage.Integer, t.high == int64(t.low)>>63
	sum := t.sum + t.small
	switch {
	case integers && fits:
		sum = float64(int64(t.low))
	case integers:
		sum = math.Ldexp(float64(t.high), 64) + float64(t.low)
	}
	switch {
	case function == FigureMin:
		return t.min, true
	case function == FigureMax:
		return t.max, true
	case function == FigureSum && integers:
		return storage.IntegerValue(int64(t.low)), fits
	case math.IsInf(sum, 0) || math.IsNaN(sum):
		return storage.Value{}, false
	case function == FigureSum:
		return storage.FloatValue(sum), true
	}
	return storage.FloatValue(sum / float64(t.count)), true
}
