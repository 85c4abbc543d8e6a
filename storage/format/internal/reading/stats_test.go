package reading

import "testing"

func TestReadStats_Remark(t *testing.T) {
	var s Stats
	for i, name := range []string{"since", "kind", "since", "", "a", "b", "c", "d"} {
		s.Remark("attributes of edges left out", name, int64(7+i), "")
	}
	s.Remark("ports left out", "", 0, "see the manual")
	want := []string{
		"attributes of edges left out: 8 (since, kind, a, b, c), the first in line 7",
		"ports left out: 1; see the manual",
	}
	if len(s.Remarks) != len(want) {
		t.Fatalf("%d kinds, want %d", len(s.Remarks), len(want))
	}
	for i, n := range s.Remarks {
		if got := n.String(); got != want[i] {
			t.Errorf("remark %d: %q, want %q", i, got, want[i])
		}
	}
}
