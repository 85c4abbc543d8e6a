package vectors

import "heavytail/embedding/jsonnull"

// MarshalJSON writes null for a figure that is not defined.
func (m VerifyMeasure) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(m) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (m *VerifyMeasure) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }
