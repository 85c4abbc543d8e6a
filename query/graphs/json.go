package graphs

import "heavytail/embedding/jsonnull"

// MarshalJSON writes null for a figure that is not defined.
func (s GraphStatistics) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *GraphStatistics) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

// MarshalJSON writes null for a figure that is not defined.
func (d GraphDescription) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(d) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (d *GraphDescription) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, d) }
