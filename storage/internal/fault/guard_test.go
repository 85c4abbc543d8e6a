package fault

import (
	"errors"
	"strings"
	"testing"
)

// A fault in the code that reads a page says nothing of this code.
func TestGuarded_Faults(t *testing.T) {
	t.Parallel()
	var none []byte
	at := len(none) + 3
	for name, f := range map[string]func() error{
		"index": func() error { none[at] = 1; return nil },
		"text":  func() error { panic("page 7: invalid type") },
	} {
		err := Guarded("g.ht", f)
		if !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "runtime") || strings.Contains(err.Error(), "index") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
