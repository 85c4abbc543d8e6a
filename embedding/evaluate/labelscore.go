package evaluate

import (
	"math"
	"slices"
)

// Measured is the mean and the standard deviation of a measure over several random orders,
// leaving out orders in which the measure is undefined. Both are NaN if no value is
// defined; the deviation needs at least two values.
type Measured struct {
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// LabelScore measures how well classes were predicted after training on a fraction of the
// vertices.
type LabelScore struct {
	Fraction float64 `json:"fraction"`
	Train    int     `json:"train"` // vertices
	Test     int     `json:"test"`

	// MicroF1 is the F1 of all decisions together. As many classes are predicted for a
	// vertex as it has, so MicroF1 is the fraction of the classes that were found.
	MicroF1 Measured `json:"micro_f1"`
	// MacroF1 is the unweighted mean of the F1 of all classes of Labels.Names; a class
	// that is neither in the test set nor predicted counts as 0. This is
	// scikit-learn's f1_score with average "macro", labels of all classes and
	// zero_division 0. With many rare classes it is well below the mean over the
	// classes that occur, which can be computed from Classes.
	MacroF1 Measured `json:"macro_f1"`
	// Accuracy is the fraction of the vertices whose classes were all found; with one
	// class each it equals MicroF1.
	Accuracy Measured `json:"accuracy"`

	Classes []ClassScore `json:"classes"` // in the order of Labels.Names
}

// ClassScore measures how well one class was predicted.
type ClassScore struct {
	Vertices Measured `json:"vertices"` // of the class in the test set
	// Accuracy is the fraction of the vertices of the class for which it was predicted,
	// its recall; Precision is the fraction of its predictions that are right.
	Accuracy  Measured `json:"accuracy"`
	Precision Measured `json:"precision"`
	F1        Measured `json:"f1"`
}

type labelTally struct {
	train, test int // vertices
	complete    int // vertices whose classes were all found
	classes     []classTally
}

type classTally struct{ found, missed, wrong int64 }

func newLabelTally(classes, train, test int) labelTally {
	return labelTally{train: train, test: test, classes: make([]classTally, classes)}
}

// count counts the classes of a vertex and the predicted ones, both ascending.
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

// micro is the F1 of the decisions of all classes together.
func (t *labelTally) micro() float64 {
	var all classTally
	for _, c := range t.classes {
		all.found, all.missed, all.wrong = all.found+c.found, all.missed+c.missed, all.wrong+c.wrong
	}
	return all.f1()
}

// macro is the mean of the F1 of all classes. A class without decisions counts as 0.
func (t *labelTally) macro() float64 {
	sum := 0.0
	for _, c := range t.classes {
		if f1 := c.f1(); !math.IsNaN(f1) {
			sum += f1
		}
	}
	return sum / float64(len(t.classes))
}

// measured returns the mean and deviation of the values that are not NaN. It
// changes the list.
func measured(values []float64) Measured {
	values = slices.DeleteFunc(values, math.IsNaN)
	if len(values) == 0 {
		return Measured{math.NaN(), math.NaN()}
	}
	// Sum differences to the first value, so that the mean of equal values is exactly that
	// value.
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
