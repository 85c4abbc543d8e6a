package evaluate

import (
	"math"
	"slices"
)

// Measured is the mean of a measure over several random orders, without those
// in which it is not defined, and its standard deviation from the mean. Both are
// NaN where there is nothing to take them of; the deviation needs two values.
type Measured struct{ Mean, Deviation float64 }

// LabelScore says how well classes were told after training on a fraction of the
// vertices.
type LabelScore struct {
	Fraction    float64
	Train, Test int // vertices

	// MicroF1 is the F1 of all decisions together. As a vertex is given as many
	// classes as it has, it is the share of the classes that were found.
	MicroF1 Measured
	// MacroF1 is the mean of the F1 of the classes, each counting as much, without
	// those that no test vertex has and none was given.
	MacroF1 Measured
	// Accuracy is the share of the vertices whose classes were all found: with one
	// class each the same as MicroF1.
	Accuracy Measured

	Classes []ClassScore // in the order of Labels.Names
}

// ClassScore says how well one class was told.
type ClassScore struct {
	Vertices Measured // of the class among those to be told
	// Accuracy is the share of the vertices of the class that were given it, which
	// is its recall; Precision the share of those that were given it that are of it.
	Accuracy, Precision, F1 Measured
}

// labelTally counts the decisions of one classification.
type labelTally struct {
	train, test int // vertices
	complete    int // vertices whose classes were all found
	classes     []classTally
}

type classTally struct{ found, missed, wrong int64 }

func newLabelTally(classes, train, test int) labelTally {
	return labelTally{train: train, test: test, classes: make([]classTally, classes)}
}

// count takes the classes of a vertex and those that it was given, both
// ascending.
func (t *labelTally) count(own, given []uint32) {
	if slices.Equal(own, given) {
		t.complete++
	}
	for _, c := range own {
		if _, hit := slices.BinarySearch(given, c); hit {
			t.classes[c].found++
		} else {
			t.classes[c].missed++
		}
	}
	for _, c := range given {
		if _, hit := slices.BinarySearch(own, c); !hit {
			t.classes[c].wrong++
		}
	}
}

func (c classTally) f1() float64 {
	return share(2*c.found, float64(2*c.found+c.missed+c.wrong))
}

// micro is the F1 of all classes taken as one.
func (t *labelTally) micro() float64 {
	var all classTally
	for _, c := range t.classes {
		all.found, all.missed, all.wrong = all.found+c.found, all.missed+c.missed, all.wrong+c.wrong
	}
	return all.f1()
}

// macro is the mean F1 of the classes that have one.
func (t *labelTally) macro() float64 {
	var of []float64
	for _, c := range t.classes {
		of = append(of, c.f1())
	}
	return measured(of).Mean
}

// measured takes mean and deviation of the values that are not NaN. It changes
// the list.
func measured(values []float64) Measured {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return Measured{math.NaN(), math.NaN()}
	}
	// Taken from the first value, equal ones have exactly that mean.
	n, sum := float64(len(values)), 0.0
	for _, x := range values {
		sum += x - values[0]
	}
	mean, squares := values[0]+sum/n, 0.0
	for _, x := range values {
		squares += (x - mean) * (x - mean)
	}
	if n == 1 {
		return Measured{mean, math.NaN()}
	}
	return Measured{mean, math.Sqrt(squares / (n - 1))}
}

// summarise puts the tallies of one fraction together.
func summarise(fraction float64, tallies []labelTally) LabelScore {
	over := func(value func(labelTally) float64) Measured {
		values := make([]float64, len(tallies))
		for i, t := range tallies {
			values[i] = value(t)
		}
		return measured(values)
	}
	s := LabelScore{
		Fraction: fraction, Train: tallies[0].train, Test: tallies[0].test,
		MicroF1:  over(func(t labelTally) float64 { return t.micro() }),
		MacroF1:  over(func(t labelTally) float64 { return t.macro() }),
		Accuracy: over(func(t labelTally) float64 { return share(int64(t.complete), float64(t.test)) }),
	}
	for c := range tallies[0].classes {
		of := func(value func(classTally) float64) Measured {
			return over(func(t labelTally) float64 { return value(t.classes[c]) })
		}
		s.Classes = append(s.Classes, ClassScore{
			Vertices:  of(func(c classTally) float64 { return float64(c.found + c.missed) }),
			Accuracy:  of(func(c classTally) float64 { return share(c.found, float64(c.found+c.missed)) }),
			Precision: of(func(c classTally) float64 { return share(c.found, float64(c.found+c.wrong)) }),
			F1:        of(classTally.f1),
		})
	}
	return s
}
