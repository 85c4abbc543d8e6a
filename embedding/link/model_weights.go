package link

import "math"

// Weight is how much a model makes of a scorer or a feature.
type Weight struct {
	Name      string
	Embedding bool // a feature of the embedding, and not a scorer
	// Weight is what the log-odds grow by with the value of the scorer, on the
	// curve that makes it about linear in them; of a feature the norm of the weights
	// of its values.
	Weight float64
	Values int // 1 for a scorer
}

// Weights returns what the model makes of its terms, scorers first.
func (m *Model) Weights() []Weight {
	var list []Weight
	for _, t := range m.terms {
		list = append(list, Weight{Name: t.name, Weight: t.weight, Values: 1})
	}
	for _, p := range m.planes {
		sum := 0.0
		for _, x := range p.weights {
			sum += float64(x) * float64(x)
		}
		list = append(list, Weight{Name: p.name, Embedding: true, Weight: math.Sqrt(sum), Values: len(p.weights)})
	}
	return list
}
