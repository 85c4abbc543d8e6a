package measures

import (
	"testing"

	"heavytail/query/internal/bind"
)

// Of several options out of range, the error names the first one of the measure.
func TestMeasure_SettingsOrder(t *testing.T) {
	t.Parallel()
	m, err := findMeasure("pagerank")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_, err := m.bind(bind.SortedSettings(map[string]any{"tolerance": 0.0, "damping": 0.0}))
		if err == nil || err.Error() != "option damping is 0, and must be above 0" {
			t.Fatal(err)
		}
	}
}
