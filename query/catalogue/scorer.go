package catalogue

import "heavytail/query/parser"

// Scorer names a way to score pairs, such as adamic_adar, cosine on an embedding, or
// a model. links.Scorers lists all of them except models.
type Scorer struct {
	Name      string `json:"name,omitempty"`      // "model", or empty, where Model is set
	Embedding string `json:"embedding,omitempty"` // for the scorers that read vectors; empty for all others
	Model     string `json:"model,omitempty"`     // a model of links.Service.Models: its probability of a link
}

// String returns the text of the scorer in the language, which is also the name
// of its column: cosine(spec).
func (s Scorer) String() string {
	if s.Model != "" {
		return ModelScorer + "(" + parser.Ident{Name: s.Model}.String() + ")"
	}
	if s.Embedding == "" {
		return s.Name
	}
	return s.Name + "(" + parser.Ident{Name: s.Embedding}.String() + ")"
}

// ScorerIn converts a scorer of a statement.
func ScorerIn(s parser.Scorer) Scorer {
	w := Scorer{Name: s.Name.Name}
	switch {
	case s.Of == nil:
	case s.Name.Name == ModelScorer:
		w.Model = s.Of.Name
	default:
		w.Embedding = s.Of.Name
	}
	return w
}

// ScorerNode is the scorer as a statement writes it.
func ScorerNode(w Scorer) parser.Scorer {
	n := parser.Scorer{Name: parser.Ident{Name: w.Name}}
	switch {
	case w.Model != "":
		n.Name.Name, n.Of = ModelScorer, &parser.Ident{Name: w.Model}
	case w.Embedding != "":
		n.Of = &parser.Ident{Name: w.Embedding}
	}
	return n
}

// ModelScorer is the name of the scorer that reads a model: model(friends).
const ModelScorer = "model"
