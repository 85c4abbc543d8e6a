package tune

import (
	"fmt"

	"heavytail/embedding/jsonnull"
)

// The methods MarshalJSON write null for a figure that is not defined, and those of UnmarshalJSON
// read null as NaN.

func (j Judgement) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(j) }
func (j *Judgement) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, j) }

func (m Measure) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(m) }
func (m *Measure) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, m) }

// MarshalJSON also writes the text of Err.
func (t Trial) MarshalJSON() ([]byte, error)     { return jsonnull.Marshal(t) }
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
