package classify

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// sample returns rows of random features of very different sizes, the third of them
// constant, and labels that depend on the first two features and on noise.
func sample(rows int) (*vec.Matrix, []bool) {
	random := rand.New(rand.NewPCG(1, uint64(rows)))
	x := vec.NewMatrix(rows, 5)
	labels := make([]bool, rows)
	for i := range rows {
		row := x.Row(i)
		for j, scale := range []float64{1, 1e-3, 0, 100, 1} {
			row[j] = float32(scale * (random.NormFloat64() + 3))
		}
		row[2] = 7
		labels[i] = float64(row[0])-1e3*float64(row[1])+random.NormFloat64() > 0
	}
	return x, labels
}

// objective computes the function that Logistic minimises, directly from its definition.
func objective(x *vec.Matrix, labels []bool, weights []float64, bias, penalty float64) float64 {
	sum := 0.0
	for i := range x.Rows {
		score := bias
		for j, w := range weights {
			score += w * float64(x.Row(i)[j])
		}
		if labels[i] {
			score = -score
		}
		sum += math.Log1p(math.Exp(score))
	}
	for j, w := range weights {
		mean, square := 0.0, 0.0
		for i := range x.Rows {
			mean += float64(x.Row(i)[j]) / float64(x.Rows)
		}
		for i := range x.Rows {
			d := float64(x.Row(i)[j]) - mean
			square += d * d / float64(x.Rows)
		}
		sum += penalty / 2 * w * w * square
	}
	return sum / float64(x.Rows)
}

// No change of a single weight or of the bias makes the objective smaller.
func TestLogistic_Minimum(t *testing.T) {
	x, labels := sample(1500)
	for _, penalty := range []float64{1e-6, 1, 300} {
		m, err := Logistic(context.Background(), x, labels, Options{Penalty: penalty})
		if err != nil {
			t.Fatal(err)
		}
		if !m.Converged {
			t.Errorf("penalty %v: not converged after %d iterations", penalty, m.Iterations)
		}
		if m.Weights[2] != 0 {
			t.Errorf("penalty %v: the constant feature has the weight %v", penalty, m.Weights[2])
		}
		least := objective(x, labels, m.Weights, m.Bias, penalty)
		if math.Abs(least-m.Loss) > 1e-5*least {
			t.Errorf("penalty %v: loss %v, expected %v", penalty, m.Loss, least)
		}
		for j := range len(m.Weights) + 1 {
			for _, factor := range []float64{0.9, 1.1} {
				weights, bias := slices.Clone(m.Weights), m.Bias
				switch {
				case j == len(weights):
					bias = bias*factor + 0.01*(factor-1)
				case weights[j] == 0:
					continue
				default:
					// Change the slope about the mean of the feature, so that the bias
					// stays right.
					weights[j] *= factor
					mean := 0.0
					for i := range x.Rows {
						mean += float64(x.Row(i)[j]) / float64(x.Rows)
					}
					bias += (m.Weights[j] - weights[j]) * mean
				}
				if got := objective(x, labels, weights, bias, penalty); got < least-1e-7 {
					t.Errorf("penalty %v: moving weight %d by %v gives %v, below %v", penalty, j, factor, got, least)
				}
			}
		}
	}
}

// With one feature of two values and a negligible penalty, the probabilities of the model
// are the fractions of positives.
func TestLogistic_ByHand(t *testing.T) {
	x := vec.NewMatrix(1000, 1)
	labels := make([]bool, 1000)
	for i := range labels {
		x.Data[i] = float32(i % 2)
		if i%2 == 0 {
			labels[i] = i%10 == 0 // a fifth
		} else {
			labels[i] = i%10 != 1 // four fifths
		}
	}
	m, err := Logistic(context.Background(), x, labels, Options{Penalty: 1e-6, Tolerance: 1e-7})
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range []float64{0.2, 0.8} {
		if p := m.Probability([]float32{float32(value)}); math.Abs(p-want) > 1e-4 {
			t.Errorf("probability at %d is %v, expected %v", value, p, want)
		}
	}
}

func TestLogistic_SameAtAnyWorkers(t *testing.T) {
	x, labels := sample(3000)
	var first *Model
	for _, workers := range []int{1, 2, 7} {
		m, err := Logistic(context.Background(), x, labels, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if !slices.Equal(m.Weights, first.Weights) || m.Bias != first.Bias {
			t.Errorf("%d workers give another model", workers)
		}
	}
}

// Classes that a plane separates have no finite weights without a penalty; with
// it training ends, and separates the classes.
func TestLogistic_Separable(t *testing.T) {
	x := &vec.Matrix{Rows: 4, Dim: 1, Data: []float32{-2, -1, 1, 2}}
	m, err := Logistic(context.Background(), x, []bool{false, false, true, true}, Options{})
	if err != nil || !m.Converged {
		t.Fatalf("%+v, %v", m, err)
	}
	for _, v := range x.Data {
		if s := m.Score([]float32{v}); s > 0 != (v > 0) {
			t.Errorf("score %v of %v", s, v)
		}
	}
}

func TestLogistic_Errors(t *testing.T) {
	x, labels := sample(10)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	infinite, _ := sample(10)
	infinite.Data[3] = float32(math.Inf(1))
	for _, test := range []struct {
		name   string
		ctx    context.Context
		x      *vec.Matrix
		labels []bool
		opts   Options
		want   error
	}{
		{"rows", context.Background(), x, labels[:9], Options{}, ErrShape},
		{"one class", context.Background(), x, make([]bool, 10), Options{}, ErrClasses},
		{"infinite", context.Background(), infinite, append(make([]bool, 9), true), Options{}, ErrValue},
		{"penalty", context.Background(), x, labels, Options{Penalty: math.NaN()}, ErrOption},
		{"iterations", context.Background(), x, labels, Options{Iterations: -1}, ErrOption},
		{"cancelled", cancelled, x, append(make([]bool, 9), true), Options{}, context.Canceled},
	} {
		if m, err := Logistic(test.ctx, test.x, test.labels, test.opts); !errors.Is(err, test.want) || m != nil {
			t.Errorf("%s: %v, %v", test.name, m, err)
		}
	}
}

// A feature that is constant except for the last digit of some values does not change the
// model.
func TestLogistic_NearlyConstant(t *testing.T) {
	x, labels := sample(300)
	nearly := vec.NewMatrix(x.Rows, x.Dim)
	copy(nearly.Data, x.Data)
	for i := range x.Rows {
		if i%20 == 0 {
			nearly.Row(i)[2] = math.Nextafter32(7, 8)
		}
	}
	want, err := Logistic(context.Background(), x, labels, Options{Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Logistic(context.Background(), nearly, labels, Options{Penalty: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		if a, b := got.Score(nearly.Row(i)), want.Score(x.Row(i)); math.Abs(a-b) > 1e-6 {
			t.Fatalf("row %d scores %v, expected %v", i, a, b)
		}
	}
}
