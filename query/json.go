package query

import (
	"encoding/json"
	"heavytail/embedding/jsonnull"
	"heavytail/embedding/link"
	"heavytail/query/internal/lists"
	"math"
)

// nullable is a float whose JSON is null if it is NaN, which JSON cannot express.
type nullable float64

func (x nullable) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

func (x *nullable) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = nullable(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

type scoredPair struct {
	Pair
	Further []string   `json:"further,omitempty"`
	Scores  []nullable `json:"scores"`
}

// MarshalJSON writes null for a score that is NaN.
func (p ScoredPair) MarshalJSON() ([]byte, error) {
	return json.Marshal(scoredPair{p.Pair, p.Further, lists.Map(p.Scores, func(x float64) nullable { return nullable(x) })})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (p *ScoredPair) UnmarshalJSON(text []byte) error {
	var read scoredPair
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*p = ScoredPair{read.Pair, read.Further, lists.Map(read.Scores, func(x nullable) float64 { return float64(x) })}
	return nil
}

// explainedScore is an ExplainedScore in JSON.
type explainedScore struct {
	Scorer Scorer            `json:"scorer"`
	Score  nullable          `json:"score"`
	Model  *link.Explanation `json:"model,omitempty"`
	Alike  *AlikePairs       `json:"alike,omitempty"`
}

// MarshalJSON writes null for a score that is NaN.
func (s ExplainedScore) MarshalJSON() ([]byte, error) {
	return json.Marshal(explainedScore{s.Scorer, nullable(s.Score), s.Model, s.Alike})
}

// UnmarshalJSON reads what MarshalJSON has written.
func (s *ExplainedScore) UnmarshalJSON(text []byte) error {
	var read explainedScore
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	*s = ExplainedScore{read.Scorer, float64(read.Score), read.Model, read.Alike}
	return nil
}

// MarshalJSON writes null for a figure that is not defined.
func (s MethodScore) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *MethodScore) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

// MarshalJSON writes null for a figure that is not defined.
func (r MethodRanking) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(r) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (r *MethodRanking) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, r) }

// MarshalJSON writes null for a figure that is not defined.
func (p ParameterPoint) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(p) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (p *ParameterPoint) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, p) }

// MarshalJSON writes null for a figure that is not defined.
func (s GraphStatistics) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *GraphStatistics) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

// MarshalJSON writes null for a figure that is not defined.
func (d GraphDescription) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(d) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (d *GraphDescription) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, d) }

// MarshalJSON writes null for a figure that is not defined.
func (m VerifyMeasure) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(m) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (m *VerifyMeasure) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }
