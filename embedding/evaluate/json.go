package evaluate

import "heavytail/embedding/jsonnull"

// The methods MarshalJSON write null for a figure that is not defined, and those of UnmarshalJSON
// read null as NaN.

func (p ReconstructionPoint) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(p) }
func (p *ReconstructionPoint) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, p) }

func (l PowerLaw) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(l) }
func (l *PowerLaw) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, l) }

func (m Measured) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(m) }
func (m *Measured) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }

func (s LinkScore) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(s) }
func (s *LinkScore) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, s) }

func (r Ranking) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(r) }
func (r *Ranking) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, r) }
