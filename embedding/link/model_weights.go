package link

import "math"

// Weight is the weight of a scorer or a feature in a model.
type Weight struct {
	Name      string `json:"name"`
	Embedding bool   `json:"embedding"` // a feature of the embedding, and not a scorer
	// Weight of a scorer is the slope of the log-odds in its value, on the curve that makes
	// it about linear; of a feature it is the norm of the weights of its values.
	Weight float64 `json:"weight"`
	Values int     `json:"values"` // 1 for a scorer
}

// Weights returns the weights of the terms of the model, scorers first.
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
