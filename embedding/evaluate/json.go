package evaluate

import "heavytail/embedding/jsonnull"

// MarshalJSON writes null for a figure that is not defined.
func (p ReconstructionPoint) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(p) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (p *ReconstructionPoint) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, p) }

// MarshalJSON writes null for a figure that is not defined.
func (l PowerLaw) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(l) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (l *PowerLaw) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, l) }

// MarshalJSON writes null for a figure that is not defined.
func (m Measured) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(m) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (m *Measured) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }

// MarshalJSON writes null for a figure that is not defined.
func (s LinkScore) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (s *LinkScore) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }
