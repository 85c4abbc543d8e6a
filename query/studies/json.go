package studies

import "heavytail/embedding/jsonnull"

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
