package fault

import "testing"

func TestAmount(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "bytes", "0 bytes"},
		{1, "edges", "1 edges"},
		{0.25, "steps", "0.25 steps"},
		{999, "edges", "999 edges"},
		{999.6, "edges", "1 k edges"},
		{12_345, "pairs", "12.3 k pairs"},
		{1.5e9, "pairs", "1.5 G pairs"},
		{1e25, "pairs", "10000000 E pairs"},
		{1000, "bytes", "1000 bytes"},
		{1023, "bytes", "1023 bytes"},
		{1024, "bytes", "1 KiB"},
		{20e6, "bytes", "19.1 MiB"},
		{1000 << 10, "bytes", "1000 KiB"},
		{8 << 30, "bytes", "8 GiB"},
	} {
		if got := Amount(tt.x, tt.unit); got != tt.want {
			t.Errorf("%v %s: got %q, want %q", tt.x, tt.unit, got, tt.want)
		}
	}
}

// The two figures of an error differ even if their first three digits are equal.
func TestLimitError_NeedAndLimitDiffer(t *testing.T) {
	for _, tt := range []struct {
		need, limit int64
		want        string
	}{
		{3 << 30, 2 << 30, "x would take 3 GiB, and MemoryLimit allows 2 GiB"},
		{8<<30 + 1, 8 << 30, "x would take 8589934593 bytes, and MemoryLimit allows 8589934592 bytes"},
	} {
		err := &LimitError{What: "x", Need: tt.need, Limit: tt.limit, Unit: "bytes", Field: "MemoryLimit"}
		if got := err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
