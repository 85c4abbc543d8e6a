package links

import (
	"encoding/json"

	"heavytail/embedding/link"
	"heavytail/query/catalogue"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/lists"
)

type scoredPair struct {
	Pair
	Further []string         `json:"further,omitempty"`
	Scores  []cells.Nullable `json:"scores"`
}

// MarshalJSON writes null for a score that is NaN.
func (p ScoredPair) MarshalJSON() ([]byte, error) {
	return json.Marshal(scoredPair{p.Pair, p.Further, lists.Map(p.Scores, func(x float64) cells.Nullable { return cells.Nullable(x) })})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (p *ScoredPair) UnmarshalJSON(text []byte) error {
	var read scoredPair
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*p = ScoredPair{read.Pair, read.Further, lists.Map(read.Scores, func(x cells.Nullable) float64 { return float64(x) })}
	return nil
}

// explainedScore is an ExplainedScore in JSON.
type explainedScore struct {
	Scorer catalogue.Scorer  `json:"scorer"`
	Score  cells.Nullable    `json:"score"`
	Model  *link.Explanation `json:"model,omitempty"`
	Alike  *AlikePairs       `json:"alike,omitempty"`

	Embeddings []string `json:"embeddings,omitempty"`
	AtBaseRate float64  `json:"at_base_rate,omitempty"`
}

// MarshalJSON writes null for a score that is NaN.
func (s ExplainedScore) MarshalJSON() ([]byte, error) {
	return json.Marshal(explainedScore{s.Scorer, cells.Nullable(s.Score), s.Model, s.Alike, s.Embeddings, s.AtBaseRate})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *ExplainedScore) UnmarshalJSON(text []byte) error {
	var read explainedScore
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*s = ExplainedScore{Scorer: read.Scorer, Score: float64(read.Score), Model: read.Model, Alike: read.Alike, Embeddings: read.Embeddings, AtBaseRate: read.AtBaseRate}
	return nil
}
