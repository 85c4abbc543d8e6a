package cells

import (
	"encoding/json"
	"math"
)

// Nullable is a float whose JSON is null if it is NaN, which JSON cannot express.
type Nullable float64

func (x Nullable) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

func (x *Nullable) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Nullable(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}
