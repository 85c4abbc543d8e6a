package link

import (
	"fmt"
	"slices"
)

// Feature is the input of a classifier of pairs: a function of two vectors.
type Feature struct {
	Name    string
	Summary string // one line for help
	// Symmetric is false if the feature depends on the order of the pair, on
	// which a link does not depend.
	Symmetric bool
	// Width is the number of values, for vectors of a dimension.
	Width func(dim int) int

	set func(dst, a, b []float32)
}

const concatenationName = "concatenation"

// Features returns all features of pairs. All except the last are simple; the
// last one is the concatenation of those that do not depend on the order of
// the pair.
func Features() []Feature {
	same := func(dim int) int { return dim }
	parts := []Feature{
		{"l1", "absolute differences of the coordinates", true, same, l1},
		{"l2", "squared differences of the coordinates", true, same, l2},
		{"hadamard", "products of the coordinates", true, same, hadamard},
		{"cosine", "cosine of the angle between the vectors", true, func(int) int { return 1 }, cosine},
	}
	list := []Feature{{"difference", "differences of the coordinates, the paper's choice, which depend on the order of the pair", false, same, difference}}
	return append(append(list, parts...), concatenation(parts))
}

// FindFeature returns the feature of a name, or ErrFeature.
func FindFeature(name string) (Feature, error) {
	all := Features()
	if i := slices.IndexFunc(all, func(f Feature) bool { return f.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Feature{}, fmt.Errorf("%q: %w", name, ErrFeature)
}

// Set writes the feature of two vectors of one dimension to dst, which has its
// width.
func (f Feature) Set(dst, a, b []float32) { f.set(dst, a, b) }

// concatenation puts features one after the other.
func concatenation(parts []Feature) Feature {
	return Feature{
		Name: concatenationName, Summary: "l1, l2, hadamard and cosine together", Symmetric: true,
		Width: func(dim int) int {
			sum := 0
			for _, f := range parts {
				sum += f.Width(dim)
			}
			return sum
		},
		set: func(dst, a, b []float32) {
			for _, f := range parts {
				width := f.Width(len(a))
				f.set(dst[:width], a, b)
				dst = dst[width:]
			}
		},
	}
}

func difference(dst, a, b []float32) {
	for i, x := range a {
		dst[i] = x - b[i]
	}
}

func l1(dst, a, b []float32) {
	for i, x := range a {
		dst[i] = max(x-b[i], b[i]-x)
	}
}

func l2(dst, a, b []float32) {
	for i, x := range a {
		dst[i] = (x - b[i]) * (x - b[i])
	}
}

func hadamard(dst, a, b []float32) {
	for i, x := range a {
		dst[i] = x * b[i]
	}
}

func cosine(dst, a, b []float32) { dst[0] = float32(Cosine(a, b)) }
