package tune

import (
	"fmt"

	"heavytail/embedding/jsonnull"
)

// MarshalJSON writes null for a score that is not defined.
func (j Judgement) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(j) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (j *Judgement) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, j) }

// MarshalJSON writes null for a figure that is not defined.
func (m Measure) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(m) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (m *Measure) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }

// MarshalJSON writes null for a score that is not defined, and the text of Err.
func (t Trial) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(t) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (t *Trial) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, t) }

// MarshalText returns the name of the stage.
func (s Stage) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText has written.
func (s *Stage) UnmarshalText(name []byte) error {
	for *s = Defaults; *s <= Confirm; *s++ {
		if s.String() == string(name) {
			return nil
		}
	}
	return fmt.Errorf("unknown stage %q of a search", name)
}
