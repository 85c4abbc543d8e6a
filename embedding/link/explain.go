package link

// Explanation lists the contributions to the probability of a pair.
type Explanation struct {
	// Parts add up to LogOdds. The first is the bias, the log-odds of the average training
	// pair; each other part is the difference that one scorer or feature makes between
	// this pair and the average pair.
	Parts []Part `json:"parts"`
	// LogOdds is ln(p/(1−p)) before calibration.
	LogOdds float64 `json:"log_odds"`
	// Probability is the calibrated one, that of Score.
	Probability float64 `json:"probability"`
}

// Part is the contribution of one scorer or feature to the log-odds.
type Part struct {
	// Name is "bias", a scorer, a feature or "apart". The part "apart" is the last
	// one; only models with an embedding have it, for pairs of which a vertex is
	// outside the largest component.
	Name string `json:"name"`
	// Embedding reports that the part is a feature of the embedding: Name is
	// then one of [Features], not of [Scorers].
	Embedding bool `json:"embedding"`
	// Value is the score; of a feature with several values, as Part.
	Value float64 `json:"value"`
	Part  float64 `json:"part"`
}

// Explain returns the contributions to the probability of a pair.
func (b *Bound) Explain(u, v uint32) Explanation {
	m := b.m
	e := Explanation{Parts: []Part{{Name: "bias", Value: m.bias, Part: m.bias}}}
	var x values
	b.measure(&x, u, v, true)
	comparable := b.comparable(u, v)
	for i, t := range m.terms {
		p := Part{Name: t.name, Value: x[i]}
		if comparable || !t.vectors {
			p.Part = t.part(p.Value)
		}
		e.Parts = append(e.Parts, p)
	}
	for i, p := range m.planes {
		part := 0.0
		if comparable {
			part = b.plane(i, u, v)
		}
		e.Parts = append(e.Parts, Part{Name: p.name, Embedding: true, Value: part, Part: part})
	}
	if m.dim > 0 {
		p := Part{Name: "apart"}
		if !comparable {
			p.Value, p.Part = 1, m.apart
		}
		e.Parts = append(e.Parts, p)
	}
	for _, p := range e.Parts {
		e.LogOdds += p.Part
	}
	// The parts are added in a different order than in logOdds, which changes the last
	// digits.
	e.Probability = b.Score(u, v)
	return e
}
